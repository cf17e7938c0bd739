/* SPDX-License-Identifier: MIT */
/* Young objects that become old without being looked at: when, and what becomes of garbage. */
#include "cycles.h"

/* A heap of so many old objects, in which so many collections to come promote at once. */
static void
begin_with(Py_ssize_t old, int direct)
{
    baseline();
    gc_now()->stress = false;
    Ouro_GCSetPauseBudget(1000);
    Ouro_GCCollect(2);
    Ouro_GCSetThresholds((int[]){2000, 10, 10}, 3);
    gc_now()->growth.long_lived_total = old;
    gc_now()->growth.direct = direct;
}

/* Make garbage until there is a collection; how many objects of it that found. */
static Py_ssize_t
found_by_next_collection(void)
{
    Ouro_GCStats before, after;
    Ouro_GCGetStats(1, &before);
    do {
        drop_self_cycle(&N, NULL);
        Ouro_GCGetStats(1, &after);
    } while (after.collections == before.collections);
    return after.collected - before.collected;
}

TEST_PY(a_large_heap_takes_young_objects_in_without_a_look)
{
    begin_with(32 * 2001 * OURO_UNSEEN_SHARE, 32);
    EXPECT_EQ(found_by_next_collection(), 0);
    EXPECT_EQ(gc_now()->growth.direct, 31); /* one less to come */
    EXPECT_GE(gc_now()->growth.long_lived_pending, 2000);
    gc_now()->growth.long_lived_total = 0;
    EXPECT_GE(Ouro_GCCollect(2), 2000); /* it is not lost */
}

TEST_PY(a_smaller_heap_looks_at_them)
{
    begin_with(32 * 2001 * OURO_UNSEEN_SHARE - 1, 32);
    EXPECT_GE(found_by_next_collection(), 2000);
}

TEST_PY(garbage_that_is_asked_for_is_found)
{
    begin_with(32 * 2001 * OURO_UNSEEN_SHARE, 32);
    drop_self_cycle(&N, NULL);
    EXPECT_EQ(Ouro_GCCollect(1), 1);
}

TEST_PY(after_so_many_collections_without_a_look_one_looks)
{
    begin_with(2 * 2001 * OURO_UNSEEN_SHARE, 2);
    EXPECT_EQ(found_by_next_collection(), 0);
    EXPECT_GE(found_by_next_collection(), 2000);
    EXPECT_EQ(gc_now()->growth.direct, 0); /* and found much */
}

/* How many collections to come promote at once, after one that found no garbage. */
static int
direct_after_none(Py_ssize_t old)
{
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_MIDDLE);
    c.candidates = c.reachable = 6400;
    begin_with(old, 0);
    ouro_trigger_learn(&c);
    return gc_now()->growth.direct;
}

TEST_PY(a_larger_heap_takes_in_more)
{
    EXPECT_EQ(direct_after_none(0), OURO_DIRECT);
    EXPECT_EQ(direct_after_none((Py_ssize_t)100 * 2001 * OURO_UNSEEN_SHARE), 100);
    EXPECT_EQ(direct_after_none(PY_SSIZE_T_MAX), INT_MAX);
}

TEST_PY(a_collection_without_a_look_says_nothing_about_costs)
{
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_MIDDLE);
    c.candidates = c.reachable = 6400;
    c.trusts = true;
    begin_with(0, 5);
    double before = gc_now()->growth.middle_cost = OURO_COST_MAX;
    ouro_trigger_learn(&c);
    EXPECT(gc_now()->growth.middle_cost == before);
    EXPECT_EQ(gc_now()->growth.direct, 4);
}

TEST_PY(what_is_promoted_without_a_look_while_a_cycle_runs_is_late)
{
    static PyObject *nodes[2500];
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 3000));
    start_cycle();
    REQUIRE(step_to(CYCLE_MARK));
    for (size_t i = 0; i < Py_ARRAY_LENGTH(nodes); i++) {
        nodes[i] = new_node(&N, NULL);
    }
    gc_now()->growth.long_lived_total = 32 * 2001 * OURO_UNSEEN_SHARE;
    gc_now()->growth.direct = 32;
    gc_now()->generations[0].threshold = 2000;
    ouro_collect(ouro_current.interp, OURO_MIDDLE, OURO_REASON_EARLY);
    gc_now()->generations[0].threshold = 0;
    const struct cycle *cy = gc_now()->cycle;
    for (size_t i = 0; i < Py_ARRAY_LENGTH(nodes); i++) {
        size_t slot = ouro_cycle_slot(cy, nodes[i]);
        EXPECT(ouro_is_old(nodes[i]));
        EXPECT(slot >= cy->slots || cy->words[slot] == cy->late_word);
    }
    finish_cycle();
    for (size_t i = 0; i < Py_ARRAY_LENGTH(nodes); i++) {
        Py_DECREF(nodes[i]);
    }
}
