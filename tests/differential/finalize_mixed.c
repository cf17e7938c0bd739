/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *saved;

static void
save(struct node *self)
{
    saved = Py_NewRef((PyObject *)self);
}

static void
refer_inside(struct node *self)
{
    set_b((PyObject *)self, self->a); /* one more reference, within the garbage */
}

PROGRAM("two cycles, one of them saved; a new reference inside the garbage saves nothing")
{
    PyObject *x = F("x"), *y = N("y");
    NODE(x)->when_finalized = save;
    set_a(x, x);
    set_a(y, y);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("found %zd", collect());
    trace_notes("events");
    Py_CLEAR(saved);
    trace("then %zd", collect());
    trace_notes("events");

    x = F("x"), y = F("y");
    NODE(x)->when_finalized = refer_inside;
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("found %zd", collect());
    trace_notes("events");
}
