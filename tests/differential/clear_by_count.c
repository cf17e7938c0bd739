/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
complain(struct node *self)
{
    trace("tp_clear of %s", self->name);
}

static void
look(struct node *self)
{
    trace("dealloc of %s: neighbour's fields are %s", self->name,
          self->a == NULL || NODE(self->a)->b == Py_None ? "fine" : "broken");
}

PROGRAM("tp_clear is not called when an object dies by count")
{
    PyObject *x = N("x");
    NODE(x)->when_cleared = complain;
    set_a(x, Py_None);
    Py_DECREF(x);
    trace_notes("events");

    /* destructors that run because of a collection see valid fields or NULL */
    x = N("x");
    PyObject *y = N("y");
    set_b(y, Py_None);
    set_b(x, Py_None);
    NODE(x)->when_deallocated = look;
    set_a(x, y);
    Py_DECREF(y);
    Py_DECREF(x);
    trace_notes("events");
}
