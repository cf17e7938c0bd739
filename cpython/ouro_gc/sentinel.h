/* SPDX-License-Identifier: MIT */
/* The sentinel: an object that refers to itself and can be weakly referred to. collect.h says
 * what it is for. */
#ifndef OURO_GC_SENTINEL_H
#define OURO_GC_SENTINEL_H

#include <Python.h>

extern PyType_Spec sentinel_spec;

/* A sentinel whose only reference is its own. It is not tracked. NULL with an exception. */
PyObject *sentinel_new(PyTypeObject *type);
/* Break the cycle. */
void sentinel_free(PyObject *sentinel);

#endif
