/* SPDX-License-Identifier: MIT */
/* bytes objects. Text like formatting and repr is in bytes_text.c. */
#include <Python.h>

#include <stdbool.h>

#include "arguments.h"
#include "bytes_argument.h"

#define BYTES_BASE_SIZE (offsetof(PyBytesObject, ob_sval) + 1)

static PyBytesObject empty_bytes = {
    PyVarObject_HEAD_INIT(&PyBytes_Type, 0).ob_shash = 0,
};

/* --- making ------------------------------------------------------------------------------------------ */

PyObject *
PyBytes_FromStringAndSize(const char *v, Py_ssize_t len)
{
    if (len < 0) {
        PyErr_SetString(PyExc_SystemError,
                        "Negative size passed to PyBytes_FromStringAndSize");
        return NULL;
    }
    if (len == 0) {
        return (PyObject *)&empty_bytes;
    }
    if (len > PY_SSIZE_T_MAX - (Py_ssize_t)BYTES_BASE_SIZE) {
        PyErr_SetString(PyExc_OverflowError, "byte string is too large");
        return NULL;
    }
    PyBytesObject *self = PyObject_Malloc(BYTES_BASE_SIZE + (size_t)len);
    if (PyObject_InitVar((PyVarObject *)self, &PyBytes_Type, len) == NULL) {
        return NULL;
    }
    char *text = PyBytes_AS_STRING(self);
    self->ob_shash = -1;
    if (v != NULL) {
        memcpy(text, v, (size_t)len);
    }
    text[len] = '\0';
    return (PyObject *)self;
}

PyObject *
PyBytes_FromString(const char *v)
{
    return PyBytes_FromStringAndSize(v, (Py_ssize_t)strlen(v));
}

int
_PyBytes_Resize(PyObject **bytes, Py_ssize_t newsize)
{
    PyObject *old = *bytes;
    if (!PyBytes_Check(old) || newsize < 0) {
        *bytes = NULL;
        Py_DECREF(old);
        PyErr_BadInternalCall();
        return -1;
    }
    Py_ssize_t size = PyBytes_GET_SIZE(old);
    if (size == newsize) {
        return 0;
    }
    if (size > 0 && (Py_REFCNT(old) != 1 || !PyBytes_CheckExact(old))) {
        *bytes = NULL;
        Py_DECREF(old);
        PyErr_BadInternalCall();
        return -1;
    }
    *bytes = PyBytes_FromStringAndSize(NULL, newsize);
    if (*bytes != NULL && newsize > 0) {
        memcpy(PyBytes_AS_STRING(*bytes), PyBytes_AS_STRING(old),
               (size_t)(size < newsize ? size : newsize));
    }
    Py_DECREF(old);
    return *bytes == NULL ? -1 : 0;
}

/* Append the next int of an iterator to a growing buffer; 1, 0 at the end, -1 on error. */
static int
take_byte(PyObject *iterator, unsigned char *byte)
{
    PyObject *item = PyIter_Next(iterator);
    if (item == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    Py_ssize_t value = PyNumber_AsSsize_t(item, NULL);
    Py_DECREF(item);
    if (value == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (value < 0 || value > 255) {
        PyErr_SetString(PyExc_ValueError, "bytes must be in range(0, 256)");
        return -1;
    }
    *byte = (unsigned char)value;
    return 1;
}

static PyObject *
bytes_from_iterable(PyObject *o)
{
    PyObject *iterator = PyObject_GetIter(o);
    if (iterator == NULL) {
        return NULL;
    }
    PyBytesWriter *writer = PyBytesWriter_Create(0);
    unsigned char byte;
    int more = writer == NULL ? -1 : 1;
    while (more > 0 && (more = take_byte(iterator, &byte)) > 0) {
        if (PyBytesWriter_WriteBytes(writer, &byte, 1) < 0) {
            more = -1;
        }
    }
    Py_DECREF(iterator);
    if (more < 0) {
        PyBytesWriter_Discard(writer);
        return NULL;
    }
    return PyBytesWriter_Finish(writer);
}

static PyObject *
bytes_from_buffer(PyObject *o)
{
    Py_buffer view;
    if (PyObject_GetBuffer(o, &view, PyBUF_FULL_RO) < 0) {
        return NULL;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, view.len);
    if (result != NULL &&
        PyBuffer_ToContiguous(PyBytes_AS_STRING(result), &view, view.len, 'C') < 0) {
        Py_CLEAR(result);
    }
    PyBuffer_Release(&view);
    return result;
}

PyObject *
PyBytes_FromObject(PyObject *o)
{
    if (o == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (PyBytes_CheckExact(o)) {
        return Py_NewRef(o);
    }
    if (PyBytes_Check(o)) {
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
    }
    if (PyObject_CheckBuffer(o)) {
        return bytes_from_buffer(o);
    }
    if (PyUnicode_Check(o) || (Py_TYPE(o)->tp_iter == NULL && !PySequence_Check(o))) {
        return PyErr_Format(PyExc_TypeError, "cannot convert '%.200s' object to bytes",
                            Py_TYPE(o)->tp_name);
    }
    return bytes_from_iterable(o);
}

/* What __bytes__ gives: 1 and a new reference, 0 when there is none, -1 on error. */
static int
call_bytes_method(PyObject *o, PyObject **result)
{
    PyObject *method;
    *result = NULL;
    if (_PyObject_FindAttrString((PyObject *)Py_TYPE(o), "__bytes__", &method) <= 0) {
        return PyErr_Occurred() ? -1 : 0;
    }
    *result = PyObject_CallOneArg(method, o);
    Py_DECREF(method);
    if (*result != NULL && !PyBytes_Check(*result)) {
        PyErr_Format(PyExc_TypeError, "__bytes__ returned non-bytes (type %.200s)",
                     Py_TYPE(*result)->tp_name);
        Py_CLEAR(*result);
    }
    return *result == NULL ? -1 : 1;
}

PyObject *
PyObject_Bytes(PyObject *o)
{
    if (o == NULL) {
        return PyBytes_FromString("<NULL>");
    }
    if (PyBytes_CheckExact(o)) {
        return Py_NewRef(o);
    }
    PyObject *result;
    return call_bytes_method(o, &result) == 0 ? PyBytes_FromObject(o) : result;
}

/* --- reading ----------------------------------------------------------------------------------------- */

static bool
require_bytes(PyObject *o)
{
    if (PyBytes_Check(o)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "expected bytes, %.200s found", Py_TYPE(o)->tp_name);
    return false;
}

Py_ssize_t
PyBytes_Size(PyObject *o)
{
    return require_bytes(o) ? PyBytes_GET_SIZE(o) : -1;
}

char *
PyBytes_AsString(PyObject *o)
{
    return require_bytes(o) ? PyBytes_AS_STRING(o) : NULL;
}

int
PyBytes_AsStringAndSize(PyObject *obj, char **buffer, Py_ssize_t *length)
{
    if (buffer == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!require_bytes(obj)) {
        return -1;
    }
    *buffer = PyBytes_AS_STRING(obj);
    if (length != NULL) {
        *length = PyBytes_GET_SIZE(obj);
    } else if (strlen(*buffer) != (size_t)PyBytes_GET_SIZE(obj)) {
        PyErr_SetString(PyExc_ValueError, "embedded null byte");
        return -1;
    }
    return 0;
}

/* --- slots -------------------------------------------------------------------------------------------- */

static Py_ssize_t
bytes_length(PyObject *self)
{
    return PyBytes_GET_SIZE(self);
}

/* Both may be any objects with a buffer. */
static PyObject *
bytes_concat(PyObject *a, PyObject *b)
{
    if (!PyObject_CheckBuffer(a) || !PyObject_CheckBuffer(b)) {
        return PyErr_Format(PyExc_TypeError, "can't concat %.100s to %.100s",
                            Py_TYPE(b)->tp_name, Py_TYPE(a)->tp_name);
    }
    struct bytes_argument left, right;
    if (!ouro_bytes_take(&left, a)) {
        return NULL;
    }
    if (!ouro_bytes_take(&right, b)) {
        ouro_bytes_release(&left);
        return NULL;
    }
    Py_ssize_t na = ouro_text_size(left.text), nb = ouro_text_size(right.text);
    PyObject *result = NULL;
    if (nb == 0 && PyBytes_CheckExact(a)) {
        result = Py_NewRef(a);
    } else if (na > PY_SSIZE_T_MAX - nb) {
        PyErr_NoMemory();
    } else {
        result = PyBytes_FromStringAndSize(NULL, na + nb);
    }
    if (result != NULL && result != a && na + nb > 0) {
        memcpy(PyBytes_AS_STRING(result), left.text.start, (size_t)na);
        memcpy(PyBytes_AS_STRING(result) + na, right.text.start, (size_t)nb);
    }
    ouro_bytes_release(&left);
    ouro_bytes_release(&right);
    return result;
}

void
PyBytes_Concat(PyObject **bytes, PyObject *newpart)
{
    if (*bytes == NULL) {
        return;
    }
    Py_SETREF(*bytes, newpart == NULL ? NULL : bytes_concat(*bytes, newpart));
}

void
PyBytes_ConcatAndDel(PyObject **bytes, PyObject *newpart)
{
    PyBytes_Concat(bytes, newpart);
    Py_XDECREF(newpart);
}

/* Write one part of a join, which must have a buffer. */
static int
write_joined(PyBytesWriter *writer, PyObject *part, Py_ssize_t index)
{
    struct bytes_argument what;
    if (!PyObject_CheckBuffer(part)) {
        PyErr_Format(PyExc_TypeError,
                     "sequence item %zd: expected a bytes-like object, %.80s found",
                     index, Py_TYPE(part)->tp_name);
        return -1;
    }
    if (!ouro_bytes_take(&what, part)) {
        return -1;
    }
    int result =
        PyBytesWriter_WriteBytes(writer, what.text.start, ouro_text_size(what.text));
    ouro_bytes_release(&what);
    return result;
}

PyObject *
PyBytes_Join(PyObject *sep, PyObject *iterable)
{
    if (!require_bytes(sep)) {
        return NULL;
    }
    /* A tuple of our own: nothing can change it while we write. */
    PyObject *parts = PySequence_Tuple(iterable);
    if (parts == NULL) {
        if (Py_TYPE(iterable)->tp_iter == NULL && !PySequence_Check(iterable)) {
            PyErr_SetString(PyExc_TypeError, "can only join an iterable");
        }
        return NULL;
    }
    PyBytesWriter *writer = PyBytesWriter_Create(0);
    for (Py_ssize_t i = 0; writer != NULL && i < PyTuple_GET_SIZE(parts); i++) {
        if ((i > 0 && PyBytesWriter_WriteBytes(writer, PyBytes_AS_STRING(sep),
                                               PyBytes_GET_SIZE(sep)) < 0) ||
            write_joined(writer, PyTuple_GET_ITEM(parts, i), i) < 0) {
            PyBytesWriter_Discard(writer);
            writer = NULL;
        }
    }
    Py_DECREF(parts);
    return writer == NULL ? NULL : PyBytesWriter_Finish(writer);
}

static PyObject *
bytes_repeat(PyObject *self, Py_ssize_t count)
{
    Py_ssize_t size = PyBytes_GET_SIZE(self);
    if (count <= 0 || size == 0) {
        return (PyObject *)&empty_bytes;
    }
    if (size > PY_SSIZE_T_MAX / count) {
        PyErr_SetString(PyExc_OverflowError, "repeated bytes are too long");
        return NULL;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, size * count);
    for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
        memcpy(PyBytes_AS_STRING(result) + i * size, PyBytes_AS_STRING(self),
               (size_t)size);
    }
    return result;
}

static PyObject *
bytes_item(PyObject *self, Py_ssize_t index)
{
    if (index < 0 || index >= PyBytes_GET_SIZE(self)) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    const char *text = PyBytes_AS_STRING(self);
    return PyLong_FromLong((unsigned char)text[index]);
}

static PyObject *
bytes_slice(PyObject *self, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0) {
        return NULL;
    }
    Py_ssize_t count = PySlice_AdjustIndices(PyBytes_GET_SIZE(self), &start, &stop, step);
    const char *text = PyBytes_AS_STRING(self);
    if (step == 1) {
        return count == PyBytes_GET_SIZE(self) && PyBytes_CheckExact(self)
                   ? Py_NewRef(self)
                   : PyBytes_FromStringAndSize(text + start, count);
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, count);
    for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
        PyBytes_AS_STRING(result)[i] = text[start + i * step];
    }
    return result;
}

static PyObject *
bytes_subscript(PyObject *self, PyObject *key)
{
    if (PySlice_Check(key)) {
        return bytes_slice(self, key);
    }
    if (!PyIndex_Check(key)) {
        return PyErr_Format(PyExc_TypeError,
                            "byte indices must be integers or slices, not %.200s",
                            Py_TYPE(key)->tp_name);
    }
    Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) {
        return NULL;
    }
    return bytes_item(self, index < 0 ? index + PyBytes_GET_SIZE(self) : index);
}

static int
bytes_contains(PyObject *self, PyObject *what)
{
    struct text_range in = {PyBytes_AS_STRING(self),
                            PyBytes_AS_STRING(self) + PyBytes_GET_SIZE(self)};
    struct bytes_argument argument;
    bool taken = PyIndex_Check(what) ? ouro_bytes_take_or_number(&argument, what)
                                     : ouro_bytes_take(&argument, what);
    if (!taken) {
        return -1;
    }
    int found = ouro_text_find(in, argument.text) != NULL;
    ouro_bytes_release(&argument);
    return found;
}

static PyObject *
bytes_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyBytes_Check(a) || !PyBytes_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Py_ssize_t na = PyBytes_GET_SIZE(a), nb = PyBytes_GET_SIZE(b);
    int order =
        memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), (size_t)(na < nb ? na : nb));
    if (order == 0) {
        order = (na > nb) - (na < nb);
    }
    Py_RETURN_RICHCOMPARE(order, 0, op);
}

PyObject *
ouro_bytes_compare(PyObject *a, PyObject *b, int op)
{
    PyObject *left = PyBytes_FromObject(a);
    PyObject *right = left == NULL ? NULL : PyBytes_FromObject(b);
    PyObject *result = right == NULL ? NULL : PyObject_RichCompare(left, right, op);
    Py_XDECREF(left);
    Py_XDECREF(right);
    return result;
}

static Py_hash_t
bytes_hash(PyObject *self)
{
    PyBytesObject *b = (PyBytesObject *)self;
    Py_hash_t hash = __atomic_load_n(&b->ob_shash, __ATOMIC_RELAXED);
    if (hash == -1) {
        hash = Py_HashBuffer(PyBytes_AS_STRING(b), PyBytes_GET_SIZE(b));
        __atomic_store_n(&b->ob_shash, hash, __ATOMIC_RELAXED);
    }
    return hash;
}

static PyObject *
bytes_repr(PyObject *self)
{
    return PyBytes_Repr(self, 1);
}

/* --- the type ------------------------------------------------------------------------------------------- */

/* bytes(source): a count of zeros, something with __bytes__, bytes, or an iterable. */
static PyObject *
bytes_from_source(PyObject *source)
{
    PyObject *given;
    if (call_bytes_method(source, &given) != 0) {
        return given;
    }
    if (!PyIndex_Check(source)) {
        return PyBytes_FromObject(source);
    }
    Py_ssize_t count = PyNumber_AsSsize_t(source, PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (count < 0) {
        PyErr_SetString(PyExc_ValueError, "negative count");
        return NULL;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, count);
    if (result != NULL && count > 0) {
        memset(PyBytes_AS_STRING(result), 0, (size_t)count);
    }
    return result;
}

static PyObject *
bytes_of_subtype(PyTypeObject *type, PyObject *value)
{
    if (value == NULL || type == &PyBytes_Type) {
        return value;
    }
    PyObject *self = type->tp_alloc(type, PyBytes_GET_SIZE(value));
    if (self != NULL) {
        ((PyBytesObject *)self)->ob_shash = -1;
        memcpy(PyBytes_AS_STRING(self), PyBytes_AS_STRING(value),
               (size_t)PyBytes_GET_SIZE(value) + 1);
    }
    Py_DECREF(value);
    return self;
}

/* The text of the argument encoding or errors; NULL when it was not given. False with
 * TypeError. */
static bool
bytes_codec_argument(PyObject *args, PyObject *kwargs, Py_ssize_t place, const char *name,
                     const char **text)
{
    PyObject *value = place < PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, place)
                                                     : ouro_args_named(kwargs, name);
    if (value != NULL && !PyUnicode_Check(value)) {
        ouro_args_wrong_type("bytes",
                             place == 1 ? "argument 'encoding'" : "argument 'errors'",
                             "str", value);
        return false;
    }
    *text = value == NULL ? NULL : PyUnicode_AsUTF8(value);
    return value == NULL || *text != NULL;
}

/* bytes(source=b'', encoding, errors) */
static PyObject *
bytes_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    const char *encoding, *errors;
    if (!ouro_args_between("bytes", given, 0, 3) ||
        !bytes_codec_argument(args, kwargs, 1, "encoding", &encoding) ||
        !bytes_codec_argument(args, kwargs, 2, "errors", &errors)) {
        return NULL;
    }
    PyObject *source =
        given > 0 ? PyTuple_GET_ITEM(args, 0) : ouro_args_named(kwargs, "source");
    Py_ssize_t named = (encoding != NULL && given < 2) + (errors != NULL && given < 3) +
                       (source != NULL && given < 1);
    if (type == &PyBytes_Type && kwargs != NULL && named != PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "bytes() got an unexpected keyword argument");
        return NULL;
    }
    bool is_text = source != NULL && PyUnicode_Check(source);
    const char *mistake = NULL;
    if (is_text && encoding == NULL) {
        mistake = "string argument without an encoding";
    } else if (!is_text && (encoding != NULL || errors != NULL)) {
        mistake = encoding != NULL ? "encoding without a string argument"
                                   : "errors without a string argument";
    }
    if (mistake != NULL) {
        PyErr_SetString(PyExc_TypeError, mistake);
        return NULL;
    }
    return bytes_of_subtype(
        type, source == NULL ? (PyObject *)&empty_bytes
              : is_text      ? PyUnicode_AsEncodedString(source, encoding, errors)
                             : bytes_from_source(source));
}

static PySequenceMethods bytes_as_sequence = {
    .sq_length = bytes_length,
    .sq_concat = bytes_concat,
    .sq_repeat = bytes_repeat,
    .sq_item = bytes_item,
    .sq_contains = bytes_contains,
};

static PyMappingMethods bytes_as_mapping = {
    .mp_length = bytes_length,
    .mp_subscript = bytes_subscript,
};

static int
bytes_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    return PyBuffer_FillInfo(view, self, PyBytes_AS_STRING(self), PyBytes_GET_SIZE(self),
                             1, flags);
}

static PyBufferProcs bytes_as_buffer = {.bf_getbuffer = bytes_getbuffer};

PyTypeObject PyBytes_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "bytes",
    .tp_basicsize = BYTES_BASE_SIZE,
    .tp_itemsize = 1,
    .tp_repr = bytes_repr,
    .tp_as_sequence = &bytes_as_sequence,
    .tp_as_mapping = &bytes_as_mapping,
    .tp_hash = bytes_hash,
    .tp_str = bytes_repr,
    .tp_as_buffer = &bytes_as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_BYTES_SUBCLASS,
    .tp_doc = "bytes(source=b'', encoding, errors)\n--\n\nA string of bytes.",
    .tp_richcompare = bytes_richcompare,
    .tp_iter = PySeqIter_New,
    .tp_new = bytes_new,
    .tp_free = PyObject_Free,
};
