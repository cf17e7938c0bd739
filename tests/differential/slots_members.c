/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("__slots__: values, deletion, cycles, and subclasses")
{
    PyObject *base =
        must(new_class("A", NULL, "__slots__", Py_BuildValue("(ss)", "x", "y"), NULL));
    PyObject *sub =
        must(new_class("B", base, "__slots__", Py_BuildValue("(s)", "z"), NULL));
    PyObject *a = must(PyObject_CallNoArgs(sub));
    trace("empty: %d", PyObject_GetAttrString(a, "x") == NULL);
    trace("AttributeError: %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    must_be_zero(PyObject_SetAttrString(a, "x", a));
    PyObject *held = N("held");
    must_be_zero(PyObject_SetAttrString(a, "z", held));
    Py_DECREF(held);
    trace("no dict: %d", PyObject_HasAttrString(a, "__dict__"));
    trace("set another: %d", PyObject_SetAttrString(a, "w", Py_None));
    trace_error_since(0x030D0000, "set another");
    trace("delete y: %d", PyObject_DelAttrString(a, "y"));
    trace_error("delete y");
    Py_DECREF(a);
    trace("some found: %d", collect() >= 2);
    trace_notes("events");
    trace_repr("slots", PyObject_GetAttrString(sub, "__slots__"));
    PyObject *both =
        new_class("C", base, "__slots__", Py_BuildValue("(s)", "__weakref__"), NULL);
    trace("with weak references: %d", both != NULL);
    PyObject *c = must(PyObject_CallNoArgs(both));
    PyObject *weak = new_weakref(c, "c");
    Py_DECREF(c);
    trace("dead %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
    weak = PyWeakref_NewRef(base, NULL);
    Py_XDECREF(weak);
    a = must(PyObject_CallNoArgs(base));
    trace("no weak references: %d", PyWeakref_NewRef(a, NULL) == NULL);
    trace_error("no weak references");
    Py_DECREF(a);
    Py_DECREF(both);
    Py_DECREF(sub);
    Py_DECREF(base);
    collect();
}
