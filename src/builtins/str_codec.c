/* SPDX-License-Identifier: MIT */
/* Encodings: UTF-8, which is what strings consist of, ASCII and Latin-1. */
#include "str_object.h"

/* --- UTF-8 ----------------------------------------------------------------------------------------- */

/* The length of the valid character at `s`; 0 when it is not valid. */
static Py_ssize_t
valid_character(const unsigned char *s, Py_ssize_t size)
{
    if (s[0] < 0x80) {
        return 1;
    }
    /* How many bytes the first announces, and the range of the second: that excludes
     * overlong forms, surrogates and what is beyond U+10FFFF. */
    Py_ssize_t need = s[0] < 0xC2   ? 0
                      : s[0] < 0xE0 ? 2
                      : s[0] < 0xF0 ? 3
                      : s[0] < 0xF5 ? 4
                                    : 0;
    if (need == 0 || size < need) {
        return 0;
    }
    unsigned low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) {
        return 0;
    }
    for (Py_ssize_t i = 2; i < need; i++) {
        if (ouro_utf8_is_start((char)s[i])) {
            return 0;
        }
    }
    return need;
}

Py_ssize_t
ouro_utf8_scan(const char *s, Py_ssize_t size, Py_ssize_t *length)
{
    Py_ssize_t i = 0, count = 0;
    while (i < size) {
        uint64_t word;
        if (size - i >= 8 &&
            (memcpy(&word, s + i, 8), (word & 0x8080808080808080u) == 0)) {
            i += 8;
            count += 8;
            continue;
        }
        Py_ssize_t step = valid_character((const unsigned char *)s + i, size - i);
        if (step == 0) {
            break;
        }
        i += step;
        count++;
    }
    *length = count;
    return i;
}

const char *
ouro_utf8_defect(const char *s, Py_ssize_t size, Py_ssize_t *bad)
{
    const unsigned char *p = (const unsigned char *)s;
    *bad = 1;
    if (p[0] < 0xC2 || p[0] >= 0xF5) {
        return "invalid start byte";
    }
    Py_ssize_t need = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    for (Py_ssize_t i = 1; i < need; i++) {
        if (i == size) {
            return "unexpected end of data";
        }
        unsigned char probe[4] = {p[0], p[1], 0x80, 0x80};
        bool wrong =
            i == 1 ? valid_character(probe, 4) == 0 : ouro_utf8_is_start((char)p[i]);
        if (wrong) {
            break;
        }
        *bad = i + 1;
    }
    return "invalid continuation byte";
}

Py_ssize_t
ouro_utf8_count(const char *s, Py_ssize_t size)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        count += ouro_utf8_is_start(s[i]);
    }
    return count;
}

Py_ssize_t
ouro_str_offset(const PyUnicodeObject *u, Py_ssize_t index)
{
    if (u->size == u->length) {
        return index;
    }
    if (index == u->length) {
        return u->size;
    }
    Py_ssize_t at = 0;
    for (Py_ssize_t seen = -1;; at++) {
        seen += ouro_utf8_is_start(u->utf8[at]);
        if (seen == index) {
            return at;
        }
    }
}

/* --- errors ------------------------------------------------------------------------------------------ */

enum codec_policy { CODEC_STRICT, CODEC_REPLACE, CODEC_IGNORE, CODEC_UNKNOWN };

static enum codec_policy
codec_policy_of(const char *errors)
{
    if (errors == NULL || strcmp(errors, "strict") == 0) {
        return CODEC_STRICT;
    }
    if (strcmp(errors, "replace") == 0) {
        return CODEC_REPLACE;
    }
    if (strcmp(errors, "ignore") == 0) {
        return CODEC_IGNORE;
    }
    PyErr_Format(PyExc_LookupError, "unknown error handler name '%.400s'", errors);
    return CODEC_UNKNOWN;
}

/* Raise `type`(encoding, object, start, end, reason). Steals `object`. */
static void
raise_codec_error(PyObject *type, const char *encoding, PyObject *object,
                  Py_ssize_t start, Py_ssize_t end, const char *reason)
{
    PyObject *items[5] = {PyUnicode_FromString(encoding), object,
                          PyLong_FromSsize_t(start), PyLong_FromSsize_t(end),
                          PyUnicode_FromString(reason)};
    PyObject *args = NULL, *error = NULL;
    if (items[0] != NULL && items[1] != NULL && items[2] != NULL && items[3] != NULL &&
        items[4] != NULL) {
        args = PyTuple_FromArray(items, 5);
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(items); i++) {
        Py_XDECREF(items[i]);
    }
    if (args != NULL) {
        error = PyObject_Call(type, args, NULL);
        Py_DECREF(args);
    }
    if (error != NULL) {
        PyErr_SetRaisedException(error);
    }
}

/* --- decoding ------------------------------------------------------------------------------------------ */

/* The slow way, from the first defect on. */
static PyObject *
decode_with_policy(const char *s, Py_ssize_t size, enum codec_policy policy)
{
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size);
    if (writer == NULL) {
        return NULL;
    }
    while (size > 0) {
        Py_ssize_t length, bad = 0, good = ouro_utf8_scan(s, size, &length);
        if (PyUnicodeWriter_WriteUTF8(writer, s, good) < 0) {
            goto undo_writer;
        }
        if (good < size) {
            ouro_utf8_defect(s + good, size - good, &bad);
            if (policy == CODEC_REPLACE &&
                PyUnicodeWriter_WriteChar(writer, 0xFFFD) < 0) {
                goto undo_writer;
            }
        }
        s += good + bad;
        size -= good + bad;
    }
    return PyUnicodeWriter_Finish(writer);

undo_writer:
    PyUnicodeWriter_Discard(writer);
    return NULL;
}

PyObject *
PyUnicode_DecodeUTF8(const char *s, Py_ssize_t size, const char *errors)
{
    Py_ssize_t length, good = ouro_utf8_scan(s, size, &length);
    if (good == size) {
        return ouro_str_new(s, size, length);
    }
    enum codec_policy policy = codec_policy_of(errors);
    if (policy == CODEC_UNKNOWN) {
        return NULL;
    }
    if (policy != CODEC_STRICT) {
        return decode_with_policy(s, size, policy);
    }
    Py_ssize_t bad;
    const char *reason = ouro_utf8_defect(s + good, size - good, &bad);
    raise_codec_error(PyExc_UnicodeDecodeError, "utf-8",
                      PyBytes_FromStringAndSize(s, size), good, good + bad, reason);
    return NULL;
}

PyObject *
PyUnicode_DecodeASCII(const char *s, Py_ssize_t size, const char *errors)
{
    enum codec_policy policy = codec_policy_of(errors);
    if (policy == CODEC_UNKNOWN) {
        return NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size);
    for (Py_ssize_t i = 0; writer != NULL && i < size; i++) {
        unsigned char c = (unsigned char)s[i];
        int failed = 0;
        if (c < 0x80) {
            failed = PyUnicodeWriter_WriteChar(writer, c);
        } else if (policy == CODEC_REPLACE) {
            failed = PyUnicodeWriter_WriteChar(writer, 0xFFFD);
        } else if (policy == CODEC_STRICT) {
            raise_codec_error(PyExc_UnicodeDecodeError, "ascii",
                              PyBytes_FromStringAndSize(s, size), i, i + 1,
                              "ordinal not in range(128)");
            failed = -1;
        }
        if (failed < 0) {
            PyUnicodeWriter_Discard(writer);
            return NULL;
        }
    }
    return writer == NULL ? NULL : PyUnicodeWriter_Finish(writer);
}

PyObject *
PyUnicode_DecodeLatin1(const char *s, Py_ssize_t size, const char *Py_UNUSED(errors))
{
    return PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, s, size);
}

/* --- names of encodings ---------------------------------------------------------------------------------- */

enum codec { CODEC_UTF8, CODEC_ASCII, CODEC_LATIN1, CODEC_NONE };

/* "UTF_8" names the same as "utf-8". */
static bool
encoding_is(const char *name, const char *wanted)
{
    for (; *name != '\0' && *wanted != '\0'; name++, wanted++) {
        char c = *name == '_' || *name == ' ' ? '-' : *name;
        c = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
        if (c != *wanted) {
            return false;
        }
    }
    return *name == *wanted;
}

static enum codec
codec_of(const char *encoding)
{
    static const struct {
        const char *name;
        enum codec codec;
    } known[] = {
        {"utf-8", CODEC_UTF8},        {"utf8", CODEC_UTF8},
        {"ascii", CODEC_ASCII},       {"us-ascii", CODEC_ASCII},
        {"latin-1", CODEC_LATIN1},    {"latin1", CODEC_LATIN1},
        {"iso-8859-1", CODEC_LATIN1}, {"iso8859-1", CODEC_LATIN1},
    };
    if (encoding == NULL) {
        return CODEC_UTF8;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(known); i++) {
        if (encoding_is(encoding, known[i].name)) {
            return known[i].codec;
        }
    }
    PyErr_Format(PyExc_LookupError, "unknown encoding: %.400s", encoding);
    return CODEC_NONE;
}

PyObject *
PyUnicode_Decode(const char *s, Py_ssize_t size, const char *encoding, const char *errors)
{
    switch (codec_of(encoding)) {
    case CODEC_UTF8:
        return PyUnicode_DecodeUTF8(s, size, errors);
    case CODEC_ASCII:
        return PyUnicode_DecodeASCII(s, size, errors);
    case CODEC_LATIN1:
        return PyUnicode_DecodeLatin1(s, size, errors);
    default:
        return NULL;
    }
}

PyObject *
PyUnicode_FromEncodedObject(PyObject *obj, const char *encoding, const char *errors)
{
    if (PyBytes_Check(obj)) {
        return PyUnicode_Decode(PyBytes_AS_STRING(obj), PyBytes_GET_SIZE(obj), encoding,
                                errors);
    }
    if (PyUnicode_Check(obj)) {
        PyErr_SetString(PyExc_TypeError, "decoding str is not supported");
        return NULL;
    }
    return PyErr_Format(PyExc_TypeError,
                        "decoding to str: need a bytes-like object, %.80s found",
                        Py_TYPE(obj)->tp_name);
}

/* --- encoding ---------------------------------------------------------------------------------------------- */

const char *
PyUnicode_AsUTF8AndSize(PyObject *unicode, Py_ssize_t *size)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        if (size != NULL) {
            *size = -1;
        }
        return NULL;
    }
    if (size != NULL) {
        *size = ouro_str(unicode)->size;
    }
    return ouro_str(unicode)->utf8;
}

const char *
PyUnicode_AsUTF8(PyObject *unicode)
{
    return PyUnicode_AsUTF8AndSize(unicode, NULL);
}

/* One byte for each character below `limit`. */
static PyObject *
encode_narrow(PyObject *unicode, const char *encoding, Py_UCS4 limit, const char *errors)
{
    enum codec_policy policy = codec_policy_of(errors);
    if (policy == CODEC_UNKNOWN) {
        return NULL;
    }
    PyUnicodeObject *u = ouro_str(unicode);
    PyObject *result = PyBytes_FromStringAndSize(NULL, u->length);
    if (result == NULL) {
        return NULL;
    }
    const char *p = u->utf8;
    char *to = PyBytes_AS_STRING(result);
    for (Py_ssize_t i = 0; i < u->length; i++) {
        Py_UCS4 ch = ouro_utf8_next(&p);
        if (ch < limit) {
            *to++ = (char)ch;
        } else if (policy == CODEC_REPLACE) {
            *to++ = '?';
        } else if (policy == CODEC_STRICT) {
            Py_DECREF(result);
            raise_codec_error(
                PyExc_UnicodeEncodeError, encoding, Py_NewRef(unicode), i, i + 1,
                limit == 128 ? "ordinal not in range(128)" : "ordinal not in range(256)");
            return NULL;
        }
    }
    Py_ssize_t written = to - PyBytes_AS_STRING(result);
    if (written < u->length) {
        _PyBytes_Resize(&result, written);
    }
    return result;
}

PyObject *
PyUnicode_AsEncodedString(PyObject *unicode, const char *encoding, const char *errors)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return NULL;
    }
    switch (codec_of(encoding)) {
    case CODEC_UTF8:
        return PyBytes_FromStringAndSize(ouro_str(unicode)->utf8,
                                         ouro_str(unicode)->size);
    case CODEC_ASCII:
        return encode_narrow(unicode, "ascii", 128, errors);
    case CODEC_LATIN1:
        return encode_narrow(unicode, "latin-1", 256, errors);
    default:
        return NULL;
    }
}

PyObject *
PyUnicode_AsUTF8String(PyObject *unicode)
{
    return PyUnicode_AsEncodedString(unicode, "utf-8", NULL);
}

PyObject *
PyUnicode_AsASCIIString(PyObject *unicode)
{
    return PyUnicode_AsEncodedString(unicode, "ascii", NULL);
}

PyObject *
PyUnicode_AsLatin1String(PyObject *unicode)
{
    return PyUnicode_AsEncodedString(unicode, "latin-1", NULL);
}

/* --- as arrays of code points ------------------------------------------------------------------------------ */

Py_UCS4 *
PyUnicode_AsUCS4(PyObject *unicode, Py_UCS4 *buffer, Py_ssize_t buflen, int copy_null)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return NULL;
    }
    PyUnicodeObject *u = ouro_str(unicode);
    if (buffer == NULL || buflen < u->length + (copy_null != 0)) {
        PyErr_SetString(PyExc_SystemError, "string is longer than the buffer");
        return NULL;
    }
    const char *p = u->utf8;
    for (Py_ssize_t i = 0; i < u->length; i++) {
        buffer[i] = ouro_utf8_next(&p);
    }
    if (copy_null) {
        buffer[u->length] = 0;
    }
    return buffer;
}

Py_UCS4 *
PyUnicode_AsUCS4Copy(PyObject *unicode)
{
    Py_ssize_t length = PyUnicode_GetLength(unicode);
    if (length < 0) {
        return NULL;
    }
    Py_UCS4 *buffer = PyMem_New(Py_UCS4, length + 1);
    if (buffer == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    return PyUnicode_AsUCS4(unicode, buffer, length + 1, 1);
}

Py_ssize_t
PyUnicode_AsWideChar(PyObject *unicode, wchar_t *wstr, Py_ssize_t size)
{
    Py_ssize_t length = PyUnicode_GetLength(unicode);
    if (length < 0) {
        return -1;
    }
    if (wstr == NULL) {
        return length + 1;
    }
    const char *p = ouro_str(unicode)->utf8;
    Py_ssize_t count = length < size ? length : size;
    for (Py_ssize_t i = 0; i < count; i++) {
        wstr[i] = (wchar_t)ouro_utf8_next(&p);
    }
    if (count < size) {
        wstr[count] = 0;
    }
    return count;
}

wchar_t *
PyUnicode_AsWideCharString(PyObject *unicode, Py_ssize_t *size)
{
    Py_ssize_t length = PyUnicode_GetLength(unicode);
    if (length < 0) {
        return NULL;
    }
    if (size == NULL &&
        memchr(ouro_str(unicode)->utf8, 0, (size_t)ouro_str(unicode)->size)) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return NULL;
    }
    wchar_t *buffer = PyMem_New(wchar_t, length + 1);
    if (buffer == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    PyUnicode_AsWideChar(unicode, buffer, length + 1);
    if (size != NULL) {
        *size = length;
    }
    return buffer;
}
