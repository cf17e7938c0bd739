/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("deep structures raise RecursionError and can be released")
{
    PyObject *list = must(PyList_New(0)), *tuple = must(PyTuple_New(0));
    for (int i = 0; i < 500000; i++) {
        PyObject *outer = must(PyList_New(1));
        PyList_SetItem(outer, 0, list);
        list = outer;
        outer = must(PyTuple_New(1));
        PyTuple_SetItem(outer, 0, tuple);
        tuple = outer;
    }
    trace("repr: %d", PyObject_Repr(list) == NULL);
    trace("RecursionError: %d", PyErr_ExceptionMatches(PyExc_RecursionError));
    PyErr_Clear();
    trace("repr of the tuple: %d", PyObject_Repr(tuple) == NULL);
    trace("RecursionError: %d", PyErr_ExceptionMatches(PyExc_RecursionError));
    PyErr_Clear();
    PyObject *same = must(PyList_New(1));
    PyList_SetItem(same, 0, Py_NewRef(list));
    trace("compare: %d", PyObject_RichCompareBool(list, same, Py_EQ));
    trace("RecursionError: %d", PyErr_ExceptionMatches(PyExc_RecursionError));
    PyErr_Clear();
    Py_DECREF(same);
    Py_DECREF(list);
    Py_DECREF(tuple);
    trace("nothing left: %zd", collect());
}
