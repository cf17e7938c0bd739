/* SPDX-License-Identifier: MIT */
/* dict: a hash table in order of insertion. Always tracked.
 *
 * Keys and values leave the dict before they are released. Hashing and comparing keys may
 * run any code, which may change the dict; each function then works on what it finds
 * afterwards. Functions that change a dict return 0, or -1 with an exception; "no dict" is
 * a SystemError everywhere. Keys and values are borrowed; the dict takes its own
 * references.
 *
 * A frozendict (3.15) is no dict, but the functions that only read work on it, too: those
 * under "looking up", PyDict_Size, PyDict_Next, PyDict_Keys, PyDict_Values, PyDict_Items,
 * and PyDict_Update and PyDict_Merge when it is `other`. */
#ifndef OURO_PY_DICT_H
#define OURO_PY_DICT_H

#include "typeobject.h"

OURO_BEGIN_DECLS

struct ouro_dict_table;

typedef struct {
    PyObject_HEAD
    Py_ssize_t ma_used;               /* number of items */
    uint64_t ma_version;              /* changes when a key is added or removed */
    struct ouro_dict_table *ma_table; /* NULL when empty and never used */
} PyDictObject;

typedef struct {
    PyDictObject dict;
    Py_hash_t ma_hash; /* -1 until it is computed */
} PyFrozenDictObject;

PyAPI_DATA(PyTypeObject) PyDict_Type;
PyAPI_DATA(PyTypeObject) PyFrozenDict_Type;
/* What keys(), values() and items() return, and the iterators over them. */
PyAPI_DATA(PyTypeObject) PyDictKeys_Type;
PyAPI_DATA(PyTypeObject) PyDictValues_Type;
PyAPI_DATA(PyTypeObject) PyDictItems_Type;
PyAPI_DATA(PyTypeObject) PyDictIterKey_Type;
PyAPI_DATA(PyTypeObject) PyDictIterValue_Type;
PyAPI_DATA(PyTypeObject) PyDictIterItem_Type;
PyAPI_DATA(PyTypeObject) PyDictRevIterKey_Type;
PyAPI_DATA(PyTypeObject) PyDictRevIterValue_Type;
PyAPI_DATA(PyTypeObject) PyDictRevIterItem_Type;

#define PyDict_Check(op)            PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_DICT_SUBCLASS)
#define PyDict_CheckExact(op)       Py_IS_TYPE((op), &PyDict_Type)
#define PyFrozenDict_Check(op)      PyObject_TypeCheck((op), &PyFrozenDict_Type)
#define PyFrozenDict_CheckExact(op) Py_IS_TYPE((op), &PyFrozenDict_Type)
#define PyAnyDict_Check(op)         (PyDict_Check(op) || PyFrozenDict_Check(op))
#define PyAnyDict_CheckExact(op)    (PyDict_CheckExact(op) || PyFrozenDict_CheckExact(op))
#define PyDictKeys_Check(op)        PyObject_TypeCheck((op), &PyDictKeys_Type)
#define PyDictValues_Check(op)      PyObject_TypeCheck((op), &PyDictValues_Type)
#define PyDictItems_Check(op)       PyObject_TypeCheck((op), &PyDictItems_Type)
#define PyDictViewSet_Check(op)     (PyDictKeys_Check(op) || PyDictItems_Check(op))
#define PyDict_GET_SIZE(op)         (((PyDictObject *)(op))->ma_used)

/* A new dict; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyDict_New(void);
/* A new frozendict with the items of a mapping or of an iterable of pairs, or empty when
 * `iterable` is NULL. An exact frozendict is its own copy. A new reference; NULL with an
 * exception. */
PyAPI_FUNC(PyObject *) PyFrozenDict_New(PyObject *iterable);
/* The number of items; -1 with SystemError. */
PyAPI_FUNC(Py_ssize_t) PyDict_Size(PyObject *mp);

/* --- looking up ---------------------------------------------------------------------- */

/* Is `key` there? 1 or 0; -1 with an exception (TypeError when it cannot be hashed). */
PyAPI_FUNC(int) PyDict_Contains(PyObject *mp, PyObject *key);
PyAPI_FUNC(int) PyDict_ContainsString(PyObject *mp, const char *key);
/* 1 and a new reference in *result; 0 and NULL when missing; -1, NULL and an exception. */
PyAPI_FUNC(int) PyDict_GetItemRef(PyObject *mp, PyObject *key, PyObject **result);
PyAPI_FUNC(int) PyDict_GetItemStringRef(PyObject *mp, const char *key, PyObject **result);
/* Borrowed. NULL without exception when missing; NULL with an exception on error. */
PyAPI_FUNC(PyObject *) PyDict_GetItemWithError(PyObject *mp, PyObject *key);
PyAPI_FUNC(PyObject *) _PyDict_GetItemStringWithError(PyObject *mp, const char *key);
/* The same when the hash of the key is known. */
PyAPI_FUNC(PyObject *) _PyDict_GetItem_KnownHash(PyObject *mp, PyObject *key,
                                                 Py_hash_t hash);
/* Borrowed, or NULL. Errors are reported as unraisable; a pending exception is kept. */
PyAPI_FUNC(PyObject *) PyDict_GetItem(PyObject *mp, PyObject *key);
PyAPI_FUNC(PyObject *) PyDict_GetItemString(PyObject *mp, const char *key);

/* --- changing ------------------------------------------------------------------------ */

/* mp[key] = value; the last one is told the hash of the key. TypeError when the key is
 * unhashable. */
PyAPI_FUNC(int) PyDict_SetItem(PyObject *mp, PyObject *key, PyObject *value);
PyAPI_FUNC(int) PyDict_SetItemString(PyObject *mp, const char *key, PyObject *value);
PyAPI_FUNC(int) _PyDict_SetItem_KnownHash(PyObject *mp, PyObject *key, PyObject *value,
                                          Py_hash_t hash);
/* KeyError when missing. */
PyAPI_FUNC(int) PyDict_DelItem(PyObject *mp, PyObject *key);
PyAPI_FUNC(int) PyDict_DelItemString(PyObject *mp, const char *key);
/* Insert `default_value` unless the key is there. 1 when it was there, 0 when inserted, -1
 * with an exception; *result (which may be NULL) becomes a new reference to the value. */
PyAPI_FUNC(int) PyDict_SetDefaultRef(PyObject *mp, PyObject *key, PyObject *default_value,
                                     PyObject **result);
/* The same, returning the value borrowed. NULL with an exception. */
PyAPI_FUNC(PyObject *) PyDict_SetDefault(PyObject *mp, PyObject *key,
                                         PyObject *default_value);
/* Remove a key. 1 and a new reference to its value in *result (which may be NULL); 0 and
 * NULL when missing; -1, NULL and an exception. */
PyAPI_FUNC(int) PyDict_Pop(PyObject *mp, PyObject *key, PyObject **result);
PyAPI_FUNC(int) PyDict_PopString(PyObject *mp, const char *key, PyObject **result);
PyAPI_FUNC(void) PyDict_Clear(PyObject *mp);
/* Copy all items of `other`: a dict, or anything with keys() and []. Update replaces
 * values of keys that are there; Merge does so when `override` is not 0. */
PyAPI_FUNC(int) PyDict_Update(PyObject *mp, PyObject *other);
PyAPI_FUNC(int) PyDict_Merge(PyObject *mp, PyObject *other, int override);
/* Copy from an iterable of pairs. */
PyAPI_FUNC(int) PyDict_MergeFromSeq2(PyObject *mp, PyObject *seq2, int override);

/* --- all items ------------------------------------------------------------------------ */

/* Walk over the items. *pos is 0 at first; other values have no meaning for the caller. 1 while
 * there is a next item, whose key and value (either may be NULL) are borrowed; 0 at the end.
 * Meanwhile values may be replaced, but keys neither added nor removed. */
PyAPI_FUNC(int) PyDict_Next(PyObject *mp, Py_ssize_t *pos, PyObject **key,
                            PyObject **value);
/* New lists of keys, values, and (key, value) tuples. */
PyAPI_FUNC(PyObject *) PyDict_Keys(PyObject *mp);
PyAPI_FUNC(PyObject *) PyDict_Values(PyObject *mp);
PyAPI_FUNC(PyObject *) PyDict_Items(PyObject *mp);
/* A new dict with the same items. */
PyAPI_FUNC(PyObject *) PyDict_Copy(PyObject *mp);

OURO_END_DECLS

#endif
