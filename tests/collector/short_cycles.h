/* SPDX-License-Identifier: MIT */
/* Short cycles that a test drives, and what they visit. */
#ifndef OURO_TESTS_COLLECTOR_SHORT_CYCLES_H
#define OURO_TESTS_COLLECTOR_SHORT_CYCLES_H

#include "cycles.h"

enum { BATCH = 8, MOST = OURO_WATCHED * BATCH }; /* members of a set that is followed */

/* ---- driving ------------------------------------------------------------------------------ */

/* In a large heap a few objects are followed in vain without consequence. */
static inline void
start_short_cycle(void)
{
    start_cycle();
    REQUIRE(gc_now()->cycle->is_short);
    gc_now()->cycle->pace.start_objects += 100 * 1000;
}

static inline void
run_short_cycle(void)
{
    start_short_cycle();
    finish_cycle();
}

static inline void
run_whole_cycle(void)
{
    start_cycle();
    REQUIRE(!gc_now()->cycle->is_short);
    finish_cycle();
}

/* The next cycle is whole. */
static inline void
forget_beliefs(void)
{
    gc_now()->slices.beliefs = NULL;
}

/* How many objects short cycles left lately, and the least that this was. */
static inline void
set_levels(Py_ssize_t usual, Py_ssize_t base)
{
    struct gc_slices *slices = &gc_now()->slices;
    slices->least_alive = slices->most_alive =
        (struct gc_level){.usual = usual, .base = base};
}

/* No short cycle finds that the heap has grown. */
static inline void
let_heap_grow(void)
{
    set_levels(0, PY_SSIZE_T_MAX / 4);
}

/* Whole cycles find no reason against short ones: the garbage closes. */
static inline void
doubt_by_hand(void)
{
    drive_by_hand(BATCH, 6);
    gc_now()->slices.follow_trust = 1;
    gc_now()->slices.short_from = 0;
    gc_now()->slices.short_left = gc_now()->slices.short_distrust = 0;
    set_levels(0, 0);
    gc_now()->slices.survey_cycles = 0;
    forget_beliefs();
    PyObject *ring = new_ring(&N, 3);
    run_whole_cycle();
    Py_DECREF(ring);
    run_whole_cycle();
    REQUIRE_NOT_NULL(gc_now()->slices.beliefs);
    let_heap_grow();
}

/* The cycle after the next one is whole. */
static inline void
allow_one_short_cycle(void)
{
    gc_now()->slices.short_left = 1;
}

/* A ring that the last cycle found alive. Also a weak reference to it. */
static inline PyObject *
new_believed_ring(PyTypeObject *type, int length, PyObject **weakref)
{
    PyObject *ring = new_ring(type, length);
    *weakref = new_weakref(ring, NULL);
    run_short_cycle();
    return ring;
}

/* ---- looking -------------------------------------------------------------------------------- */

static inline bool
is_dead(PyObject *weakref)
{
    return PyWeakref_IsDead(weakref) == 1;
}

static int deaths __attribute__((unused));

static inline void
count_death(struct node *Py_UNUSED(self))
{
    deaths++;
}

static int visits __attribute__((unused));

static inline int
count_visits(PyObject *op, visitproc visit, void *arg)
{
    visits++;
    return node_traverse(op, visit, arg);
}

/* A type whose objects count how often they are visited. */
static inline PyTypeObject *
counted(void)
{
    static PyTypeObject type = {NODE_SLOTS("Counted"), .tp_clear = node_clear};
    type.tp_traverse = count_visits;
    return &type;
}

static inline int
visits_of_short_cycle(void)
{
    visits = 0;
    run_short_cycle();
    return visits;
}

#endif
