/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    PyObject *list = must(PyList_New(0));
    must_be_zero(PyList_Append(list, list));
    Py_DECREF(list);
    collect();
    collect();
    list = must(PyList_New(0));
    must_be_zero(PyList_Append(list, list));
    Py_DECREF(list);
    trace("found inside: %zd", collect());
}

PROGRAM("an interpreter collects its own garbage, and no other")
{
    PyObject *x = N("x");
    set_a(x, x);
    Py_DECREF(x);
    in_another_interpreter(body);
    trace_notes("after the other one");
    trace("found here: %zd", collect());
    trace_notes("events");
}
