/* SPDX-License-Identifier: MIT */
/* In which pages a walk prefetches the targets of objects. */
#include "graphs.h"

#include "../../src/collector/collection.h"

/* Whether a full collection would prefetch in the page of `op`. */
static bool
looks_ahead_at(const PyObject *op, bool backwards)
{
    struct heap *heap = &ouro_current.interp->heap;
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_OLD);
    c.scan = heap->sets.scan[OURO_OLD];
    ouro_look_ahead(&c, ouro_heap_page_of(heap, op), backwards);
    return c.ahead.size != 0;
}

static void
expect_looks_ahead(enum shape shape, bool expected)
{
    if (OURO_ASAN) {
        SKIP("nothing is read ahead: slots may be poisoned");
    }
    begin_graph();
    static PyObject *nodes[LENGTH];
    PyObject *list = make_list(shape, nodes, LENGTH);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(looks_ahead_at(list, false), expected);
    EXPECT_EQ(looks_ahead_at(list, true), expected);
    Py_DECREF(list);
}

TEST_PY(objects_that_refer_to_their_neighbours_are_not_fetched_ahead)
{
    expect_looks_ahead(FORWARDS, false);
}

TEST_PY(objects_that_refer_to_scattered_ones_are_fetched_ahead)
{
    expect_looks_ahead(SHUFFLED, true);
}

TEST_PY(nothing_is_fetched_ahead_in_a_page_of_few_objects)
{
    begin_graph();
    PyObject *hub = new_hub(1000, NULL); /* eight to a page */
    EXPECT_EQ(collect(), 0);
    EXPECT(!looks_ahead_at(hub, false));
    Py_DECREF(hub);
}
