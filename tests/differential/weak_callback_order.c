/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
say(PyObject *self, PyObject *weakref)
{
    (void)weakref;
    trace("callback %ld", PyLong_AsLong(self));
    Py_RETURN_NONE;
}

static PyMethodDef say_method = {"say", say, METH_O, NULL};

static void
watch(PyObject *x, PyObject *weak[3])
{
    for (int i = 0; i < 3; i++) {
        PyObject *self = number(i);
        PyObject *callback = must(PyCFunction_New(&say_method, self));
        weak[i] = must(PyWeakref_NewRef(x, callback));
        Py_DECREF(callback);
        Py_DECREF(self);
    }
}

PROGRAM("callbacks on one object are called newest first")
{
    PyObject *weak[3];
    PyObject *x = N("x");
    watch(x, weak);
    Py_DECREF(x);
    trace_notes("by count");
    for (int i = 0; i < 3; i++) {
        Py_DECREF(weak[i]);
    }
    x = N("x");
    watch(x, weak);
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("by collection");
    for (int i = 0; i < 3; i++) {
        Py_DECREF(weak[i]);
    }
}
