/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
set(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("set");
    (void)arguments;
    Py_RETURN_NONE;
}

static PyObject *delete (PyObject *self, PyObject *arguments)
{
    (void)self;
    note("delete");
    (void)arguments;
    Py_RETURN_NONE;
}

PROGRAM("a descriptor that can only be set, and one that can only be deleted")
{
    PyObject *settable =
        must(new_class("Settable", NULL, "__set__", new_method(set), NULL));
    PyObject *deletable =
        must(new_class("Deletable", NULL, "__delete__", new_method(delete), NULL));
    PyObject *class = must(new_class("C", NULL, "s", PyObject_CallNoArgs(settable), "d",
                                     PyObject_CallNoArgs(deletable), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    trace("set s: %d", PyObject_SetAttrString(x, "s", Py_None));
    trace("delete d: %d", PyObject_DelAttrString(x, "d"));
    trace("delete s: %d", PyObject_DelAttrString(x, "s"));
    trace("AttributeError: %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    trace("set d: %d", PyObject_SetAttrString(x, "d", Py_None));
    trace("AttributeError: %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    PyObject *value = must(PyObject_GetAttrString(x, "s"));
    trace("without __get__ it is the descriptor: %d",
          Py_TYPE(value) == (PyTypeObject *)settable);
    Py_DECREF(value);
    trace_notes("events");
    Py_DECREF(x);
    Py_DECREF(class);
    Py_DECREF(settable);
    Py_DECREF(deletable);
    collect();
}
