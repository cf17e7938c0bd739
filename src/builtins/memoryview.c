/* SPDX-License-Identifier: MIT */
/* memoryview: a buffer as an object, which exports it again. Items can be read and written
 * where they are single bytes in one dimension. */
#include <Python.h>

#include <stdbool.h>

#include "arguments.h"
#include "bytes_argument.h"

static PyMemoryViewObject *
as_memoryview(PyObject *op)
{
    return (PyMemoryViewObject *)op;
}

/* --- life -------------------------------------------------------------------------------- */

static PyMemoryViewObject *
new_memoryview(void)
{
    return PyObject_GC_New(PyMemoryViewObject, &PyMemoryView_Type);
}

/* Show what was acquired, for `base`. The reference to `m` is passed on, or on failure
 * released. */
static PyObject *
finish_memoryview(PyMemoryViewObject *m, PyObject *base)
{
    m->view = m->acquired;
    m->view.obj = Py_XNewRef(base);
    m->exports = 0;
    m->released = 0;
    PyObject_GC_Track(m);
    if (m->view.ndim > 0 && (m->view.shape == NULL || m->view.strides == NULL)) {
        PyErr_SetString(PyExc_BufferError,
                        "memoryview: the buffer has no shape or no strides");
        Py_DECREF(m);
        return NULL;
    }
    return (PyObject *)m;
}

/* Drop a view that could not be filled. */
static PyObject *
drop_memoryview(PyMemoryViewObject *m)
{
    PyObject_GC_Del(m);
    return NULL;
}

PyObject *
PyMemoryView_FromObject(PyObject *base)
{
    if (!PyObject_CheckBuffer(base)) {
        return PyErr_Format(PyExc_TypeError,
                            "memoryview: a bytes-like object is required, not '%.200s'",
                            Py_TYPE(base)->tp_name);
    }
    PyMemoryViewObject *m = new_memoryview();
    if (m == NULL) {
        return NULL;
    }
    if (PyObject_GetBuffer(base, &m->acquired, PyBUF_FULL_RO) < 0) {
        return drop_memoryview(m);
    }
    /* A view of a view is one of the same object. */
    return finish_memoryview(m, PyMemoryView_Check(base) ? PyMemoryView_GET_BASE(base)
                                                         : m->acquired.obj);
}

PyObject *
PyMemoryView_FromMemory(char *mem, Py_ssize_t size, int flags)
{
    if (mem == NULL || size < 0 || (flags != PyBUF_READ && flags != PyBUF_WRITE)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    PyMemoryViewObject *m = new_memoryview();
    if (m == NULL) {
        return NULL;
    }
    if (PyBuffer_FillInfo(&m->acquired, NULL, mem, size, flags == PyBUF_READ,
                          PyBUF_FULL_RO) < 0) {
        return drop_memoryview(m);
    }
    return finish_memoryview(m, NULL);
}

PyObject *
PyMemoryView_FromBuffer(const Py_buffer *info)
{
    if (info->buf == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "PyMemoryView_FromBuffer(): info->buf must not be NULL");
        return NULL;
    }
    PyMemoryViewObject *m = new_memoryview();
    if (m == NULL) {
        return NULL;
    }
    m->acquired = *info;
    m->acquired.obj = NULL;
    /* A view that is its own shape and strides must not point at the original. */
    if (info->ndim == 1 && (info->shape == NULL || info->shape == &info->len)) {
        m->acquired.shape = &m->acquired.len;
    }
    if (info->ndim == 1 && (info->strides == NULL || info->strides == &info->itemsize)) {
        m->acquired.strides = &m->acquired.itemsize;
    }
    return finish_memoryview(m, NULL);
}

static PyObject *
memoryview_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *const names[] = {"object", NULL};
    PyObject *base;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O:memoryview", names, &base)
               ? PyMemoryView_FromObject(base)
               : NULL;
}

/* Let go of the memory; it must not be exported. */
static void
release_memory(PyMemoryViewObject *m)
{
    m->released = 1;
    PyBuffer_Release(&m->acquired);
    Py_CLEAR(m->view.obj);
}

static int
memoryview_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(as_memoryview(self)->view.obj);
    Py_VISIT(as_memoryview(self)->acquired.obj);
    return 0;
}

static int
memoryview_clear(PyObject *self)
{
    if (as_memoryview(self)->exports == 0) {
        release_memory(as_memoryview(self));
    }
    return 0;
}

static void
memoryview_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    release_memory(as_memoryview(self));
    Py_TYPE(self)->tp_free(self);
}

static bool
memory_is_there(PyObject *self)
{
    if (as_memoryview(self)->released) {
        PyErr_SetString(PyExc_ValueError,
                        "operation forbidden on released memoryview object");
    }
    return !as_memoryview(self)->released;
}

static PyObject *
memoryview_release(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyMemoryViewObject *m = as_memoryview(self);
    if (m->exports > 0) {
        return PyErr_Format(PyExc_BufferError, "memoryview has %zd exported buffer%s",
                            m->exports, m->exports == 1 ? "" : "s");
    }
    release_memory(m);
    Py_RETURN_NONE;
}

/* --- shown on ------------------------------------------------------------------------------ */

/* What is wrong with a request; NULL when nothing is. */
static const char *
request_problem(const Py_buffer *view, int flags)
{
    if ((flags & PyBUF_WRITABLE) && view->readonly) {
        return "memoryview: underlying buffer is not writable";
    }
    if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS &&
        !PyBuffer_IsContiguous(view, 'C')) {
        return "memoryview: underlying buffer is not C-contiguous";
    }
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS &&
        !PyBuffer_IsContiguous(view, 'F')) {
        return "memoryview: underlying buffer is not Fortran contiguous";
    }
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS &&
        !PyBuffer_IsContiguous(view, 'A')) {
        return "memoryview: underlying buffer is not contiguous";
    }
    if ((flags & PyBUF_INDIRECT) != PyBUF_INDIRECT && view->suboffsets != NULL) {
        return "memoryview: underlying buffer requires suboffsets";
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !PyBuffer_IsContiguous(view, 'C')) {
        return "memoryview: underlying buffer is not C-contiguous";
    }
    if ((flags & PyBUF_ND) != PyBUF_ND && (flags & PyBUF_FORMAT)) {
        return "memoryview: cannot cast to unsigned bytes if the format flag is present";
    }
    return NULL;
}

static int
memoryview_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    PyMemoryViewObject *m = as_memoryview(self);
    view->obj = NULL;
    if (!memory_is_there(self)) {
        return -1;
    }
    const char *problem = request_problem(&m->view, flags);
    if (problem != NULL) {
        PyErr_SetString(PyExc_BufferError, problem);
        return -1;
    }
    *view = m->view;
    view->obj = Py_NewRef(self);
    if (!(flags & PyBUF_FORMAT)) {
        view->format = NULL;
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        view->strides = NULL;
    }
    if ((flags & PyBUF_ND) != PyBUF_ND) {
        view->ndim = 1;
        view->shape = NULL;
    }
    m->exports++;
    return 0;
}

static void
memoryview_releasebuffer(PyObject *self, Py_buffer *Py_UNUSED(view))
{
    as_memoryview(self)->exports--;
}

/* --- items ----------------------------------------------------------------------------------- */

static Py_ssize_t
memoryview_length(PyObject *self)
{
    if (!memory_is_there(self)) {
        return -1;
    }
    const Py_buffer *view = &as_memoryview(self)->view;
    if (view->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "0-dim memory has no length");
        return -1;
    }
    return view->shape[0];
}

/* The address of a single byte, and its format; NULL with an exception. */
static unsigned char *
byte_at(PyObject *self, Py_ssize_t index, char *format)
{
    const Py_buffer *view = &as_memoryview(self)->view;
    if (!memory_is_there(self)) {
        return NULL;
    }
    const char *code =
        view->format == NULL ? "B" : view->format + (view->format[0] == '@');
    *format = code[0];
    if (view->ndim != 1 || code[0] == '\0' || code[1] != '\0' ||
        strchr("Bbc", code[0]) == NULL) {
        PyErr_Format(PyExc_NotImplementedError,
                     "memoryview: format %s in %d dimensions is not supported", code,
                     view->ndim);
        return NULL;
    }
    if (index < 0 || index >= view->shape[0]) {
        PyErr_SetString(PyExc_IndexError, "index out of bounds on dimension 1");
        return NULL;
    }
    return PyBuffer_GetPointer(view, &index);
}

static PyObject *
memoryview_item(PyObject *self, Py_ssize_t index)
{
    char format;
    const unsigned char *byte = byte_at(self, index, &format);
    if (byte == NULL) {
        return NULL;
    }
    return format == 'c'   ? PyBytes_FromStringAndSize((const char *)byte, 1)
           : format == 'b' ? PyLong_FromLong((signed char)*byte)
                           : PyLong_FromLong(*byte);
}

/* The byte that stands for `value`; false with an exception. */
static bool
byte_for_format(char format, PyObject *value, unsigned char *byte)
{
    if (format == 'c') {
        return PyArg_Parse(value, "c", byte);
    }
    Py_ssize_t low = format == 'b' ? SCHAR_MIN : 0;
    Py_ssize_t high = format == 'b' ? SCHAR_MAX : UCHAR_MAX;
    Py_ssize_t number = PyNumber_AsSsize_t(value, NULL);
    if (number == -1 && PyErr_Occurred()) {
        return false;
    }
    if (number < low || number > high) {
        PyErr_Format(PyExc_ValueError, "memoryview: invalid value for format '%c'",
                     format);
        return false;
    }
    *byte = (unsigned char)number;
    return true;
}

static int
memoryview_ass_item(PyObject *self, Py_ssize_t index, PyObject *value)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "cannot delete memory");
        return -1;
    }
    char format;
    unsigned char byte;
    if (byte_at(self, index, &format) == NULL) {
        return -1;
    }
    if (as_memoryview(self)->view.readonly) {
        PyErr_SetString(PyExc_TypeError, "cannot modify read-only memory");
        return -1;
    }
    if (!byte_for_format(format, value, &byte)) {
        return -1;
    }
    /* Converting may have run code that released the memory. */
    unsigned char *target = byte_at(self, index, &format);
    if (target == NULL) {
        return -1;
    }
    *target = byte;
    return 0;
}

/* The index that a key stands for; false with an exception. */
static bool
index_in_view(PyObject *self, PyObject *key, Py_ssize_t *index)
{
    if (!PyIndex_Check(key)) {
        PyErr_SetString(PyExc_TypeError, "memoryview: invalid slice key");
        return false;
    }
    *index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (*index == -1 && PyErr_Occurred()) {
        return false;
    }
    Py_ssize_t length = memoryview_length(self);
    *index += *index < 0 ? length : 0;
    return length >= 0;
}

static PyObject *
memoryview_subscript(PyObject *self, PyObject *key)
{
    Py_ssize_t index;
    return index_in_view(self, key, &index) ? memoryview_item(self, index) : NULL;
}

static int
memoryview_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    Py_ssize_t index;
    return index_in_view(self, key, &index) ? memoryview_ass_item(self, index, value)
                                            : -1;
}

static PyObject *
memoryview_tobytes(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return memory_is_there(self) ? PyBytes_FromObject(self) : NULL;
}

/* --- attributes -------------------------------------------------------------------------------- */

static PyObject *
tuple_of_sizes(const Py_ssize_t *sizes, int count)
{
    PyObject *tuple = PyTuple_New(sizes == NULL ? 0 : count);
    for (int i = 0; tuple != NULL && sizes != NULL && i < count; i++) {
        PyObject *size = PyLong_FromSsize_t(sizes[i]);
        if (size == NULL) {
            Py_CLEAR(tuple);
        } else {
            PyTuple_SET_ITEM(tuple, i, size);
        }
    }
    return tuple;
}

enum {
    VIEW_OBJ,
    VIEW_NBYTES,
    VIEW_READONLY,
    VIEW_ITEMSIZE,
    VIEW_FORMAT,
    VIEW_NDIM,
    VIEW_SHAPE,
    VIEW_STRIDES,
    VIEW_SUBOFFSETS
};

static PyObject *
memoryview_get(PyObject *self, void *closure)
{
    const Py_buffer *view = &as_memoryview(self)->view;
    if (!memory_is_there(self)) {
        return NULL;
    }
    switch ((int)(intptr_t)closure) {
    case VIEW_OBJ:
        return Py_NewRef(view->obj == NULL ? Py_None : view->obj);
    case VIEW_NBYTES:
        return PyLong_FromSsize_t(view->len);
    case VIEW_READONLY:
        return PyBool_FromLong(view->readonly);
    case VIEW_ITEMSIZE:
        return PyLong_FromSsize_t(view->itemsize);
    case VIEW_FORMAT:
        return PyUnicode_FromString(view->format == NULL ? "B" : view->format);
    case VIEW_NDIM:
        return PyLong_FromLong(view->ndim);
    case VIEW_SHAPE:
        return tuple_of_sizes(view->shape, view->ndim);
    case VIEW_STRIDES:
        return tuple_of_sizes(view->strides, view->ndim);
    default:
        return tuple_of_sizes(view->suboffsets, view->ndim);
    }
}

#define VIEW_GETTER(name, number)                                                        \
    {                                                                                    \
        name, memoryview_get, NULL, NULL, (void *)(number)                               \
    }
static PyGetSetDef memoryview_getset[] = {
    VIEW_GETTER("obj", VIEW_OBJ),
    VIEW_GETTER("nbytes", VIEW_NBYTES),
    VIEW_GETTER("readonly", VIEW_READONLY),
    VIEW_GETTER("itemsize", VIEW_ITEMSIZE),
    VIEW_GETTER("format", VIEW_FORMAT),
    VIEW_GETTER("ndim", VIEW_NDIM),
    VIEW_GETTER("shape", VIEW_SHAPE),
    VIEW_GETTER("strides", VIEW_STRIDES),
    VIEW_GETTER("suboffsets", VIEW_SUBOFFSETS),
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- the type ------------------------------------------------------------------------------------ */

static PyObject *
memoryview_repr(PyObject *self)
{
    return PyUnicode_FromFormat(as_memoryview(self)->released ? "<released memory at %p>"
                                                              : "<memory at %p>",
                                self);
}

/* If both are rows of bytes, compare the bytes; otherwise NotImplemented. */
static PyObject *
memoryview_richcompare(PyObject *a, PyObject *b, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !PyObject_CheckBuffer(b) ||
        as_memoryview(a)->released) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_buffer other;
    if (PyObject_GetBuffer(b, &other, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        Py_RETURN_NOTIMPLEMENTED;
    }
    const Py_buffer *view = &as_memoryview(a)->view;
    const char *first = view->format == NULL ? "B" : view->format;
    const char *second = other.format == NULL ? "B" : other.format;
    bool known = strcmp(first, "B") == 0 && strcmp(second, "B") == 0 && view->ndim == 1 &&
                 other.ndim == 1;
    PyBuffer_Release(&other);
    if (!known) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return ouro_bytes_compare(a, b, op);
}

static PyBufferProcs memoryview_as_buffer = {
    .bf_getbuffer = memoryview_getbuffer,
    .bf_releasebuffer = memoryview_releasebuffer,
};

static PySequenceMethods memoryview_as_sequence = {
    .sq_length = memoryview_length,
    .sq_item = memoryview_item,
    .sq_ass_item = memoryview_ass_item,
};

static PyMappingMethods memoryview_as_mapping = {
    .mp_length = memoryview_length,
    .mp_subscript = memoryview_subscript,
    .mp_ass_subscript = memoryview_ass_subscript,
};

static PyMethodDef memoryview_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "Return the type with its parameters filled in."},
    {"release", memoryview_release, METH_NOARGS,
     "release($self, /)\n--\n\nLet go of the memory."},
    {"tobytes", memoryview_tobytes, METH_NOARGS,
     "tobytes($self, /)\n--\n\nThe bytes of all items."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PyMemoryView_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "memoryview",
    .tp_basicsize = sizeof(PyMemoryViewObject),
    .tp_dealloc = memoryview_dealloc,
    .tp_repr = memoryview_repr,
    .tp_as_sequence = &memoryview_as_sequence,
    .tp_as_mapping = &memoryview_as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_as_buffer = &memoryview_as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "memoryview(object)\n--\n\nA view of the memory of an object.",
    .tp_traverse = memoryview_traverse,
    .tp_clear = memoryview_clear,
    .tp_richcompare = memoryview_richcompare,
    .tp_iter = PySeqIter_New,
    .tp_methods = memoryview_methods,
    .tp_getset = memoryview_getset,
    .tp_new = memoryview_new,
    .tp_free = PyObject_GC_Del,
};
