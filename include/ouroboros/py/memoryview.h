/* SPDX-License-Identifier: MIT */
/* memoryview: an object that is a view of another one's memory. */
#ifndef OURO_PY_MEMORYVIEW_H
#define OURO_PY_MEMORYVIEW_H

#include "buffer.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_HEAD
    Py_buffer view;     /* what is shown; its obj is the object that has the memory */
    Py_buffer acquired; /* what is released in the end */
    Py_ssize_t exports; /* views of this view that are not released */
    int released;
} PyMemoryViewObject;

PyAPI_DATA(PyTypeObject) PyMemoryView_Type;

#define PyMemoryView_Check(op) Py_IS_TYPE((op), &PyMemoryView_Type)
/* Without a check; borrowed. The base is NULL when the memory belongs to no object. */
#define PyMemoryView_GET_BUFFER(op) (&((PyMemoryViewObject *)(op))->view)
#define PyMemoryView_GET_BASE(op)   (((PyMemoryViewObject *)(op))->view.obj)

/* A view of an object that has a buffer. A new reference, tracked; NULL with TypeError, or
 * with what the object raises. */
PyAPI_FUNC(PyObject *) PyMemoryView_FromObject(PyObject *base);
/* A view of `size` bytes that must outlive it; `flags` is PyBUF_READ or PyBUF_WRITE. */
PyAPI_FUNC(PyObject *) PyMemoryView_FromMemory(char *mem, Py_ssize_t size, int flags);
/* A view of what `info` describes, and its shape and strides must outlive it. info->obj is
 * not looked at. */
PyAPI_FUNC(PyObject *) PyMemoryView_FromBuffer(const Py_buffer *info);
/* A view of `base` whose items lie side by side in the order 'C', 'F' or 'A' (either): of its
 * own memory where it is so, else, for PyBUF_READ, of a copy. BufferError when `buffertype` is
 * PyBUF_WRITE and that cannot be. */
PyAPI_FUNC(PyObject *) PyMemoryView_GetContiguous(PyObject *base, int buffertype,
                                                  char order);

OURO_END_DECLS

#endif
