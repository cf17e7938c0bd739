/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("the limit on the digits of integers as text")
{
    PyObject *sys = must(PyImport_ImportModule("sys")), *ten = number(10);
    PyObject *up = number(4299), *more = number(4300);
    PyObject *longest = must(PyNumber_Power(ten, up, Py_None)),
             *longer = must(PyNumber_Power(ten, more, Py_None));
    trace_repr("limit", PyObject_CallMethod(sys, "get_int_max_str_digits", NULL));
    PyObject *shown = must(PyObject_Str(longest));
    trace("length %zd", PyUnicode_GetLength(shown));
    trace_repr("longer", PyObject_Str(longer));
    PyObject *zero = text("0"), *joined = must(PyUnicode_Concat(shown, zero));
    trace_repr("too long to read", PyLong_FromUnicodeObject(joined, 10));
    PyObject *read = must(PyLong_FromUnicodeObject(joined, 16));
    trace("in base 16: %d", read != NULL);
    Py_DECREF(read);
    trace_repr("too small", PyObject_CallMethod(sys, "set_int_max_str_digits", "i", 10));
    trace_repr("set", PyObject_CallMethod(sys, "set_int_max_str_digits", "i", 5000));
    read = must(PyLong_FromUnicodeObject(joined, 10));
    trace("equal: %d", PyObject_RichCompareBool(read, longer, Py_EQ));
    Py_DECREF(read);
    Py_DECREF(zero);
    Py_DECREF(joined);
    Py_DECREF(shown);
    Py_DECREF(longest);
    Py_DECREF(longer);
    Py_DECREF(up);
    Py_DECREF(more);
    Py_DECREF(ten);
    Py_DECREF(sys);
}
