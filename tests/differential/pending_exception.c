/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("a collection and deaths leave a pending exception alone")
{
    PyObject *x = F("x");
    set_a(x, x);
    PyObject *weak = new_weakref(x, "x");
    Py_DECREF(x);
    PyErr_SetString(PyExc_LookupError, "mine");
    trace("found %zd", PyGC_Collect());
    trace_error("pending");
    trace_notes("events");
    Py_DECREF(weak);

    PyErr_SetString(PyExc_LookupError, "mine");
    Py_DECREF(F("y"));
    trace_error("pending");
    trace_notes("events");
}
