/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("objects with tp_del, and what they reach, are not collected but listed")
{
    PyObject *x = D("x"), *y = N("y"), *z = N("z");
    set_a(x, y);
    set_a(y, x);
    set_a(z, z);
    set_b(z, x);
    PyObject *weak = new_weakref(y, "y");
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
    trace("found %zd", collect());
    trace_notes("events");
    trace("garbage has %zd, x %d", PyList_Size(gc_garbage()),
          PyList_GetItem(gc_garbage(), 0) == x);
    trace("the weak reference lives: %d", !is_dead(weak));
    trace("again %zd, garbage has %zd", collect(), PyList_Size(gc_garbage()));
    must_be_zero(PyList_SetSlice(gc_garbage(), 0, 1, NULL));
    trace("emptied: %zd, garbage has %zd", collect(), PyList_Size(gc_garbage()));
    set_a(y, NULL);
    trace_notes("broken by hand");
    must_be_zero(PyList_SetSlice(gc_garbage(), 0, 1, NULL));
    trace_notes("emptied");
    trace("nothing left: %zd", collect());
    Py_DECREF(weak);

    /* on a death by count, a destructor of its own does not call tp_del */
    Py_DECREF(D("alone"));
    trace_notes("by count");
}
