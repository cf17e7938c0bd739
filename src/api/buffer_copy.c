/* SPDX-License-Identifier: MIT */
/* Copying what buffers show, item by item where their layouts have gaps. */
#include <Python.h>

#include "protocol.h"

/* --- a walk over the items --------------------------------------------------------------- */

/* A view with shape and strides, which views may leave out, and the indices of an item. */
struct layout_walk {
    Py_buffer view;
    bool first_fastest;
    Py_ssize_t indices[PyBUF_MAX_NDIM];
    Py_ssize_t own_strides[PyBUF_MAX_NDIM];
};

static bool
layout_walk_begin(struct layout_walk *w, const Py_buffer *view, char order)
{
    if (view->ndim > PyBUF_MAX_NDIM) {
        PyErr_Format(PyExc_BufferError, "a buffer has more than %d dimensions",
                     PyBUF_MAX_NDIM);
        return false;
    }
    memset(w, 0, sizeof(*w));
    w->view = *view;
    w->first_fastest = order == 'F';
    if (view->shape == NULL) {
        /* Without a shape it is a row of bytes. */
        w->view.ndim = 1;
        w->view.itemsize = 1;
        w->view.shape = &w->view.len;
    }
    if (view->shape == NULL || view->strides == NULL) {
        PyBuffer_FillContiguousStrides(w->view.ndim, w->view.shape, w->own_strides,
                                       (int)w->view.itemsize, 'C');
        w->view.strides = w->own_strides;
    }
    return true;
}

/* The address of the item, and go on to the next; after the last one, to the first. */
static char *
layout_walk_next(struct layout_walk *w)
{
    char *item = PyBuffer_GetPointer(&w->view, w->indices);
    for (int n = 0; n < w->view.ndim; n++) {
        int i = w->first_fastest ? n : w->view.ndim - 1 - n;
        if (++w->indices[i] < w->view.shape[i]) {
            break;
        }
        w->indices[i] = 0;
    }
    return item;
}

/* --- to and from contiguous memory ------------------------------------------------------------ */

int
PyBuffer_ToContiguous(void *buf, const Py_buffer *src, Py_ssize_t len, char order)
{
    if (len != src->len) {
        PyErr_SetString(PyExc_ValueError, "PyBuffer_ToContiguous: len != view->len");
        return -1;
    }
    if (PyBuffer_IsContiguous(src, order)) {
        memcpy(buf, src->buf, (size_t)len);
        return 0;
    }
    struct layout_walk walk;
    if (!layout_walk_begin(&walk, src, order)) {
        return -1;
    }
    Py_ssize_t size = walk.view.itemsize;
    for (char *to = buf, *end = to + len; to < end; to += size) {
        memcpy(to, layout_walk_next(&walk), (size_t)size);
    }
    return 0;
}

int
PyBuffer_FromContiguous(const Py_buffer *view, const void *buf, Py_ssize_t len,
                        char order)
{
    if (view->readonly) {
        PyErr_SetString(PyExc_BufferError, "Object is not writable.");
        return -1;
    }
    len = Py_MIN(len, view->len);
    if (PyBuffer_IsContiguous(view, order)) {
        memcpy(view->buf, buf, (size_t)len);
        return 0;
    }
    struct layout_walk walk;
    if (!layout_walk_begin(&walk, view, order)) {
        return -1;
    }
    Py_ssize_t size = walk.view.itemsize;
    for (const char *from = buf, *end = from + len; end - from >= size; from += size) {
        memcpy(layout_walk_next(&walk), from, (size_t)size);
    }
    return 0;
}

/* --- between objects ------------------------------------------------------------------------------ */

/* Copy the items of one view, in C order, over those of another of the same item size. */
static int
copy_between_views(const Py_buffer *dest, const Py_buffer *src)
{
    if (dest->len < src->len) {
        PyErr_SetString(PyExc_BufferError,
                        "destination is too small to receive data from source");
        return -1;
    }
    if (PyBuffer_IsContiguous(src, 'C')) {
        return PyBuffer_FromContiguous(dest, src->buf, src->len, 'C');
    }
    if (PyBuffer_IsContiguous(dest, 'C')) {
        return PyBuffer_ToContiguous(dest->buf, src, src->len, 'C');
    }
    char *between = PyMem_Malloc((size_t)src->len);
    if (between == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int result = PyBuffer_ToContiguous(between, src, src->len, 'C');
    if (result == 0) {
        result = PyBuffer_FromContiguous(dest, between, src->len, 'C');
    }
    PyMem_Free(between);
    return result;
}

int
PyObject_CopyData(PyObject *dest, PyObject *src)
{
    if (!PyObject_CheckBuffer(dest) || !PyObject_CheckBuffer(src)) {
        PyErr_SetString(PyExc_TypeError,
                        "both destination and source must be bytes-like objects");
        return -1;
    }
    Py_buffer to, from;
    if (PyObject_GetBuffer(dest, &to, PyBUF_FULL) < 0) {
        return -1;
    }
    int result = PyObject_GetBuffer(src, &from, PyBUF_FULL_RO);
    if (result == 0) {
        result = copy_between_views(&to, &from);
        PyBuffer_Release(&from);
    }
    PyBuffer_Release(&to);
    return result;
}
