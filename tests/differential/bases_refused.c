/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("bases that cannot be combined")
{
    PyObject *a = must(new_class("A", NULL, NULL)), *b = must(new_class("B", a, NULL));
    PyObject *type = (PyObject *)&PyType_Type;
    trace("order: %d", PyObject_CallFunction(type, "s(OO){}", "C", a, b) == NULL);
    trace("TypeError: %d", PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
    trace("twice: %d", PyObject_CallFunction(type, "s(OO){}", "C", a, a) == NULL);
    trace_error("twice");
    trace("layouts: %d", PyObject_CallFunction(type, "s(OO){}", "C", &PyLong_Type,
                                               &PyList_Type) == NULL);
    trace_error("layouts");
    trace("bool: %d", PyObject_CallFunction(type, "s(O){}", "C", &PyBool_Type) == NULL);
    trace_error("bool");
    trace("no type: %d", PyObject_CallFunction(type, "s(i){}", "C", 1) == NULL);
    trace("TypeError: %d", PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
    PyObject *fine = must(PyObject_CallFunction(type, "s(OO){}", "C", b, a));
    trace_repr("order", PyObject_GetAttrString(fine, "__mro__"));
    Py_DECREF(fine);
    Py_DECREF(b);
    Py_DECREF(a);
    collect();
}
