/* SPDX-License-Identifier: MIT */
/* Tracking a FRESH object writes its header and nothing else [page.inv.fresh]. So an object
 * that is untracked while its page comes to be scanned another way must lose the bit, or the
 * collector would never see it again. */
#include "nodes.h"

/* A new object that is not tracked, but could be without a call. */
static PyObject *
new_fresh(void)
{
    SKIP_CHECKED("always tracks by a call");
    PyObject *x = new_node(&N, NULL);
    PyObject_GC_UnTrack(x);
    EXPECT_EQ(x->ob_gc, _Py_GC_ALLOCATED | _Py_GC_FRESH);
    return x;
}

/* Track it now, and drop it as a cycle: does a young collection find it? An older one might
 * look at the whole page anyway. */
static void
expect_it_is_found(PyObject *x)
{
    PyObject_GC_Track(x);
    link_nodes(x, x);
    Py_DECREF(x);
    EXPECT_EQ(Ouro_GCCollect(0), 1);
}

TEST_PY(an_object_tracked_after_a_collection_is_found)
{
    baseline_quiet();
    PyObject *x = new_fresh();
    EXPECT_EQ(collect(), 0);
    expect_it_is_found(x);
}

TEST_PY(an_object_tracked_after_collections_without_a_certificate_is_found)
{
    baseline_quiet();
    PyObject *x = new_fresh();
    rest_certificate(OURO_OLD, true);
    EXPECT_EQ(collect(), 0);
    expect_it_is_found(x);
}

TEST_PY(an_object_tracked_after_a_freeze_is_found)
{
    baseline_quiet();
    PyObject *x = new_fresh();
    Ouro_GCFreeze();
    expect_it_is_found(x);
    Ouro_GCUnfreeze();
}

TEST_PY(an_object_tracked_after_its_page_became_sparse_is_found)
{
    enum { COUNT = 8192 };
    static PyObject *others[COUNT];
    baseline_quiet();
    struct heap *heap = &ouro_current.interp->heap;
    for (int i = 0; i < COUNT / 2; i++) {
        others[i] = new_node(&N, NULL);
    }
    PyObject *x = new_fresh();
    for (int i = COUNT / 2; i < COUNT; i++) {
        others[i] = new_node(&N, NULL);
    }
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(others[i]);
    }
    size_t number = ouro_heap_offset(heap, x) >> OURO_PAGE_SHIFT;
    EXPECT_EQ(heap->young_scan[number], OURO_SCAN_BITS);
    expect_it_is_found(x);
}
