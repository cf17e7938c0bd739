/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("dicts that hold themselves, their views and their iterators")
{
    PyObject *dict = must(PyDict_New());
    must_be_zero(PyDict_SetItemString(dict, "me", dict));
    trace_repr("dict", Py_NewRef(dict));
    trace("length %zd", PyDict_Size(dict));
    Py_DECREF(dict);
    trace("found %zd", collect());

    /* a node as a key */
    PyObject *key = N("key");
    dict = must(PyDict_New());
    must_be_zero(PyDict_SetItem(dict, key, Py_None));
    set_a(key, dict);
    PyObject *weak = new_weakref(key, "key");
    Py_DECREF(key);
    Py_DECREF(dict);
    trace("found %zd", collect());
    trace_notes("events");
    Py_DECREF(weak);

    /* a dict that holds a view and an iterator of itself */
    dict = must(PyDict_New());
    must_be_zero(PyDict_SetItemString(dict, "none", Py_None));
    PyObject *name = text("values");
    PyObject *view = must(PyObject_CallMethodNoArgs(dict, name));
    PyObject *iterator = must(PyObject_GetIter(dict));
    must_be_zero(PyDict_SetItemString(dict, "view", view));
    must_be_zero(PyDict_SetItemString(dict, "iterator", iterator));
    PyObject *witness = N("witness");
    must_be_zero(PyDict_SetItemString(dict, "witness", witness));
    Py_DECREF(witness);
    Py_DECREF(view);
    Py_DECREF(iterator);
    Py_DECREF(name);
    Py_DECREF(dict);
    trace("found %zd", collect());
    trace_notes("events");

    PyObject *copy;
    dict = must(PyDict_New());
    must_be_zero(PyDict_SetItemString(dict, "me", dict));
    copy = must(PyDict_Copy(dict));
    Py_DECREF(dict);
    trace("held by its copy: %zd", collect());
    must_be_zero(PyDict_SetItemString(copy, "copy", copy));
    Py_DECREF(copy);
    trace("found %zd", collect());
}
