/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("lists that hold themselves")
{
    PyObject *list = must(PyList_New(0));
    must_be_zero(PyList_Append(list, list));
    must_be_zero(PyList_Append(list, Py_None));
    trace_repr("list", Py_NewRef(list));
    trace("equal to itself %d", PyObject_RichCompareBool(list, list, Py_EQ));
    PyObject *other = must(PyList_New(0));
    must_be_zero(PyList_Append(other, other));
    must_be_zero(PyList_Append(other, Py_None));
    trace("comparing two: %d", PyObject_RichCompareBool(list, other, Py_EQ));
    trace_error("comparing two");
    Py_DECREF(other);
    Py_DECREF(list);
    trace("found %zd", collect());

    list = must(PyList_New(3));
    PyList_SetItem(list, 1, Py_NewRef(list)); /* the others stay NULL */
    Py_DECREF(list);
    trace("with holes: %zd", collect());

    PyObject *outer = must(PyList_New(0)), *inner = must(PyList_New(0)), *x = F("x");
    must_be_zero(PyList_Append(outer, inner));
    must_be_zero(PyList_Append(inner, outer));
    must_be_zero(PyList_Append(inner, x));
    Py_DECREF(x);
    Py_DECREF(inner);
    PyObject *iterator = must(PyObject_GetIter(outer));
    Py_DECREF(outer);
    trace("held by an iterator: %zd", collect());
    Py_DECREF(iterator);
    trace("found %zd", collect());
    trace_notes("events");
    list = must(PyList_New(0));
    must_be_zero(PyList_Append(list, list));
    PyObject *slice = must(PyList_GetSlice(list, 0, 1));
    must_be_zero(PyList_SetSlice(list, 0, 1, slice));
    must_be_zero(PyList_SetSlice(list, 0, 0, list)); /* with itself */
    trace("length %zd", PyList_Size(list));
    Py_DECREF(slice);
    Py_DECREF(list);
    trace("found %zd", collect());
}
