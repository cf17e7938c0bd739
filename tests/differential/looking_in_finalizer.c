/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *held;

static void
look(struct node *self)
{
    trace("listed %d, referrers of what I own %zd, referents %zd",
          is_listed(get_objects(-1), (PyObject *)self), count_of(get_referrers(held)),
          count_of(get_referents((PyObject *)self)));
}

PROGRAM("garbage that is being collected is not listed")
{
    PyObject *x = F("x");
    held = N("held");
    NODE(x)->when_finalized = look;
    set_a(x, x);
    set_b(x, held);
    trace("before: listed %d, referrers %zd", is_listed(get_objects(-1), x),
          count_of(get_referrers(held)));
    Py_DECREF(x);
    trace("found %zd", collect());
    Py_DECREF(held);
    trace_notes("events");
}
