/* SPDX-License-Identifier: MIT */
#include "differential.h"

static long before[3][3];
static const char *const keys[] = {"collections", "collected", "uncollectable"};

static void
remember(void)
{
    for (int g = 0; g < 3; g++) {
        for (int k = 0; k < 3; k++) {
            before[g][k] = get_stat(g, keys[k]);
        }
    }
}

static void
report(const char *what)
{
    for (int g = 0; g < 3; g++) {
        trace("%s, generation %d: +%ld collections, +%ld collected, +%ld uncollectable",
              what, g, get_stat(g, keys[0]) - before[g][0],
              get_stat(g, keys[1]) - before[g][1], get_stat(g, keys[2]) - before[g][2]);
    }
}

PROGRAM("statistics grow for the generation that was collected")
{
    PyObject *x = N("x"), *d = D("d");
    set_a(x, x);
    set_a(d, d);
    Py_DECREF(x);
    Py_DECREF(d);
    remember();
    trace("found %zd", collect());
    report("full");
    x = N("x");
    set_a(x, x);
    Py_DECREF(x);
    remember();
    trace("found %zd", collect_generation(0));
    report("young");
    remember();
    trace("found %zd", collect_generation(1));
    report("middle");
    remember();
    PyGC_Disable();
    PyGC_Collect();
    report("disabled");
    PyGC_Enable();
    set_a(d, NULL);
    must_be_zero(PyList_SetSlice(gc_garbage(), 0, 1, NULL));
    trace_notes("events");
}
