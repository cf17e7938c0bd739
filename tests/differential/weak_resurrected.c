/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *saved;

static void
save(struct node *self)
{
    saved = Py_NewRef((PyObject *)self);
}

PROGRAM("the weak references of an object that its finalizer saves")
{
    PyObject *x = F("x");
    NODE(x)->when_finalized = save;
    PyObject *with = new_weakref(x, "with"), *without = new_weakref(x, NULL);
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    trace("with a callback, dead: %d", is_dead(with));
    VERSION_DEPENDENT(0x030F0000,
                      "a saved object keeps its weak references without callbacks",
                      !is_dead(without), 1);
    trace("tracked %d, finalized %d, saved %d", PyObject_GC_IsTracked(x),
          PyObject_GC_IsFinalized(x), saved == x);
    PyObject *again = new_weakref(x, "again");
    trace("a new one lives: %d", !is_dead(again));
    Py_CLEAR(saved);
    trace("found %zd", collect());
    trace_notes("events");
    Py_DECREF(again);
    Py_DECREF(with);
    Py_DECREF(without);
}
