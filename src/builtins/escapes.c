/* SPDX-License-Identifier: MIT */
/* Backslash escapes: the encodings unicode-escape and raw-unicode-escape, and the escapes of
 * bytes literals. Characters cannot be given by name: their names are a module of Python's. */
#include "str_codec.h"

/* --- what an escape means ------------------------------------------------------------------------- */

/* What stands for one character behind a backslash; -1 for all others. */
static int
simple_escape(char c)
{
    static const char letters[] = "\\'\"abfnrtv", meanings[] = "\\'\"\a\b\f\n\r\t\v";
    const char *found = c == '\0' ? NULL : strchr(letters, c);
    return found == NULL ? -1 : meanings[found - letters];
}

static int
escape_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Digits from `at` on, at most `most` of them; *at is moved behind the last. */
static Py_UCS4
read_escape_digits(const char *s, Py_ssize_t size, Py_ssize_t *at, int most, int base)
{
    Py_UCS4 value = 0;
    for (int i = 0; i < most && *at < size; i++, *at += 1) {
        int digit = escape_digit(s[*at]);
        if (digit < 0 || digit >= base) {
            break;
        }
        value = value * (Py_UCS4)base + (Py_UCS4)digit;
    }
    return value;
}

/* How many hexadecimal digits follow \x, \u and \U; 0 for all others. */
static int
digits_of(char letter)
{
    return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

/* The code point of \xXX, \uXXXX or \UXXXXXXXX, with the letter at *at, which is moved behind
 * it. NULL, or what is wrong. */
static const char *
read_escaped(const char *s, Py_ssize_t size, Py_ssize_t *at, Py_UCS4 *ch)
{
    char letter = s[*at];
    Py_ssize_t start = ++*at;
    *ch = read_escape_digits(s, size, at, digits_of(letter), 16);
    if (*at - start < digits_of(letter)) {
        return letter == 'x'   ? "truncated \\xXX escape"
               : letter == 'u' ? "truncated \\uXXXX escape"
                               : "truncated \\UXXXXXXXX escape";
    }
    return *ch > 0x10FFFF ? "illegal Unicode character" : NULL;
}

/* --- decoding ----------------------------------------------------------------------------------- */

struct escape_reader {
    PyUnicodeWriter *writer;
    const char *s, *errors;
    Py_ssize_t size;
};

static Py_ssize_t
bad_escape(const struct escape_reader *r, Py_ssize_t start, Py_ssize_t end,
           const char *reason)
{
    return ouro_codec_bad_bytes(r->writer, "unicodeescape", r->s, r->size, start, end,
                                reason, r->errors);
}

/* A backslash and the same letter again. */
static int
write_as_it_is(const struct escape_reader *r, char letter)
{
    return PyUnicodeWriter_WriteChar(r->writer, '\\') < 0
               ? -1
               : PyUnicodeWriter_WriteChar(r->writer, (unsigned char)letter);
}

/* The escape at `start`. Where to go on; or -1 with an exception. */
static Py_ssize_t
decode_escape(const struct escape_reader *r, Py_ssize_t start)
{
    Py_ssize_t at = start + 1;
    if (at == r->size) {
        return bad_escape(r, start, at, "\\ at end of string");
    }
    char letter = r->s[at];
    int simple = simple_escape(letter), failed = 0;
    if (simple >= 0 || letter == '\n') {
        failed = simple < 0 ? 0 : PyUnicodeWriter_WriteChar(r->writer, (Py_UCS4)simple);
        at++;
    } else if (letter >= '0' && letter <= '7') {
        failed = PyUnicodeWriter_WriteChar(r->writer,
                                           read_escape_digits(r->s, r->size, &at, 3, 8));
    } else if (digits_of(letter) > 0) {
        Py_UCS4 ch;
        const char *reason = read_escaped(r->s, r->size, &at, &ch);
        if (reason != NULL) {
            return bad_escape(r, start, at, reason);
        }
        failed = PyUnicodeWriter_WriteChar(r->writer, ch);
    } else if (letter == 'N') {
        return bad_escape(r, start, at + 1, "unknown Unicode character name");
    } else {
        failed = write_as_it_is(r, letter);
        at++;
    }
    return failed < 0 ? -1 : at;
}

/* The same where only \u and \U mean anything. */
static Py_ssize_t
decode_raw_escape(const struct escape_reader *r, Py_ssize_t start)
{
    Py_ssize_t at = start + 1;
    if (at == r->size) {
        return PyUnicodeWriter_WriteChar(r->writer, '\\') < 0 ? -1 : at;
    }
    char letter = r->s[at];
    if (letter != 'u' && letter != 'U') {
        return write_as_it_is(r, letter) < 0 ? -1 : at + 1;
    }
    Py_UCS4 ch;
    const char *reason = read_escaped(r->s, r->size, &at, &ch);
    if (reason != NULL) {
        return ouro_codec_bad_bytes(r->writer, "rawunicodeescape", r->s, r->size, start,
                                    at, reason, r->errors);
    }
    return PyUnicodeWriter_WriteChar(r->writer, ch) < 0 ? -1 : at;
}

static PyObject *
decode_escapes(const char *s, Py_ssize_t size, const char *errors,
               Py_ssize_t (*escape)(const struct escape_reader *, Py_ssize_t))
{
    struct escape_reader r = {PyUnicodeWriter_Create(size), s, errors, size};
    for (Py_ssize_t at = 0; r.writer != NULL && at < size;) {
        if (s[at] == '\\') {
            at = escape(&r, at);
        } else {
            unsigned char c = (unsigned char)s[at];
            at = PyUnicodeWriter_WriteChar(r.writer, c) < 0 ? -1 : at + 1;
        }
        if (at < 0) {
            PyUnicodeWriter_Discard(r.writer);
            return NULL;
        }
    }
    return r.writer == NULL ? NULL : PyUnicodeWriter_Finish(r.writer);
}

PyObject *
PyUnicode_DecodeUnicodeEscape(const char *s, Py_ssize_t size, const char *errors)
{
    return decode_escapes(s, size, errors, decode_escape);
}

PyObject *
PyUnicode_DecodeRawUnicodeEscape(const char *s, Py_ssize_t size, const char *errors)
{
    return decode_escapes(s, size, errors, decode_raw_escape);
}

/* --- encoding ----------------------------------------------------------------------------------- */

/* A character as unicode-escape writes it; the length. */
static int
escape_character(Py_UCS4 ch, char *out, size_t size)
{
    const char *short_form = ch == '\t'   ? "\\t"
                             : ch == '\n' ? "\\n"
                             : ch == '\r' ? "\\r"
                             : ch == '\\' ? "\\\\"
                                          : NULL;
    return short_form != NULL        ? snprintf(out, size, "%s", short_form)
           : ch >= 0x20 && ch < 0x7F ? snprintf(out, size, "%c", (char)ch)
           : ch < 0x100              ? snprintf(out, size, "\\x%02x", (unsigned)ch)
           : ch < 0x10000            ? snprintf(out, size, "\\u%04x", (unsigned)ch)
                                     : snprintf(out, size, "\\U%08x", (unsigned)ch);
}

/* The same for raw-unicode-escape. */
static int
escape_wide_character(Py_UCS4 ch, char *out, size_t size)
{
    if (ch < 0x100) {
        out[0] = (char)ch;
        return 1;
    }
    return snprintf(out, size, ch < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)ch);
}

static PyObject *
encode_escapes(PyObject *unicode, int (*escape)(Py_UCS4, char *, size_t))
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return NULL;
    }
    struct str_reader r = ouro_str_reader(unicode);
    PyBytesWriter *writer = PyBytesWriter_Create(0);
    for (Py_ssize_t i = 0; writer != NULL && i < r.length; i++) {
        char text[16];
        int length = escape(ouro_str_at(&r, i), text, sizeof text);
        if (PyBytesWriter_WriteBytes(writer, text, length) < 0) {
            PyBytesWriter_Discard(writer);
            return NULL;
        }
    }
    return writer == NULL ? NULL : PyBytesWriter_Finish(writer);
}

PyObject *
PyUnicode_AsUnicodeEscapeString(PyObject *unicode)
{
    return encode_escapes(unicode, escape_character);
}

PyObject *
PyUnicode_AsRawUnicodeEscapeString(PyObject *unicode)
{
    return encode_escapes(unicode, escape_wide_character);
}

/* --- bytes ---------------------------------------------------------------------------------------- */

/* \x without two digits: -1 with an exception, or where to go on. */
static Py_ssize_t
bad_byte_escape(PyBytesWriter *writer, Py_ssize_t start, Py_ssize_t end,
                const char *errors)
{
    if (errors != NULL && strcmp(errors, "replace") == 0) {
        return PyBytesWriter_WriteBytes(writer, "?", 1) < 0 ? -1 : end;
    }
    if (errors != NULL && strcmp(errors, "ignore") == 0) {
        return end;
    }
    if (errors == NULL || strcmp(errors, "strict") == 0) {
        PyErr_Format(PyExc_ValueError, "invalid \\x escape at position %zd", start);
    } else {
        PyErr_Format(PyExc_ValueError,
                     "decoding error; unknown error handling code: %.400s", errors);
    }
    return -1;
}

static Py_ssize_t
decode_byte_escape(PyBytesWriter *writer, const char *s, Py_ssize_t size,
                   Py_ssize_t start, const char *errors)
{
    Py_ssize_t at = start + 1;
    if (at == size) {
        PyErr_SetString(PyExc_ValueError, "Trailing \\ in string");
        return -1;
    }
    char letter = s[at], byte;
    int simple = simple_escape(letter);
    if (letter == '\n') {
        return at + 1;
    }
    if (simple >= 0) {
        byte = (char)simple;
        at++;
    } else if (letter >= '0' && letter <= '7') {
        byte = (char)read_escape_digits(s, size, &at, 3, 8);
    } else if (letter == 'x') {
        at++;
        byte = (char)read_escape_digits(s, size, &at, 2, 16);
        if (at < start + 4) {
            return bad_byte_escape(writer, start, at, errors);
        }
    } else { /* no escape: the backslash stays, the letter is next */
        byte = '\\';
    }
    return PyBytesWriter_WriteBytes(writer, &byte, 1) < 0 ? -1 : at;
}

PyObject *
PyBytes_DecodeEscape(const char *s, Py_ssize_t len, const char *errors,
                     Py_ssize_t Py_UNUSED(unicode),
                     const char *Py_UNUSED(recode_encoding))
{
    PyBytesWriter *writer = PyBytesWriter_Create(0);
    for (Py_ssize_t at = 0; writer != NULL && at < len;) {
        if (s[at] == '\\') {
            at = decode_byte_escape(writer, s, len, at, errors);
        } else {
            at = PyBytesWriter_WriteBytes(writer, s + at, 1) < 0 ? -1 : at + 1;
        }
        if (at < 0) {
            PyBytesWriter_Discard(writer);
            return NULL;
        }
    }
    return writer == NULL ? NULL : PyBytesWriter_Finish(writer);
}
