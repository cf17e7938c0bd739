/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *saved;

static void
save(struct node *self)
{
    saved = Py_NewRef((PyObject *)self);
    trace("references inside: %zd", (Py_ssize_t)Py_REFCNT(self));
}

PROGRAM("an object that its finalizer saves from a death by count")
{
    PyObject *x = F("x");
    PyObject *weak = new_weakref(x, "x");
    NODE(x)->when_finalized = save;
    Py_DECREF(x);
    trace_notes("events");
    trace("saved %d, references %zd, finalized %d, tracked %d", saved == x,
          (Py_ssize_t)Py_REFCNT(x), PyObject_GC_IsFinalized(x), PyObject_GC_IsTracked(x));
    trace("its weak reference lives: %d", !is_dead(weak));
    Py_CLEAR(saved);
    trace_notes("second death");
    Py_DECREF(weak);
}
