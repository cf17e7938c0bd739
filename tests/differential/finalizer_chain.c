/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* Finalizers that change the graph: link to a live object, swap fields, save a neighbour. */
static PyObject *registry;

static void
save_neighbour(struct node *self)
{
    must_be_zero(PyList_Append(registry, self->a));
}

static void
swap(struct node *self)
{
    PyObject *a = self->a;
    self->a = self->b;
    self->b = a;
}

static void
replace(struct node *self)
{
    PyObject *fresh = N("fresh");
    set_b((PyObject *)self, fresh);
    Py_DECREF(fresh);
}

PROGRAM("finalizers that save a neighbour, swap and replace")
{
    registry = must(PyList_New(0));
    PyObject *a = F("a"), *b = F("b"), *c = F("c"), *d = F("d");
    NODE(a)->when_finalized = save_neighbour; /* saves b, and what b reaches */
    NODE(b)->when_finalized = swap;
    NODE(d)->when_finalized = replace;
    set_a(a, b);
    set_b(a, a);
    set_a(b, c);
    set_a(c, c);
    set_a(d, d);
    set_b(d, a);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(d);
    trace("found %zd", collect());
    trace_notes("events");
    trace("registry %zd, b %d, b.b is c %d", PyList_Size(registry),
          PyList_GetItem(registry, 0) == b, NODE(b)->b == c);
    must_be_zero(PyList_SetSlice(registry, 0, 1, NULL));
    trace_notes("dropped");
    trace("found %zd", collect());
    trace_notes("events");
    Py_DECREF(registry);
}
