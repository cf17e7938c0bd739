/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_in_callback(PyObject *self, PyObject *args)
{
    (void)self;
    note("called with %s", PyUnicode_AsUTF8(PyTuple_GetItem(args, 0)));
    PyErr_SetString(PyExc_ValueError, "from a gc callback");
    return NULL;
}

PROGRAM("a callback of the collector that raises does not keep the others from running")
{
    note_unraisable();
    PyObject *bad = new_callable_of_many(raise_in_callback);
    must_be_zero(PyList_Append(gc_callbacks(), bad));
    must_be_zero(PyList_Append(gc_callbacks(), bad));
    PyObject *x = N("x");
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    PyErr_SetString(PyExc_KeyError, "pending");
    PyGC_Collect();
    trace_error("pending before");
    must_be_zero(PyList_SetSlice(gc_callbacks(), 0, 2, NULL));
    trace_notes("events");
    trace("nothing: %zd", collect());
    trace_notes("events");
    Py_DECREF(bad);
}
