/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("__class__ can be assigned where the layouts agree")
{
    PyObject *a = must(new_class("A", NULL, NULL)), *b = must(new_class("B", NULL, NULL));
    PyObject *s =
        must(new_class("S", NULL, "__slots__", Py_BuildValue("(s)", "x"), NULL));
    PyObject *x = must(PyObject_CallNoArgs(a));
    Py_ssize_t of_a = Py_REFCNT(a), of_b = Py_REFCNT(b);
    trace("assign: %d", PyObject_SetAttrString(x, "__class__", b));
    trace("counts: %zd %zd", Py_REFCNT(a) - of_a, Py_REFCNT(b) - of_b);
    trace("type: %d", Py_TYPE(x) == (PyTypeObject *)b);
    trace("another layout: %d", PyObject_SetAttrString(x, "__class__", s));
    trace("TypeError: %d", PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
    trace("no class: %d", PyObject_SetAttrString(x, "__class__", Py_None));
    trace_error("no class");
    trace("delete: %d", PyObject_DelAttrString(x, "__class__"));
    trace_error("delete");
    Py_DECREF(x);
    trace("counts: %zd %zd", Py_REFCNT(a) - of_a, Py_REFCNT(b) - of_b);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(s);
    collect();
}
