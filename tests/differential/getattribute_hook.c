/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
get(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("get %s", PyUnicode_AsUTF8(PyTuple_GetItem(arguments, 1)));
    return PyObject_GenericGetAttr(PyTuple_GetItem(arguments, 0),
                                   PyTuple_GetItem(arguments, 1));
}

static PyObject *
set(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("set %s", PyUnicode_AsUTF8(PyTuple_GetItem(arguments, 1)));
    if (PyObject_GenericSetAttr(PyTuple_GetItem(arguments, 0),
                                PyTuple_GetItem(arguments, 1),
                                PyTuple_GetItem(arguments, 2)) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PROGRAM("__getattribute__ and __setattr__ see every access")
{
    PyObject *class = must(new_class("C", NULL, "__getattribute__", new_method(get),
                                     "__setattr__", new_method(set), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    trace("set: %d", PyObject_SetAttrString(x, "a", Py_True));
    trace_repr("get", PyObject_GetAttrString(x, "a"));
    trace("has b: %d", PyObject_HasAttrString(x, "b"));
    trace_notes("events");
    PyObject *sub = must(new_class("D", class, NULL)),
             *y = must(PyObject_CallNoArgs(sub));
    trace("set: %d", PyObject_SetAttrString(y, "c", Py_True));
    trace_notes("events");
    Py_DECREF(y);
    Py_DECREF(sub);
    Py_DECREF(x);
    Py_DECREF(class);
    collect();
}
