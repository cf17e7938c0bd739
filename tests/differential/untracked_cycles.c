/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("a cycle through an untracked object is not found until it is tracked")
{
    PyObject *x = new_untracked_node(&N_Type, "x");
    set_a(x, x);
    Py_DECREF(x);
    trace("never tracked: %zd", collect());
    trace_notes("after");
    set_a(x, NULL);
    trace_notes("broken by hand");

    x = new_untracked_node(&N_Type, "x");
    PyObject *y = N("y");
    set_a(y, y);
    set_a(x, y);
    Py_DECREF(y);
    trace("held by an untracked object: %zd", collect());
    set_b(x, x);
    PyObject_GC_Track(x);
    Py_DECREF(x);
    trace("tracked, and dropped: %zd", collect());
    trace_notes("after");
}
