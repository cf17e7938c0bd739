/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *shared, *second, *third;

static void
body(void)
{
    second = new_weakref(shared, "b");
    third = new_weakref(shared, "c");
}

PROGRAM("callbacks of references that two threads made run newest first")
{
    shared = N("x");
    PyObject *first = new_weakref(shared, "a");
    in_another_thread(body);
    PyObject *fourth = new_weakref(shared, "d");
    Py_CLEAR(shared);
    trace_notes("events");
    trace("dead: %d %d %d %d", is_dead(first), is_dead(second), is_dead(third),
          is_dead(fourth));
    Py_DECREF(first);
    Py_DECREF(second);
    Py_DECREF(third);
    Py_DECREF(fourth);
}
