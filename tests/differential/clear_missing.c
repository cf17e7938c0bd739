/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyTypeObject NoClear_Type = {NODE_SLOTS("NoClear")};

PROGRAM("without tp_clear a cycle is found again and again")
{
    ready(&NoClear_Type);
    PyObject *x = new_node(&NoClear_Type, "x");
    set_a(x, x);
    Py_DECREF(x);
    trace("found %zd, %zd, %zd", collect(), collect(), collect());
    trace_notes("events");
    trace("tracked %d, references %zd", PyObject_GC_IsTracked(x),
          (Py_ssize_t)Py_REFCNT(x));
    set_a(x, NULL);
    trace_notes("broken by hand");
    trace("found %zd", collect());
}
