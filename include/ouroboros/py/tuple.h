/* SPDX-License-Identifier: MIT */
/* tuple: a fixed number of references.
 *
 * The empty tuple is one immortal object. A tuple is tracked from birth, even while its
 * items are NULL, unless PyTuple_Pack or a similar function knows that no item can be tracked. */
#ifndef OURO_PY_TUPLE_H
#define OURO_PY_TUPLE_H

#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_VAR_HEAD
    PyObject *ob_item[1]; /* ob_size of them; NULL while being filled */
} PyTupleObject;

PyAPI_DATA(PyTypeObject) PyTuple_Type;
/* Their iterators. */
PyAPI_DATA(PyTypeObject) PyTupleIter_Type;

#define PyTuple_Check(op)      PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_TUPLE_SUBCLASS)
#define PyTuple_CheckExact(op) Py_IS_TYPE((op), &PyTuple_Type)
#define _PyTuple_CAST(op)      ((PyTupleObject *)(op))
#define _PyTuple_ITEMS(op)     (_PyTuple_CAST(op)->ob_item)

/* Without checks: the size; an item, borrowed; and filling a new tuple, which steals
 * `value` and does not release what was there. */
#define PyTuple_GET_SIZE(op)    Py_SIZE(op)
#define PyTuple_GET_ITEM(op, i) (_PyTuple_CAST(op)->ob_item[(i)])
static inline void
PyTuple_SET_ITEM(PyObject *op, Py_ssize_t i, PyObject *value)
{
    PyObject **items = _PyTuple_ITEMS(op);
    items[i] = value;
}
#define PyTuple_SET_ITEM(op, i, value)                                                   \
    PyTuple_SET_ITEM(_PyObject_CAST(op), (i), _PyObject_CAST(value))

/* A new tuple of `size` NULLs. NULL with MemoryError, or SystemError when negative. */
PyAPI_FUNC(PyObject *) PyTuple_New(Py_ssize_t size);
/* A new tuple of the `n` objects that follow; each gets one more owner. */
PyAPI_FUNC(PyObject *) PyTuple_Pack(Py_ssize_t n, ...);
/* The same from an array (3.14). */
PyAPI_FUNC(PyObject *) PyTuple_FromArray(PyObject *const *array, Py_ssize_t size);
/* The same, but the references in the array are stolen, also on failure. */
PyAPI_FUNC(PyObject *) _PyTuple_FromArraySteal(PyObject *const *array, Py_ssize_t size);
/* The size; -1 with SystemError when `p` is no tuple. */
PyAPI_FUNC(Py_ssize_t) PyTuple_Size(PyObject *p);
/* Item `pos`, borrowed. NULL with IndexError, or SystemError when `p` is no tuple. */
PyAPI_FUNC(PyObject *) PyTuple_GetItem(PyObject *p, Py_ssize_t pos);
/* Put `o` at `pos` of a tuple that only the caller knows, and release what was there.
 * Steals `o`, also on failure. 0; or -1 with IndexError, or with SystemError when `p` is
 * no tuple or has other owners. */
PyAPI_FUNC(int) PyTuple_SetItem(PyObject *p, Py_ssize_t pos, PyObject *o);
/* A new tuple of items low to high - 1; both are cut to the size. */
PyAPI_FUNC(PyObject *) PyTuple_GetSlice(PyObject *p, Py_ssize_t low, Py_ssize_t high);
/* Change the size of a tuple that only the caller knows; *p may move. New items are NULL,
 * items cut off are released. 0; or -1 with MemoryError or SystemError, and *p is then
 * NULL and the old reference released. */
PyAPI_FUNC(int) _PyTuple_Resize(PyObject **p, Py_ssize_t newsize);

OURO_END_DECLS

#endif
