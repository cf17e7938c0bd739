/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
set_name(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("%s", PyUnicode_AsUTF8(PyTuple_GetItem(arguments, 2)));
    Py_RETURN_NONE;
}

static PyObject *
bad_set_name(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    PyErr_SetString(PyExc_ValueError, "from __set_name__");
    return NULL;
}

PROGRAM("__set_name__ is called for each attribute when a class is made")
{
    PyObject *named =
        must(new_class("Named", NULL, "__set_name__", new_method(set_name), NULL));
    PyObject *bad =
        must(new_class("Bad", NULL, "__set_name__", new_method(bad_set_name), NULL));
    PyObject *class = must(new_class("C", NULL, "one", PyObject_CallNoArgs(named), "two",
                                     PyObject_CallNoArgs(named), NULL));
    trace_notes("names");
    PyObject *late = must(PyObject_CallNoArgs(named));
    must_be_zero(PyObject_SetAttrString(class, "late", late));
    trace_notes("set later");
    Py_DECREF(late);
    Py_DECREF(class);
    class = new_class("C", NULL, "bad", PyObject_CallNoArgs(bad), NULL);
    trace("class with a bad one: %d", class != NULL);
    trace("an exception: %d", PyErr_Occurred() != NULL);
    PyErr_Clear();
    Py_XDECREF(class);
    Py_DECREF(named);
    Py_DECREF(bad);
    collect();
}
