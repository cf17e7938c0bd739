/* SPDX-License-Identifier: MIT */
/* The sequence protocol.
 *
 * Unless said otherwise: objects are returned as new references, NULL with an exception on
 * failure; numbers are -1 with an exception on failure; arguments are borrowed. An object
 * without the operation raises TypeError. Negative indices count from the end. */
#ifndef OURO_PY_SEQUENCE_H
#define OURO_PY_SEQUENCE_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* 1 if the type has sq_item and is not a dict, else 0. Never fails. */
PyAPI_FUNC(int) PySequence_Check(PyObject *o);
PyAPI_FUNC(Py_ssize_t) PySequence_Size(PyObject *o);
PyAPI_FUNC(Py_ssize_t) PySequence_Length(PyObject *o);
#define PySequence_Length(o) PySequence_Size(o)

/* o1 + o2, o * count, and the forms that may change their first operand. */
PyAPI_FUNC(PyObject *) PySequence_Concat(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PySequence_Repeat(PyObject *o, Py_ssize_t count);
PyAPI_FUNC(PyObject *) PySequence_InPlaceConcat(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PySequence_InPlaceRepeat(PyObject *o, Py_ssize_t count);

/* o[i], o[i] = v, del o[i]. SetItem with NULL deletes. */
PyAPI_FUNC(PyObject *) PySequence_GetItem(PyObject *o, Py_ssize_t i);
PyAPI_FUNC(int) PySequence_SetItem(PyObject *o, Py_ssize_t i, PyObject *v);
PyAPI_FUNC(int) PySequence_DelItem(PyObject *o, Py_ssize_t i);
/* sq_item without any check; `i` must not be negative. */
#define PySequence_ITEM(o, i) (Py_TYPE(o)->tp_as_sequence->sq_item((o), (i)))

/* o[i1:i2], o[i1:i2] = v, del o[i1:i2]. */
PyAPI_FUNC(PyObject *) PySequence_GetSlice(PyObject *o, Py_ssize_t i1, Py_ssize_t i2);
PyAPI_FUNC(int) PySequence_SetSlice(PyObject *o, Py_ssize_t i1, Py_ssize_t i2,
                                    PyObject *v);
PyAPI_FUNC(int) PySequence_DelSlice(PyObject *o, Py_ssize_t i1, Py_ssize_t i2);

/* How many items equal `value`; whether one does (1 or 0); the index of the first that
 * does (ValueError when there is none). */
PyAPI_FUNC(Py_ssize_t) PySequence_Count(PyObject *o, PyObject *value);
PyAPI_FUNC(int) PySequence_Contains(PyObject *o, PyObject *value);
PyAPI_FUNC(int) PySequence_In(PyObject *o, PyObject *value);
PyAPI_FUNC(Py_ssize_t) PySequence_Index(PyObject *o, PyObject *value);

/* A new list, or a tuple, of the items of an iterable. An exact tuple is returned as it
 * is. */
PyAPI_FUNC(PyObject *) PySequence_List(PyObject *o);
PyAPI_FUNC(PyObject *) PySequence_Tuple(PyObject *o);

/* `o` itself when it is a list or tuple, else a list of its items; TypeError with
 * `message` when it is not iterable. The macros read the result without checks; the items
 * are borrowed. */
PyAPI_FUNC(PyObject *) PySequence_Fast(PyObject *o, const char *message);
#define PySequence_Fast_GET_SIZE(o)                                                      \
    (PyList_Check(o) ? PyList_GET_SIZE(o) : PyTuple_GET_SIZE(o))
#define PySequence_Fast_GET_ITEM(o, i)                                                   \
    (PyList_Check(o) ? PyList_GET_ITEM((o), (i)) : PyTuple_GET_ITEM((o), (i)))
#define PySequence_Fast_ITEMS(o)                                                         \
    (PyList_Check(o) ? ((PyListObject *)(o))->ob_item : ((PyTupleObject *)(o))->ob_item)

OURO_END_DECLS

#endif
