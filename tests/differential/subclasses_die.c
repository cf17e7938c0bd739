/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("__subclasses__ lists what is alive, for every base")
{
    PyObject *a = must(new_class("A", NULL, NULL)), *b = must(new_class("B", NULL, NULL));
    PyObject *c =
        must(PyObject_CallFunction((PyObject *)&PyType_Type, "s(OO){}", "C", a, b));
    trace_repr("of a", PyObject_CallMethod(a, "__subclasses__", NULL));
    trace_repr("of b", PyObject_CallMethod(b, "__subclasses__", NULL));
    trace_repr("order", PyObject_GetAttrString(c, "__mro__"));
    PyObject *weak = new_weakref(c, "c");
    Py_DECREF(c);
    trace("dead by count: %d", is_dead(weak));
    collect();
    trace("dead: %d", is_dead(weak));
    trace_repr("of a", PyObject_CallMethod(a, "__subclasses__", NULL));
    trace_repr("of b", PyObject_CallMethod(b, "__subclasses__", NULL));
    trace_notes("events");
    Py_DECREF(weak);
    Py_DECREF(a);
    Py_DECREF(b);
    collect();
}
