/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("the operations of sets, and what they refuse")
{
    PyObject *list = must(Py_BuildValue("[iii]", 1, 2, 3)),
             *other = must(Py_BuildValue("[iii]", 3, 4, 5));
    PyObject *a = must(PySet_New(list)), *b = must(PyFrozenSet_New(other));
    PyObject *result = must(PyNumber_And(a, b));
    trace_repr("and", result);
    result = must(PyNumber_Or(a, b));
    trace("or: %zd, a set %d", PySet_Size(result),
          PyAnySet_Check(result) && !PyFrozenSet_Check(result));
    Py_DECREF(result);
    result = must(PyNumber_Or(b, a));
    trace("or: frozen %d", PyFrozenSet_Check(result));
    Py_DECREF(result);
    result = must(PyNumber_Xor(a, b));
    trace("xor: %zd", PySet_Size(result));
    Py_DECREF(result);
    trace("with a list: %d", PyNumber_Or(a, list) == NULL);
    trace_error("with a list");
    trace("a < b: %d, a == a: %d", PyObject_RichCompareBool(a, b, Py_LT),
          PyObject_RichCompareBool(a, a, Py_EQ));
    trace("unhashable: %d", PySet_Add(a, list));
    trace("TypeError: %d", PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
    trace("frozen: %d", PySet_Add(b, list));
    PyErr_Clear();
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(list);
    Py_DECREF(other);
}
