/* SPDX-License-Identifier: MIT */
/* Finding and checking the arguments of the constructors and methods in this folder. */
#ifndef OURO_BUILTINS_ARGUMENTS_H
#define OURO_BUILTINS_ARGUMENTS_H

#include <Python.h>

#include <stdbool.h>

/* Were no keyword arguments given? Else TypeError. */
static inline bool
ouro_args_positional(const char *name, PyObject *kwargs)
{
    if (kwargs == NULL || PyDict_GET_SIZE(kwargs) == 0) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", name);
    return false;
}

/* The value under this name in a dict, or NULL, without exception; `dict` may be NULL. The search
 * takes no memory. */
static inline PyObject *
ouro_args_named(PyObject *dict, const char *name)
{
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (dict != NULL && PyDict_Next(dict, &place, &key, &value)) {
        if (PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, name) == 0) {
            return value;
        }
    }
    return NULL;
}

/* Is the number of positional arguments from `min` to `max`? Else TypeError. */
static inline bool
ouro_args_between(const char *name, Py_ssize_t given, Py_ssize_t min, Py_ssize_t max)
{
    if (given >= min && given <= max) {
        return true;
    }
    Py_ssize_t bound = given < min ? min : max;
    PyErr_Format(PyExc_TypeError, "%s expected %s%zd argument%s, got %zd", name,
                 min == max    ? ""
                 : given < min ? "at least "
                               : "at most ",
                 bound, bound == 1 ? "" : "s", given);
    return false;
}

/* Raise TypeError: a method got an argument of the wrong type. Returns NULL. */
static inline PyObject *
ouro_args_wrong_type(const char *function, const char *argument, const char *expected,
                     PyObject *given)
{
    return PyErr_Format(PyExc_TypeError, "%s() %s must be %s, not %.50s", function,
                        argument, expected,
                        given == Py_None ? "None" : Py_TYPE(given)->tp_name);
}

/* An argument that is a size. False with TypeError or OverflowError. */
static inline bool
ouro_args_ssize(PyObject *value, Py_ssize_t *size)
{
    PyObject *number = PyNumber_Index(value);
    if (number == NULL) {
        return false;
    }
    *size = PyLong_AsSsize_t(number);
    Py_DECREF(number);
    return *size != -1 || !PyErr_Occurred();
}

/* Is the argument a str, or NULL because it was not given? Else TypeError. */
static inline bool
ouro_args_str(const char *function, const char *argument, PyObject *given)
{
    if (given == NULL || PyUnicode_Check(given)) {
        return true;
    }
    ouro_args_wrong_type(function, argument, "str", given);
    return false;
}

#endif
