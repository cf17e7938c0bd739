/* SPDX-License-Identifier: MIT */
/* Full collections in slices, driven by hand: a page or a batch at a time. So a test does the
 * same each time, and knows between which steps it is. Also old garbage for them to find. */
#ifndef OURO_TESTS_COLLECTOR_CYCLES_H
#define OURO_TESTS_COLLECTOR_CYCLES_H

#include "nodes.h"

#include "../../src/collector/cycle.h"

/* ---- driving -------------------------------------------------------------------------- */

/* Drive cycles by hand: no automatic collection, the smallest steps. */
static inline void
drive_by_hand(uint32_t batch, uint32_t rounds)
{
    baseline();
    Ouro_GCSetThresholds((int[]){0}, 1);
    Ouro_GCSetPauseBudget(1000);
    gc_now()->stress = false;
    gc_now()->slices.batch = batch;
    gc_now()->slices.rounds = rounds;
    gc_now()->slices.short_from = OURO_SHORT_FROM; /* see test_doubt.c */
    gc_now()->slices.follow_trust = -1000; /* proposals are cut up, see test_follow.c */
    ouro_collector_set_alarm(ouro_current.interp);
}

static inline void
start_cycle(void)
{
    REQUIRE(gc_now()->cycle == NULL);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
}

/* One step of a running cycle. */
static inline void
run_one_step(void)
{
    gc_now()->stress = true; /* the clock is read at every step */
    ouro_cycle_run(ouro_current.interp, 0);
    gc_now()->stress = false;
    ouro_collector_set_alarm(ouro_current.interp);
}

/* One step; false when no cycle is left. */
static inline bool
step_cycle(void)
{
    if (gc_now()->cycle != NULL) {
        EXPECT(ouro_cycle_verify(gc_now()->cycle));
        run_one_step();
    }
    return gc_now()->cycle != NULL;
}

static inline void
finish_cycle(void)
{
    while (step_cycle()) {
    }
}

/* Step until the cycle is in this phase, or over; false when it is over. */
static inline bool
step_to(enum cycle_phase phase)
{
    while (gc_now()->cycle != NULL && gc_now()->cycle->phase < phase) {
        step_cycle();
    }
    return gc_now()->cycle != NULL;
}

static inline Ouro_GCCycleStats
cycle_stats(void)
{
    Ouro_GCCycleStats stats;
    Ouro_GCGetCycleStats(&stats);
    return stats;
}

/* ---- what is there to be found -------------------------------------------------------- */

/* An old, dropped self-cycle. */
static inline void
drop_old_cycle(PyTypeObject *type, const char *name, PyObject **weakref)
{
    PyObject *x = new_node(type, name);
    set_a(x, x);
    if (weakref != NULL) {
        *weakref = new_weakref(x, "w");
    }
    Ouro_GCCollect(2);
    Py_DECREF(x);
}

/* A ring of old objects that is garbage now; and a weak reference to one of them. */
static inline PyObject *
drop_old_ring(PyTypeObject *type, int length)
{
    PyObject *first = new_node(type, NULL), *last = first;
    PyObject *weakref = new_weakref(first, NULL);
    for (int i = 1; i < length; i++) {
        PyObject *next = new_node(type, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    return weakref;
}

/* A list in a page behind all others. If `next` is not NULL, it gets the list beside that. */
static inline PyObject *
new_list_in_last_page(Py_ssize_t size, PyObject **next)
{
    enum { FILLERS = 3000 }; /* more than a page holds */
    static PyObject *fillers[FILLERS];
    for (int i = 0; i < FILLERS; i++) {
        fillers[i] = PyList_New(0);
    }
    PyObject *list = PyList_New(size);
    REQUIRE_NOT_NULL(list);
    if (next != NULL) {
        *next = PyList_New(0);
        EXPECT_GT(*next, list);
    }
    for (int i = 0; i < FILLERS; i++) {
        Py_DECREF(fillers[i]);
    }
    return list;
}

#define OVERFLOWING (OURO_QUEUE_LENGTH + OURO_QUEUE_LENGTH / 16)

/* A list refers to more objects than the queue can hold, each of which refers to another. */
static inline PyObject *
new_wide_list(void)
{
    PyObject *list = PyList_New(OVERFLOWING);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < OVERFLOWING; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_SET_ITEM(list, i, node);
        if (i % 1000 == 0) {
            node_of(node)->a = new_node(&N, NULL); /* moved */
        }
    }
    return list;
}

static inline void
expect_wide_list(PyObject *list)
{
    for (Py_ssize_t i = 0; i < OVERFLOWING; i += 1000) {
        PyObject *node = PyList_GET_ITEM(list, i);
        EXPECT_EQ(Py_REFCNT(node), 1);
        EXPECT_EQ(Py_REFCNT(node_of(node)->a), 1);
    }
}

/* A list of all nodes of type N that exist. */
static inline PyObject *
list_of_nodes(void)
{
    PyObject *all = Ouro_GCGetObjects(-1), *nodes = PyList_New(0);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); i++) {
        PyObject *op = PyList_GET_ITEM(all, i);
        if (Py_IS_TYPE(op, &N)) {
            PyList_Append(nodes, op);
        }
    }
    Py_DECREF(all);
    return nodes;
}

static inline void
make_old_heap(PyObject **nodes, int count)
{
    for (int i = 0; i < count; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
    }
    Ouro_GCCollect(2);
}

static inline bool
is_near(double a, double b)
{
    return a > b - 0.01 && a < b + 0.01;
}

/* Makes a ring of new objects and returns the first. */
static inline PyObject *
new_ring(PyTypeObject *type, int length)
{
    PyObject *first = new_node(type, NULL), *last = first;
    for (int i = 1; i < length; i++) {
        PyObject *next = new_node(type, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    return first;
}

#endif
