/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *shared, *weak;

static void
body(void)
{
    trace("alive in the thread: %d", !is_dead(weak));
    Py_CLEAR(shared);
    trace("dead in the thread: %d", is_dead(weak));
    trace_notes("in the thread");
}

PROGRAM("a callback runs on the thread that drops the last reference")
{
    shared = N("x");
    weak = new_weakref(shared, "x");
    in_another_thread(body);
    trace("dead after: %d", is_dead(weak));
    trace_notes("after");
    Py_DECREF(weak);
}
