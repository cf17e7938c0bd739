/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("an object with tp_del that hangs off a cycle dies with it")
{
    PyObject *x = N("x"), *leaf = D("leaf");
    set_a(x, x);
    set_b(x, leaf);
    Py_DECREF(leaf);
    Py_DECREF(x);
    VERSION_DEPENDENT(0x030F0000, "found", collect(), 1);
    trace_notes("events");
    VERSION_DEPENDENT(0x030F0000, "listed", PyList_Size(gc_garbage()), 0);
}
