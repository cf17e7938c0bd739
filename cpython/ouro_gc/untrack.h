/* SPDX-License-Identifier: MIT */
/* Survivors that hold no containers leave the collector, as CPython would have them leave:
 * tuples in every collection, dicts in full collections up to 3.13. */
#ifndef OURO_GC_UNTRACK_H
#define OURO_GC_UNTRACK_H

#include <Python.h>

#include <stdbool.h>

/* Untrack the object if CPython would; was it? */
bool untrack_survivor(PyObject *object, bool is_full);

#endif
