/* SPDX-License-Identifier: MIT */
/* What the files of complex share. */
#ifndef OURO_BUILTINS_COMPLEX_OBJECT_H
#define OURO_BUILTINS_COMPLEX_OBJECT_H

#include <Python.h>

#include <stdbool.h>

#define OURO_COMPLEX(op) (((PyComplexObject *)(op))->cval)

PyObject *ouro_complex_repr(PyObject *self);
/* Parse a str. False with ValueError. */
bool ouro_complex_parse(PyObject *str, Py_complex *value);

extern PyNumberMethods ouro_complex_as_number __attribute__((visibility("hidden")));

#endif
