/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
nothing(PyObject *self, PyObject *argument)
{
    (void)self;
    (void)argument;
    Py_RETURN_NONE;
}

static PyMethodDef method = {"nothing", nothing, METH_O, NULL};

PROGRAM("cycles through functions, bound methods, iterators and slices")
{
    PyObject *x = N("x");
    PyObject *function = must(PyCFunction_New(&method, x));
    set_a(x, function);
    Py_DECREF(function);
    Py_DECREF(x);
    trace("function: %zd", collect());
    trace_notes("events");

    x = N("x");
    function = must(PyCFunction_New(&method, NULL));
    PyObject *bound = must(PyMethod_New(function, x));
    set_a(x, bound);
    PyObject *weak = new_weakref(bound, "bound");
    Py_DECREF(bound);
    Py_DECREF(function);
    Py_DECREF(x);
    trace("bound method: %zd", collect());
    trace_notes("events");
    Py_DECREF(weak);

    PyObject *list = must(PyList_New(0));
    PyObject *iterator = must(PyObject_GetIter(list));
    must_be_zero(PyList_Append(list, iterator));
    Py_DECREF(iterator);
    Py_DECREF(list);
    trace("list iterator: %zd", collect());

    list = must(PyList_New(0));
    iterator = must(PySeqIter_New(list));
    must_be_zero(PyList_Append(list, iterator));
    Py_DECREF(iterator);
    Py_DECREF(list);
    trace("sequence iterator: %zd", collect());

    x = N("x");
    function = must(PyCFunction_New(&method, x));
    iterator = must(PyCallIter_New(function, Py_None));
    set_a(x, iterator);
    Py_DECREF(iterator);
    Py_DECREF(function);
    Py_DECREF(x);
    trace("call iterator: %zd", collect());
    trace_notes("events");

    x = N("x");
    PyObject *slice = must(PySlice_New(x, NULL, NULL));
    set_a(x, slice);
    Py_DECREF(slice);
    Py_DECREF(x);
    trace("slice: %zd", collect());
    trace_notes("events");

    x = N("x");
    PyObject *static_method = must(PyStaticMethod_New(x));
    set_a(x, static_method);
    Py_DECREF(static_method);
    Py_DECREF(x);
    trace("some for a static method: %d", collect() >= 2);
    trace_notes("events");
    x = N("x");
    PyObject *class_method = must(PyClassMethod_New(x));
    set_a(x, class_method);
    Py_DECREF(class_method);
    Py_DECREF(x);
    trace("some for a class method: %d", collect() >= 2);
    trace_notes("events");
}
