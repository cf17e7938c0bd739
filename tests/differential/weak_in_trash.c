/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("a weak reference that is itself garbage calls nobody")
{
    PyObject *x = N("x");
    PyObject *weak = new_weakref(x, "own");
    set_a(x, x);
    set_b(x, weak);
    Py_DECREF(weak);
    Py_DECREF(x);
    trace("x and its weak reference: %zd", collect());
    trace_notes("events");

    /* a weak reference in garbage to a live object is cleared, and never calls back */
    PyObject *alive = N("alive");
    x = N("x");
    weak = new_weakref(alive, "to a live object");
    set_a(x, x);
    set_b(x, weak);
    Py_DECREF(weak);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    Py_DECREF(alive);
    trace_notes("the live object dies");

    /* two objects with weak references to each other */
    x = N("x");
    PyObject *y = N("y");
    PyObject *of_x = new_weakref(x, "of x"), *of_y = new_weakref(y, "of y");
    set_a(x, of_y);
    set_a(y, of_x);
    set_b(x, y);
    set_b(y, x);
    Py_DECREF(of_x);
    Py_DECREF(of_y);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("watching each other: %zd", collect());
    trace_notes("events");
}
