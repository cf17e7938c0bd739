/* SPDX-License-Identifier: MIT */
/* Huge components with objects that have tp_del, in slices. */
#include "marked_rings.h"

#include <math.h>

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

/* Steps while the cycle is in the phase. */
static int
steps_in(enum cycle_phase phase)
{
    int steps = 0;
    for (step_to(phase); gc_now()->cycle != NULL && gc_now()->cycle->phase == phase;) {
        step_cycle();
        steps++;
    }
    return steps;
}

TEST_PY(objects_with_tp_del_are_looked_for_a_few_at_a_time, .mistakes = true)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, SMALL);
    PyObject *x = new_node(&D, NULL);
    node_of(marked[1])->b = x; /* moved */
    Ouro_GCCollect(2);
    drop_ring();
    start_cycle();
    EXPECT_GE(steps_in(CYCLE_SPLIT), SMALL);
    finish_cycle();
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCGarbage()), 0); /* it died with the ring */
}

/* A list has more members than the queue has entries, and all of them lie before the object that
 * leaves. A second walk over all members finds what the last one refers to. */
TEST_PY(what_the_queue_has_no_room_for_leaves_with_objects_that_have_tp_del,
        .mistakes = true, .timeout = 120)
{
    const Py_ssize_t count = OURO_QUEUE_LENGTH + 100;
    drive_by_hand(8, 6);
    PyObject *behind = new_node(&N, NULL), *list = PyList_New(count);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    PyObject *first = PyList_GET_ITEM(list, 0), *last = PyList_GET_ITEM(list, count - 1);
    PyObject *x = new_node(&D, NULL);
    node_of(last)->b = behind; /* moved */
    node_of(x)->a = list;      /* moved */
    set_a(first, x);
    Ouro_GCCollect(2);
    Py_DECREF(x);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    PyObject *garbage = Ouro_GCGarbage();
    REQUIRE_EQ(PyList_GET_SIZE(garbage), 1);
    EXPECT(PyList_GET_ITEM(garbage, 0) == x);
    EXPECT(node_of(last)->b == behind);
    unlink_node(x);
    PyList_SetSlice(garbage, 0, 1, NULL);
}
