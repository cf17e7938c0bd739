/* SPDX-License-Identifier: MIT */
/* The buffer protocol: objects that let others see their memory.
 *
 * Py_buffer and PyBufferProcs are in typeobject.h. A bf_getbuffer fills the view, with a new
 * reference to the exporter in `obj`, and returns 0; or sets `obj` to NULL and returns -1
 * with BufferError. */
#ifndef OURO_PY_BUFFER_H
#define OURO_PY_BUFFER_H

#include "typeobject.h"

OURO_BEGIN_DECLS

/* What a consumer can handle. Without ND the shape is left out, and so on: see CPython's
 * chapter on the buffer protocol. */
#define PyBUF_SIMPLE         0
#define PyBUF_WRITABLE       0x0001
#define PyBUF_WRITEABLE      PyBUF_WRITABLE
#define PyBUF_FORMAT         0x0004
#define PyBUF_ND             0x0008
#define PyBUF_STRIDES        (0x0010 | PyBUF_ND)
#define PyBUF_C_CONTIGUOUS   (0x0020 | PyBUF_STRIDES)
#define PyBUF_F_CONTIGUOUS   (0x0040 | PyBUF_STRIDES)
#define PyBUF_ANY_CONTIGUOUS (0x0080 | PyBUF_STRIDES)
#define PyBUF_INDIRECT       (0x0100 | PyBUF_STRIDES)
#define PyBUF_CONTIG         (PyBUF_ND | PyBUF_WRITABLE)
#define PyBUF_CONTIG_RO      (PyBUF_ND)
#define PyBUF_STRIDED        (PyBUF_STRIDES | PyBUF_WRITABLE)
#define PyBUF_STRIDED_RO     (PyBUF_STRIDES)
#define PyBUF_RECORDS        (PyBUF_STRIDES | PyBUF_WRITABLE | PyBUF_FORMAT)
#define PyBUF_RECORDS_RO     (PyBUF_STRIDES | PyBUF_FORMAT)
#define PyBUF_FULL           (PyBUF_INDIRECT | PyBUF_WRITABLE | PyBUF_FORMAT)
#define PyBUF_FULL_RO        (PyBUF_INDIRECT | PyBUF_FORMAT)
/* For PyMemoryView_FromMemory, not requests. */
#define PyBUF_READ  0x100
#define PyBUF_WRITE 0x200

#define PyBUF_MAX_NDIM 64

/* 1 if `obj` has a buffer to show, else 0. Never fails. */
PyAPI_FUNC(int) PyObject_CheckBuffer(PyObject *obj);
/* Fill `view` with the memory of `exporter` as `flags` ask for. 0; or -1 with TypeError when
 * it has none, or with what the exporter raises. Call PyBuffer_Release after 0. */
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *exporter, Py_buffer *view, int flags);
/* End the use of `view`, which was filled; a second call does nothing. Keeps a pending
 * exception. */
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);

/* Fill `view` for `len` bytes at `buf`: all that a simple bf_getbuffer does. `exporter` may
 * be NULL. 0; or -1 with BufferError when the memory is read-only and the flags ask for
 * more. */
PyAPI_FUNC(int) PyBuffer_FillInfo(Py_buffer *view, PyObject *exporter, void *buf,
                                  Py_ssize_t len, int readonly, int flags);
/* Are the items of `view` without gaps in the order 'C' (last index fastest), 'F' (first
 * index fastest) or 'A' (either)? 1 or 0. Never fails. */
PyAPI_FUNC(int) PyBuffer_IsContiguous(const Py_buffer *view, char order);
/* The address of the item with `ndim` indices. Never fails; indices are not checked. */
PyAPI_FUNC(void *) PyBuffer_GetPointer(const Py_buffer *view, const Py_ssize_t *indices);
/* The strides of a contiguous array of that shape, in the order 'C' or 'F'. */
PyAPI_FUNC(void) PyBuffer_FillContiguousStrides(int ndims, Py_ssize_t *shape,
                                                Py_ssize_t *strides, int itemsize,
                                                char order);

/* The itemsize of a format of the struct module, such as "i" or "<hq"; NULL is "B". -1 with
 * ValueError when it is no such format. */
PyAPI_FUNC(Py_ssize_t) PyBuffer_SizeFromFormat(const char *format);

/* Copy all items of `src` to `len` bytes of contiguous memory, in the order 'C', 'F' or 'A'
 * (as they lie, if that is contiguous). 0; or -1 with ValueError when `len` is not
 * src->len. */
PyAPI_FUNC(int) PyBuffer_ToContiguous(void *buf, const Py_buffer *src, Py_ssize_t len,
                                      char order);
/* The other way; bytes beyond view->len are left out. 0; or -1 with BufferError when the view
 * is read-only. */
PyAPI_FUNC(int) PyBuffer_FromContiguous(const Py_buffer *view, const void *buf,
                                        Py_ssize_t len, char order);
/* Copy the items of `src` over those of `dest`. 0; or -1 with TypeError when one has no
 * buffer, or BufferError when it does not fit or cannot be written. */
PyAPI_FUNC(int) PyObject_CopyData(PyObject *dest, PyObject *src);

OURO_END_DECLS

#endif
