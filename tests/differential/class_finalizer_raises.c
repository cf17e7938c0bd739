/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
del(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    PyErr_SetString(PyExc_ValueError, "from __del__");
    return NULL;
}

PROGRAM("__del__ that raises is reported, and the object dies")
{
    note_unraisable();
    PyObject *class = must(new_class("C", NULL, "__del__", new_method(del), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    PyObject *weak = new_weakref(x, "x");
    Py_DECREF(x);
    trace("dead %d", is_dead(weak));
    trace_notes("by count");
    Py_DECREF(weak);
    x = must(PyObject_CallNoArgs(class));
    weak = new_weakref(x, "x");
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    Py_DECREF(x);
    trace("some found: %d", collect() > 0);
    trace("dead %d", is_dead(weak));
    trace_notes("in a cycle");
    Py_DECREF(weak);
    Py_DECREF(class);
    collect();
    trace_notes("after");
}
