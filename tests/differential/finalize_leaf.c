/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
use_sibling(struct node *self)
{
    trace("a and b of my neighbour are there: %d",
          NODE(self->a)->a != NULL && NODE(self->a)->b != NULL);
}

PROGRAM("finalizers of what hangs off a cycle run too, and see everything whole")
{
    PyObject *x = N("x"), *y = N("y"), *leaf = F("leaf");
    set_a(x, y);
    set_a(y, x);
    set_b(x, leaf);
    set_b(y, leaf);
    set_a(leaf, Py_None);
    Py_DECREF(leaf);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("found %zd", collect());
    trace_notes("events");

    x = F("x"), y = F("y");
    NODE(x)->when_finalized = use_sibling;
    NODE(y)->when_finalized = use_sibling;
    set_a(x, y);
    set_a(y, x);
    set_b(x, Py_None);
    set_b(y, Py_None);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("found %zd", collect());
    trace_notes("events");
}
