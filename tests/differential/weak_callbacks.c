/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM(
    "the weak references of an object die with it, and their callbacks are called once")
{
    PyObject *x = N("x");
    PyObject *with = new_weakref(x, "with"), *without = new_weakref(x, NULL);
    trace("alive: %d %d", !is_dead(with), !is_dead(without));
    set_a(x, x);
    Py_DECREF(x);
    trace("alive as garbage: %d %d", !is_dead(with), !is_dead(without));
    trace("found %zd", collect());
    trace("dead: %d %d", is_dead(with), is_dead(without));
    trace_notes("events");
    trace("again %zd", collect());
    trace_notes("no more events");
    Py_DECREF(with);
    Py_DECREF(without);

    x = N("x");
    with = new_weakref(x, "with");
    without = new_weakref(x, NULL);
    Py_DECREF(x);
    trace("dead by count: %d %d", is_dead(with), is_dead(without));
    trace_notes("events");
    Py_DECREF(with);
    Py_DECREF(without);

    /* a weak reference that dies before its object does not call back */
    x = N("x");
    Py_DECREF(new_weakref(x, "early"));
    Py_DECREF(x);
    trace_notes("the weak reference first");
}
