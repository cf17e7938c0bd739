/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
length(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    return number(-1);
}

static PyObject *
bad(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    PyErr_SetString(PyExc_ValueError, "from a method");
    return NULL;
}

static PyObject *
word(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    return text("word");
}

PROGRAM("special methods of a class become slots, and their exceptions arrive")
{
    PyObject *class = must(
        new_class("C", NULL, "__len__", new_method(length), "__bool__", new_method(word),
                  "__hash__", new_method(word), "__repr__", new_method(bad), "__iter__",
                  new_method(word), "__getitem__", new_method(bad), "__call__",
                  new_method(bad), "__index__", new_method(word), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    trace("len: %zd", PyObject_Size(x));
    trace_error("len");
    trace("truth: %d", PyObject_IsTrue(x));
    trace_error("truth");
    trace("hash: %d", PyObject_Hash(x) == -1);
    trace_error("hash");
    trace_repr("repr", PyObject_Repr(x));
    trace_repr("iter", PyObject_GetIter(x));
    trace_repr("item", PyObject_GetItem(x, Py_None));
    trace_repr("call", PyObject_CallNoArgs(x));
    trace_repr("index", PyNumber_Index(x));
    Py_DECREF(x);
    Py_DECREF(class);
    collect();
}
