/* SPDX-License-Identifier: MIT */
/* bytearray: bytes that can be changed. */
#ifndef OURO_PY_BYTEARRAY_H
#define OURO_PY_BYTEARRAY_H

#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_VAR_HEAD
    Py_ssize_t ob_alloc;   /* bytes in the block, with room for a NUL; 0 without one */
    char *ob_bytes;        /* the block, or NULL */
    char *ob_start;        /* ob_size bytes and a NUL; the same as ob_bytes */
    Py_ssize_t ob_exports; /* views that are not released: the block must not move */
} PyByteArrayObject;

PyAPI_DATA(PyTypeObject) PyByteArray_Type;

#define PyByteArray_Check(op)      PyObject_TypeCheck((op), &PyByteArray_Type)
#define PyByteArray_CheckExact(op) Py_IS_TYPE((op), &PyByteArray_Type)
/* Without a check. The bytes are followed by a NUL, and valid until the size changes. */
#define PyByteArray_AS_STRING(op) PyByteArray_AsString((PyObject *)(op))
#define PyByteArray_GET_SIZE(op)  Py_SIZE(op)

/* A new bytearray from anything that bytearray(o) accepts: an object with a buffer, an int for
 * that many zeros, or an iterable of ints below 256. NULL with an exception. */
PyAPI_FUNC(PyObject *) PyByteArray_FromObject(PyObject *o);
/* A new bytearray with a copy of `len` bytes; when `string` is NULL they are zero. NULL with
 * MemoryError, or SystemError when `len` is negative. */
PyAPI_FUNC(PyObject *) PyByteArray_FromStringAndSize(const char *string, Py_ssize_t len);
/* A new bytearray of the bytes of two objects with buffers. NULL with TypeError. */
PyAPI_FUNC(PyObject *) PyByteArray_Concat(PyObject *a, PyObject *b);
/* `bytearray` must be one: it is not checked. */
PyAPI_FUNC(Py_ssize_t) PyByteArray_Size(PyObject *bytearray);
PyAPI_FUNC(char *) PyByteArray_AsString(PyObject *bytearray);
/* Change the size; new bytes are not initialised. 0; or -1 with MemoryError, ValueError when
 * `len` is negative, or BufferError while there are views. */
PyAPI_FUNC(int) PyByteArray_Resize(PyObject *bytearray, Py_ssize_t len);

OURO_END_DECLS

#endif
