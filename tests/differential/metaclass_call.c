/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
meta_call(PyObject *self, PyObject *arguments)
{
    (void)self;
    note("called");
    (void)arguments;
    return text("instead");
}

PROGRAM("a metaclass sees classes being made and called")
{
    PyObject *meta = must(new_class("Meta", (PyObject *)&PyType_Type, "__call__",
                                    new_method(meta_call), NULL));
    PyObject *class = must(new_class_of(meta, "C", NULL, NULL));
    trace("type of C is Meta: %d", Py_TYPE(class) == (PyTypeObject *)meta);
    trace_repr("C()", PyObject_CallNoArgs(class));
    PyObject *sub = must(new_class("D", class, NULL));
    trace("type of D is Meta: %d", Py_TYPE(sub) == (PyTypeObject *)meta);
    trace_repr("D()", PyObject_CallNoArgs(sub));
    trace_notes("events");
    Py_DECREF(sub);
    Py_DECREF(class);
    Py_DECREF(meta);
    trace("some found: %d", collect() > 0);
}
