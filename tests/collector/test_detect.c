/* SPDX-License-Identifier: MIT */
/* Which detector is chosen for which heap. test_collect_model.c tests that all of them find the
 * same garbage. */
#include "graphs.h"

#include "../../src/collector/collection.h"

/* The detector that a collection would choose now. */
static const char *
detector_of(int generation)
{
    struct _is *interp = ouro_current.interp;
    struct collection c = ouro_collection_of(interp, generation);
    ouro_heap_hold(&interp->heap);
    REQUIRE(ouro_gather_candidates(&c));
    const char *name = ouro_detector_for(&c)->name;
    ouro_release_candidates(&c);
    ouro_heap_unhold(&interp->heap);
    return name;
}

TEST_PY(most_heaps_are_counted_and_marked)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *head = make_list(FORWARDS, nodes, LENGTH);
    EXPECT_STR(detector_of(OURO_YOUNG), "count and mark");
    EXPECT_STR(detector_of(OURO_OLD), "count and mark");
    Py_DECREF(head);
}

TEST_PY(few_candidates_are_counted_in_their_headers)
{
    begin_graph();
    gc_now()->few_pages = 0;
    PyObject *hub = new_hub(20000, NULL); /* larger than a page */
    EXPECT_STR(detector_of(OURO_YOUNG), "few");
    Py_DECREF(hub);
}

TEST_PY(a_numbered_heap_is_certified_by_full_collections_alone_unless_proofs_rest)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *head = make_list(SHUFFLED, nodes, LENGTH);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(detector_of(OURO_OLD), "certificate");
    PyObject *young = new_node(&N, NULL);
    EXPECT_STR(detector_of(OURO_YOUNG), "count and mark");
    Py_DECREF(young);
    gc_now()->certificate.rest = 1;
    EXPECT_STR(detector_of(OURO_OLD), "count and mark");
    EXPECT_STR(detector_of(OURO_OLD), "certificate");
    Py_DECREF(head);
}
