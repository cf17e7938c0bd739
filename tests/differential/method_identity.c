/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
f(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    Py_RETURN_NONE;
}

PROGRAM("bound methods: equality, hash, and the cycle through an instance")
{
    PyObject *function = new_callable_of_many(f), *x = N("x"), *y = N("y");
    PyObject *a = must(PyMethod_New(function, x)), *b = must(PyMethod_New(function, x));
    PyObject *c = must(PyMethod_New(function, y));
    trace("a == b %d, a == c %d", PyObject_RichCompareBool(a, b, Py_EQ),
          PyObject_RichCompareBool(a, c, Py_EQ));
    trace("same hash: %d", PyObject_Hash(a) == PyObject_Hash(b));
    trace("function %d, self %d", PyMethod_Function(a) == function,
          PyMethod_Self(a) == x);
    trace_repr("call", PyObject_CallNoArgs(a));
    set_a(x, a);
    PyObject *weak = new_weakref(a, "method");
    Py_DECREF(a);
    Py_DECREF(x);
    Py_DECREF(b);
    trace("found %zd", collect());
    trace("dead %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
    Py_DECREF(c);
    Py_DECREF(y);
    Py_DECREF(function);
    trace_notes("events");
}
