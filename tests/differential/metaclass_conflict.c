/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("the metaclass of a class is the most derived of those of its bases")
{
    PyObject *one = must(new_class("One", (PyObject *)&PyType_Type, NULL));
    PyObject *two = must(new_class("Two", (PyObject *)&PyType_Type, NULL));
    PyObject *a = must(new_class_of(one, "A", NULL, NULL)),
             *b = must(new_class_of(two, "B", NULL, NULL));
    PyObject *c = PyObject_CallFunction((PyObject *)&PyType_Type, "s(OO){}", "C", a, b);
    trace("conflict: %d", c == NULL);
    trace("TypeError: %d", PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
    PyObject *three = must(new_class("Three", one, NULL)),
             *d = must(new_class_of(three, "D", NULL, NULL));
    PyObject *e =
        must(PyObject_CallFunction((PyObject *)&PyType_Type, "s(OO){}", "E", a, d));
    trace("the most derived: %d", Py_TYPE(e) == (PyTypeObject *)three);
    Py_DECREF(e);
    Py_DECREF(d);
    Py_DECREF(three);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(one);
    Py_DECREF(two);
    trace("some found: %d", collect() > 0);
}
