/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("DEBUG_SAVEALL keeps all garbage in the list instead of clearing it")
{
    trace("debug %d", get_debug());
    set_debug(SAVEALL);
    trace("debug %d, LEAK is %d", get_debug(), COLLECTABLE | UNCOLLECTABLE | SAVEALL);
    PyObject *x = F("x"), *y = F("y");
    PyObject *weak = new_weakref(x, "x");
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("found %zd", collect());
    trace_notes("events");
    trace("garbage has %zd; x %d, y %d", PyList_Size(gc_garbage()),
          is_listed(Py_NewRef(gc_garbage()), x), is_listed(Py_NewRef(gc_garbage()), y));
    trace("whole %d, tracked %d %d", NODE(x)->a == y && NODE(y)->a == x,
          PyObject_GC_IsTracked(x), PyObject_GC_IsTracked(y));
    trace("again %zd", collect());
    set_debug(0);
    trace("off: %zd", collect());
    must_be_zero(PyList_SetSlice(gc_garbage(), 0, 2, NULL));
    trace("emptied: %zd", collect());
    trace_notes("events");
    Py_DECREF(weak);
}
