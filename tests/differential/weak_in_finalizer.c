/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *weak;
static int seen = -1, identical = -1;

static void
look(struct node *self)
{
    PyObject *object;
    seen = PyWeakref_GetRef(weak, &object);
    identical = object == NULL || object == (PyObject *)self;
    Py_XDECREF(object);
}

PROGRAM("a weak reference without a callback, read by a finalizer")
{
    PyObject *x = F("x");
    NODE(x)->when_finalized = look;
    weak = new_weakref(x, NULL);
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    VERSION_DEPENDENT(0x030F0000, "weak references without callbacks live in finalizers",
                      seen, 1);
    trace("the same object or none: %d", identical);
    trace("dead afterwards: %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
}
