/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("a set that changes while it is iterated over")
{
    PyObject *set = must(PySet_New(NULL)), *one = number(1), *two = number(2);
    must_be_zero(PySet_Add(set, one));
    PyObject *iterator = must(PyObject_GetIter(set)), *item;
    must_be_zero(PySet_Add(set, two));
    item = PyIter_Next(iterator);
    trace("next: %d", item != NULL);
    trace_error("next");
    item = PyIter_Next(iterator);
    trace("again: %d", item != NULL);
    trace_error("again");
    Py_DECREF(iterator);
    trace("size %zd", PySet_Size(set));
    Py_DECREF(set);
    Py_DECREF(one);
    Py_DECREF(two);
}
