/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("tuples change only while nobody else can see them")
{
    PyObject *tuple = must(PyTuple_New(2));
    PyObject *x = N("x");
    trace("set: %d", PyTuple_SetItem(tuple, 0, x));
    trace("set beyond: %d", PyTuple_SetItem(tuple, 2, N("lost")));
    trace_error("set beyond");
    trace_notes("the value is released");
    trace("set again: %d", PyTuple_SetItem(tuple, 0, Py_NewRef(Py_None)));
    trace_notes("the old value is released");
    PyObject *second = Py_NewRef(tuple);
    trace("shared: %d", PyTuple_SetItem(tuple, 1, N("lost")));
    trace_error("shared");
    trace_notes("the value is released");
    Py_DECREF(second);
    trace("get beyond: %d", PyTuple_GetItem(tuple, 5) != NULL);
    trace_error("get beyond");
    trace("of a list: %zd", PyTuple_Size(PyList_New(0)));
    trace_error("of a list");

    PyTuple_SetItem(tuple, 1, N("cut"));
    trace("resize: %d, %zd", _PyTuple_Resize(&tuple, 1), PyTuple_Size(tuple));
    trace_notes("what is cut off is released");
    trace("grow: %d, %zd", _PyTuple_Resize(&tuple, 4), PyTuple_Size(tuple));
    trace("kept %d, tracked %d", PyTuple_GetItem(tuple, 0) == Py_None,
          PyObject_GC_IsTracked(tuple));
    second = Py_NewRef(tuple);
    trace("shared: %d, %d", _PyTuple_Resize(&tuple, 2), tuple == NULL);
    trace_error("shared");
    Py_DECREF(second);

    PyObject *empty = must(PyTuple_New(0));
    trace("one empty tuple: %d", empty == PyTuple_New(0));
    PyObject *whole = must(PyTuple_Pack(2, Py_None, Py_True));
    PyObject *slice = must(PyTuple_GetSlice(whole, 0, 2));
    trace("a whole slice is the tuple: %d", slice == whole);
    Py_DECREF(slice);
    slice = must(PyTuple_GetSlice(whole, 1, 1));
    trace("an empty one is the empty tuple: %d", slice == empty);
    Py_DECREF(slice);
    Py_DECREF(whole);
    trace("negative: %d", PyTuple_New(-1) != NULL);
    trace_error("negative");
}
