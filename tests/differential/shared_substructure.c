/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("overlapping cycles, a diamond, and a figure of eight")
{
    /* top -> left, right -> bottom -> top */
    PyObject *top = N("top"), *left = N("left"), *right = N("right"),
             *bottom = N("bottom");
    set_a(top, left);
    set_b(top, right);
    set_a(left, bottom);
    set_a(right, bottom);
    set_a(bottom, top);
    Py_DECREF(top);
    Py_DECREF(left);
    Py_DECREF(bottom);
    trace("held by a side: %zd", collect());
    Py_DECREF(right);
    trace("diamond: %zd", collect());
    trace_notes("events");

    PyObject *middle = N("middle"), *a = N("a"), *b = N("b");
    set_a(middle, a);
    set_b(middle, b);
    set_a(a, middle);
    set_a(b, middle);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(middle);
    trace("eight: %zd", collect());
    trace_notes("events");

    /* two rings, the first refers to the second; only the second is held */
    a = N("a"), b = N("b");
    PyObject *c = N("c"), *d = N("d");
    set_a(a, b);
    set_a(b, a);
    set_b(b, c);
    set_a(c, d);
    set_a(d, c);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(d);
    trace("first ring: %zd", collect());
    trace_notes("events");
    Py_DECREF(c);
    trace("second ring: %zd", collect());
    trace_notes("events");
}
