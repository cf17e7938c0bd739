/* SPDX-License-Identifier: MIT */
/* What the files of set share.
 *
 *   set.inv.values    the entries of a set have no values
 *   set.inv.hashed    each entry has the hash of its item: no item is hashed twice
 *   set.inv.tracked   every set is tracked; an exact frozenset is, unless none of its items
 *                     can be tracked
 *
 * Comparing items may run any code, which may change both sets of an operation. So every lookup
 * starts from the beginning (ouro_dict_find), walks go by position, and the current item is
 * held. */
#ifndef OURO_BUILTINS_SET_OBJECT_H
#define OURO_BUILTINS_SET_OBJECT_H

#include "dict_object.h"

static inline PySetObject *
ouro_set(PyObject *op)
{
    return (PySetObject *)op;
}

/* --- one item: hash is that of the key, which the caller keeps alive ---------------------- */

/* A new empty set or frozenset. The code that fills a frozenset calls ouro_set_settle. */
PyObject *ouro_set_alloc(PyTypeObject *type);
/* Untrack an exact frozenset whose items cannot be tracked; steals and returns `self`. */
PyObject *ouro_set_settle(PyObject *self);
/* A new set or frozenset of the items of an iterable, or NULL for none. */
PyObject *ouro_set_from(PyTypeObject *type, PyObject *iterable);
/* 1 or 0; -1 with an exception. */
int ouro_set_has(PyObject *self, PyObject *key, Py_hash_t hash);
/* 0; -1 with an exception. */
int ouro_set_add(PyObject *self, PyObject *key, Py_hash_t hash);
/* 1 when it was there, else 0; -1 with an exception. */
int ouro_set_discard(PyObject *self, PyObject *key, Py_hash_t hash);

/* Try an operation; when `key` is a set, which cannot be hashed, try again with a frozenset
 * of its items. */
int ouro_set_with_key(int (*operation)(PyObject *, PyObject *), PyObject *self,
                      PyObject *key);
/* key in self, where a set as `key` stands for the frozenset of its items. 1 or 0; -1 with
 * an exception. */
int ouro_set_contains(PyObject *self, PyObject *key);

/* --- the items of any iterable, with their hashes ------------------------------------------ */

struct item_walk {
    PyDictObject *table; /* borrowed: of a set or a dict; or NULL */
    PyObject *iterator;  /* owned, when there is no table */
    Py_ssize_t pos;      /* in the table */
    PyObject *item;      /* owned: the current one */
    Py_hash_t hash;      /* of it */
};

/* The table of a set, or of a dict whose iteration is not overridden; else NULL. */
PyDictObject *ouro_set_table(PyObject *op);
/* Begin; 0, or -1 with an exception. To be ended in either case. */
int ouro_walk_begin(struct item_walk *walk, PyObject *iterable);
/* 1 and the next item; 0 at the end; -1 with an exception. */
int ouro_walk_next(struct item_walk *walk);
/* Release everything, and return `result`. */
int ouro_walk_end(struct item_walk *walk, int result);

/* --- whole sets; `other` is any iterable ------------------------------------------------------ */

/* New sets are of the type set or frozenset, whichever `self` is or inherits from. */
PyObject *ouro_set_copy(PyObject *self);
PyObject *ouro_set_union(PyObject *self, PyObject *const *others, Py_ssize_t count);
PyObject *ouro_set_intersection(PyObject *self, PyObject *other);
PyObject *ouro_set_difference(PyObject *self, PyObject *other);
PyObject *ouro_set_symmetric_difference(PyObject *self, PyObject *other);
/* 0; -1 with an exception. */
int ouro_set_update(PyObject *self, PyObject *other);
int ouro_set_intersection_update(PyObject *self, PyObject *other);
int ouro_set_difference_update(PyObject *self, PyObject *other);
int ouro_set_symmetric_difference_update(PyObject *self, PyObject *other);
/* 1 or 0; -1 with an exception. */
int ouro_set_is_disjoint(PyObject *self, PyObject *other);
int ouro_set_is_subset(PyObject *self, PyObject *other);
int ouro_set_is_superset(PyObject *self, PyObject *other);

#endif
