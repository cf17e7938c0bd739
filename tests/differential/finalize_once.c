/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
look(struct node *self)
{
    trace("inside: finalized %d, tracked %d", PyObject_GC_IsFinalized((PyObject *)self),
          PyObject_GC_IsTracked((PyObject *)self));
}

PROGRAM("the finalized mark, seen from a finalizer")
{
    PyObject *x = F("x");
    NODE(x)->when_finalized = look;
    set_a(x, x);
    trace("before: %d", PyObject_GC_IsFinalized(x));
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    x = F("x");
    NODE(x)->when_finalized = look;
    Py_DECREF(x);
    trace_notes("by count");
}
