/* SPDX-License-Identifier: MIT */
/* When cycles are short, and when they are whole. */
#include "short_cycles.h"

#include "../../src/base/fault.h"
#include "vectors.h"

TEST_PY(a_whole_cycle_comes_after_a_number_of_short_ones)
{
    doubt_by_hand();
    EXPECT_EQ(gc_now()->slices.short_left, OURO_SHORT_MOST);
    for (int i = 0; i < OURO_SHORT_MOST; i++) {
        run_short_cycle();
    }
    run_whole_cycle();
}

TEST_PY(a_whole_cycle_comes_when_the_heap_has_grown)
{
    doubt_by_hand();
    set_levels(1, 1);
    run_short_cycle();
    run_whole_cycle();
}

/* Without waiting for the average. */
TEST_PY(a_whole_cycle_comes_when_the_heap_has_grown_by_a_third_at_once)
{
    doubt_by_hand();
    set_levels(0, 0);
    run_short_cycle();
    Py_ssize_t alive = gc_now()->slices.least_alive.usual;
    set_levels(alive * 7 / 10, alive * 7 / 10); /* the average rises by a ninth */
    run_short_cycle();
    run_whole_cycle();
    set_levels(0, 0);
    doubt_by_hand();
    set_levels(alive * 9 / 10, alive * 9 / 10);
    run_short_cycle();
    run_short_cycle();
}

/* A short cycle leaves fewer objects, and more become old meanwhile, if it is a long one. */
TEST_PY(a_heap_of_which_one_level_alone_has_risen_has_not_grown)
{
    doubt_by_hand();
    set_levels(1, 1);
    gc_now()->slices.most_alive = (struct gc_level){.base = PY_SSIZE_T_MAX / 4};
    run_short_cycle();
    EXPECT(!gc_now()->slices.survey_hurries);
    set_levels(1, 1);
    gc_now()->slices.least_alive = (struct gc_level){.base = PY_SSIZE_T_MAX / 4};
    run_short_cycle();
    EXPECT(!gc_now()->slices.survey_hurries);
    run_short_cycle();
}

TEST_PY(what_became_old_in_a_short_cycle_raises_one_level_and_not_the_other)
{
    doubt_by_hand();
    run_short_cycle();
    set_levels(0, 0);
    start_short_cycle();
    PyObject *ring = new_ring(&N, 500);
    Ouro_GCCollect(1);
    finish_cycle();
    const struct gc_slices *slices = &gc_now()->slices;
    EXPECT_EQ(slices->most_alive.usual - slices->least_alive.usual, 500);
    Py_DECREF(ring);
}

TEST_PY(the_end_of_the_mode_ends_a_row_of_short_cycles)
{
    doubt_by_hand();
    Ouro_GCSetPauseBudget(0);
    EXPECT_NULL(gc_now()->slices.beliefs);
    Ouro_GCSetPauseBudget(1000);
    run_whole_cycle();
}

static void
end_mode(struct node *self)
{
    (void)self;
    Ouro_GCSetPauseBudget(0);
}

TEST_PY(a_finalizer_that_ends_the_mode_in_the_last_slice_leaves_no_beliefs)
{
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&F, 3, &weakref);
    Py_DECREF(ring);
    start_short_cycle();
    when_finalized = end_mode;
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    when_finalized = NULL;
    EXPECT_NULL(gc_now()->cycle);
    EXPECT(is_dead(weakref));
    EXPECT_NULL(gc_now()->slices.beliefs);
    EXPECT_NULL(gc_now()->slices.spares[TABLE_WORDS].start);
    Py_DECREF(weakref);
}

TEST_PY(a_cycle_that_is_dropped_leaves_no_beliefs)
{
    doubt_by_hand();
    start_cycle();
    step_cycle();
    ouro_cycle_drop(ouro_current.interp, OURO_REASON_AUTOMATIC);
    EXPECT_NULL(gc_now()->slices.beliefs);
    run_whole_cycle();
}

TEST_PY(a_small_heap_has_no_short_cycles)
{
    doubt_by_hand();
    gc_now()->slices.short_left = 1;
    run_short_cycle();
    gc_now()->slices.short_from = PY_SSIZE_T_MAX;
    PyObject *ring = new_ring(&N, 3);
    run_whole_cycle();
    Py_DECREF(ring);
    run_whole_cycle();
    run_whole_cycle();
}

/* All rings lost a reference, and all are alive: comparing counts does not help. */
TEST_PY(a_short_cycle_that_follows_too_much_in_vain_gives_up)
{
    enum { RINGS = 60 };
    PyObject *rings[RINGS], *garbage[RINGS];
    for (int i = 0; i < RINGS; i++) {
        rings[i] = new_ring(&N, 40);
        garbage[i] = new_ring(&N, 3);
        Py_INCREF(rings[i]);
    }
    doubt_by_hand();
    deaths = 0;
    when_deallocated = count_death;
    Py_ssize_t total = gc_now()->growth.long_lived_total;
    gc_now()->generations[OURO_OLD].count = 0;
    for (int i = 0; i < RINGS; i++) {
        Py_DECREF(rings[i]);
        Py_DECREF(garbage[i]);
    }
    start_cycle();
    REQUIRE(gc_now()->cycle->is_short);
    finish_cycle();
    EXPECT_GT(deaths, 0);
    EXPECT_EQ(gc_now()->growth.long_lived_total, total - deaths);
    when_deallocated = NULL;
    EXPECT_GT(gc_now()->generations[OURO_OLD].count,
              gc_now()->generations[OURO_OLD].threshold);
    EXPECT_EQ(gc_now()->slices.short_distrust, OURO_DISTRUST);
    for (int i = 0; i < OURO_DISTRUST; i++) {
        run_whole_cycle();
    }
    for (int i = 0; i < RINGS; i++) {
        Py_DECREF(rings[i]);
    }
}

/* Twice as many whole cycles come each time, until a survey is finished. */
TEST_PY(a_short_cycle_that_fails_again_is_tried_later)
{
    doubt_by_hand();
    struct gc_slices *slices = &gc_now()->slices;
    slices->short_failures = 0;
    for (int i = 0; i < OURO_FAILURES_MOST + 3; i++) {
        int doubled = i < OURO_FAILURES_MOST ? i : OURO_FAILURES_MOST;
        ouro_doubt_distrust(slices);
        EXPECT_EQ(slices->short_distrust, OURO_DISTRUST << doubled);
    }
    slices->short_distrust = 0;
    slices->survey_cycles = 1;
    slices->survey_rest = 0;
    run_short_cycle();
    EXPECT_EQ(slices->short_failures, 0);
}

TEST_PY(where_short_cycles_missed_much_cycles_are_whole_for_a_while)
{
    enum { RINGS = 20 };
    PyObject *rings[RINGS];
    doubt_by_hand();
    for (int i = 0; i < RINGS; i++) {
        rings[i] = new_ring(&N, 2);
    }
    run_short_cycle();
    for (int i = 0; i < RINGS; i++) { /* as above: the counts stay the same */
        set_b(node_of(rings[i])->a, rings[i]);
        Py_DECREF(rings[i]);
    }
    allow_one_short_cycle();
    run_short_cycle();
    run_whole_cycle();
    EXPECT_EQ(gc_now()->slices.short_distrust, OURO_DISTRUST);
}

TEST_PY(debug_flags_end_a_short_cycle)
{
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&N, 3, &weakref);
    Py_DECREF(ring);
    start_cycle();
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    finish_cycle();
    Ouro_GCSetDebug(0);
    EXPECT(!is_dead(weakref));
    run_whole_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

TEST_PY(a_heap_that_grows_too_fast_in_a_short_cycle_is_collected_in_one_piece)
{
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&N, MOST + 2, &weakref);
    Py_DECREF(ring);
    start_cycle();
    PyObject *list = PyList_New(0);
    REQUIRE_NOT_NULL(list);
    while (!ouro_pace_is_exceeded(ouro_current.interp)) {
        PyObject *node = new_node(&N, NULL);
        REQUIRE(PyList_Append(list, node) == 0);
        Py_DECREF(node);
    }
    ouro_pace_pay(ouro_current.interp);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().forced, 1);
    EXPECT_EQ(gc_now()->slices.short_distrust, OURO_DISTRUST);
    EXPECT_NULL(gc_now()->slices.beliefs);
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(list);
}

TEST_PY(with_debug_flags_the_next_cycle_is_whole)
{
    doubt_by_hand();
    Ouro_GCSetDebug(OURO_DEBUG_UNCOLLECTABLE);
    run_whole_cycle();
    Ouro_GCSetDebug(0);
}

/* There are words for half as many pages again. */
TEST_PY(a_heap_that_outgrows_the_words_has_a_whole_cycle)
{
    enum { LARGE_TUPLES = 100 };
    static PyObject *large[LARGE_TUPLES];
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&N, 5, &weakref);
    for (int i = 0; i < LARGE_TUPLES; i++) {
        large[i] = PyTuple_New(1 << 16); /* 512 KiB */
        REQUIRE_NOT_NULL(large[i]);
    }
    REQUIRE_NOT_NULL(gc_now()->slices.beliefs);
    Py_DECREF(ring);
    run_whole_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    for (int i = 0; i < LARGE_TUPLES; i++) {
        Py_DECREF(large[i]);
    }
}

/* The plan of a whole cycle depends on that. */
TEST_PY(a_short_cycle_is_expected_unless_something_speaks_against_it)
{
    struct cycle cy = {.c = ouro_collection_of(ouro_current.interp, OURO_OLD)};
    struct gc_slices *slices = &gc_now()->slices;
    drive_by_hand(BATCH, 6);
    cy.pace.start_objects = slices->short_from = 1000;
    slices->follow_trust = 1;
    slices->watch_trust = slices->short_distrust = 0;
    EXPECT(ouro_doubt_is_next(&cy));
    cy.pace.start_objects--;
    EXPECT(!ouro_doubt_is_next(&cy));
    cy.pace.start_objects++;
    slices->short_distrust = 1;
    EXPECT(!ouro_doubt_is_next(&cy));
    slices->short_distrust = 0;
    slices->watch_trust = 1;
    EXPECT(!ouro_doubt_is_next(&cy));
    slices->watch_trust = 0;
    slices->follow_trust = 0;
    EXPECT(!ouro_doubt_is_next(&cy));
    cy.is_short = true;
    slices->short_left = 2;
    EXPECT(ouro_doubt_is_next(&cy));
    slices->short_left = 1;
    EXPECT(!ouro_doubt_is_next(&cy));
}
