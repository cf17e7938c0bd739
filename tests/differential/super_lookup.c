/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
first(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    return text("first");
}

static PyObject *
second(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    return text("second");
}

PROGRAM("super finds what comes after a class in the order")
{
    PyObject *a = must(new_class("A", NULL, "f", new_method(first), NULL));
    PyObject *b = must(new_class("B", a, "f", new_method(second), NULL));
    PyObject *x = must(PyObject_CallNoArgs(b));
    trace_repr("own", PyObject_CallMethod(x, "f", NULL));
    PyObject *super =
        must(PyObject_CallFunctionObjArgs((PyObject *)&PySuper_Type, b, x, NULL));
    trace_repr("super", PyObject_CallMethod(super, "f", NULL));
    trace_repr("missing", PyObject_GetAttrString(super, "g"));
    trace("wrong type: %d", PyObject_CallFunctionObjArgs((PyObject *)&PySuper_Type, b,
                                                         Py_None, NULL) == NULL);
    trace("TypeError: %d", PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
    must_be_zero(PyObject_SetAttrString(x, "super", super));
    PyObject *weak = new_weakref(x, "x");
    Py_DECREF(super);
    Py_DECREF(x);
    trace("some found: %d", collect() > 0);
    trace("dead %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
    Py_DECREF(b);
    Py_DECREF(a);
    collect();
}
