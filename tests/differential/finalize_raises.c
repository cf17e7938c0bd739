/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
raise_error(struct node *self)
{
    (void)self;
    PyErr_SetString(PyExc_ValueError, "from a finalizer");
}

static void
keep_error(struct node *self)
{
    (void)self;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

PROGRAM(
    "an exception that a finalizer leaves is reported once, and the collection goes on")
{
    note_unraisable();
    PyObject *x = F("x"), *y = F("y");
    NODE(x)->when_finalized = raise_error;
    NODE(y)->when_finalized = keep_error;
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("found %zd", collect());
    trace_notes("events");
    trace("pending %d", PyErr_Occurred() != NULL);
}
