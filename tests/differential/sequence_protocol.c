/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("the sequence functions on lists, tuples and strings")
{
    PyObject *list = must(PyList_New(0));
    for (long i = 0; i < 6; i++) {
        PyObject *item = number(i * i);
        must_be_zero(PyList_Append(list, item));
        Py_DECREF(item);
    }
    PyObject *tuple = must(PyList_AsTuple(list)), *word = text("h\xc3\xa9llo");
    trace_repr("list", Py_NewRef(list));
    trace_repr("item -1", PySequence_GetItem(list, -1));
    trace_repr("item 6", PySequence_GetItem(list, 6));
    trace_repr("item -7", PySequence_GetItem(tuple, -7));
    trace_repr("character", PySequence_GetItem(word, 1));
    trace_repr("character 9", PySequence_GetItem(word, 9));
    trace_repr("slice", PySequence_GetSlice(list, 1, -1));
    trace_repr("slice beyond", PySequence_GetSlice(tuple, 4, 100));
    trace_repr("repeated", PySequence_Repeat(tuple, 2));
    trace_repr("repeated -1", PySequence_Repeat(list, -1));
    trace_repr("sum", PySequence_Concat(list, list));
    trace_repr("list + tuple", PySequence_Concat(list, tuple));
    trace_repr("in place", PySequence_InPlaceConcat(list, tuple));
    trace("set on a tuple: %d", PySequence_SetItem(tuple, 0, Py_None));
    trace_error("set on a tuple");
    trace("delete from text: %d", PySequence_DelItem(word, 0));
    trace_error("delete from text");
    trace("set -1: %d", PySequence_SetItem(list, -1, Py_None));
    trace("set 50: %d", PySequence_SetItem(list, 50, Py_None));
    trace_error("set 50");
    PyObject *slice = must(PySlice_New(NULL, NULL, NULL));
    trace_repr("whole slice", PyObject_GetItem(tuple, slice));
    Py_DECREF(slice);
    PyObject *minus = number(-1), *two = number(2);
    slice = must(PySlice_New(NULL, NULL, minus));
    trace_repr("backwards", PyObject_GetItem(list, slice));
    trace("delete backwards: %d", PyObject_DelItem(list, slice));
    trace_repr("list", Py_NewRef(list));
    Py_DECREF(slice);
    for (long i = 0; i < 6; i++) {
        must_be_zero(PyList_Append(list, two));
    }
    slice = must(PySlice_New(NULL, NULL, two));
    trace("set every second: %d", PyObject_SetItem(list, slice, word));
    trace_error("set every second");
    PyObject *three = must(PyTuple_Pack(3, Py_None, Py_True, Py_False));
    trace("set every second: %d", PyObject_SetItem(list, slice, three));
    trace_repr("list", Py_NewRef(list));
    Py_DECREF(three);
    Py_DECREF(slice);
    trace_repr("no sequence", PySequence_GetItem(minus, 0));
    trace("no length: %zd", PySequence_Size(minus));
    trace_error("no length");
    trace_repr("fast", PySequence_Fast(minus, "my own message"));
    trace_repr("str in list", PyObject_GetItem(list, word));
    trace_repr("str in tuple", PyObject_GetItem(tuple, word));
    trace("int in text: %d", PySequence_Contains(word, minus));
    trace_error("int in text");
    trace("hash of a tuple of lists: %d",
          PyObject_Hash(must(PyTuple_Pack(1, list))) != -1);
    trace_error("hash");
    Py_DECREF(minus);
    Py_DECREF(two);
    Py_DECREF(word);
    Py_DECREF(tuple);
    Py_DECREF(list);
}
