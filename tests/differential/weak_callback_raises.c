/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_error(PyObject *self, PyObject *weakref)
{
    (void)self;
    (void)weakref;
    PyErr_SetString(PyExc_ValueError, "from a callback");
    return NULL;
}

PROGRAM("an exception in a callback is reported, and everything goes on")
{
    note_unraisable();
    PyObject *bad = new_callable(raise_error);
    PyObject *x = N("x");
    PyObject *first = new_weakref(x, "first");
    PyObject *second = must(PyWeakref_NewRef(x, bad));
    PyObject *third = new_weakref(x, "third");
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    trace("pending: %d", PyErr_Occurred() != NULL);
    Py_DECREF(first);
    Py_DECREF(second);
    Py_DECREF(third);

    /* by count, with an exception pending before */
    x = N("x");
    second = must(PyWeakref_NewRef(x, bad));
    PyErr_SetString(PyExc_KeyError, "pending before");
    Py_DECREF(x);
    trace_error("still pending");
    trace_notes("events");
    Py_DECREF(second);
    Py_DECREF(bad);
}
