/* SPDX-License-Identifier: MIT */
/* The permanent generation: scenarios C85 to C89. */
#include "nodes.h"

static bool
is_listed(PyObject *op, int generation)
{
    PyObject *list = Ouro_GCGetObjects(generation);
    REQUIRE_NOT_NULL(list);
    bool found = list_holds(list, op);
    Py_DECREF(list);
    return found;
}

static Py_ssize_t
listed_count(void)
{
    PyObject *list = Ouro_GCGetObjects(-1);
    REQUIRE_NOT_NULL(list);
    Py_ssize_t count = PyList_GET_SIZE(list);
    Py_DECREF(list);
    return count;
}

static uint32_t
unused_pages_after_collecting(void)
{
    PyGC_Collect();
    PyGC_Collect(); /* the heap may keep the memory that it needed before the last one */
    return ouro_current.interp->heap.trim.resident_unused;
}

TEST_PY(a_full_collection_without_anything_to_collect_gives_memory_back)
{
    SKIP_CHECKED("quarantined blocks stay in their pages");
    enum { BLOCKS = 200 };
    static PyObject *blocks[BLOCKS];
    Ouro_GCFreeze();
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = PyTuple_New(16400); /* two pages, and a little more */
        PyObject_GC_UnTrack(blocks[i]);
    }
    for (int i = 0; i < BLOCKS; i++) {
        Py_DECREF(blocks[i]);
    }
    EXPECT_EQ(listed_count(), 0);
    EXPECT_GT(ouro_current.interp->heap.trim.resident_unused, BLOCKS);
    EXPECT_LT(unused_pages_after_collecting(), BLOCKS / 2);
    Ouro_GCUnfreeze();
}

TEST_PY(freezing_moves_every_object_and_unfreezing_makes_it_old) /* C85 */
{
    baseline_quiet();
    PyObject *young = new_node(&N, NULL);
    Ouro_GCCollect(0);
    PyObject *younger = new_node(&N, NULL);
    EXPECT(is_listed(younger, 0) && is_listed(young, 1));
    Py_ssize_t before = listed_count();
    EXPECT_EQ(Ouro_GCGetFreezeCount(), 0);
    Ouro_GCFreeze();
    EXPECT_EQ(Ouro_GCGetFreezeCount(), before);
    EXPECT_EQ(listed_count(), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(young), 1);
    Ouro_GCUnfreeze();
    EXPECT_EQ(Ouro_GCGetFreezeCount(), 0);
    EXPECT_EQ(listed_count(), before);
    EXPECT(is_listed(young, 2) && is_listed(younger, 2));
    Py_DECREF(young);
    Py_DECREF(younger);
}

TEST_PY(freezing_sets_all_counts_to_zero)
{
    int counts[3];
    baseline_quiet();
    Ouro_GCCollect(0);
    Ouro_GCCollect(1);
    Ouro_GCCollect(0);
    PyObject *x = new_node(&N, NULL);
    Ouro_GCFreeze();
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 0);
    EXPECT_EQ(counts[1], 0);
    EXPECT_EQ(counts[2], 0);
    Py_DECREF(x);
}

TEST_PY(frozen_objects_do_not_wait_for_a_middle_collection)
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL);
    Ouro_GCCollect(0);
    EXPECT_EQ(gc_now()->growth.middle_pending, 1);
    Ouro_GCFreeze();
    EXPECT_EQ(gc_now()->growth.middle_pending, 0);
    Ouro_GCUnfreeze();
    Py_DECREF(x);
}

TEST_PY(frozen_garbage_is_kept_until_it_is_unfrozen) /* C86 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y");
    link_both_ways(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    Ouro_GCFreeze();
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
    Ouro_GCUnfreeze();
    EXPECT_EQ(Ouro_GCCollect(1), 0);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x") + count_events("dealloc y"), 2);
}

TEST_PY(a_frozen_object_is_nobodys_referrer) /* C87 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL), *y = new_node(&N, NULL);
    set_a(x, y);
    PyObject *asked = PyTuple_Pack(1, y);
    PyObject *referrers = Ouro_GCGetReferrers(asked);
    EXPECT(list_holds(referrers, x));
    Py_DECREF(referrers);
    Ouro_GCFreeze();
    referrers = Ouro_GCGetReferrers(asked);
    EXPECT_EQ(PyList_GET_SIZE(referrers), 0);
    Py_DECREF(referrers);
    Ouro_GCUnfreeze();
    Py_DECREF(asked);
    Py_DECREF(x);
    Py_DECREF(y);
}

TEST_PY(untracking_a_frozen_object_takes_it_out) /* C88 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL);
    Ouro_GCFreeze();
    Py_ssize_t before = Ouro_GCGetFreezeCount();
    PyObject_GC_UnTrack(x);
    EXPECT_EQ(Ouro_GCGetFreezeCount(), before - 1);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 0);
    PyObject_GC_Track(x); /* young again, and no longer frozen */
    EXPECT_EQ(Ouro_GCGetFreezeCount(), before - 1);
    EXPECT(is_listed(x, 0));
    set_a(x, x);
    Py_DECREF(x);
    EXPECT_EQ(Ouro_GCCollect(0), 1);
}

TEST_PY(a_frozen_object_dies_by_its_count)
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    Ouro_GCFreeze();
    Py_ssize_t before = Ouro_GCGetFreezeCount();
    Py_DECREF(x);
    EXPECT_STR(events(), "finalize x, dealloc x");
    EXPECT_EQ(Ouro_GCGetFreezeCount(), before - 1);
}

TEST_PY(garbage_that_refers_to_frozen_objects_is_collected) /* C89 */
{
    baseline_quiet();
    PyObject *frozen = new_node(&N, "frozen");
    Ouro_GCFreeze();
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y");
    link_both_ways(x, y);
    set_b(x, frozen);
    EXPECT_EQ(Py_REFCNT(frozen), 2);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(Py_REFCNT(frozen), 1);
    EXPECT_EQ(count_events("dealloc frozen"), 0);
    Py_DECREF(frozen);
    EXPECT_EQ(count_events("dealloc frozen"), 1);
}

TEST_PY(what_a_frozen_object_refers_to_is_reachable)
{
    baseline_quiet();
    PyObject *frozen = new_node(&N, "frozen");
    Ouro_GCFreeze();
    PyObject *x = new_node(&N, "x");
    set_a(x, x);
    set_a(frozen, x);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
    set_a(frozen, NULL);
    EXPECT_EQ(collect(), 1);
    Py_DECREF(frozen);
}

TEST_PY(frozen_objects_are_no_candidates)
{
    Ouro_GCStats before, after;
    static PyObject *nodes[1000];
    baseline_quiet();
    for (int i = 0; i < 1000; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    Ouro_GCFreeze();
    Ouro_GCGetStats(2, &before);
    collect();
    Ouro_GCGetStats(2, &after);
    EXPECT_EQ(after.candidates, before.candidates);
    for (int i = 0; i < 1000; i++) {
        Py_DECREF(nodes[i]);
    }
}

TEST_PY(freezing_again_adds_and_objects_of_one_page_keep_apart)
{
    static PyObject *nodes[2000];
    baseline_quiet();
    Ouro_GCFreeze();
    Py_ssize_t first = Ouro_GCGetFreezeCount();
    for (int i = 0; i < 2000; i++) { /* every second one frozen, others young, mixed */
        nodes[i] = new_node(&N, NULL);
        if (i == 999) {
            Ouro_GCFreeze();
            EXPECT_EQ(Ouro_GCGetFreezeCount(), first + 1000);
        }
    }
    for (int i = 0; i < 2000; i++) {
        set_a(nodes[i], nodes[i]);
        Py_DECREF(nodes[i]);
    }
    EXPECT_EQ(collect(), 1000);
    EXPECT_EQ(Ouro_GCGetFreezeCount(), first + 1000);
    Ouro_GCUnfreeze();
    EXPECT_EQ(collect(), 1000);
}

TEST_PY(tracked_objects_of_reused_frozen_slots_are_young)
{
    static PyObject *nodes[1000];
    baseline_quiet();
    for (int i = 0; i < 1000; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    Ouro_GCFreeze();
    for (int i = 0; i < 1000; i += 2) {
        Py_DECREF(nodes[i]);
    }
    for (int i = 0; i < 500; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(Ouro_GCCollect(0), 500);
    for (int i = 1; i < 1000; i += 2) {
        Py_DECREF(nodes[i]);
    }
}

static void
freeze_in_node(struct node *self)
{
    (void)self;
    Ouro_GCFreeze();
}

TEST_PY(what_a_finalizer_freezes_is_found_again_in_sparse_pages)
{
    static PyObject *nodes[5000];
    for (int generation = 0; generation < 3; generation++) {
        baseline_quiet();
        for (int i = 0; i < 5000; i++) {
            nodes[i] = new_node(&N, NULL);
        }
        drop_self_cycle(&F, NULL);
        when_finalized = freeze_in_node;
        EXPECT_EQ(Ouro_GCCollect(generation), 1);
        for (int i = 0; i < 5000; i++) {
            set_a(nodes[i], i % 500 == 7 ? nodes[i] : NULL);
            Py_DECREF(nodes[i]);
        }
        EXPECT_EQ(collect(), 0);
        Ouro_GCUnfreeze();
        EXPECT_EQ(collect(), 10);
    }
}

TEST_PY(a_finalizer_does_not_freeze_what_is_being_collected)
{
    baseline_quiet();
    PyObject *x = new_node(&F, NULL), *survivor = new_node(&N, NULL);
    link_nodes(x, x);
    node_of(x)->resurrects = true;
    Py_DECREF(x);
    when_finalized = freeze_in_node;
    EXPECT_EQ(collect(), 0);
    EXPECT(is_listed(x, 2) && !is_listed(survivor, -1));
    Py_CLEAR(rescued);
    EXPECT_EQ(collect(), 1);
    Py_DECREF(survivor);
}
