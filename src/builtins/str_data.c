/* SPDX-License-Identifier: MIT */
/* The arrays of code points inside str objects: making, filling, copying them, and their
 * UTF-8 (PEP 393). */
#include "str_object.h"

/* --- code points of a kind ------------------------------------------------------------------------- */

/* Copy code points from one width to another. */
#define OURO_COPY_WIDTHS(to_type, from_type)                                             \
    for (Py_ssize_t i = 0; i < length; i++) {                                            \
        ((to_type *)to)[i] = (to_type)((const from_type *)from)[i];                      \
    }

void
ouro_str_copy_data(int to_kind, void *to, int from_kind, const void *from,
                   Py_ssize_t length)
{
    if (to_kind == from_kind) {
        memcpy(to, from, (size_t)length * (size_t)to_kind);
    } else if (to_kind == 1 && from_kind == 2) {
        OURO_COPY_WIDTHS(Py_UCS1, Py_UCS2)
    } else if (to_kind == 1) {
        OURO_COPY_WIDTHS(Py_UCS1, Py_UCS4)
    } else if (to_kind == 2 && from_kind == 1) {
        OURO_COPY_WIDTHS(Py_UCS2, Py_UCS1)
    } else if (to_kind == 2) {
        OURO_COPY_WIDTHS(Py_UCS2, Py_UCS4)
    } else if (from_kind == 1) {
        OURO_COPY_WIDTHS(Py_UCS4, Py_UCS1)
    } else {
        OURO_COPY_WIDTHS(Py_UCS4, Py_UCS2)
    }
}

#define OURO_ALL_BITS(type)                                                              \
    for (Py_ssize_t i = 0; i < length; i++) {                                            \
        bits |= ((const type *)data)[i];                                                 \
    }

/* Every bit that any of the code points has: as good as the largest, to choose a kind. */
static Py_UCS4
bits_of_data(int kind, const void *data, Py_ssize_t length)
{
    Py_UCS4 bits = 0;
    if (kind == 1) {
        OURO_ALL_BITS(Py_UCS1)
    } else if (kind == 2) {
        OURO_ALL_BITS(Py_UCS2)
    } else {
        OURO_ALL_BITS(Py_UCS4)
    }
    return bits;
}

static Py_UCS4
largest_of_data(const Py_UCS4 *data, Py_ssize_t length)
{
    Py_UCS4 largest = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        largest = data[i] > largest ? data[i] : largest;
    }
    return largest;
}

/* --- making ------------------------------------------------------------------------------------------ */

/* Nothing but a head and the NUL behind it. */
static struct {
    PyASCIIObject head;
    char text[8];
} empty_str = {
    .head = {.ob_base = {{_Py_IMMORTAL_REFCNT}, &PyUnicode_Type},
             .hash = 0,
             .state = {.kind = 1, .compact = 1, .ascii = 1}},
};

/* A str of a kind, not filled in; `length` is not 0. */
static PyObject *
allocate_str(Py_ssize_t length, int kind, bool ascii)
{
    size_t head = ascii ? sizeof(PyASCIIObject) : sizeof(PyCompactUnicodeObject);
    if (length > (PY_SSIZE_T_MAX - (Py_ssize_t)head) / kind - 1) {
        return PyErr_NoMemory();
    }
    PyObject *op = PyObject_Malloc(head + (size_t)(length + 1) * (size_t)kind);
    if (PyObject_Init(op, &PyUnicode_Type) == NULL) {
        return NULL;
    }
    PyASCIIObject *str = ouro_str(op);
    str->length = length;
    str->hash = -1;
    memset(&str->state, 0, sizeof str->state);
    str->state.kind = (unsigned)kind & 7;
    str->state.compact = 1;
    str->state.ascii = ascii;
    if (!ascii) {
        ouro_str_compact(op)->utf8 = NULL;
        ouro_str_compact(op)->utf8_length = 0;
    }
    memset((char *)op + head + (size_t)length * (size_t)kind, 0, (size_t)kind);
    return op;
}

/* The str for code points of which the largest has this value, or these bits. */
static PyObject *
str_with_room(Py_ssize_t length, Py_UCS4 largest)
{
    if (length == 0) {
        return (PyObject *)&empty_str;
    }
    int kind = largest < 0x100 ? 1 : largest < 0x10000 ? 2 : 4;
    return allocate_str(length, kind, largest < 0x80);
}

PyObject *
PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
{
    if (size < 0) {
        PyErr_SetString(PyExc_SystemError, "Negative size passed to PyUnicode_New");
        return NULL;
    }
    if (maxchar > 0x10FFFF) {
        PyErr_SetString(PyExc_SystemError,
                        "invalid maximum character passed to PyUnicode_New");
        return NULL;
    }
    return str_with_room(size, maxchar);
}

PyObject *
ouro_str_new_ascii(Py_ssize_t length)
{
    return str_with_room(length, 0x7F);
}

PyObject *
ouro_str_narrowest(int kind, const void *data, Py_ssize_t length)
{
    PyObject *str = str_with_room(length, bits_of_data(kind, data, length));
    if (str != NULL) {
        ouro_str_copy_data(PyUnicode_KIND(str), PyUnicode_DATA(str), kind, data, length);
    }
    return str;
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
    if (kind == 4 && largest_of_data(buffer, size) > 0x10FFFF) {
        PyErr_SetString(PyExc_ValueError, "character must be in range(0x110000)");
        return NULL;
    }
    return ouro_str_narrowest(kind, buffer, size);
}

/* --- from UTF-8 ----------------------------------------------------------------------------------------- */

/* The bits of the largest first byte tell the kind: 0xC4 begins U+0100, 0xF0 U+10000. */
static Py_UCS4
largest_of_utf8(const char *utf8, Py_ssize_t size)
{
    unsigned char first = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)utf8[i];
        first = c > first ? c : first;
    }
    return first < 0x80 ? 0x7F : first < 0xC4 ? 0xFF : first < 0xF0 ? 0xFFFF : 0x10FFFF;
}

/* Decode to code points of a width. */
#define OURO_DECODE_TO(type)                                                             \
    for (type *to = PyUnicode_DATA(str); utf8 < end; to++) {                             \
        *to = (type)ouro_utf8_next(&utf8);                                               \
    }

/* Up to U+00FF: one byte, or two that begin with 0xC2 or 0xC3. */
static void
decode_latin1(const char *utf8, const char *end, Py_UCS1 *to)
{
    while (utf8 < end) {
        unsigned char c = (unsigned char)*utf8++;
        *to++ = c < 0x80 ? c : (Py_UCS1)(c << 6 | ((unsigned char)*utf8++ & 0x3F));
    }
}

PyObject *
ouro_str_new(const char *utf8, Py_ssize_t size, Py_ssize_t length)
{
    bool ascii = size == length;
    PyObject *str = str_with_room(length, ascii ? 0x7F : largest_of_utf8(utf8, size));
    if (str == NULL || size == 0) {
        return str;
    }
    const char *end = utf8 + size;
    if (ascii) {
        memcpy(PyUnicode_DATA(str), utf8, (size_t)size);
    } else if (PyUnicode_KIND(str) == 1) {
        decode_latin1(utf8, end, PyUnicode_DATA(str));
    } else if (PyUnicode_KIND(str) == 2) {
        OURO_DECODE_TO(Py_UCS2)
    } else {
        OURO_DECODE_TO(Py_UCS4)
    }
    return str;
}

PyObject *
ouro_str_copy(const char *utf8, Py_ssize_t size)
{
    return ouro_str_new(utf8, size, ouro_utf8_count(utf8, size));
}

/* --- to UTF-8 --------------------------------------------------------------------------------------------- */

/* Room for the longest UTF-8 of a kind: 2, 3 or 4 bytes for a code point, and the NUL. */
static char *
allocate_utf8(const struct str_reader *r)
{
    Py_ssize_t most = r->kind == 1 ? 2 : r->kind == 2 ? 3 : 4;
    char *utf8 = r->length > (PY_SSIZE_T_MAX - 1) / most
                     ? NULL
                     : PyMem_Malloc((size_t)(r->length * most) + 1);
    if (utf8 == NULL) {
        PyErr_NoMemory();
    }
    return utf8;
}

/* Strings of static types are shared by interpreters: two threads may make the same UTF-8 at
 * once. The length is the same in both, and the first pointer stays. */
static void
keep_utf8(PyCompactUnicodeObject *str, char *utf8, Py_ssize_t length)
{
    char *none = NULL;
    __atomic_store_n(&str->utf8_length, length, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&str->utf8, &none, utf8, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        PyMem_Free(utf8);
    }
}

static bool
make_utf8(PyObject *str)
{
    struct str_reader r = ouro_str_reader(str);
    char *utf8 = allocate_utf8(&r), *to = utf8;
    bool surrogates = false;
    if (utf8 == NULL) {
        return false;
    }
    for (Py_ssize_t i = 0; i < r.length; i++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        surrogates |= Py_UNICODE_IS_SURROGATE(ch);
        to += ouro_utf8_put(to, ch);
    }
    *to = '\0';
    Py_ssize_t size = to - utf8;
    char *fitting = PyMem_Realloc(utf8, (size_t)size + 1);
    keep_utf8(ouro_str_compact(str), fitting == NULL ? utf8 : fitting,
              surrogates ? ~size : size);
    return true;
}

struct text_range
ouro_str_utf8(PyObject *str)
{
    if (PyUnicode_IS_ASCII(str)) {
        const char *text = PyUnicode_DATA(str);
        return (struct text_range){text, text + PyUnicode_GET_LENGTH(str)};
    }
    PyCompactUnicodeObject *u = ouro_str_compact(str);
    if (__atomic_load_n(&u->utf8, __ATOMIC_ACQUIRE) == NULL && !make_utf8(str)) {
        return (struct text_range){NULL, NULL};
    }
    Py_ssize_t size = u->utf8_length;
    return (struct text_range){u->utf8, u->utf8 + (size < 0 ? ~size : size)};
}

void
ouro_str_drop_utf8(PyObject *str)
{
    if (!PyUnicode_IS_ASCII(str)) {
        PyMem_Free(ouro_str_compact(str)->utf8);
    }
}

/* --- filling in place --------------------------------------------------------------------------------------- */

/* May the str be written to? Otherwise its hash or its UTF-8 would become wrong, or another
 * owner would see it change. */
static bool
str_is_fresh(PyObject *str)
{
    if (!PyUnicode_Check(str)) {
        PyErr_BadArgument();
        return false;
    }
    if (Py_REFCNT(str) != 1 || ouro_str(str)->hash != -1 ||
        PyUnicode_CHECK_INTERNED(str) || !PyUnicode_CheckExact(str)) {
        PyErr_SetString(PyExc_SystemError, "Cannot modify a string currently used");
        return false;
    }
    return true;
}

static bool
place_is_inside(PyObject *str, Py_ssize_t index)
{
    if (index >= 0 && index <= PyUnicode_GET_LENGTH(str)) {
        return true;
    }
    PyErr_SetString(PyExc_IndexError, "string index out of range");
    return false;
}

/* The documented limit of what is written: what the kind can hold. */
static bool
character_fits(PyObject *str, Py_UCS4 ch)
{
    if (ch <= PyUnicode_MAX_CHAR_VALUE(str)) {
        return true;
    }
    PyErr_SetString(PyExc_ValueError, "fill character is bigger than the string maximum "
                                      "character");
    return false;
}

Py_ssize_t
PyUnicode_CopyCharacters(PyObject *to, Py_ssize_t to_start, PyObject *from,
                         Py_ssize_t from_start, Py_ssize_t how_many)
{
    if (!PyUnicode_Check(from) || !PyUnicode_Check(to)) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!place_is_inside(from, from_start) || !place_is_inside(to, to_start)) {
        return -1;
    }
    if (how_many < 0) {
        PyErr_SetString(PyExc_SystemError, "how_many cannot be negative");
        return -1;
    }
    struct str_reader r = ouro_str_reader(from);
    how_many = Py_MIN(how_many, r.length - from_start);
    if (to_start + how_many > PyUnicode_GET_LENGTH(to)) {
        PyErr_Format(PyExc_SystemError,
                     "Cannot write %zi characters at %zi in a string of %zi characters",
                     how_many, to_start, PyUnicode_GET_LENGTH(to));
        return -1;
    }
    if (how_many == 0) {
        return 0;
    }
    const char *start = (const char *)r.data + from_start * r.kind;
    if (!str_is_fresh(to)) {
        return -1;
    }
    if (bits_of_data(r.kind, start, how_many) > PyUnicode_MAX_CHAR_VALUE(to)) {
        PyErr_Format(PyExc_SystemError,
                     "Cannot copy characters into a string of smaller kind");
        return -1;
    }
    int kind = PyUnicode_KIND(to);
    ouro_str_copy_data(kind, (char *)PyUnicode_DATA(to) + to_start * kind, r.kind, start,
                       how_many);
    return how_many;
}

Py_ssize_t
PyUnicode_Fill(PyObject *unicode, Py_ssize_t start, Py_ssize_t length, Py_UCS4 fill_char)
{
    if (!str_is_fresh(unicode) || !character_fits(unicode, fill_char)) {
        return -1;
    }
    if (start < 0) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return -1;
    }
    Py_ssize_t room = Py_MAX(PyUnicode_GET_LENGTH(unicode) - start, 0);
    length = Py_MAX(Py_MIN(length, room), 0);
    for (Py_ssize_t i = 0; i < length; i++) {
        PyUnicode_WRITE(PyUnicode_KIND(unicode), PyUnicode_DATA(unicode), start + i,
                        fill_char);
    }
    return length;
}

int
PyUnicode_WriteChar(PyObject *unicode, Py_ssize_t index, Py_UCS4 ch)
{
    if (!PyUnicode_Check(unicode) || !PyUnicode_IS_COMPACT(unicode)) {
        PyErr_BadArgument();
        return -1;
    }
    if (index < 0 || index >= PyUnicode_GET_LENGTH(unicode)) {
        PyErr_SetString(PyExc_IndexError, "string index out of range");
        return -1;
    }
    if (!str_is_fresh(unicode)) {
        return -1;
    }
    if (ch > PyUnicode_MAX_CHAR_VALUE(unicode)) {
        PyErr_SetString(PyExc_ValueError, "character out of range");
        return -1;
    }
    PyUnicode_WRITE(PyUnicode_KIND(unicode), PyUnicode_DATA(unicode), index, ch);
    return 0;
}

int
PyUnicode_Resize(PyObject **unicode, Py_ssize_t length)
{
    if (unicode == NULL || *unicode == NULL || !PyUnicode_Check(*unicode) || length < 0) {
        PyErr_BadInternalCall();
        return -1;
    }
    struct str_reader r = ouro_str_reader(*unicode);
    if (r.length == length) {
        return 0;
    }
    PyObject *str = PyUnicode_New(length, PyUnicode_MAX_CHAR_VALUE(*unicode));
    if (str == NULL) {
        return -1;
    }
    if (length > 0) {
        memcpy(PyUnicode_DATA(str), r.data,
               (size_t)(Py_MIN(length, r.length) * PyUnicode_KIND(str)));
    }
    Py_SETREF(*unicode, str);
    return 0;
}
