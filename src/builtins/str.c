/* SPDX-License-Identifier: MIT */
/* str objects: making, comparing, hashing, and the type.
 *
 * See str_codec.c for UTF-8 and other encodings, str_search.c for finding and cutting,
 * str_format.c and str_writer.c for building text, str_repr.c, str_intern.c, and
 * str_methods.h for what is a method only. */
#include "str_object.h"

#include "arguments.h"
#include "str_methods.h"

/* The text of an exact str begins right behind the last field. */
#define STR_INLINE_OFFSET (offsetof(PyUnicodeObject, interned) + 1)

static char *
inline_text(PyUnicodeObject *u)
{
    return (char *)u + STR_INLINE_OFFSET;
}

static char empty_text[1];
static PyUnicodeObject empty_str = {
    .ob_base = {{_Py_IMMORTAL_REFCNT}, &PyUnicode_Type},
    .hash = 0,
    .utf8 = empty_text,
};

/* --- making -------------------------------------------------------------------------------------- */

PyUnicodeObject *
ouro_str_allocate(Py_ssize_t size, Py_ssize_t length)
{
    if (size > PY_SSIZE_T_MAX - (Py_ssize_t)sizeof(PyUnicodeObject) - 1) {
        PyErr_NoMemory();
        return NULL;
    }
    size_t total = STR_INLINE_OFFSET + (size_t)size + 1;
    PyUnicodeObject *u = PyObject_Malloc(
        total < sizeof(PyUnicodeObject) ? sizeof(PyUnicodeObject) : total);
    if (PyObject_Init((PyObject *)u, &PyUnicode_Type) == NULL) {
        return NULL;
    }
    u->length = length;
    u->size = size;
    u->hash = -1;
    u->interned = 0;
    u->utf8 = inline_text(u);
    u->utf8[size] = '\0';
    return u;
}

PyObject *
ouro_str_new(const char *utf8, Py_ssize_t size, Py_ssize_t length)
{
    if (size == 0) {
        return (PyObject *)&empty_str;
    }
    PyUnicodeObject *u = ouro_str_allocate(size, length);
    if (u != NULL) {
        memcpy(u->utf8, utf8, (size_t)size);
    }
    return (PyObject *)u;
}

PyObject *
ouro_str_copy(const char *utf8, Py_ssize_t size)
{
    return ouro_str_new(utf8, size, ouro_utf8_count(utf8, size));
}

PyObject *
PyUnicode_FromStringAndSize(const char *str, Py_ssize_t size)
{
    if (size < 0) {
        PyErr_SetString(PyExc_SystemError,
                        "Negative size passed to PyUnicode_FromStringAndSize");
        return NULL;
    }
    if (str == NULL && size > 0) {
        PyErr_SetString(
            PyExc_SystemError,
            "NULL string with positive size passed to PyUnicode_FromStringAndSize");
        return NULL;
    }
    return PyUnicode_DecodeUTF8(str, size, NULL);
}

PyObject *
PyUnicode_FromString(const char *str)
{
    if (str == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return PyUnicode_DecodeUTF8(str, (Py_ssize_t)strlen(str), NULL);
}

PyObject *
PyUnicode_FromOrdinal(int ordinal)
{
    char text[4];
    if (ordinal < 0 || ordinal > 0x10FFFF) {
        PyErr_SetString(PyExc_ValueError, "chr() arg not in range(0x110000)");
        return NULL;
    }
    if (!ouro_utf8_is_valid((Py_UCS4)ordinal)) {
        PyErr_SetString(PyExc_ValueError, "surrogates are not allowed in a str");
        return NULL;
    }
    return ouro_str_new(text, ouro_utf8_put(text, (Py_UCS4)ordinal), 1);
}

PyObject *
PyUnicode_FromKindAndData(int kind, const void *buffer, Py_ssize_t size)
{
    if (kind != 1 && kind != 2 && kind != 4) {
        PyErr_SetString(PyExc_SystemError, "invalid kind");
        return NULL;
    }
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "size must be positive");
        return NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size);
    if (writer == NULL) {
        return NULL;
    }
    const char *p = buffer;
    for (Py_ssize_t i = 0; i < size; i++, p += kind) {
        Py_UCS1 one;
        Py_UCS2 two;
        Py_UCS4 ch;
        if (kind == 1) {
            memcpy(&one, p, sizeof one);
            ch = one;
        } else if (kind == 2) {
            memcpy(&two, p, sizeof two);
            ch = two;
        } else {
            memcpy(&ch, p, sizeof ch);
        }
        if (PyUnicodeWriter_WriteChar(writer, ch) < 0) {
            PyUnicodeWriter_Discard(writer);
            return NULL;
        }
    }
    return PyUnicodeWriter_Finish(writer);
}

PyObject *
PyUnicode_FromWideChar(const wchar_t *wstr, Py_ssize_t size)
{
    if (wstr == NULL && size != 0) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return PyUnicode_FromKindAndData(sizeof(wchar_t), wstr,
                                     size < 0 ? (Py_ssize_t)wcslen(wstr) : size);
}

PyObject *
PyUnicode_FromObject(PyObject *obj)
{
    if (PyUnicode_CheckExact(obj)) {
        return Py_NewRef(obj);
    }
    if (PyUnicode_Check(obj)) {
        PyUnicodeObject *u = ouro_str(obj);
        return ouro_str_new(u->utf8, u->size, u->length);
    }
    return PyErr_Format(PyExc_TypeError,
                        "Can't convert '%.100s' object to str implicitly",
                        Py_TYPE(obj)->tp_name);
}

/* --- comparing and hashing -------------------------------------------------------------------------- */

bool
ouro_str_require(PyObject *op)
{
    if (op == NULL) {
        PyErr_BadInternalCall();
        return false;
    }
    if (PyUnicode_Check(op)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "must be str, not %.100s", Py_TYPE(op)->tp_name);
    return false;
}

/* The order of UTF-8 bytes is the order of code points. */
static int
compare_text(const PyUnicodeObject *a, const char *text, Py_ssize_t size)
{
    int order = memcmp(a->utf8, text, (size_t)(a->size < size ? a->size : size));
    if (order != 0) {
        return order < 0 ? -1 : 1;
    }
    return (a->size > size) - (a->size < size);
}

static bool
str_is_text(const PyUnicodeObject *a, const char *text, Py_ssize_t size)
{
    return a->size == size && memcmp(a->utf8, text, (size_t)size) == 0;
}

int
PyUnicode_Compare(PyObject *left, PyObject *right)
{
    if (!PyUnicode_Check(left) || !PyUnicode_Check(right)) {
        PyErr_Format(PyExc_TypeError, "Can't compare %.100s and %.100s",
                     Py_TYPE(left)->tp_name, Py_TYPE(right)->tp_name);
        return -1;
    }
    return compare_text(ouro_str(left), ouro_str(right)->utf8, ouro_str(right)->size);
}

/* The other text is Latin-1: a byte is a code point. */
int
PyUnicode_CompareWithASCIIString(PyObject *unicode, const char *string)
{
    const PyUnicodeObject *u = ouro_str(unicode);
    const char *p = u->utf8, *end = p + u->size;
    const unsigned char *other = (const unsigned char *)string;
    while (p < end && *other != '\0') {
        Py_UCS4 ch = ouro_utf8_next(&p);
        if (ch != *other) {
            return ch < *other ? -1 : 1;
        }
        other++;
    }
    return p < end ? 1 : *other != '\0' ? -1 : 0;
}

int
PyUnicode_EqualToUTF8AndSize(PyObject *unicode, const char *str, Py_ssize_t size)
{
    return str_is_text(ouro_str(unicode), str, size);
}

int
PyUnicode_EqualToUTF8(PyObject *unicode, const char *str)
{
    return str_is_text(ouro_str(unicode), str, (Py_ssize_t)strlen(str));
}

int
PyUnicode_Equal(PyObject *a, PyObject *b)
{
    if (!ouro_str_require(a) || !ouro_str_require(b)) {
        return -1;
    }
    return a == b || str_is_text(ouro_str(a), ouro_str(b)->utf8, ouro_str(b)->size);
}

PyObject *
PyUnicode_RichCompare(PyObject *left, PyObject *right, int op)
{
    if (!PyUnicode_Check(left) || !PyUnicode_Check(right)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyUnicodeObject *a = ouro_str(left), *b = ouro_str(right);
    if (op == Py_EQ || op == Py_NE) {
        bool equal = a == b || str_is_text(a, b->utf8, b->size);
        return PyBool_FromLong(equal == (op == Py_EQ));
    }
    int order = a == b ? 0 : compare_text(a, b->utf8, b->size);
    Py_RETURN_RICHCOMPARE(order, 0, op);
}

/* Strings of static types are shared by interpreters: two threads may store the same hash
 * at once. */
static Py_hash_t
str_hash(PyObject *self)
{
    PyUnicodeObject *u = ouro_str(self);
    Py_hash_t hash = __atomic_load_n(&u->hash, __ATOMIC_RELAXED);
    if (hash == -1) {
        hash = Py_HashBuffer(u->utf8, u->size);
        __atomic_store_n(&u->hash, hash, __ATOMIC_RELAXED);
    }
    return hash;
}

/* --- as a sequence --------------------------------------------------------------------------------- */

Py_ssize_t
PyUnicode_GetLength(PyObject *unicode)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return -1;
    }
    return ouro_str(unicode)->length;
}

static Py_ssize_t
str_length(PyObject *self)
{
    return ouro_str(self)->length;
}

PyObject *
PyUnicode_Concat(PyObject *left, PyObject *right)
{
    if (!ouro_str_require(left)) {
        return NULL;
    }
    if (!PyUnicode_Check(right)) {
        return PyErr_Format(PyExc_TypeError,
                            "can only concatenate str (not \"%.200s\") to str",
                            Py_TYPE(right)->tp_name);
    }
    PyUnicodeObject *a = ouro_str(left), *b = ouro_str(right);
    if (a->size == 0) {
        return PyUnicode_FromObject(right);
    }
    if (b->size == 0) {
        return PyUnicode_FromObject(left);
    }
    if (a->size > PY_SSIZE_T_MAX - b->size) {
        PyErr_SetString(PyExc_OverflowError, "strings are too large to concat");
        return NULL;
    }
    PyUnicodeObject *u = ouro_str_allocate(a->size + b->size, a->length + b->length);
    if (u != NULL) {
        memcpy(u->utf8, a->utf8, (size_t)a->size);
        memcpy(u->utf8 + a->size, b->utf8, (size_t)b->size);
    }
    return (PyObject *)u;
}

void
PyUnicode_Append(PyObject **left, PyObject *right)
{
    if (*left == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_BadInternalCall();
        }
        return;
    }
    PyObject *sum = right == NULL ? NULL : PyUnicode_Concat(*left, right);
    if (right == NULL && !PyErr_Occurred()) {
        PyErr_BadInternalCall();
    }
    Py_SETREF(*left, sum);
}

void
PyUnicode_AppendAndDel(PyObject **left, PyObject *right)
{
    PyUnicode_Append(left, right);
    Py_XDECREF(right);
}

static PyObject *
str_repeat(PyObject *self, Py_ssize_t count)
{
    PyUnicodeObject *u = ouro_str(self);
    if (count <= 0 || u->size == 0) {
        return (PyObject *)&empty_str;
    }
    if (count == 1) {
        return PyUnicode_FromObject(self);
    }
    if (u->size > PY_SSIZE_T_MAX / count) {
        PyErr_SetString(PyExc_OverflowError, "repeated string is too long");
        return NULL;
    }
    PyUnicodeObject *result = ouro_str_allocate(u->size * count, u->length * count);
    for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
        memcpy(result->utf8 + i * u->size, u->utf8, (size_t)u->size);
    }
    return (PyObject *)result;
}

static PyObject *
str_item(PyObject *self, Py_ssize_t index)
{
    PyUnicodeObject *u = ouro_str(self);
    if (index < 0 || index >= u->length) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return NULL;
    }
    const char *start = u->utf8 + ouro_str_offset(u, index), *end = start;
    ouro_utf8_next(&end);
    return ouro_str_new(start, end - start, 1);
}

/* Every step-th character. */
static PyObject *
str_pick(PyObject *self, Py_ssize_t start, Py_ssize_t step, Py_ssize_t count)
{
    PyUnicodeObject *u = ouro_str(self);
    if (PyUnicode_IS_ASCII(self)) {
        PyUnicodeObject *result = ouro_str_allocate(count, count);
        for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
            result->utf8[i] = u->utf8[start + i * step];
        }
        return (PyObject *)result;
    }
    Py_UCS4 *all = PyUnicode_AsUCS4Copy(self);
    if (all == NULL) {
        return NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(count);
    for (Py_ssize_t i = 0; writer != NULL && i < count; i++) {
        if (PyUnicodeWriter_WriteChar(writer, all[start + i * step]) < 0) {
            PyUnicodeWriter_Discard(writer);
            writer = NULL;
        }
    }
    PyMem_Free(all);
    return writer == NULL ? NULL : PyUnicodeWriter_Finish(writer);
}

static PyObject *
str_slice(PyObject *self, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0) {
        return NULL;
    }
    Py_ssize_t count = PySlice_AdjustIndices(ouro_str(self)->length, &start, &stop, step);
    if (count == 0) {
        return (PyObject *)&empty_str;
    }
    return step == 1 ? PyUnicode_Substring(self, start, stop)
                     : str_pick(self, start, step, count);
}

static PyObject *
str_subscript(PyObject *self, PyObject *key)
{
    if (PySlice_Check(key)) {
        return str_slice(self, key);
    }
    if (!PyIndex_Check(key)) {
        return PyErr_Format(PyExc_TypeError,
                            "string indices must be integers, not '%.200s'",
                            Py_TYPE(key)->tp_name);
    }
    Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) {
        return NULL;
    }
    return str_item(self, index < 0 ? index + ouro_str(self)->length : index);
}

/* str % args */
static PyObject *
str_remainder(PyObject *format, PyObject *args)
{
    if (!PyUnicode_Check(format)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyUnicode_Format(format, args);
}

/* --- the type ---------------------------------------------------------------------------------------- */

static PyObject *
str_str(PyObject *self)
{
    return PyUnicode_FromObject(self);
}

/* An instance of a subtype; its text is a block of its own, as the subtype's fields follow
 * the base. Steals `value`. */
static PyObject *
str_of_subtype(PyTypeObject *type, PyObject *value)
{
    if (value == NULL || type == &PyUnicode_Type) {
        return value;
    }
    PyUnicodeObject *from = ouro_str(value);
    char *text = PyMem_Malloc((size_t)from->size + 1);
    PyUnicodeObject *u = text == NULL ? NULL : (PyUnicodeObject *)type->tp_alloc(type, 0);
    if (u == NULL) {
        if (text == NULL) {
            PyErr_NoMemory();
        }
        PyMem_Free(text);
        Py_DECREF(value);
        return NULL;
    }
    memcpy(text, from->utf8, (size_t)from->size + 1);
    u->length = from->length;
    u->size = from->size;
    u->hash = from->hash;
    u->interned = 0;
    u->utf8 = text;
    Py_DECREF(value);
    return (PyObject *)u;
}

/* One of the arguments encoding and errors: positional or by name. True and *text, which
 * stays NULL when it was not given. */
static bool
codec_argument(PyObject *args, PyObject *kwargs, Py_ssize_t place, const char *name,
               const char **text, Py_ssize_t *named)
{
    PyObject *value =
        place < PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, place) : NULL;
    if (value == NULL && kwargs != NULL) {
        value = PyDict_GetItemString(kwargs, name);
        *named += value != NULL;
    }
    *text = value == NULL ? NULL : PyUnicode_AsUTF8(value);
    return value == NULL || *text != NULL;
}

static PyObject *
str_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t named = 0, given = PyTuple_GET_SIZE(args);
    const char *encoding, *errors;
    PyObject *object = given > 0 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (object == NULL && kwargs != NULL) {
        object = PyDict_GetItemString(kwargs, "object");
        named += object != NULL;
    }
    if (!ouro_args_between("str", given, 0, 3) ||
        !codec_argument(args, kwargs, 1, "encoding", &encoding, &named) ||
        !codec_argument(args, kwargs, 2, "errors", &errors, &named)) {
        return NULL;
    }
    if (type == &PyUnicode_Type && kwargs != NULL && named != PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "str() got an unexpected keyword argument");
        return NULL;
    }
    PyObject *value;
    if (object == NULL) {
        value = (PyObject *)&empty_str;
    } else if (encoding == NULL && errors == NULL) {
        value = PyObject_Str(object);
    } else {
        value = PyUnicode_FromEncodedObject(object, encoding, errors);
    }
    return str_of_subtype(type, value);
}

static void
str_dealloc(PyObject *self)
{
    PyUnicodeObject *u = ouro_str(self);
    if (u->interned) {
        ouro_str_forget(self);
    }
    if (u->utf8 != inline_text(u)) {
        PyMem_Free(u->utf8);
    }
    Py_TYPE(self)->tp_free(self);
}

static PySequenceMethods str_as_sequence = {
    .sq_length = str_length,
    .sq_concat = PyUnicode_Concat,
    .sq_repeat = str_repeat,
    .sq_item = str_item,
    .sq_contains = PyUnicode_Contains,
};

static PyNumberMethods str_as_number = {
    .nb_remainder = str_remainder,
};

static PyMappingMethods str_as_mapping = {
    .mp_length = str_length,
    .mp_subscript = str_subscript,
};

PyTypeObject PyUnicode_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "str",
    .tp_basicsize = sizeof(PyUnicodeObject),
    .tp_dealloc = str_dealloc,
    .tp_repr = ouro_str_repr,
    .tp_as_number = &str_as_number,
    .tp_as_sequence = &str_as_sequence,
    .tp_as_mapping = &str_as_mapping,
    .tp_hash = str_hash,
    .tp_str = str_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_UNICODE_SUBCLASS,
    .tp_doc = "str(object='', encoding='utf-8', errors='strict')\n--\n\nText.",
    .tp_richcompare = PyUnicode_RichCompare,
    .tp_iter = ouro_str_iter,
    .tp_methods = ouro_str_methods,
    .tp_new = str_new,
    .tp_free = PyObject_Free,
};
