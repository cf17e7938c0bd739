/* SPDX-License-Identifier: MIT */
/* slice: what stands between the brackets of o[start:stop:step]. */
#ifndef OURO_PY_SLICE_H
#define OURO_PY_SLICE_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_HEAD
    PyObject *start, *stop, *step; /* owned; None where nothing was given */
} PySliceObject;

PyAPI_DATA(PyTypeObject) PySlice_Type;
#define PySlice_Check(op) Py_IS_TYPE((op), &PySlice_Type)

/* A new slice; NULL stands for None. Tracked. NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PySlice_New(PyObject *start, PyObject *stop, PyObject *step);
/* The three numbers of a slice, clipped to what fits; what is None depends on the sign of
 * the step. 0; or -1 with TypeError (no integers), ValueError (a step of 0). */
PyAPI_FUNC(int) PySlice_Unpack(PyObject *slice, Py_ssize_t *start, Py_ssize_t *stop,
                               Py_ssize_t *step);
/* Clip the numbers to a sequence of `length` items, and return how many the slice has. No
 * errors. */
PyAPI_FUNC(Py_ssize_t) PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t *start,
                                             Py_ssize_t *stop, Py_ssize_t step);
/* Both steps in one. 0; or -1 with an exception. */
PyAPI_FUNC(int) PySlice_GetIndicesEx(PyObject *slice, Py_ssize_t length,
                                     Py_ssize_t *start, Py_ssize_t *stop,
                                     Py_ssize_t *step, Py_ssize_t *slicelength);
/* An older form that does not clip: -1 without exception when an index is outside. */
PyAPI_FUNC(int) PySlice_GetIndices(PyObject *slice, Py_ssize_t length, Py_ssize_t *start,
                                   Py_ssize_t *stop, Py_ssize_t *step);
/* Convert one index; None leaves *index alone. 1; or 0 with TypeError. */
PyAPI_FUNC(int) _PyEval_SliceIndex(PyObject *value, Py_ssize_t *index);

/* The same, where None is a TypeError too. */
PyAPI_FUNC(int) _PyEval_SliceIndexNotNone(PyObject *value, Py_ssize_t *index);

OURO_END_DECLS

#endif
