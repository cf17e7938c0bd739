/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
fallback(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("asked for %s", PyUnicode_AsUTF8(PyTuple_GetItem(arguments, 1)));
    return number(1);
}

static PyObject *
bad(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    PyErr_SetString(PyExc_ValueError, "from __getattr__");
    return NULL;
}

PROGRAM("__getattr__ is asked when the generic lookup finds nothing")
{
    PyObject *class = must(new_class("C", NULL, "__getattr__", new_method(fallback),
                                     "known", number(5), NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    trace_repr("known", PyObject_GetAttrString(x, "known"));
    trace_repr("unknown", PyObject_GetAttrString(x, "unknown"));
    trace("has anything: %d", PyObject_HasAttrString(x, "anything"));
    trace_notes("events");
    PyObject *method = new_method(bad);
    must_be_zero(PyObject_SetAttrString(class, "__getattr__", method));
    Py_DECREF(method);
    trace_repr("raises", PyObject_GetAttrString(x, "unknown"));
    trace("delete: %d", PyObject_DelAttrString(class, "__getattr__"));
    PyObject *none = PyObject_GetAttrString(x, "unknown");
    trace("without: %d, AttributeError %d", none != NULL,
          PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    Py_DECREF(x);
    Py_DECREF(class);
    collect();
}
