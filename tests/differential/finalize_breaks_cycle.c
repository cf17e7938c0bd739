/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
let_go(struct node *self)
{
    Py_CLEAR(self->a);
}

PROGRAM("what dies while finalizers run is not counted")
{
    PyObject *x = F("x"), *y = F("y");
    NODE(x)->when_finalized = let_go;
    NODE(y)->when_finalized = let_go;
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("both let go: %zd", collect());
    trace_notes("events");

    x = F("x");
    NODE(x)->when_finalized = let_go;
    set_a(x, x);
    PyObject *other = N("other");
    set_a(other, other);
    Py_DECREF(other);
    Py_DECREF(x);
    trace("beside a plain cycle: %zd", collect());
    trace_notes("events");
}
