/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    trace("found %zd", collect());
    trace_notes("in the thread");
}

PROGRAM("a thread collects what another thread made")
{
    PyObject *x = F("x"), *y = N("y");
    PyObject *weak = new_weakref(x, "x");
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    in_another_thread(body);
    trace("dead %d", is_dead(weak));
    Py_DECREF(weak);
}
