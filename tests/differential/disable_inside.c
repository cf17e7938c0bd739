/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
disable(struct node *self)
{
    (void)self;
    trace("disabled, was %d", PyGC_Disable());
}

PROGRAM("enable and disable return the old state, and do not stop what is under way")
{
    trace("%d", PyGC_IsEnabled());
    trace("%d %d %d %d", PyGC_Enable(), PyGC_Disable(), PyGC_Disable(), PyGC_Enable());
    PyObject *x = F("x");
    NODE(x)->when_finalized = disable;
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
    trace("enabled now: %d", PyGC_IsEnabled());
    x = F("y");
    set_a(x, x);
    Py_DECREF(x);
    trace("PyGC_Collect while disabled: %zd", PyGC_Collect());
    trace_notes("nothing happens");
    trace("gc.collect() while disabled: %zd", collect());
    trace_notes("events");
    PyGC_Enable();
}
