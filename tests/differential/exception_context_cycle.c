/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("exceptions that are their own cause and context")
{
    PyObject *a = must(PyObject_CallFunction(PyExc_ValueError, "s", "a"));
    PyObject *b = must(PyObject_CallFunction(PyExc_KeyError, "s", "b"));
    PyException_SetCause(a, Py_NewRef(b));
    PyException_SetContext(b, Py_NewRef(a));
    PyObject *cause = PyException_GetCause(a);
    trace("cause: %d", cause == b);
    Py_XDECREF(cause);
    trace_repr("suppressed", PyObject_GetAttrString(a, "__suppress_context__"));
    PyObject *held = N("held");
    must_be_zero(PyObject_SetAttrString(a, "note", held));
    Py_DECREF(held);
    Py_DECREF(a);
    Py_DECREF(b);
    trace("some found: %d", collect() >= 2);
    trace_notes("events");
    PyObject *args = must(Py_BuildValue("(si)", "text", 3));
    PyObject *c = must(PyObject_CallObject(PyExc_ValueError, args));
    Py_DECREF(args);
    trace_repr("repr", Py_NewRef(c));
    trace_str("str", PyObject_Str(c));
    Py_DECREF(c);
}
