/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("a frozen object can die by count, and its callbacks are called")
{
    PyObject *x = F("x");
    PyObject *weak = new_weakref(x, "x");
    freeze();
    Py_ssize_t count = get_freeze_count();
    Py_DECREF(x);
    trace("one less: %zd", count - get_freeze_count());
    trace_notes("events");
    trace("dead: %d", is_dead(weak));
    Py_DECREF(weak);
    int counts[3];
    get_counts(counts);
    trace("counts: %d %d", counts[1], counts[2]);
    freeze();
    get_counts(counts);
    trace("frozen twice: %d %d", counts[1], counts[2]);
    unfreeze();
    unfreeze();
    trace("%zd", get_freeze_count());
}
