/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *weak, *kept;

static void
body(void)
{
    PyObject *object;
    trace("got it: %d", PyWeakref_GetRef(weak, &object));
    kept = object;
}

PROGRAM("a strong reference from a weak one keeps the object for its thread")
{
    PyObject *x = N("x");
    weak = new_weakref(x, "x");
    in_another_thread(body);
    Py_DECREF(x);
    trace("dead %d", is_dead(weak));
    trace_notes("held by the thread");
    Py_CLEAR(kept);
    trace("dead %d", is_dead(weak));
    trace_notes("released");
    Py_DECREF(weak);
}
