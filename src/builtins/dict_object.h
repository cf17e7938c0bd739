/* SPDX-License-Identifier: MIT */
/* What the files of dict share, with each other and with set. */
#ifndef OURO_BUILTINS_DICT_OBJECT_H
#define OURO_BUILTINS_DICT_OBJECT_H

#include "dict_table.h"

/* The number of the entry of `key`; -1 when missing; -2 with the exception of a comparison.
 * The number holds until the next call that may run other code. */
Py_ssize_t ouro_dict_find(PyDictObject *self, PyObject *key, Py_hash_t hash);
/* The hash of `key`, which is to be used as `role`: "dict key" or "set element". -1 with an
 * exception. */
Py_hash_t ouro_hash_key(PyObject *key, const char *role);
/* Remove everything. */
void ouro_dict_empty(PyDictObject *self);
/* Copy from one optional positional argument and from keyword arguments; `name` is for
 * messages. 0, or -1 with an exception. */
int ouro_dict_update(PyObject *self, const char *name, PyObject *args, PyObject *kwargs);
/* New iterators and views; `type` is one of those in dict.h or set.h. */
PyObject *ouro_dict_iterator_new(PyObject *dict, PyTypeObject *type);
PyObject *ouro_dict_view_new(PyObject *dict, PyTypeObject *type);
extern PyMethodDef ouro_dict_methods[];
/* Raise KeyError(key). */
void ouro_raise_key_error(PyObject *key);

#endif
