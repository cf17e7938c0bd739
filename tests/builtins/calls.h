/* SPDX-License-Identifier: MIT */
/* For tests of built-in containers: calling methods, and making containers of numbers. */
#ifndef OURO_TESTS_BUILTINS_CALLS_H
#define OURO_TESTS_BUILTINS_CALLS_H

#include "../protocol.h"

/* self.name(a, b), or with fewer arguments where they are NULL. */
static inline PyObject *
invoke(PyObject *self, const char *name, PyObject *a, PyObject *b)
{
    PyObject *method = text(name);
    PyObject *result = PyObject_CallMethodObjArgs(self, method, a, b, NULL);
    Py_DECREF(method);
    return result;
}

/* A list of the digits of a text: "120" is [1, 2, 0]. */
static inline PyObject *
list_of(const char *digits)
{
    PyObject *list = PyList_New(0);
    for (; *digits != '\0'; digits++) {
        PyObject *n = number(*digits - '0');
        PyList_Append(list, n);
        Py_DECREF(n);
    }
    return list;
}

/* The same as another container. */
static inline PyObject *
container_of(PyTypeObject *type, const char *digits)
{
    PyObject *list = list_of(digits);
    PyObject *container = PyObject_CallOneArg((PyObject *)type, list);
    REQUIRE_NOT_NULL(container);
    Py_DECREF(list);
    return container;
}

/* A class that adds nothing to its base. */
static inline PyObject *
class_of(PyTypeObject *base, const char *name)
{
    PyObject *title = text(name), *bases = PyTuple_Pack(1, base), *dict = PyDict_New();
    PyObject *type =
        PyObject_CallFunctionObjArgs((PyObject *)&PyType_Type, title, bases, dict, NULL);
    REQUIRE_NOT_NULL(type);
    Py_DECREF(title);
    Py_DECREF(bases);
    Py_DECREF(dict);
    return type;
}

#endif
