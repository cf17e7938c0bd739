/* SPDX-License-Identifier: MIT */
/* bytearray: a block of bytes that grows and shrinks. It does neither while a view of it
 * exists. It has the sequence protocol, and buffers in both directions; the methods for text
 * are those of bytes. */
#include <Python.h>

#include <stdbool.h>

#include "arguments.h"
#include "bytes_argument.h"

static PyByteArrayObject *
as_bytearray(PyObject *op)
{
    return (PyByteArrayObject *)op;
}

/* --- size -------------------------------------------------------------------------------- */

/* The block of a bytearray that has no bytes. */
static char no_bytes[1] = "";

int
PyByteArray_Resize(PyObject *self, Py_ssize_t len)
{
    PyByteArrayObject *b = as_bytearray(self);
    if (len < 0) {
        PyErr_Format(PyExc_ValueError, "Can only resize to positive sizes, got %zd", len);
        return -1;
    }
    if (len == Py_SIZE(b)) {
        return 0;
    }
    if (b->ob_exports > 0) {
        PyErr_SetString(PyExc_BufferError,
                        "Existing exports of data: object cannot be re-sized");
        return -1;
    }
    if (len >= b->ob_alloc || len < b->ob_alloc / 2) {
        /* When it grows, it gets an eighth more than asked for. */
        Py_ssize_t extra = len > Py_SIZE(b) ? len / 8 + 8 : 0;
        if (len > PY_SSIZE_T_MAX - extra - 1) {
            PyErr_NoMemory();
            return -1;
        }
        char *block = PyMem_Realloc(b->ob_bytes, (size_t)(len + extra + 1));
        if (block == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        b->ob_bytes = b->ob_start = block;
        b->ob_alloc = len + extra + 1;
    }
    Py_SET_SIZE(b, len);
    b->ob_start[len] = '\0';
    return 0;
}

Py_ssize_t
PyByteArray_Size(PyObject *self)
{
    return Py_SIZE(self);
}

char *
PyByteArray_AsString(PyObject *self)
{
    return Py_SIZE(self) == 0 ? no_bytes : as_bytearray(self)->ob_start;
}

static Py_ssize_t
bytearray_length(PyObject *self)
{
    return Py_SIZE(self);
}

static void
bytearray_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (as_bytearray(self)->ob_exports > 0) {
        PyErr_SetString(PyExc_SystemError,
                        "deallocated bytearray object has exported buffers");
        PyErr_WriteUnraisable(NULL);
    }
    PyMem_Free(as_bytearray(self)->ob_bytes);
    type->tp_free(self);
}

/* --- making ------------------------------------------------------------------------------ */

PyObject *
PyByteArray_FromStringAndSize(const char *string, Py_ssize_t len)
{
    if (len < 0) {
        PyErr_SetString(PyExc_SystemError,
                        "Negative size passed to PyByteArray_FromStringAndSize");
        return NULL;
    }
    PyObject *self = PyByteArray_Type.tp_alloc(&PyByteArray_Type, 0);
    if (self == NULL || PyByteArray_Resize(self, len) < 0) {
        Py_XDECREF(self);
        return NULL;
    }
    if (len > 0 && string != NULL) {
        memcpy(as_bytearray(self)->ob_start, string, (size_t)len);
    } else if (len > 0) {
        memset(as_bytearray(self)->ob_start, 0, (size_t)len);
    }
    return self;
}

/* Append the bytes of a view. */
static int
append_view(PyObject *self, const Py_buffer *view)
{
    Py_ssize_t size = Py_SIZE(self);
    if (view->len > PY_SSIZE_T_MAX - size) {
        PyErr_NoMemory();
        return -1;
    }
    if (PyByteArray_Resize(self, size + view->len) < 0) {
        return -1;
    }
    return view->len == 0 ? 0
                          : PyBuffer_ToContiguous(as_bytearray(self)->ob_start + size,
                                                  view, view->len, 'C');
}

/* Append the bytes of an object. A view of `self` would keep it from growing, so its bytes are
 * copied first. So are those of an iterable, which may look at `self`. */
static int
append_object(PyObject *self, PyObject *o)
{
    if (!PyObject_CheckBuffer(o) || o == self) {
        PyObject *bytes = PyBytes_FromObject(o);
        if (bytes == NULL) {
            return -1;
        }
        int result = append_object(self, bytes);
        Py_DECREF(bytes);
        return result;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(o, &view, PyBUF_FULL_RO) < 0) {
        return -1;
    }
    int result = append_view(self, &view);
    PyBuffer_Release(&view);
    return result;
}

/* Grow by zeros, as many as an int says. */
static int
append_zeros(PyObject *self, PyObject *count)
{
    Py_ssize_t more = PyNumber_AsSsize_t(count, PyExc_OverflowError);
    if (more == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (more < 0) {
        PyErr_SetString(PyExc_ValueError, "negative count");
        return -1;
    }
    if (PyByteArray_Resize(self, more) < 0) {
        return -1;
    }
    if (more > 0) {
        memset(as_bytearray(self)->ob_start, 0, (size_t)more);
    }
    return 0;
}

static int
append_encoded(PyObject *self, PyObject *text, const char *encoding, const char *errors)
{
    if (encoding == NULL) {
        PyErr_SetString(PyExc_TypeError, "string argument without an encoding");
        return -1;
    }
    PyObject *bytes = PyUnicode_AsEncodedString(text, encoding, errors);
    if (bytes == NULL) {
        return -1;
    }
    int result = append_object(self, bytes);
    Py_DECREF(bytes);
    return result;
}

static int
bytearray_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *const names[] = {"source", "encoding", "errors", NULL};
    PyObject *source = NULL;
    const char *encoding = NULL, *errors = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Oss:bytearray", names, &source,
                                     &encoding, &errors) ||
        PyByteArray_Resize(self, 0) < 0) {
        return -1;
    }
    if (source != NULL && PyUnicode_Check(source)) {
        return append_encoded(self, source, encoding, errors);
    }
    if (encoding != NULL || errors != NULL) {
        PyErr_SetString(PyExc_TypeError, encoding != NULL
                                             ? "encoding without a string argument"
                                             : "errors without a string argument");
        return -1;
    }
    if (source == NULL) {
        return 0;
    }
    return PyIndex_Check(source) ? append_zeros(self, source)
                                 : append_object(self, source);
}

PyObject *
PyByteArray_FromObject(PyObject *o)
{
    return PyObject_CallOneArg((PyObject *)&PyByteArray_Type, o);
}

PyObject *
PyByteArray_Concat(PyObject *a, PyObject *b)
{
    if (!PyObject_CheckBuffer(a) || !PyObject_CheckBuffer(b)) {
        return PyErr_Format(PyExc_TypeError, "can't concat %.100s to %.100s",
                            Py_TYPE(b)->tp_name, Py_TYPE(a)->tp_name);
    }
    PyObject *result = PyByteArray_FromStringAndSize(NULL, 0);
    if (result != NULL &&
        (append_object(result, a) < 0 || append_object(result, b) < 0)) {
        Py_CLEAR(result);
    }
    return result;
}

/* --- items ------------------------------------------------------------------------------- */

static PyObject *
bytearray_item(PyObject *self, Py_ssize_t index)
{
    if (index < 0 || index >= Py_SIZE(self)) {
        PyErr_SetString(PyExc_IndexError, "bytearray index out of range");
        return NULL;
    }
    return PyLong_FromLong((unsigned char)as_bytearray(self)->ob_start[index]);
}

/* An int that is a byte; -1 with TypeError or ValueError. */
static int
byte_from_object(PyObject *value)
{
    int overflow;
    PyObject *index = PyNumber_Index(value);
    if (index == NULL) {
        return -1;
    }
    long byte = PyLong_AsLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow != 0 || byte < 0 || byte > 255) {
        PyErr_SetString(PyExc_ValueError, "byte must be in range(0, 256)");
        return -1;
    }
    return (int)byte;
}

/* del self[index] */
static int
delete_byte(PyObject *self, Py_ssize_t index)
{
    PyByteArrayObject *b = as_bytearray(self);
    if (b->ob_exports > 0) {
        return PyByteArray_Resize(self, Py_SIZE(self) - 1); /* BufferError */
    }
    memmove(b->ob_start + index, b->ob_start + index + 1,
            (size_t)(Py_SIZE(self) - index - 1));
    return PyByteArray_Resize(self, Py_SIZE(self) - 1);
}

static int
bytearray_ass_item(PyObject *self, Py_ssize_t index, PyObject *value)
{
    /* __index__ may run code that changes the size, so it is called first. */
    int byte = value == NULL ? 0 : byte_from_object(value);
    if (byte < 0) {
        return -1;
    }
    if (index < 0 || index >= Py_SIZE(self)) {
        PyErr_SetString(PyExc_IndexError, "bytearray index out of range");
        return -1;
    }
    if (value == NULL) {
        return delete_byte(self, index);
    }
    as_bytearray(self)->ob_start[index] = (char)byte;
    return 0;
}

static bool
index_in_bytearray(PyObject *self, PyObject *key, Py_ssize_t *index)
{
    if (!PyIndex_Check(key)) {
        PyErr_Format(PyExc_TypeError, "bytearray indices must be integers, not %.200s",
                     Py_TYPE(key)->tp_name);
        return false;
    }
    *index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (*index == -1 && PyErr_Occurred()) {
        return false;
    }
    *index += *index < 0 ? Py_SIZE(self) : 0;
    return true;
}

static PyObject *
bytearray_subscript(PyObject *self, PyObject *key)
{
    Py_ssize_t index;
    return index_in_bytearray(self, key, &index) ? bytearray_item(self, index) : NULL;
}

static int
bytearray_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    Py_ssize_t index;
    return index_in_bytearray(self, key, &index) ? bytearray_ass_item(self, index, value)
                                                 : -1;
}

static int
bytearray_contains(PyObject *self, PyObject *what)
{
    if (!PyIndex_Check(what)) {
        PyObject *bytes = PyBytes_FromObject(self);
        int found = bytes == NULL ? -1 : PySequence_Contains(bytes, what);
        Py_XDECREF(bytes);
        return found;
    }
    int byte = byte_from_object(what);
    if (byte < 0) {
        return -1;
    }
    return Py_SIZE(self) > 0 &&
           memchr(as_bytearray(self)->ob_start, byte, (size_t)Py_SIZE(self)) != NULL;
}

static PyObject *
bytearray_inplace_concat(PyObject *self, PyObject *other)
{
    if (!PyObject_CheckBuffer(other)) {
        return PyErr_Format(PyExc_TypeError, "can't concat %.100s to %.100s",
                            Py_TYPE(other)->tp_name, Py_TYPE(self)->tp_name);
    }
    return append_object(self, other) < 0 ? NULL : Py_NewRef(self);
}

static PyObject *
bytearray_append(PyObject *self, PyObject *value)
{
    int byte = byte_from_object(value);
    if (byte < 0 || PyByteArray_Resize(self, Py_SIZE(self) + 1) < 0) {
        return NULL;
    }
    as_bytearray(self)->ob_start[Py_SIZE(self) - 1] = (char)byte;
    Py_RETURN_NONE;
}

static PyObject *
bytearray_extend(PyObject *self, PyObject *values)
{
    return append_object(self, values) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
bytearray_clear(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyByteArray_Resize(self, 0) < 0 ? NULL : Py_NewRef(Py_None);
}

/* --- text and comparing ------------------------------------------------------------------- */

static PyObject *
bytearray_repr(PyObject *self)
{
    PyObject *bytes = PyBytes_FromObject(self);
    if (bytes == NULL) {
        return NULL;
    }
    const char *name = Py_TYPE(self)->tp_name, *dot = strrchr(name, '.');
    PyObject *text = PyUnicode_FromFormat("%s(%R)", dot == NULL ? name : dot + 1, bytes);
    Py_DECREF(bytes);
    return text;
}

static PyObject *
bytearray_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyObject_CheckBuffer(a) || !PyObject_CheckBuffer(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return ouro_bytes_compare(a, b, op);
}

/* --- buffers -------------------------------------------------------------------------------- */

static int
bytearray_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    if (PyBuffer_FillInfo(view, self, PyByteArray_AS_STRING(self), Py_SIZE(self), 0,
                          flags) < 0) {
        return -1;
    }
    as_bytearray(self)->ob_exports++;
    return 0;
}

static void
bytearray_releasebuffer(PyObject *self, Py_buffer *Py_UNUSED(view))
{
    as_bytearray(self)->ob_exports--;
}

static PyBufferProcs bytearray_as_buffer = {
    .bf_getbuffer = bytearray_getbuffer,
    .bf_releasebuffer = bytearray_releasebuffer,
};

/* --- the type -------------------------------------------------------------------------------- */

static PySequenceMethods bytearray_as_sequence = {
    .sq_length = bytearray_length,
    .sq_concat = PyByteArray_Concat,
    .sq_item = bytearray_item,
    .sq_ass_item = bytearray_ass_item,
    .sq_contains = bytearray_contains,
    .sq_inplace_concat = bytearray_inplace_concat,
};

static PyMappingMethods bytearray_as_mapping = {
    .mp_length = bytearray_length,
    .mp_subscript = bytearray_subscript,
    .mp_ass_subscript = bytearray_ass_subscript,
};

static PyObject *
bytearray_sizeof(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    size_t owned = (size_t)((PyByteArrayObject *)self)->ob_alloc;
    return PyLong_FromSize_t((size_t)Py_TYPE(self)->tp_basicsize + owned);
}

static PyMethodDef bytearray_methods[] = {
    {"__sizeof__", bytearray_sizeof, METH_NOARGS, "The size in bytes."},
    {"append", bytearray_append, METH_O, "append($self, item, /)\n--\n\nAdd one byte."},
    {"extend", bytearray_extend, METH_O,
     "extend($self, iterable_of_ints, /)\n--\n\nAdd the bytes of an object."},
    {"clear", bytearray_clear, METH_NOARGS, "clear($self, /)\n--\n\nRemove all bytes."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject PyByteArray_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "bytearray",
    .tp_basicsize = sizeof(PyByteArrayObject),
    .tp_dealloc = bytearray_dealloc,
    .tp_repr = bytearray_repr,
    .tp_as_sequence = &bytearray_as_sequence,
    .tp_as_mapping = &bytearray_as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_str = bytearray_repr,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_as_buffer = &bytearray_as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "bytearray(source=b'', encoding, errors)\n--\n\nBytes that can be changed.",
    .tp_richcompare = bytearray_richcompare,
    .tp_iter = PySeqIter_New,
    .tp_methods = bytearray_methods,
    .tp_init = bytearray_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = PyType_GenericNew,
    .tp_free = PyObject_Free,
};
