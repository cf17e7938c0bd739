/* SPDX-License-Identifier: MIT */
/* str objects: making, comparing, hashing, and the type.
 *
 * See str_data.c for what is inside them, str_codec.c for UTF-8 and other encodings, str_search.c for finding and cutting,
 * str_format.c and str_writer.c for building text, str_repr.c, str_intern.c, and
 * str_methods.h for what is a method only. */
#include "str_object.h"

#include "arguments.h"
#include "str_methods.h"

/* --- making -------------------------------------------------------------------------------------- */

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
    Py_UCS4 ch = (Py_UCS4)ordinal;
    if (ordinal < 0 || ordinal > 0x10FFFF) {
        PyErr_SetString(PyExc_ValueError, "chr() arg not in range(0x110000)");
        return NULL;
    }
    return ouro_str_narrowest(4, &ch, 1);
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
        return ouro_str_narrowest(PyUnicode_KIND(obj), PyUnicode_DATA(obj),
                                  PyUnicode_GET_LENGTH(obj));
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

static int
compare_strs(PyObject *left, PyObject *right)
{
    struct str_reader a = ouro_str_reader(left), b = ouro_str_reader(right);
    Py_ssize_t common = Py_MIN(a.length, b.length), i = 0;
    if (a.kind == 1 && b.kind == 1) {
        int order = memcmp(a.data, b.data, (size_t)common);
        i = common;
        if (order != 0) {
            return order < 0 ? -1 : 1;
        }
    }
    for (; i < common; i++) {
        Py_UCS4 x = ouro_str_at(&a, i), y = ouro_str_at(&b, i);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return (a.length > b.length) - (a.length < b.length);
}

/* Equal text has the same kind. */
static bool
strs_are_equal(PyObject *a, PyObject *b)
{
    return PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) &&
           PyUnicode_KIND(a) == PyUnicode_KIND(b) &&
           memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b),
                  (size_t)(PyUnicode_GET_LENGTH(a) * PyUnicode_KIND(a))) == 0;
}

int
PyUnicode_Compare(PyObject *left, PyObject *right)
{
    if (!PyUnicode_Check(left) || !PyUnicode_Check(right)) {
        PyErr_Format(PyExc_TypeError, "Can't compare %.100s and %.100s",
                     Py_TYPE(left)->tp_name, Py_TYPE(right)->tp_name);
        return -1;
    }
    return compare_strs(left, right);
}

/* The other text is Latin-1: a byte is a code point. */
int
PyUnicode_CompareWithASCIIString(PyObject *unicode, const char *string)
{
    struct str_reader r = ouro_str_reader(unicode);
    const unsigned char *other = (const unsigned char *)string;
    for (Py_ssize_t i = 0; i < r.length; i++, other++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        if (ch != *other || *other == '\0') {
            return *other == '\0' || ch > *other ? 1 : -1;
        }
    }
    return *other != '\0' ? -1 : 0;
}

/* Nothing is allocated, so this cannot fail. */
int
PyUnicode_EqualToUTF8AndSize(PyObject *unicode, const char *str, Py_ssize_t size)
{
    struct str_reader r = ouro_str_reader(unicode);
    if (PyUnicode_IS_ASCII(unicode)) {
        return r.length == size && memcmp(r.data, str, (size_t)size) == 0;
    }
    const char *end = str + size;
    for (Py_ssize_t i = 0; i < r.length; i++) {
        char one[4];
        Py_UCS4 ch = ouro_str_at(&r, i);
        Py_ssize_t width = ouro_utf8_put(one, ch);
        if (Py_UNICODE_IS_SURROGATE(ch) || end - str < width ||
            memcmp(str, one, (size_t)width) != 0) {
            return 0;
        }
        str += width;
    }
    return str == end;
}

int
PyUnicode_EqualToUTF8(PyObject *unicode, const char *str)
{
    return PyUnicode_EqualToUTF8AndSize(unicode, str, (Py_ssize_t)strlen(str));
}

int
PyUnicode_Equal(PyObject *a, PyObject *b)
{
    if (!ouro_str_require(a) || !ouro_str_require(b)) {
        return -1;
    }
    return a == b || strs_are_equal(a, b);
}

PyObject *
PyUnicode_RichCompare(PyObject *left, PyObject *right, int op)
{
    if (!PyUnicode_Check(left) || !PyUnicode_Check(right)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (op == Py_EQ || op == Py_NE) {
        bool equal = left == right || strs_are_equal(left, right);
        return PyBool_FromLong(equal == (op == Py_EQ));
    }
    int order = left == right ? 0 : compare_strs(left, right);
    Py_RETURN_RICHCOMPARE(order, 0, op);
}

/* Strings of static types are shared by interpreters: two threads may store the same hash
 * at once. */
static Py_hash_t
str_hash(PyObject *self)
{
    PyASCIIObject *u = ouro_str(self);
    Py_hash_t hash = __atomic_load_n(&u->hash, __ATOMIC_RELAXED);
    if (hash == -1) {
        hash = Py_HashBuffer(PyUnicode_DATA(self), u->length * u->state.kind);
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
    Py_ssize_t length = PyUnicode_GET_LENGTH(left), more = PyUnicode_GET_LENGTH(right);
    if (length == 0) {
        return PyUnicode_FromObject(right);
    }
    if (more == 0) {
        return PyUnicode_FromObject(left);
    }
    if (length > PY_SSIZE_T_MAX - more) {
        PyErr_SetString(PyExc_OverflowError, "strings are too large to concat");
        return NULL;
    }
    Py_UCS4 largest =
        Py_MAX(PyUnicode_MAX_CHAR_VALUE(left), PyUnicode_MAX_CHAR_VALUE(right));
    PyObject *sum = PyUnicode_New(length + more, largest);
    if (sum != NULL) {
        int kind = PyUnicode_KIND(sum);
        char *to = PyUnicode_DATA(sum);
        ouro_str_copy_data(kind, to, PyUnicode_KIND(left), PyUnicode_DATA(left), length);
        ouro_str_copy_data(kind, to + length * kind, PyUnicode_KIND(right),
                           PyUnicode_DATA(right), more);
    }
    return sum;
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
    Py_ssize_t length = PyUnicode_GET_LENGTH(self);
    if (count <= 0 || length == 0) {
        return PyUnicode_New(0, 0);
    }
    if (count == 1) {
        return PyUnicode_FromObject(self);
    }
    if (length > PY_SSIZE_T_MAX / count) {
        PyErr_SetString(PyExc_OverflowError, "repeated string is too long");
        return NULL;
    }
    PyObject *result = PyUnicode_New(length * count, PyUnicode_MAX_CHAR_VALUE(self));
    size_t size = (size_t)(length * PyUnicode_KIND(self));
    for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
        memcpy((char *)PyUnicode_DATA(result) + (size_t)i * size, PyUnicode_DATA(self),
               size);
    }
    return result;
}

static PyObject *
str_item(PyObject *self, Py_ssize_t index)
{
    struct str_reader r = ouro_str_reader(self);
    if (index < 0 || index >= r.length) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return NULL;
    }
    return ouro_str_narrowest(r.kind, (const char *)r.data + index * r.kind, 1);
}

/* Every step-th character. */
static PyObject *
str_pick(PyObject *self, Py_ssize_t start, Py_ssize_t step, Py_ssize_t count)
{
    struct str_reader r = ouro_str_reader(self);
    Py_UCS4 largest = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        largest |= ouro_str_at(&r, start + i * step);
    }
    PyObject *result = PyUnicode_New(count, Py_MIN(largest, 0x10FFFF));
    for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
        PyUnicode_WRITE(PyUnicode_KIND(result), PyUnicode_DATA(result), i,
                        ouro_str_at(&r, start + i * step));
    }
    return result;
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
        return PyUnicode_New(0, 0);
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
    const PyASCIIObject *from = ouro_str(value);
    size_t size = (size_t)((from->length + 1) * from->state.kind);
    void *data = PyMem_Malloc(size);
    PyObject *op = data == NULL ? NULL : type->tp_alloc(type, 0);
    if (op == NULL) {
        if (data == NULL) {
            PyErr_NoMemory();
        }
        PyMem_Free(data);
        Py_DECREF(value);
        return NULL;
    }
    memcpy(data, PyUnicode_DATA(value), size);
    PyUnicodeObject *str = (PyUnicodeObject *)op;
    ouro_str(op)->length = from->length;
    ouro_str(op)->hash = from->hash;
    ouro_str(op)->state = from->state;
    ouro_str(op)->state.interned = 0;
    ouro_str(op)->state.compact = 0;
    str->data.any = data;
    str->_base.utf8 = from->state.ascii ? data : NULL;
    str->_base.utf8_length = from->state.ascii ? from->length : 0;
    Py_DECREF(value);
    return op;
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
        value = ouro_args_named(kwargs, name);
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
        object = ouro_args_named(kwargs, "object");
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
        value = PyUnicode_New(0, 0);
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
    if (PyUnicode_CHECK_INTERNED(self)) {
        ouro_str_forget(self);
    }
    ouro_str_drop_utf8(self);
    if (!PyUnicode_IS_COMPACT(self)) {
        PyMem_Free(((PyUnicodeObject *)self)->data.any);
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
    .tp_new = str_new,
    .tp_free = PyObject_Free,
};
