/* SPDX-License-Identifier: MIT */
/* With a pause budget: early middle collections, and when a cycle is due. */
#include "cycles.h"

/* ---- when slices come ---------------------------------------------------------------------- */

/* The estimated cost of middle collections after one with this many objects and nanoseconds
 * for each. */
static double
cost_after(double before, int generation, Py_ssize_t candidates, double nanoseconds)
{
    struct collection c = ouro_collection_of(ouro_current.interp, generation);
    c.candidates = candidates;
    c.duration = (double)candidates * nanoseconds * 1e-9;
    ouro_current.interp->gc.growth.middle_cost = before * 1e-9;
    ouro_trigger_learn(&c);
    return ouro_current.interp->gc.growth.middle_cost * 1e9;
}

TEST_PY(a_dear_middle_collection_counts_at_once_and_a_cheap_one_by_and_by)
{
    EXPECT(is_near(cost_after(50, OURO_MIDDLE, 5000, 70), 70));
    EXPECT(is_near(cost_after(70, OURO_MIDDLE, 5000, 50), 65));
}

TEST_PY(costs_of_middle_collections_that_are_out_of_bounds_are_not_believed)
{
    EXPECT(is_near(cost_after(50, OURO_MIDDLE, 5000, 1000), 80));
    EXPECT(is_near(cost_after(41, OURO_MIDDLE, 5000, 1), 40));
}

TEST_PY(other_generations_and_few_objects_say_nothing_about_middle_collections)
{
    EXPECT(is_near(cost_after(30, OURO_MIDDLE, 999, 40), 30));
    EXPECT(is_near(cost_after(30, OURO_YOUNG, 5000, 40), 30));
    EXPECT(is_near(cost_after(30, OURO_OLD, 5000, 40), 30));
}

/* ---- when cycles start ---------------------------------------------------------------------- */

/* Make objects that survive, until there were this many collections. */
static void
keep_until_collections(PyObject *list, Py_ssize_t wanted)
{
    Ouro_GCStats young, middle;
    do {
        PyObject *node = new_node(&N, NULL);
        REQUIRE_EQ(PyList_Append(list, node), 0);
        Py_DECREF(node);
        Ouro_GCGetStats(0, &young);
        Ouro_GCGetStats(1, &middle);
    } while (young.collections + middle.collections < wanted);
}

static Py_ssize_t
collections_below(int generation)
{
    Py_ssize_t sum = 0;
    for (int g = 0; g < generation; g++) {
        Ouro_GCStats stats;
        REQUIRE_EQ(Ouro_GCGetStats(g, &stats), 0);
        sum += stats.collections;
    }
    return sum;
}

/* A heap whose thresholds are 100, 3 and 9 and that was collected just now; and a list to grow. */
static PyObject *
begin_small_thresholds(void)
{
    baseline();
    gc_now()->stress = false;
    PyObject *list = PyList_New(0);
    Ouro_GCSetPauseBudget(1000);
    Ouro_GCCollect(2);
    Ouro_GCSetThresholds((int[]){100, 3, 9}, 3);
    gc_now()->growth.long_lived_total = 0;
    return list;
}

TEST_PY(an_early_middle_collection_counts_as_a_young_one)
{
    PyObject *list = begin_small_thresholds();
    gc_now()->pause_budget = 1e-9; /* every middle collection would take longer */
    Py_ssize_t before = collections_below(2);
    keep_until_collections(list, before + 3);
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 3);
    EXPECT_EQ(gc_now()->generations[OURO_OLD].count, 0);
    keep_until_collections(list, before + 5); /* the fifth is due by its threshold */
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 0);
    EXPECT_EQ(gc_now()->generations[OURO_OLD].count, 1);
    EXPECT_EQ(gc_now()->growth.middle_pending, 0); /* they were middle ones */
    Py_DECREF(list);
}

TEST_PY(an_early_middle_collection_that_finds_mostly_garbage_counts_as_a_middle_one)
{
    PyObject *list = begin_small_thresholds();
    gc_now()->pause_budget = 1e-9;
    Py_ssize_t before = collections_below(2);
    keep_until_collections(list, before + 2);
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 2);
    while (collections_below(2) < before + 3) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 0);
    EXPECT_EQ(gc_now()->generations[OURO_OLD].count, 1);
    Py_DECREF(list);
}

TEST_PY(a_cycle_is_due_when_a_collection_in_one_piece_is)
{
    PyObject *list = begin_small_thresholds();
    Py_ssize_t before = cycle_stats().cycles;
    gc_now()->generations[OURO_OLD].count = 9; /* of ten middle collections */
    gc_now()->generations[OURO_MIDDLE].count = 0;
    Py_ssize_t now = collections_below(2);
    keep_until_collections(list, now + 1);
    EXPECT_EQ(cycle_stats().cycles, before);
    gc_now()->generations[OURO_OLD].count = 10;
    gc_now()->generations[OURO_MIDDLE].count = 0;
    gc_now()->growth.long_lived_pending = 100;
    while (cycle_stats().cycles == before && collections_below(2) < now + 3) {
        keep_until_collections(list, collections_below(2)); /* one more object */
    }
    EXPECT_EQ(cycle_stats().cycles, before + 1);
    EXPECT_EQ(collections_below(2), now + 1);
    Ouro_GCCollect(2);
    Py_DECREF(list);
}

/* ---- promoted at once ------------------------------------------------------------------------ */

/* How many collections promote young objects at once, after a middle collection that found
 * `garbage` of 6,400 objects to be garbage. */
static int
direct_after(int before, Py_ssize_t garbage)
{
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_MIDDLE);
    c.candidates = 6400;
    c.reachable = 6400 - garbage;
    gc_now()->growth.direct = before;
    ouro_trigger_learn(&c);
    return gc_now()->growth.direct;
}

TEST_PY(a_middle_collection_without_garbage_makes_the_next_ones_promote_at_once)
{
    EXPECT_EQ(direct_after(0, 99), 16);
    EXPECT_EQ(direct_after(16, 99), 15); /* one of them */
    EXPECT_EQ(direct_after(1, 99), 16); /* the last of them looked, and found as little */
    EXPECT_EQ(direct_after(0, 100), 0);
    EXPECT_EQ(direct_after(16, 100), 0);
}

TEST_PY(young_objects_are_promoted_at_once_with_a_budget_only)
{
    PyObject *list = begin_small_thresholds();
    gc_now()->growth.direct = 1000; /* collections of 100 objects do not change that */
    keep_until_collections(list, collections_below(2) + 2);
    EXPECT_EQ(gc_now()->growth.middle_pending, 0);
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 2); /* as two young ones */
    Ouro_GCSetPauseBudget(0);
    keep_until_collections(list, collections_below(2) + 1);
    EXPECT_GE(gc_now()->growth.middle_pending, 100);
    Py_DECREF(list);
}
