/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
raise_at_the_end(struct node *self)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback); /* a finalizer that may raise must do this */
    PyErr_Format(PyExc_ValueError, "from the end of %s", self->name);
    PyErr_WriteUnraisable(NULL);
    PyErr_Restore(type, value, traceback);
}

PROGRAM("finalizers that raise, in a cycle and by count, with an exception pending")
{
    note_unraisable();
    PyObject *x = F("x"), *y = F("y");
    NODE(x)->when_finalized = NODE(y)->when_finalized = raise_at_the_end;
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    PyErr_SetString(PyExc_KeyError, "pending");
    Py_ssize_t found = PyGC_Collect();
    trace_error("pending before");
    trace("found %zd", found);
    trace_notes("events");
    x = F("x");
    NODE(x)->when_finalized = raise_at_the_end;
    PyErr_SetString(PyExc_KeyError, "pending");
    Py_DECREF(x);
    trace_error("pending before");
    trace_notes("events");
}
