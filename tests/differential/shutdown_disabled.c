/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
complain(PyObject *self, PyObject *arguments)
{
    (void)self;
    (void)arguments;
    note("a gc callback is called");
    Py_RETURN_NONE;
}

PROGRAM("garbage is collected at the end, also when disabled, and without gc callbacks")
{
    trace_shutdown = true;
    PyObject *callback = new_callable_of_many(complain);
    must_be_zero(PyList_Append(gc_callbacks(), callback));
    Py_DECREF(callback);
    PyGC_Disable();
    PyObject *x = F("x"), *y = F("y");
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    trace_notes("before");
}
