/* SPDX-License-Identifier: MIT */
/* Encoding: a str as bytes, as UTF-8 that it keeps, and as arrays of code points. */
#include "str_codec.h"

/* --- as UTF-8 ------------------------------------------------------------------------------------ */

/* Where the first lone surrogate is, and how many follow each other. */
static Py_ssize_t
first_surrogates(PyObject *str, Py_ssize_t *count)
{
    struct str_reader r = ouro_str_reader(str);
    Py_ssize_t start = 0;
    while (!Py_UNICODE_IS_SURROGATE(ouro_str_at(&r, start))) {
        start++;
    }
    Py_ssize_t end = start + 1;
    while (end < r.length && Py_UNICODE_IS_SURROGATE(ouro_str_at(&r, end))) {
        end++;
    }
    *count = end - start;
    return start;
}

const char *
PyUnicode_AsUTF8AndSize(PyObject *unicode, Py_ssize_t *size)
{
    struct text_range text = {NULL, NULL};
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
    } else {
        text = ouro_str_utf8(unicode);
    }
    if (text.start != NULL && !PyUnicode_IS_ASCII(unicode) &&
        ouro_str_compact(unicode)->utf8_length < 0) {
        Py_ssize_t count, start = first_surrogates(unicode, &count);
        ouro_codec_raise(PyExc_UnicodeEncodeError, "utf-8", Py_NewRef(unicode), start,
                         start + count, "surrogates not allowed");
        text.start = NULL;
    }
    if (size != NULL) {
        *size = text.start == NULL ? -1 : ouro_text_size(text);
    }
    return text.start;
}

const char *
PyUnicode_AsUTF8(PyObject *unicode)
{
    return PyUnicode_AsUTF8AndSize(unicode, NULL);
}

/* --- in any encoding ------------------------------------------------------------------------------- */

struct encoder {
    const char *encoding, *reason; /* for messages */
    int unit;                      /* bytes: 1, 2, 4; 0 for UTF-8 */
    Py_UCS4 limit;                 /* of what fits into one byte */
    bool little;
    PyBytesWriter *writer;
};

static bool
encoder_takes(const struct encoder *e, Py_UCS4 ch)
{
    return e->unit == 1 ? ch < e->limit : !Py_UNICODE_IS_SURROGATE(ch);
}

static int
write_unit(const struct encoder *e, Py_UCS4 value)
{
    char bytes[4];
    for (int i = 0; i < e->unit; i++) {
        bytes[e->little ? i : e->unit - 1 - i] = (char)(value >> (8 * i));
    }
    return PyBytesWriter_WriteBytes(e->writer, bytes, e->unit);
}

static int
encode_character(const struct encoder *e, Py_UCS4 ch)
{
    char utf8[4];
    if (e->unit == 0) {
        return PyBytesWriter_WriteBytes(e->writer, utf8, ouro_utf8_put(utf8, ch));
    }
    if (e->unit != 2 || ch < 0x10000) {
        return write_unit(e, ch);
    }
    return write_unit(e, Py_UNICODE_HIGH_SURROGATE(ch)) < 0
               ? -1
               : write_unit(e, Py_UNICODE_LOW_SURROGATE(ch));
}

static int
encode_text(const struct encoder *e, const char *ascii)
{
    int failed = 0;
    for (; failed == 0 && *ascii != '\0'; ascii++) {
        failed = encode_character(e, (unsigned char)*ascii);
    }
    return failed;
}

/* Does the policy know what to do with this very character? */
static bool
policy_helps(const struct encoder *e, enum codec_policy policy, Py_UCS4 ch)
{
    switch (policy) {
    case CODEC_ESCAPE:
        return e->unit < 2 && ch >= 0xDC80 && ch <= 0xDCFF;
    case CODEC_PASS:
        return e->unit != 1 && Py_UNICODE_IS_SURROGATE(ch);
    default:
        return policy != CODEC_STRICT;
    }
}

/* Write what a policy has instead of a character that does not fit. */
static int
write_substitute(const struct encoder *e, Py_UCS4 ch, enum codec_policy policy)
{
    char text[16] = "?";
    switch (policy) {
    case CODEC_BACKSLASH:
        snprintf(text, sizeof text,
                 ch < 0x100     ? "\\x%02x"
                 : ch < 0x10000 ? "\\u%04x"
                                : "\\U%08x",
                 (unsigned)ch);
        return encode_text(e, text);
    case CODEC_XML:
        snprintf(text, sizeof text, "&#%u;", (unsigned)ch);
        return encode_text(e, text);
    case CODEC_REPLACE:
        return encode_text(e, text);
    case CODEC_ESCAPE:
        text[0] = (char)(ch - 0xDC00);
        return PyBytesWriter_WriteBytes(e->writer, text, 1);
    case CODEC_PASS:
        return encode_character(e, ch);
    default:
        return 0;
    }
}

/* Write what a handler returned: bytes as they are, text if all of it fits. */
static int
write_returned(const struct encoder *e, PyObject *value)
{
    if (PyBytes_Check(value)) {
        return PyBytesWriter_WriteBytes(e->writer, PyBytes_AS_STRING(value),
                                        PyBytes_GET_SIZE(value));
    }
    if (!PyUnicode_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "encoding error handler must return (str/bytes, "
                                         "int) tuple");
        return -1;
    }
    struct str_reader r = ouro_str_reader(value);
    int failed = 0;
    for (Py_ssize_t i = 0; failed == 0 && i < r.length; i++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        failed = encoder_takes(e, ch) ? encode_character(e, ch) : 1;
    }
    return failed;
}

/* Let a registered handler deal with it. Where to go on; or -1 with an exception. */
static Py_ssize_t
call_encode_handler(const struct encoder *e, PyObject *str, Py_ssize_t start,
                    Py_ssize_t end, const char *errors)
{
    Py_ssize_t next = -1;
    PyObject *exc = PyObject_CallFunction(PyExc_UnicodeEncodeError, "sOnns", e->encoding,
                                          str, start, end, e->reason);
    PyObject *value =
        exc == NULL
            ? NULL
            : ouro_codec_call_handler(errors, exc, PyUnicode_GET_LENGTH(str), &next);
    int failed = value == NULL ? -1 : write_returned(e, value);
    if (failed > 0) { /* what it returned does not fit, either */
        PyCodec_StrictErrors(exc);
    }
    Py_XDECREF(value);
    Py_XDECREF(exc);
    return failed == 0 ? next : -1;
}

/* Deal with the characters from `start` to `end` that do not fit, all in one. Where to go on;
 * or -1 with an exception. */
static Py_ssize_t
substitute_run(const struct encoder *e, PyObject *str, Py_ssize_t start, Py_ssize_t end,
               const char *errors)
{
    enum codec_policy policy = ouro_codec_policy(errors);
    if (policy == CODEC_UNKNOWN) {
        return -1;
    }
    if (policy == CODEC_CALL) {
        return call_encode_handler(e, str, start, end, errors);
    }
    for (Py_ssize_t i = start; i < end; i++) {
        Py_UCS4 ch = PyUnicode_READ_CHAR(str, i);
        if (!policy_helps(e, policy, ch)) {
            ouro_codec_raise(PyExc_UnicodeEncodeError, e->encoding, Py_NewRef(str), start,
                             end, e->reason);
            return -1;
        }
        if (write_substitute(e, ch, policy) < 0) {
            return -1;
        }
    }
    return end;
}

static int
encode_all(const struct encoder *e, PyObject *str, const char *errors)
{
    struct str_reader r = ouro_str_reader(str);
    for (Py_ssize_t i = 0; i < r.length;) {
        Py_ssize_t end = i;
        while (end < r.length && !encoder_takes(e, ouro_str_at(&r, end))) {
            end++;
        }
        if (end > i) {
            i = substitute_run(e, str, i, end, errors);
        } else {
            i = encode_character(e, ouro_str_at(&r, i)) < 0 ? -1 : i + 1;
        }
        if (i < 0) {
            return -1;
        }
    }
    return 0;
}

/* `mark`: begin with the mark that tells the order of bytes. */
static PyObject *
encode_str(struct encoder *e, PyObject *str, bool mark, const char *errors)
{
    e->writer = PyBytesWriter_Create(0);
    if (e->writer == NULL) {
        return NULL;
    }
    if ((mark && write_unit(e, 0xFEFF) < 0) || encode_all(e, str, errors) < 0) {
        PyBytesWriter_Discard(e->writer);
        return NULL;
    }
    return PyBytesWriter_Finish(e->writer);
}

static PyObject *
encode_narrow(PyObject *str, const char *encoding, Py_UCS4 limit, const char *errors)
{
    if (PyUnicode_MAX_CHAR_VALUE(str) < limit) {
        return PyBytes_FromStringAndSize(PyUnicode_DATA(str), PyUnicode_GET_LENGTH(str));
    }
    struct encoder e = {.encoding = encoding, .unit = 1, .limit = limit};
    e.reason = limit == 128 ? "ordinal not in range(128)" : "ordinal not in range(256)";
    return encode_str(&e, str, false, errors);
}

/* UTF-8 that the str has already, or ASCII, is copied; else nothing is kept with the str. */
static PyObject *
encode_utf8(PyObject *str, const char *errors)
{
    struct encoder e = {.encoding = "utf-8", .reason = "surrogates not allowed"};
    if (PyUnicode_IS_ASCII(str) || (ouro_str_compact(str)->utf8 != NULL &&
                                    ouro_str_compact(str)->utf8_length >= 0)) {
        struct text_range text = ouro_str_utf8(str);
        return PyBytes_FromStringAndSize(text.start, ouro_text_size(text));
    }
    return encode_str(&e, str, false, errors);
}

/* In units of two or four bytes: with a mark in the order of the machine when `order` is 0,
 * without one when it is -1 (least significant first) or 1. */
static PyObject *
encode_wide(PyObject *str, int unit, int order, const char *errors)
{
    struct encoder e = {.unit = unit, .reason = "surrogates not allowed"};
    e.little = order == 0 ? __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ : order < 0;
    e.encoding = unit == 2 ? (order == 0 ? "utf-16"
                              : e.little ? "utf-16-le"
                                         : "utf-16-be")
                           : (order == 0 ? "utf-32"
                              : e.little ? "utf-32-le"
                                         : "utf-32-be");
    return encode_str(&e, str, order == 0, errors);
}

PyObject *
PyUnicode_AsEncodedString(PyObject *unicode, const char *encoding, const char *errors)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return NULL;
    }
    switch (ouro_codec_of(encoding)) {
    case CODEC_UTF8:
        return encode_utf8(unicode, errors);
    case CODEC_ASCII:
        return encode_narrow(unicode, "ascii", 128, errors);
    case CODEC_LATIN1:
        return encode_narrow(unicode, "latin-1", 256, errors);
    case CODEC_UTF16:
        return encode_wide(unicode, 2, 0, errors);
    case CODEC_UTF16_LE:
        return encode_wide(unicode, 2, -1, errors);
    case CODEC_UTF16_BE:
        return encode_wide(unicode, 2, 1, errors);
    case CODEC_UTF32:
        return encode_wide(unicode, 4, 0, errors);
    case CODEC_UTF32_LE:
        return encode_wide(unicode, 4, -1, errors);
    case CODEC_UTF32_BE:
        return encode_wide(unicode, 4, 1, errors);
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

PyObject *
PyUnicode_AsUTF16String(PyObject *unicode)
{
    return PyUnicode_AsEncodedString(unicode, "utf-16", NULL);
}

PyObject *
PyUnicode_AsUTF32String(PyObject *unicode)
{
    return PyUnicode_AsEncodedString(unicode, "utf-32", NULL);
}

/* --- as arrays of code points ------------------------------------------------------------------------------ */

Py_UCS4 *
PyUnicode_AsUCS4(PyObject *unicode, Py_UCS4 *buffer, Py_ssize_t buflen, int copy_null)
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return NULL;
    }
    struct str_reader r = ouro_str_reader(unicode);
    if (buffer == NULL || buflen < r.length + (copy_null != 0)) {
        PyErr_SetString(PyExc_SystemError, "string is longer than the buffer");
        return NULL;
    }
    ouro_str_copy_data(4, buffer, r.kind, r.data, r.length);
    if (copy_null) {
        buffer[r.length] = 0;
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
    if (unicode == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    Py_ssize_t length = PyUnicode_GetLength(unicode);
    if (length < 0) {
        return -1;
    }
    if (wstr == NULL) {
        return length + 1;
    }
    Py_ssize_t count = Py_MIN(length, size);
    ouro_str_copy_data(sizeof(wchar_t), wstr, PyUnicode_KIND(unicode),
                       PyUnicode_DATA(unicode), count);
    if (count < size) {
        wstr[count] = 0;
    }
    return count;
}

wchar_t *
PyUnicode_AsWideCharString(PyObject *unicode, Py_ssize_t *size)
{
    Py_ssize_t length = PyUnicode_AsWideChar(unicode, NULL, 0) - 1; /* -2 on failure */
    if (length < 0) {
        return NULL;
    }
    if (size == NULL && PyUnicode_FindChar(unicode, 0, 0, length, 1) >= 0) {
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
