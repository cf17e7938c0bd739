/* SPDX-License-Identifier: MIT */
/* PyMemoryView_GetContiguous: a view whose items lie side by side, of a copy if need be. */
#include <Python.h>

/* The copy: an object with the items of a buffer, and its shape. */
struct contiguous_copy {
    PyObject_HEAD
    Py_ssize_t size, item_size;
    int ndim;
    char *format; /* behind the items */
    char *items;
    Py_ssize_t shape[PyBUF_MAX_NDIM], strides[PyBUF_MAX_NDIM];
};

static int
contiguous_copy_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    struct contiguous_copy *copy = (struct contiguous_copy *)self;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "the copy of a buffer is read-only");
        view->obj = NULL;
        return -1;
    }
    *view = (Py_buffer){
        .buf = copy->items,
        .obj = Py_NewRef(self),
        .len = copy->size,
        .itemsize = copy->item_size,
        .readonly = 1,
        .ndim = copy->ndim,
        .format = copy->format,
        .shape = copy->shape,
        .strides = copy->strides,
    };
    return 0;
}

static void
contiguous_copy_dealloc(PyObject *self)
{
    PyMem_Free(((struct contiguous_copy *)self)->items);
    PyObject_Free(self);
}

static PyBufferProcs contiguous_copy_buffer = {.bf_getbuffer = contiguous_copy_getbuffer};

/* Only the buffers of its instances are visible. */
static PyTypeObject contiguous_copy_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contiguous_copy",
    .tp_basicsize = sizeof(struct contiguous_copy),
    .tp_dealloc = contiguous_copy_dealloc,
    .tp_as_buffer = &contiguous_copy_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static struct contiguous_copy *
new_contiguous_copy(const Py_buffer *view, char order)
{
    const char *format = view->format == NULL ? "B" : view->format;
    struct contiguous_copy *copy =
        PyType_Ready(&contiguous_copy_type) < 0
            ? NULL
            : PyObject_New(struct contiguous_copy, &contiguous_copy_type);
    if (copy == NULL) {
        return NULL;
    }
    copy->size = view->len;
    copy->item_size = view->itemsize;
    copy->ndim = view->ndim;
    copy->items = PyMem_Malloc((size_t)view->len + strlen(format) + 1);
    if (copy->items == NULL) {
        PyErr_NoMemory();
    }
    if (copy->items == NULL ||
        PyBuffer_ToContiguous(copy->items, view, view->len, order) < 0) {
        Py_DECREF(copy);
        return NULL;
    }
    copy->format = strcpy(copy->items + view->len, format);
    memcpy(copy->shape, view->shape, (size_t)view->ndim * sizeof *view->shape);
    PyBuffer_FillContiguousStrides(copy->ndim, copy->shape, copy->strides,
                                   (int)copy->item_size, order);
    return copy;
}

PyObject *
PyMemoryView_GetContiguous(PyObject *base, int buffertype, char order)
{
    PyObject *whole = PyMemoryView_FromObject(base);
    if (whole == NULL) {
        return NULL;
    }
    const Py_buffer *view = PyMemoryView_GET_BUFFER(whole);
    const char *wrong = NULL;
    if (buffertype == PyBUF_WRITE && view->readonly) {
        wrong = "underlying buffer is not writable";
    } else if (PyBuffer_IsContiguous(view, order)) {
        return whole;
    } else if (buffertype == PyBUF_WRITE) {
        wrong = "writable contiguous buffer requested for a non-contiguous object.";
    }
    struct contiguous_copy *copy =
        wrong != NULL ? NULL : new_contiguous_copy(view, order == 'F' ? 'F' : 'C');
    if (wrong != NULL) {
        PyErr_SetString(PyExc_BufferError, wrong);
    }
    Py_DECREF(whole);
    PyObject *result = copy == NULL ? NULL : PyMemoryView_FromObject((PyObject *)copy);
    Py_XDECREF(copy);
    return result;
}
