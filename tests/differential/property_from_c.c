/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
get_it(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("get");
    return Py_NewRef(PyTuple_GetItem(arguments, 0));
}

static PyObject *
set_it(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("set %d", PyTuple_GetItem(arguments, 1) == Py_True);
    Py_RETURN_NONE;
}

PROGRAM("property: getter, setter, deleter, and what is missing")
{
    PyObject *get = new_callable_of_many(get_it), *set = new_callable_of_many(set_it);
    PyObject *both =
        must(PyObject_CallFunctionObjArgs((PyObject *)&PyProperty_Type, get, set, NULL));
    PyObject *only =
        must(PyObject_CallFunctionObjArgs((PyObject *)&PyProperty_Type, get, NULL));
    PyObject *none = must(PyObject_CallNoArgs((PyObject *)&PyProperty_Type));
    PyObject *class =
        must(new_class("C", NULL, "both", both, "only", only, "none", none, NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    PyObject *value = must(PyObject_GetAttrString(x, "both"));
    trace("value is the instance: %d", value == x);
    Py_DECREF(value);
    trace("set: %d", PyObject_SetAttrString(x, "both", Py_True));
    trace("set only: %d", PyObject_SetAttrString(x, "only", Py_True));
    trace("AttributeError: %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    trace("delete both: %d", PyObject_DelAttrString(x, "both"));
    trace("AttributeError: %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    value = PyObject_GetAttrString(x, "none");
    trace("get none: %d", value != NULL);
    trace("AttributeError: %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    trace_notes("events");
    Py_DECREF(x);
    Py_DECREF(class);
    Py_DECREF(get);
    Py_DECREF(set);
    trace("some found: %d", collect() > 0);
}
