/* SPDX-License-Identifier: MIT */
/* The buffer protocol: asking for a view of an object's memory, letting go of it, and
 * questions about its layout. Copying is in buffer_copy.c, formats in buffer_format.c. */
#include <Python.h>

#include "protocol.h"

static getbufferproc
buffer_getter(PyObject *obj)
{
    const PyBufferProcs *procs = Py_TYPE(obj)->tp_as_buffer;
    return procs == NULL ? NULL : procs->bf_getbuffer;
}

int
PyObject_CheckBuffer(PyObject *obj)
{
    return buffer_getter(obj) != NULL;
}

/* PyBUF_READ and PyBUF_WRITE say how memory may be used; they are no requests. */
static bool
is_buffer_request(int flags)
{
    if (flags != PyBUF_READ && flags != PyBUF_WRITE) {
        return true;
    }
    PyErr_BadInternalCall();
    return false;
}

int
PyObject_GetBuffer(PyObject *exporter, Py_buffer *view, int flags)
{
    if (exporter == NULL || view == NULL) {
        ouro_null_argument();
        return -1;
    }
    if (!is_buffer_request(flags)) {
        return -1;
    }
    getbufferproc get = buffer_getter(exporter);
    if (get == NULL) {
        ouro_type_error("a bytes-like object is required, not '%.100s'", exporter);
        return -1;
    }
    return ouro_too_deep(" while getting a buffer") ? -1 : get(exporter, view, flags);
}

void
PyBuffer_Release(Py_buffer *view)
{
    PyObject *exporter = view->obj;
    if (exporter == NULL) {
        return;
    }
    const PyBufferProcs *procs = Py_TYPE(exporter)->tp_as_buffer;
    if (procs != NULL && procs->bf_releasebuffer != NULL) {
        PyObject *pending = PyErr_GetRaisedException();
        procs->bf_releasebuffer(exporter, view);
        if (PyErr_Occurred()) {
            PyErr_WriteUnraisable(exporter);
        }
        PyErr_SetRaisedException(pending);
    }
    view->obj = NULL;
    Py_DECREF(exporter);
}

int
PyBuffer_FillInfo(Py_buffer *view, PyObject *exporter, void *buf, Py_ssize_t len,
                  int readonly, int flags)
{
    if (view == NULL) {
        ouro_null_argument();
        return -1;
    }
    view->obj = NULL;
    if (!is_buffer_request(flags)) {
        return -1;
    }
    if ((flags & PyBUF_WRITABLE) && readonly) {
        PyErr_SetString(PyExc_BufferError, "Object is not writable.");
        return -1;
    }
    *view = (Py_buffer){.buf = buf,
                        .obj = Py_XNewRef(exporter),
                        .len = len,
                        .itemsize = 1,
                        .readonly = readonly,
                        .ndim = 1};
    /* The view is its own shape and strides: it must not be copied. */
    if (flags & PyBUF_FORMAT) {
        view->format = (char *)"B";
    }
    if ((flags & PyBUF_ND) == PyBUF_ND) {
        view->shape = &view->len;
    }
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) {
        view->strides = &view->itemsize;
    }
    return 0;
}

/* --- layout ------------------------------------------------------------------------------ */

/* Do the strides say that the dimensions, taken in steps from `first`, follow each other
 * without gaps? */
static bool
strides_are_dense(const Py_buffer *view, int first, int step)
{
    Py_ssize_t expected = view->itemsize;
    for (int n = 0, i = first; n < view->ndim; n++, i += step) {
        if (view->shape[i] > 1 && view->strides[i] != expected) {
            return false;
        }
        expected *= view->shape[i];
    }
    return true;
}

static bool
is_c_contiguous(const Py_buffer *view)
{
    return view->len == 0 || view->strides == NULL ||
           strides_are_dense(view, view->ndim - 1, -1);
}

/* Without strides the order is 'C', which is 'F' as well when at most one dimension
 * matters. */
static bool
is_f_contiguous(const Py_buffer *view)
{
    if (view->len == 0 || view->ndim <= 1) {
        return is_c_contiguous(view);
    }
    if (view->strides != NULL) {
        return strides_are_dense(view, 0, 1);
    }
    int longer = 0;
    for (int i = 0; i < view->ndim; i++) {
        longer += view->shape != NULL && view->shape[i] > 1;
    }
    return view->shape != NULL && longer <= 1;
}

int
PyBuffer_IsContiguous(const Py_buffer *view, char order)
{
    if (view->suboffsets != NULL) {
        return 0;
    }
    switch (order) {
    case 'C':
        return is_c_contiguous(view);
    case 'F':
        return is_f_contiguous(view);
    case 'A':
        return is_c_contiguous(view) || is_f_contiguous(view);
    default:
        return 0;
    }
}

void *
PyBuffer_GetPointer(const Py_buffer *view, const Py_ssize_t *indices)
{
    char *pointer = view->buf;
    for (int i = 0; i < view->ndim; i++) {
        pointer += view->strides[i] * indices[i];
        if (view->suboffsets != NULL && view->suboffsets[i] >= 0) {
            pointer = *(char **)pointer + view->suboffsets[i];
        }
    }
    return pointer;
}

void
PyBuffer_FillContiguousStrides(int ndims, Py_ssize_t *shape, Py_ssize_t *strides,
                               int itemsize, char order)
{
    Py_ssize_t size = itemsize;
    for (int n = 0; n < ndims; n++) {
        int i = order == 'F' ? n : ndims - 1 - n;
        strides[i] = size;
        size *= shape[i];
    }
}
