/* SPDX-License-Identifier: MIT */
/* Huge components with objects that have tp_del, in slices. */
#include "marked_rings.h"

static int finalized;

static void
count_finalized(struct node *Py_UNUSED(self))
{
    finalized++;
}

TEST_PY(objects_with_tp_del_leave_a_huge_component_with_all_they_reach, .mistakes = true)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    PyObject *x = new_node(&D, NULL), *y = new_node(&F, NULL), *leaf = new_node(&D, NULL);
    link_both_ways(x, y);
    node_of(marked[1])->b = x;    /* moved */
    node_of(marked[2])->b = leaf; /* moved; dies with the ring */
    PyObject *kept = new_weakref(x, "x"), *dead = new_weakref(marked[1], "m");
    Py_DECREF(y);
    Ouro_GCCollect(2);
    finalized = 0;
    when_finalized = count_finalized;
    drop_ring();
    start_cycle();
    finish_cycle();
    PyObject *garbage = Ouro_GCGarbage();
    REQUIRE_EQ(PyList_GET_SIZE(garbage), 1);
    EXPECT(PyList_GET_ITEM(garbage, 0) == x);
    EXPECT(node_of(x)->a == y && node_of(y)->a == x);
    EXPECT_EQ(finalized, LARGE);
    EXPECT_EQ(cycle_stats().most_garbage, LARGE);
    EXPECT(!reads_as_dead(kept));
    EXPECT(reads_as_dead(dead));
    EXPECT_STR(events(), "callback m");
    Ouro_GCStats stats;
    Ouro_GCGetStats(2, &stats);
    EXPECT_EQ(stats.uncollectable, 2);
    unlink_node(x);
    PyList_SetSlice(garbage, 0, 1, NULL);
    Py_DECREF(kept);
    Py_DECREF(dead);
}
