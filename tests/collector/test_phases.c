/* SPDX-License-Identifier: MIT */
/* From phase to phase of a cycle. The tests of other files test what each phase does. */
#include "cycles.h"

/* Step through a cycle. Bit p of the result is set if the cycle was in phase p. */
static uint64_t
phases_of_a_cycle(void)
{
    uint64_t met = 0;
    enum cycle_phase last = CYCLE_COUNT;
    start_cycle();
    do {
        EXPECT_GE(gc_now()->cycle->phase, last); /* nothing here is huge or evicted */
        last = gc_now()->cycle->phase;
        met |= (uint64_t)1 << last;
    } while (step_cycle());
    return met;
}

TEST_PY(garbage_is_counted_marked_gathered_and_confirmed_in_this_order)
{
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&N, 5);
    uint64_t met = phases_of_a_cycle();
    EXPECT_EQ((met >> CYCLE_COUNT) & 1, 1);
    EXPECT_EQ((met >> CYCLE_MARK) & 1, 1);
    EXPECT_EQ((met >> CYCLE_GATHER) & 1, 1);
    EXPECT_EQ((met >> CYCLE_CONFIRM) & 1, 1);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

TEST_PY(without_proposals_a_cycle_goes_from_gathering_to_the_end)
{
    drive_by_hand(8, 6);
    PyObject *x = new_node(&N, NULL);
    Ouro_GCCollect(2);
    uint64_t met = phases_of_a_cycle();
    for (int phase = CYCLE_GATHER + 1; phase < CYCLE_RELEASE; phase++) {
        EXPECT_EQ((met >> phase) & 1, 0);
    }
    Py_DECREF(x);
}

TEST_PY(a_cycle_that_is_dropped_goes_through_no_further_phase)
{
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&N, 5);
    start_cycle();
    REQUIRE(step_to(CYCLE_RECOUNT));
    ouro_cycle_drop(ouro_current.interp, OURO_REASON_MANUAL);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 0);
    EXPECT_EQ(Ouro_GCCollect(2), 5);
    Py_DECREF(weakref);
}
