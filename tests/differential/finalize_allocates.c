/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
make_cycle(struct node *self)
{
    (void)self;
    PyObject *born = F("born");
    set_a(born, born);
    Py_DECREF(born);
    PyObject *list = must(PyList_New(3));
    must_be_zero(PyList_Append(list, list));
    Py_DECREF(list);
}

PROGRAM("what a finalizer makes is left to the next collection")
{
    PyObject *x = F("x");
    NODE(x)->when_finalized = make_cycle;
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    trace("then %zd", collect());
    trace_notes("events");
    trace("then %zd", collect());
}
