/* SPDX-License-Identifier: MIT */
#include "differential.h"

enum { COUNT = 3000 };

static void
fill(PyObject *nodes[])
{
    for (int i = 0; i < COUNT; i++) {
        nodes[i] = N(NULL);
    }
}

PROGRAM("an automatic collection happens at a safe point, unless it is disabled")
{
    static PyObject *nodes[COUNT];
    PyObject *garbage = N("garbage");
    set_a(garbage, garbage);
    Py_DECREF(garbage);
    PyGC_Disable();
    set_thresholds(100, 1000, 1000);
    fill(nodes);
    PyErr_CheckSignals();
    trace_notes("disabled");
    PyGC_Enable();
    Py_DECREF(N(NULL));
#if PY_VERSION_HEX >= 0x030C0000 /* in older versions an allocation collects */
    PyErr_CheckSignals();
#endif
    trace_notes("enabled");
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(nodes[i]);
    }
    set_thresholds(0, 10, 10);
}
