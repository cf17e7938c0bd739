/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int compared;

static PyObject *
key_or_raise(PyObject *self, PyObject *item)
{
    (void)self;
    if (PyLong_AsLong(item) == 3) {
        PyErr_SetString(PyExc_ValueError, "no key for 3");
        return NULL;
    }
    compared++;
    return Py_NewRef(item);
}

PROGRAM("a sort whose key function raises leaves all items in the list")
{
    PyObject *list = must(PyList_New(0)), *key = new_callable(key_or_raise);
    static const long values[] = {5, 1, 4, 3, 2};
    for (int i = 0; i < 5; i++) {
        PyObject *value = number(values[i]);
        must_be_zero(PyList_Append(list, value));
        Py_DECREF(value);
    }
    PyObject *sort = must(PyObject_GetAttrString(list, "sort"));
    PyObject *none = must(PyTuple_New(0)), *names = must(PyDict_New());
    must_be_zero(PyDict_SetItemString(names, "key", key));
    trace_repr("sort", PyObject_Call(sort, none, names));
    trace("keys made: %d", compared);
    trace_repr("list", Py_NewRef(list));
    must_be_zero(PyList_SetSlice(list, 3, 4, NULL));
    trace_repr("sort without 3", PyObject_Call(sort, none, names));
    trace_repr("list", Py_NewRef(list));
    must_be_zero(PyDict_SetItemString(names, "reverse", Py_True));
    trace_repr("backwards", PyObject_Call(sort, none, names));
    trace_repr("list", Py_NewRef(list));
    Py_DECREF(none);
    Py_DECREF(names);
    Py_DECREF(sort);
    Py_DECREF(key);
    Py_DECREF(list);
}
