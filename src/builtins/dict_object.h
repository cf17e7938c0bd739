/* SPDX-License-Identifier: MIT */
/* What the files of dict share, with each other and with set. */
#ifndef OURO_BUILTINS_DICT_OBJECT_H
#define OURO_BUILTINS_DICT_OBJECT_H

#include <ouro_fields.h>

#include "dict_table.h"

/* The number of the entry of `key`; -1 when missing; -2 with the exception of a comparison.
 * The number holds until the next call that may run other code. */
Py_ssize_t ouro_dict_find(PyDictObject *self, PyObject *key, Py_hash_t hash);
/* The hash of `key`, which is to be used as `role`: "dict key" or "set element". -1 with an
 * exception. */
Py_hash_t ouro_hash_key(PyObject *key, const char *role);
/* Spread a hash over all bits, so that adding many of them loses little. */
static inline uint64_t
ouro_scatter_hash(uint64_t hash)
{
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    return hash ^ (hash >> 31);
}
/* Remove everything. */
void ouro_dict_empty(PyDictObject *self);
/* Copy from a mapping or an iterable of pairs. 0, or -1 with an exception. */
int ouro_dict_update_from(PyObject *self, PyObject *source);
/* Copy from one optional positional argument and from keyword arguments; `name` is for
 * messages. 0, or -1 with an exception. */
int ouro_dict_update(PyObject *self, const char *name, PyObject *args, PyObject *kwargs);
/* New iterators and views; `type` is one of those in dict.h or set.h. */
PyObject *ouro_dict_iterator_new(PyObject *dict, PyTypeObject *type);
PyObject *ouro_dict_view_new(PyObject *dict, PyTypeObject *type);
/* What views have in common with sets. */
extern PyNumberMethods ouro_dict_view_as_number;
PyObject *ouro_dict_view_richcompare(PyObject *a, PyObject *b, int op);
PyObject *ouro_dict_view_isdisjoint(PyObject *self, PyObject *other);

/* Where the references of a dict, frozendict, set or frozenset are, for the collector. */
extern const Ouro_Field ouro_dict_list[];
extern const Ouro_Fields ouro_dict_fields;

/* Slots that dict and frozendict share. */
int ouro_dict_traverse(PyObject *self, visitproc visit, void *arg);
int ouro_dict_clear(PyObject *self);
void ouro_dict_dealloc(PyObject *self);
PyObject *ouro_dict_iter(PyObject *self);
Py_ssize_t ouro_dict_length(PyObject *self);
PyObject *ouro_dict_subscript(PyObject *self, PyObject *key);
PyObject *ouro_dict_richcompare(PyObject *a, PyObject *b, int op);
PyObject *ouro_dict_repr(PyObject *self);
PyObject *ouro_dict_or(PyObject *a, PyObject *b);
/* A new frozendict of the type `type` that takes over the items of `dict`, which is
 * released. NULL with an exception, also when `dict` is NULL. */
PyObject *ouro_frozendict_steal(PyTypeObject *type, PyObject *dict);
/* A new dict with the items of a dict or frozendict. NULL with an exception. */
PyObject *ouro_dict_copy_any(PyObject *mp);
/* Raise KeyError(key). */
void ouro_raise_key_error(PyObject *key);

#endif
