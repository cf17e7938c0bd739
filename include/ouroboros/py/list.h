/* SPDX-License-Identifier: MIT */
/* list: a growing array of references. Always tracked.
 *
 * An item leaves the list before it is released, so its destructor sees a list without
 * it. Functions that change a list return 0, or -1 with an exception; "no list" is a
 * SystemError everywhere. */
#ifndef OURO_PY_LIST_H
#define OURO_PY_LIST_H

#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_VAR_HEAD
    PyObject **ob_item;   /* ob_size references; NULL when nothing is allocated */
    Py_ssize_t allocated; /* room; at least ob_size */
} PyListObject;

PyAPI_DATA(PyTypeObject) PyList_Type;
/* Their iterators, forwards and backwards. */
PyAPI_DATA(PyTypeObject) PyListIter_Type;
PyAPI_DATA(PyTypeObject) PyListRevIter_Type;

#define PyList_Check(op)      PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_LIST_SUBCLASS)
#define PyList_CheckExact(op) Py_IS_TYPE((op), &PyList_Type)
#define _PyList_CAST(op)      ((PyListObject *)(op))

/* Without checks: the size; an item, borrowed; and filling a new list, which steals
 * `value` and does not release what was there. */
#define PyList_GET_SIZE(op)    Py_SIZE(op)
#define PyList_GET_ITEM(op, i) (_PyList_CAST(op)->ob_item[(i)])
#define PyList_SET_ITEM(op, i, value)                                                    \
    ((void)(PyList_GET_ITEM(op, i) = _PyObject_CAST(value)))

/* A new list of `size` NULLs, to be filled before anyone else sees it. NULL with
 * MemoryError, or SystemError when negative. */
PyAPI_FUNC(PyObject *) PyList_New(Py_ssize_t size);
/* The size; -1 with SystemError. */
PyAPI_FUNC(Py_ssize_t) PyList_Size(PyObject *list);
/* Item `index`: borrowed, or in the Ref form a new reference. NULL with IndexError; no
 * list is a SystemError in the first, a TypeError in the second. */
PyAPI_FUNC(PyObject *) PyList_GetItem(PyObject *list, Py_ssize_t index);
PyAPI_FUNC(PyObject *) PyList_GetItemRef(PyObject *list, Py_ssize_t index);
/* Replace item `index`. Steals `item`, also on failure. IndexError when out of range. */
PyAPI_FUNC(int) PyList_SetItem(PyObject *list, Py_ssize_t index, PyObject *item);
/* Insert before `index`, counted from the end when negative, cut to the range. */
PyAPI_FUNC(int) PyList_Insert(PyObject *list, Py_ssize_t index, PyObject *item);
PyAPI_FUNC(int) PyList_Append(PyObject *list, PyObject *item);
/* Append all items of an iterable, or remove all. */
PyAPI_FUNC(int) PyList_Extend(PyObject *list, PyObject *iterable);
PyAPI_FUNC(int) PyList_Clear(PyObject *list);
/* A new list of items low to high - 1; both are cut to the range. */
PyAPI_FUNC(PyObject *) PyList_GetSlice(PyObject *list, Py_ssize_t low, Py_ssize_t high);
/* Replace items low to high - 1 by those of `itemlist` (any iterable; NULL: none). */
PyAPI_FUNC(int) PyList_SetSlice(PyObject *list, Py_ssize_t low, Py_ssize_t high,
                                PyObject *itemlist);
/* Sort by <, stable. While it runs the list is empty; a comparison that changes it is a
 * ValueError. */
PyAPI_FUNC(int) PyList_Sort(PyObject *list);
PyAPI_FUNC(int) PyList_Reverse(PyObject *list);
/* A new tuple of the items. */
PyAPI_FUNC(PyObject *) PyList_AsTuple(PyObject *list);

OURO_END_DECLS

#endif
