/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("the dict of an instance outlives it, and keeps its values")
{
    PyObject *class = must(new_class("C", NULL, NULL)),
             *x = must(PyObject_CallNoArgs(class));
    PyObject *held = N("held");
    must_be_zero(PyObject_SetAttrString(x, "held", held));
    Py_DECREF(held);
    PyObject *dict = must(PyObject_GetAttrString(x, "__dict__"));
    Py_DECREF(x);
    trace_notes("the instance is gone");
    trace("size %zd", PyDict_Size(dict));
    PyDict_Clear(dict);
    trace_notes("cleared");
    must_be_zero(PyDict_SetItemString(dict, "me", dict));
    Py_DECREF(dict);
    trace("found %zd", collect());
    Py_DECREF(class);
    collect();
}
