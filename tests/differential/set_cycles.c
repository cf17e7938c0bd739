/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("sets in cycles, and whether they are tracked")
{
    PyObject *set = must(PySet_New(NULL)), *x = N("x");
    trace("tracked %d", PyObject_GC_IsTracked(set));
    must_be_zero(PySet_Add(set, x));
    trace("contains %d, size %zd", PySet_Contains(set, x), PySet_Size(set));
    set_a(x, set);
    Py_DECREF(set);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");

    x = N("x");
    PyObject *list = must(PyList_New(0));
    must_be_zero(PyList_Append(list, x));
    PyObject *frozen = must(PyFrozenSet_New(list));
    trace("tracked %d", PyObject_GC_IsTracked(frozen));
    set_a(x, frozen);
    Py_DECREF(frozen);
    Py_DECREF(list);
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");

    set = must(PySet_New(NULL));
    trace("a list in a set: %d", PySet_Add(set, set));
    trace_error_since(0x030E0000, "a list in a set");
    trace("discard %d", PySet_Discard(set, Py_None));
    trace_repr("pop", PySet_Pop(set));
    x = N("x");
    must_be_zero(PySet_Add(set, x));
    Py_DECREF(x);
    PyObject *popped = must(PySet_Pop(set));
    trace("popped x %d, size %zd", popped == x, PySet_Size(set));
    Py_DECREF(popped);
    trace_notes("events");
    Py_DECREF(set);
}
