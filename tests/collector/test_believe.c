/* SPDX-License-Identifier: MIT */
/* After a collection in one piece: which cycle comes, and what it visits. */
#include "short_cycles.h"

#include "../../src/base/fault.h"

TEST_PY(after_a_collection_in_one_piece_short_cycles_find_what_is_dropped)
{
    drive_by_hand(BATCH, 6);
    gc_now()->slices.follow_trust = 1;
    gc_now()->slices.short_from = 0;
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(2);
    EXPECT_EQ(gc_now()->slices.short_left, OURO_SHORT_MOST);
    let_heap_grow();
    run_short_cycle();
    EXPECT(!is_dead(weakref));
    Py_DECREF(ring);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

TEST_PY(after_a_collection_in_one_piece_objects_that_are_alive_are_not_visited)
{
    SKIP_CHECKED("visits objects, too");
    doubt_by_hand();
    PyObject *ring = new_ring(counted(), 5);
    Ouro_GCCollect(2);
    EXPECT_EQ(visits_of_short_cycle(), 0);
    Py_DECREF(ring);
    Ouro_GCCollect(2);
}

/* Where short cycles gave up, or heaps are small, all cycles are whole. */
TEST_PY(
    after_a_collection_in_one_piece_a_whole_cycle_comes_where_short_ones_are_not_wanted)
{
    doubt_by_hand();
    gc_now()->slices.short_distrust = 1;
    Ouro_GCCollect(2);
    run_whole_cycle();
    doubt_by_hand();
    gc_now()->slices.short_from = 1000 * 1000;
    Ouro_GCCollect(2);
    run_whole_cycle();
    doubt_by_hand();
    gc_now()->slices.follow_trust = 0;
    Ouro_GCCollect(2);
    run_whole_cycle();
    doubt_by_hand();
    gc_now()->slices.watch_trust = 1; /* all proposals are proved together */
    Ouro_GCCollect(2);
    run_whole_cycle();
}

/* A cycle by slices gets the memory that new objects wait in. There has been none. */
TEST_PY(what_became_old_before_the_first_cycle_is_found_by_a_short_one)
{
    drive_by_hand(BATCH, 6);
    Ouro_GCSetPauseBudget(0); /* nothing is left of earlier cycles */
    Ouro_GCSetPauseBudget(1000);
    gc_now()->slices.follow_trust = 1;
    gc_now()->slices.short_from = 0;
    Ouro_GCCollect(2);
    let_heap_grow();
    EXPECT_NULL(gc_now()->slices.ring);
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1);
    Py_DECREF(ring);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

/* The words of the heap as it was before are too few. */
TEST_PY(after_the_heap_has_grown_and_a_collection_in_one_piece_short_cycles_come)
{
    enum { LARGE_TUPLES = 100 };
    static PyObject *large[LARGE_TUPLES];
    doubt_by_hand();
    Ouro_GCCollect(2);
    size_t before = gc_now()->slices.spares[TABLE_WORDS].size;
    for (int i = 0; i < LARGE_TUPLES; i++) {
        large[i] = PyTuple_New(1 << 16); /* 512 KiB */
        REQUIRE_NOT_NULL(large[i]);
    }
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(2);
    EXPECT_GT(gc_now()->slices.spares[TABLE_WORDS].size, before);
    let_heap_grow();
    Py_DECREF(ring);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    for (int i = 0; i < LARGE_TUPLES; i++) {
        Py_DECREF(large[i]);
    }
}

/* ---- without memory ---------------------------------------------------------------------------- */

/* The n-th allocation fails while everything is collected in one piece, or when the cycle after that
 * starts. Returns whether there were so many. */
static bool
fail_allocation(int64_t n, bool in_cycle)
{
    drive_by_hand(BATCH, 6);
    Ouro_GCSetPauseBudget(0); /* no memory is left of earlier cycles */
    Ouro_GCSetPauseBudget(1000);
    gc_now()->slices.follow_trust = 1;
    gc_now()->slices.short_from = 0;
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    PyObject *dropped = new_ring(&N, 3), *dead = new_weakref(dropped, NULL);
    Py_DECREF(dropped);
    ouro_fault_arm(in_cycle ? 0 : n);
    Ouro_GCCollect(2);
    EXPECT(is_dead(dead));
    Py_DECREF(ring);
    if (in_cycle) {
        REQUIRE_NOT_NULL(gc_now()->slices.beliefs);
        ouro_fault_arm(n);
    }
    bool has_started = ouro_cycle_start(ouro_current.interp);
    bool was_hit = ouro_fault_seen() >= n;
    ouro_fault_arm(0);
    EXPECT(has_started || was_hit);
    if (has_started) {
        finish_cycle();
    }
    if (!is_dead(weakref)) { /* there was no cycle, or no beliefs for it */
        EXPECT(was_hit);
        EXPECT_EQ(Ouro_GCCollect(2), 5);
    }
    Py_DECREF(weakref);
    Py_DECREF(dead);
    return was_hit;
}

TEST_PY(without_memory_for_beliefs_everything_is_collected_all_the_same)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    int64_t n = 1;
    while (fail_allocation(n, false)) {
        n++;
    }
    EXPECT_GT(n, 1);
}

TEST_PY(every_allocation_of_a_short_cycle_that_is_the_first_may_fail)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    int64_t n = 1;
    while (fail_allocation(n, true)) {
        n++;
    }
    EXPECT_GT(n, 8); /* the cycle, what objects wait in, and tables */
}
