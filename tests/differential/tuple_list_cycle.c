/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("a cycle through a tuple, which has no tp_clear, is collected")
{
    PyObject *list = must(PyList_New(0));
    PyObject *tuple = must(PyTuple_Pack(1, list));
    PyObject *witness = N("witness");
    must_be_zero(PyList_Append(list, tuple));
    must_be_zero(PyList_Append(list, witness));
    Py_DECREF(witness);
    Py_DECREF(tuple);
    trace("held: %zd", collect());
    Py_DECREF(list);
    trace("dropped: %zd", collect());
    trace_notes("after");

    /* a tuple that holds itself through a node, and a node in between */
    PyObject *x = N("x");
    tuple = must(PyTuple_Pack(2, x, x));
    set_a(x, tuple);
    Py_DECREF(x);
    Py_DECREF(tuple);
    trace("tuple and node: %zd", collect());
    trace_notes("after");
}
