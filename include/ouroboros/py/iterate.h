/* SPDX-License-Identifier: MIT */
/* Iterators. */
#ifndef OURO_PY_ITERATE_H
#define OURO_PY_ITERATE_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* An iterator over `o`: what its tp_iter returns, or for a sequence one that counts up.
 * A new reference; NULL with TypeError when `o` is not iterable. */
PyAPI_FUNC(PyObject *) PyObject_GetIter(PyObject *o);
/* tp_iter of iterators: a new reference to `o` itself. */
PyAPI_FUNC(PyObject *) PyObject_SelfIter(PyObject *o);
/* 1 if `o` is an iterator, else 0. */
PyAPI_FUNC(int) PyIter_Check(PyObject *o);
/* The next item, a new reference. NULL without exception at the end, NULL with one on
 * failure. `o` is an iterator. */
PyAPI_FUNC(PyObject *) PyIter_Next(PyObject *o);
/* The same for asynchronous iterators: what am_aiter returns, which has am_anext. */
PyAPI_FUNC(PyObject *) PyObject_GetAIter(PyObject *o);
PyAPI_FUNC(int) PyAIter_Check(PyObject *o);
/* 1 and the next item in *item (new reference); 0 and NULL at the end; -1, NULL and an
 * exception on failure, TypeError when `o` is not an iterator. */
PyAPI_FUNC(int) PyIter_NextItem(PyObject *o, PyObject **item);
/* Send `value` into an iterator. PYGEN_NEXT and the item yielded, PYGEN_RETURN and the
 * value returned, PYGEN_ERROR and NULL with an exception; *result is a new reference. */
PyAPI_FUNC(PySendResult) PyIter_Send(PyObject *iter, PyObject *value, PyObject **result);
/* A tp_iternext for types that are iterators no more. */
PyAPI_FUNC(PyObject *) _PyObject_NextNotImplemented(PyObject *o);

/* --- iterator objects; containers, tracked ------------------------------------------------ */

PyAPI_DATA(PyTypeObject) PySeqIter_Type;
PyAPI_DATA(PyTypeObject) PyCallIter_Type;
#define PySeqIter_Check(op)  Py_IS_TYPE((op), &PySeqIter_Type)
#define PyCallIter_Check(op) Py_IS_TYPE((op), &PyCallIter_Type)

/* An iterator over seq[0], seq[1] ... until IndexError or StopIteration. A new reference;
 * NULL with SystemError when `seq` is not a sequence, or MemoryError. */
PyAPI_FUNC(PyObject *) PySeqIter_New(PyObject *seq);
/* An iterator that calls `callable` without arguments until it returns something equal to
 * `sentinel`. A new reference; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyCallIter_New(PyObject *callable, PyObject *sentinel);

/* reversed(sequence): what its __reversed__ returns, or an iterator from the last index to
 * the first. */
PyAPI_DATA(PyTypeObject) PyReversed_Type;
/* enumerate(iterable, start=0): pairs of a number and an item. */
PyAPI_DATA(PyTypeObject) PyEnum_Type;
PyAPI_DATA(PyTypeObject) PyMap_Type;
PyAPI_DATA(PyTypeObject) PyFilter_Type;
PyAPI_DATA(PyTypeObject) PyZip_Type;

/* range(start, stop, step), and its iterator. */
PyAPI_DATA(PyTypeObject) PyRange_Type;
PyAPI_DATA(PyTypeObject) PyRangeIter_Type;
#define PyRange_Check(op) Py_IS_TYPE((op), &PyRange_Type)


OURO_END_DECLS

#endif
