/* SPDX-License-Identifier: MIT */
/* What the files of dict share. */
#ifndef OURO_BUILTINS_DICT_OBJECT_H
#define OURO_BUILTINS_DICT_OBJECT_H

#include "dict_table.h"

/* The number of the entry of `key`; -1 when missing; -2 with the exception of a comparison.
 * The number holds until the next call that may run other code. */
Py_ssize_t ouro_dict_find(PyDictObject *self, PyObject *key, Py_hash_t hash);
/* Remove everything. */
void ouro_dict_empty(PyDictObject *self);
/* Raise KeyError(key). */
void ouro_raise_key_error(PyObject *key);

#endif
