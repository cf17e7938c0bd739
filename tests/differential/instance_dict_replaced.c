/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("__dict__ can be replaced, shared and deleted")
{
    PyObject *class = must(new_class("C", NULL, NULL));
    PyObject *x = must(PyObject_CallNoArgs(class)), *y = must(PyObject_CallNoArgs(class));
    PyObject *dict = must(PyDict_New());
    must_be_zero(PyDict_SetItemString(dict, "a", Py_True));
    trace("replace: %d", PyObject_SetAttrString(x, "__dict__", dict));
    trace("share: %d", PyObject_SetAttrString(y, "__dict__", dict));
    must_be_zero(PyObject_SetAttrString(x, "b", Py_None));
    trace_repr("seen by the other", PyObject_GetAttrString(y, "b"));
    trace_repr("dict", Py_NewRef(dict));
    trace("no dict: %d", PyObject_SetAttrString(x, "__dict__", Py_None));
    trace("TypeError: %d", PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    PyObject *weak = new_weakref(x, "x");
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(dict);
    trace("some found: %d", collect() > 0);
    trace("dead %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
    Py_DECREF(class);
    collect();
}
