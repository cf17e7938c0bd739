/* SPDX-License-Identifier: MIT */
/* set and frozenset: objects that can be hashed, each once, in order of insertion.
 *
 * A set is always tracked. An exact frozenset is tracked only when one of its items can be
 * tracked. Items leave a set before they are released. Hashing and comparing items may run any
 * code, which may change the set; each function then works on what it finds afterwards. An
 * object that is no set, or of the wrong kind, is a SystemError everywhere. Items are borrowed;
 * the set takes its own references. */
#ifndef OURO_PY_SET_H
#define OURO_PY_SET_H

#include "dict.h"

OURO_BEGIN_DECLS

typedef struct {
    PyDictObject table;    /* whose keys are the items; it has no values */
    Py_hash_t hash;        /* of a frozenset; -1 until it is computed */
    PyObject *weakreflist; /* weak references to the set */
} PySetObject;

PyAPI_DATA(PyTypeObject) PySet_Type;
PyAPI_DATA(PyTypeObject) PyFrozenSet_Type;
PyAPI_DATA(PyTypeObject) PySetIter_Type;

#define PySet_CheckExact(op)       Py_IS_TYPE((op), &PySet_Type)
#define PySet_Check(op)            PyObject_TypeCheck((op), &PySet_Type)
#define PyFrozenSet_CheckExact(op) Py_IS_TYPE((op), &PyFrozenSet_Type)
#define PyFrozenSet_Check(op)      PyObject_TypeCheck((op), &PyFrozenSet_Type)
#define PyAnySet_CheckExact(op)    (PySet_CheckExact(op) || PyFrozenSet_CheckExact(op))
#define PyAnySet_Check(op)         (PySet_Check(op) || PyFrozenSet_Check(op))
/* The number of items, without checks. */
#define PySet_GET_SIZE(op) (((PySetObject *)(op))->table.ma_used)

/* A new set or frozenset of the items of `iterable`, or empty when that is NULL. An exact
 * frozenset is its own copy. A new reference; NULL with an exception: TypeError when it is
 * not iterable or an item cannot be hashed, MemoryError, or what iterating raised. */
PyAPI_FUNC(PyObject *) PySet_New(PyObject *iterable);
PyAPI_FUNC(PyObject *) PyFrozenSet_New(PyObject *iterable);
/* The number of items; -1 with SystemError. */
PyAPI_FUNC(Py_ssize_t) PySet_Size(PyObject *anyset);
/* Is `key` there? 1 or 0; -1 with an exception. A `key` that is a set cannot be hashed, so
 * it is a TypeError. */
PyAPI_FUNC(int) PySet_Contains(PyObject *anyset, PyObject *key);
/* Add `key` to a set, or to a new frozenset that only the caller knows. 0, also when it was
 * there; -1 with an exception. */
PyAPI_FUNC(int) PySet_Add(PyObject *set, PyObject *key);
/* Remove `key`. 1, or 0 when it was not there; -1 with an exception. */
PyAPI_FUNC(int) PySet_Discard(PyObject *set, PyObject *key);
/* Remove some item and return it. NULL with KeyError when there is none. */
PyAPI_FUNC(PyObject *) PySet_Pop(PyObject *set);
/* Remove all items. 0; -1 with SystemError. */
PyAPI_FUNC(int) PySet_Clear(PyObject *set);

OURO_END_DECLS

#endif
