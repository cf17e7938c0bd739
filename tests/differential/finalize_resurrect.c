/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *saved;

static void
save(struct node *self)
{
    saved = Py_NewRef((PyObject *)self);
}

PROGRAM(
    "a finalizer that saves its object saves what it reaches, and is not called again")
{
    PyObject *x = F("x"), *y = F("y"), *leaf = F("leaf");
    NODE(x)->when_finalized = save;
    set_a(x, y);
    set_a(y, x);
    set_b(y, leaf);
    Py_DECREF(leaf);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("found %zd", collect());
    trace_notes("events");
    trace("saved: %d", saved == x);
    trace("finalized: %d %d %d", PyObject_GC_IsFinalized(x), PyObject_GC_IsFinalized(y),
          PyObject_GC_IsFinalized(leaf));
    trace("tracked: %d %d", PyObject_GC_IsTracked(x), PyObject_GC_IsTracked(y));
    trace("whole: %d %d", NODE(x)->a == y, NODE(y)->a == x);
    trace("references: %zd %zd", (Py_ssize_t)Py_REFCNT(x), (Py_ssize_t)Py_REFCNT(y));
    trace("held: %zd", collect());
    Py_CLEAR(saved);
    trace("dropped: %zd", collect());
    trace_notes("events");
}
