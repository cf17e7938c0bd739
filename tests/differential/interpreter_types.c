/* SPDX-License-Identifier: MIT */
#include "differential.h"

static void
body(void)
{
    PyObject *class = must(new_class("Inside", NULL, NULL));
    PyObject *x = must(PyObject_CallNoArgs(class));
    must_be_zero(PyObject_SetAttrString(class, "instance", x));
    Py_DECREF(x);
    Py_DECREF(class);
    PyObject *list =
        must(PyObject_CallMethod((PyObject *)&PyLong_Type, "__subclasses__", NULL));
    trace("subclasses of int: %d", PyList_Size(list) >= 1);
    Py_DECREF(list);
    trace("some found: %d", collect() > 0);
}

PROGRAM("a heap type of an interpreter ends with it; a static type does not")
{
    for (int i = 0; i < 3; i++) {
        in_another_interpreter(body);
    }
    PyObject *outside = must(new_class("Outside", (PyObject *)&PyLong_Type, NULL));
    trace_repr("a new int", PyObject_CallFunction(outside, "i", 5));
    Py_DECREF(outside);
    collect();
}
