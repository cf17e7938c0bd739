/* SPDX-License-Identifier: MIT */
/* After a collection in one piece: which cycle comes, and what it visits. */
#include "short_cycles.h"

TEST_PY(after_a_collection_in_one_piece_short_cycles_find_what_is_dropped)
{
    drive_by_hand(BATCH, 6);
    gc_now()->slices.follow_trust = 1;
    gc_now()->slices.short_from = 0;
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(2);
    EXPECT_EQ(gc_now()->slices.short_left, OURO_SHORT_MOST);
    gc_now()->slices.short_base = PY_SSIZE_T_MAX / 4; /* the heap may grow */
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
}
