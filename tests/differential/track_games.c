/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* Tracking and untracking at odd moments. */
static PyObject *other;

static void
untrack_other(struct node *self)
{
    (void)self;
    PyObject_GC_UnTrack(other);
}

static void
retrack(struct node *self)
{
    PyObject_GC_UnTrack((PyObject *)self);
    PyObject_GC_Track((PyObject *)self);
}

PROGRAM("tracking and untracking in finalizers, destructors and between collections")
{
    PyObject *x = F("x");
    other = N("other");
    NODE(x)->when_finalized = retrack;
    set_a(x, x);
    set_b(x, other);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("retracked in a finalizer");
    trace("then %zd", collect());
    trace_notes("then");

    x = N("x");
    NODE(x)->when_deallocated = untrack_other;
    Py_DECREF(x);
    trace("other is tracked: %d", PyObject_GC_IsTracked(other));
    trace_notes("events");
    /* untracked between two collections, in the old generation, while its count changes */
    PyObject_GC_Track(other);
    collect();
    for (int i = 0; i < 3; i++) {
        PyObject_GC_UnTrack(other);
        collect_generation(i);
        PyObject_GC_Track(other);
        trace("in 0: %d", is_listed(get_objects(0), other));
        collect_generation(i);
    }
    set_a(other, other);
    Py_DECREF(other);
    trace("found %zd", collect());
    trace_notes("events");

    /* an untracked object in the middle of a ring */
    PyObject *a = N("a"), *b = N("b"), *c = N("c");
    set_a(a, b);
    set_a(b, c);
    set_a(c, a);
    PyObject_GC_UnTrack(b);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    trace("with a gap: %zd", collect());
    trace_notes("events");
    PyObject_GC_Track(b);
    trace("closed: %zd", collect());
    trace_notes("events");
}
