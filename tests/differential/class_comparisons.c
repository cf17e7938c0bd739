/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
equal(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("asked");
    (void)arguments;
    return Py_NewRef(Py_True);
}

static PyObject *
no_idea(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("no idea");
    (void)arguments;
    return Py_NewRef(Py_NotImplemented);
}

PROGRAM("__eq__ and __lt__ of a class, the other operand, and NotImplemented")
{
    PyObject *class = must(new_class("C", NULL, "__eq__", new_method(equal), "__lt__",
                                     new_method(no_idea), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class)), *y = must(PyObject_CallNoArgs(class));
    trace("x == y: %d", PyObject_RichCompareBool(x, y, Py_EQ));
    trace("x == 1: %d, 1 == x: %d", PyObject_RichCompareBool(x, Py_None, Py_EQ),
          PyObject_RichCompareBool(Py_None, x, Py_EQ));
    trace_notes("events");
    trace("x != y: %d", PyObject_RichCompareBool(x, y, Py_NE));
    trace_notes("events");
    trace("x < y: %d", PyObject_RichCompareBool(x, y, Py_LT));
    trace_error("x < y");
    trace_notes("events");
    trace("hash: %d", PyObject_Hash(x) == -1);
    trace_error("hash");
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(class);
    collect();
}
