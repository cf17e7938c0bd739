/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* Counts that need more than one and two bytes. */
PROGRAM("one object with very many references, from inside and outside")
{
    enum { MANY = 70000 };
    PyObject *hub = N("hub");
    PyObject *list = must(PyList_New(0));
    for (int i = 0; i < MANY; i++) {
        must_be_zero(PyList_Append(list, hub));
    }
    set_a(hub, list);
    Py_DECREF(list);
    trace("references %zd", (Py_ssize_t)Py_REFCNT(hub));
    trace("held: %zd", collect());
    for (int i = 0; i < 1000; i++) {
        Py_INCREF(hub);
    }
    Py_DECREF(hub);
    trace("held 1000 times: %zd", collect());
    for (int i = 0; i < 999; i++) {
        Py_DECREF(hub);
        if (i % 256 == 0 || i == 743 || i == 998) {
            trace("still held after %d: %zd", i + 1, collect());
        }
    }
    Py_DECREF(hub);
    trace("dropped: %zd", collect());
    trace_notes("events");
}
