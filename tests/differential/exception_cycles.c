/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("exceptions in cycles: args, context, cause, attributes")
{
    PyObject *x = N("x");
    PyObject *error = must(PyObject_CallOneArg(PyExc_ValueError, x));
    set_a(x, error);
    trace("args hold x: %zd", count_of(get_referents(error)));
    Py_DECREF(x);
    Py_DECREF(error);
    trace("found %zd", collect());
    trace_notes("events");

    PyObject *first = must(PyObject_CallNoArgs(PyExc_KeyError));
    PyObject *second = must(PyObject_CallNoArgs(PyExc_TypeError));
    PyObject *witness = N("witness");
    must_be_zero(PyObject_SetAttrString(first, "witness", witness));
    Py_DECREF(witness);
    PyException_SetContext(first, Py_NewRef(second));
    PyException_SetCause(second, Py_NewRef(first));
    PyObject *cause = PyException_GetCause(second);
    trace("cause %d, context %d", cause == first, PyException_GetContext(second) == NULL);
    Py_XDECREF(cause);
    Py_DECREF(first);
    Py_DECREF(second);
    trace("some found: %d", collect() >= 2);
    trace_notes("events");

    /* the pending exception is a root */
    x = N("x");
    error = must(PyObject_CallOneArg(PyExc_RuntimeError, x));
    set_a(x, error);
    Py_DECREF(x);
    PyErr_SetObject(PyExc_RuntimeError, error);
    Py_DECREF(error);
    trace("pending: %zd", PyGC_Collect());
    trace_notes("events");
    PyErr_Clear();
    trace("cleared: %zd", PyGC_Collect());
    trace_notes("events");
}
