/* SPDX-License-Identifier: MIT */
/* Decoding: UTF-8, ASCII and Latin-1; the table of all encodings. str_wide.c decodes UTF-16
 * and UTF-32, str_encode.c encodes. */
#include "str_codec.h"

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

/* The length of a character of two bytes, or of three where the second may be any continuation:
 * nearly all of them. 0 for all others, which valid_character() looks at. */
static inline Py_ssize_t
common_character(const unsigned char *s, Py_ssize_t size)
{
    if (s[0] >= 0xC2 && s[0] < 0xE0) {
        return size >= 2 && (s[1] & 0xC0) == 0x80 ? 2 : 0;
    }
    return s[0] > 0xE0 && s[0] < 0xED && size >= 3 && (s[1] & 0xC0) == 0x80 &&
                   (s[2] & 0xC0) == 0x80
               ? 3
               : 0;
}

/* How many bytes of ASCII there are, in groups of eight. */
static inline Py_ssize_t
ascii_words(const char *s, Py_ssize_t size)
{
    Py_ssize_t i = 0;
    for (uint64_t word; size - i >= 8; i += 8) {
        memcpy(&word, s + i, 8);
        if ((word & 0x8080808080808080u) != 0) {
            break;
        }
    }
    return i;
}

Py_ssize_t
ouro_utf8_scan(const char *s, Py_ssize_t size, Py_ssize_t *length)
{
    Py_ssize_t i = 0, count = 0;
    for (;;) {
        Py_ssize_t ascii = ascii_words(s + i, size - i);
        i += ascii;
        count += ascii;
        if (i == size) {
            break;
        }
        const unsigned char *next = (const unsigned char *)s + i;
        Py_ssize_t step = common_character(next, size - i);
        step = step == 0 ? valid_character(next, size - i) : step;
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

/* --- errors ------------------------------------------------------------------------------------------ */

enum codec_policy
ouro_codec_policy(const char *errors)
{
    static const struct {
        const char *name;
        enum codec_policy policy;
    } known[] = {
        {"strict", CODEC_STRICT},         {"replace", CODEC_REPLACE},
        {"ignore", CODEC_IGNORE},         {"backslashreplace", CODEC_BACKSLASH},
        {"xmlcharrefreplace", CODEC_XML}, {"surrogateescape", CODEC_ESCAPE},
        {"surrogatepass", CODEC_PASS},
    };
    if (errors == NULL) {
        return CODEC_STRICT;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(known); i++) {
        if (strcmp(errors, known[i].name) == 0) {
            return known[i].policy;
        }
    }
    PyObject *handler = PyCodec_LookupError(errors);
    Py_XDECREF(handler);
    return handler == NULL ? CODEC_UNKNOWN : CODEC_CALL;
}

void
ouro_codec_raise(PyObject *type, const char *encoding, PyObject *object, Py_ssize_t start,
                 Py_ssize_t end, const char *reason)
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

/* Let a registered handler deal with it. Where to go on; or -1 with an exception. */
static Py_ssize_t
call_decode_handler(PyUnicodeWriter *writer, PyObject *exc, Py_ssize_t size,
                    const char *errors)
{
    Py_ssize_t next = -1;
    PyObject *text =
        exc == NULL ? NULL : ouro_codec_call_handler(errors, exc, size, &next);
    if (text != NULL && !PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "decoding error handler must return (str, int) "
                                         "tuple");
        Py_CLEAR(text);
    }
    int failed = text == NULL ? -1 : ouro_writer_put_str(writer, text);
    Py_XDECREF(text);
    Py_XDECREF(exc);
    return failed < 0 ? -1 : next;
}

/* Write what a policy has instead of bytes. */
static int
write_for_bytes(PyUnicodeWriter *writer, const char *s, Py_ssize_t start, Py_ssize_t end,
                enum codec_policy policy)
{
    int failed = 0;
    if (policy == CODEC_REPLACE) {
        return PyUnicodeWriter_WriteChar(writer, 0xFFFD);
    }
    for (; failed == 0 && policy != CODEC_IGNORE && start < end; start++) {
        unsigned char byte = (unsigned char)s[start];
        failed = policy == CODEC_ESCAPE ? PyUnicodeWriter_WriteChar(writer, 0xDC00 + byte)
                                        : PyUnicodeWriter_Format(writer, "\\x%02x", byte);
    }
    return failed;
}

Py_ssize_t
ouro_codec_bad_bytes(PyUnicodeWriter *writer, const char *encoding, const char *s,
                     Py_ssize_t size, Py_ssize_t start, Py_ssize_t end,
                     const char *reason, const char *errors)
{
    enum codec_policy policy = ouro_codec_policy(errors);
    switch (policy) {
    case CODEC_STRICT:
    case CODEC_PASS: /* what it lets through was dealt with before */
        ouro_codec_raise(PyExc_UnicodeDecodeError, encoding,
                         PyBytes_FromStringAndSize(s, size), start, end, reason);
        return -1;
    case CODEC_CALL:
        return call_decode_handler(
            writer, PyUnicodeDecodeError_Create(encoding, s, size, start, end, reason),
            size, errors);
    case CODEC_XML:
        PyErr_SetString(PyExc_TypeError, "don't know how to handle UnicodeDecodeError in "
                                         "error callback");
        return -1;
    case CODEC_UNKNOWN:
        return -1;
    default:
        return write_for_bytes(writer, s, start, end, policy) < 0 ? -1 : end;
    }
}

/* Is there a surrogate at `s`, and does the policy let it through? */
static bool
is_passed_surrogate(const char *s, Py_ssize_t size, const char *errors)
{
    const unsigned char *p = (const unsigned char *)s;
    return size >= 3 && p[0] == 0xED && p[1] >= 0xA0 && p[1] <= 0xBF && p[2] >= 0x80 &&
           p[2] <= 0xBF && errors != NULL && strcmp(errors, "surrogatepass") == 0;
}

/* Write what `s` means up to *consumed bytes; an incomplete character at the end is left
 * over if that is not NULL. */
static int
write_utf8(PyUnicodeWriter *writer, const char *s, Py_ssize_t size, const char *errors,
           Py_ssize_t *consumed)
{
    Py_ssize_t at = 0;
    while (at < size) {
        Py_ssize_t length, bad = 0, good = ouro_utf8_scan(s + at, size - at, &length);
        if (PyUnicodeWriter_WriteUTF8(writer, s + at, good) < 0) {
            return -1;
        }
        at += good;
        if (at == size) {
            break;
        }
        if (is_passed_surrogate(s + at, size - at, errors)) {
            if (ouro_writer_put(writer, (struct text_range){s + at, s + at + 3}) < 0) {
                return -1;
            }
            at += 3;
            continue;
        }
        const char *reason = ouro_utf8_defect(s + at, size - at, &bad);
        if (consumed != NULL && at + bad == size &&
            strcmp(reason, "unexpected end of data") == 0) {
            break;
        }
        at = ouro_codec_bad_bytes(writer, "utf-8", s, size, at, at + bad, reason, errors);
        if (at < 0) {
            return -1;
        }
    }
    if (consumed != NULL) {
        *consumed = at;
    }
    return 0;
}

PyObject *
PyUnicode_DecodeUTF8Stateful(const char *s, Py_ssize_t size, const char *errors,
                             Py_ssize_t *consumed)
{
    Py_ssize_t length;
    if (ouro_utf8_scan(s, size, &length) == size) {
        if (consumed != NULL) {
            *consumed = size;
        }
        return ouro_str_new(s, size, length);
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size);
    if (writer != NULL && write_utf8(writer, s, size, errors, consumed) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return writer == NULL ? NULL : PyUnicodeWriter_Finish(writer);
}

PyObject *
PyUnicode_DecodeUTF8(const char *s, Py_ssize_t size, const char *errors)
{
    return PyUnicode_DecodeUTF8Stateful(s, size, errors, NULL);
}

PyObject *
PyUnicode_DecodeASCII(const char *s, Py_ssize_t size, const char *errors)
{
    Py_ssize_t length;
    if (ouro_utf8_scan(s, size, &length) == size && length == size) {
        return ouro_str_new(s, size, size);
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(size);
    for (Py_ssize_t i = 0; writer != NULL && i < size;) {
        unsigned char c = (unsigned char)s[i];
        if (c >= 0x80) {
            i = ouro_codec_bad_bytes(writer, "ascii", s, size, i, i + 1,
                                     "ordinal not in range(128)", errors);
        } else {
            i = PyUnicodeWriter_WriteChar(writer, c) < 0 ? -1 : i + 1;
        }
        if (i < 0) {
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

enum codec
ouro_codec_of(const char *encoding)
{
    static const struct {
        const char *name;
        enum codec codec;
    } known[] = {
        {"utf-8", CODEC_UTF8},         {"utf8", CODEC_UTF8},
        {"ascii", CODEC_ASCII},        {"us-ascii", CODEC_ASCII},
        {"latin-1", CODEC_LATIN1},     {"latin1", CODEC_LATIN1},
        {"iso-8859-1", CODEC_LATIN1},  {"iso8859-1", CODEC_LATIN1},
        {"utf-16", CODEC_UTF16},       {"utf16", CODEC_UTF16},
        {"utf-16-le", CODEC_UTF16_LE}, {"utf-16le", CODEC_UTF16_LE},
        {"utf-16-be", CODEC_UTF16_BE}, {"utf-16be", CODEC_UTF16_BE},
        {"utf-32", CODEC_UTF32},       {"utf32", CODEC_UTF32},
        {"utf-32-le", CODEC_UTF32_LE}, {"utf-32le", CODEC_UTF32_LE},
        {"utf-32-be", CODEC_UTF32_BE}, {"utf-32be", CODEC_UTF32_BE},
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
    int little = -1, big = 1;
    switch (ouro_codec_of(encoding)) {
    case CODEC_UTF8:
        return PyUnicode_DecodeUTF8(s, size, errors);
    case CODEC_ASCII:
        return PyUnicode_DecodeASCII(s, size, errors);
    case CODEC_LATIN1:
        return PyUnicode_DecodeLatin1(s, size, errors);
    case CODEC_UTF16:
        return PyUnicode_DecodeUTF16(s, size, errors, NULL);
    case CODEC_UTF16_LE:
        return PyUnicode_DecodeUTF16(s, size, errors, &little);
    case CODEC_UTF16_BE:
        return PyUnicode_DecodeUTF16(s, size, errors, &big);
    case CODEC_UTF32:
        return PyUnicode_DecodeUTF32(s, size, errors, NULL);
    case CODEC_UTF32_LE:
        return PyUnicode_DecodeUTF32(s, size, errors, &little);
    case CODEC_UTF32_BE:
        return PyUnicode_DecodeUTF32(s, size, errors, &big);
    default:
        return NULL;
    }
}

PyObject *
PyUnicode_FromEncodedObject(PyObject *obj, const char *encoding, const char *errors)
{
    if (PyObject_CheckBuffer(obj)) {
        Py_buffer view;
        if (PyObject_GetBuffer(obj, &view, PyBUF_SIMPLE) < 0) {
            return NULL;
        }
        PyObject *result = PyUnicode_Decode(view.buf, view.len, encoding, errors);
        PyBuffer_Release(&view);
        return result;
    }
    if (PyUnicode_Check(obj)) {
        PyErr_SetString(PyExc_TypeError, "decoding str is not supported");
        return NULL;
    }
    return PyErr_Format(PyExc_TypeError,
                        "decoding to str: need a bytes-like object, %.80s found",
                        Py_TYPE(obj)->tp_name);
}

/* --- names of files: UTF-8 ---------------------------------------------------------------------------------- */

const char *
PyUnicode_GetDefaultEncoding(void)
{
    return "utf-8";
}

PyObject *
PyUnicode_DecodeFSDefaultAndSize(const char *s, Py_ssize_t size)
{
    return PyUnicode_DecodeUTF8(s, size, "surrogateescape");
}

PyObject *
PyUnicode_DecodeFSDefault(const char *s)
{
    return PyUnicode_DecodeFSDefaultAndSize(s, (Py_ssize_t)strlen(s));
}

PyObject *
PyUnicode_EncodeFSDefault(PyObject *unicode)
{
    return PyUnicode_AsEncodedString(unicode, "utf-8", "surrogateescape");
}
