/* SPDX-License-Identifier: MIT */
/* Checking the arguments of the constructors in this folder. */
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

#endif
