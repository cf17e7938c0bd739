/* SPDX-License-Identifier: MIT */
/* What the files of str share: making strings, and reading UTF-8.
 *
 *   str.inv.utf8     utf8[0 .. size) is valid UTF-8 without surrogates, utf8[size] is NUL
 *   str.inv.length   length is the number of code points in it */
#ifndef OURO_BUILTINS_STR_OBJECT_H
#define OURO_BUILTINS_STR_OBJECT_H

#include <Python.h>

#include <stdbool.h>

static inline PyUnicodeObject *
ouro_str(PyObject *op)
{
    return (PyUnicodeObject *)op;
}

/* A new exact str of `size` bytes, the last already NUL; the caller fills the rest. NULL
 * with MemoryError. */
PyUnicodeObject *ouro_str_allocate(Py_ssize_t size, Py_ssize_t length);
/* A str with a copy of valid UTF-8 of `length` code points. */
PyObject *ouro_str_new(const char *utf8, Py_ssize_t size, Py_ssize_t length);
/* The same when the number of code points is not known. */
PyObject *ouro_str_copy(const char *utf8, Py_ssize_t size);

/* Is `op` a str? Else TypeError "must be str, not X". */
bool ouro_str_require(PyObject *op);

/* --- reading UTF-8 ------------------------------------------------------------------------------- */

/* The first byte of a character, as opposed to a continuation. */
static inline bool
ouro_utf8_is_start(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* The character at `p`, which is moved behind it; the text is valid. */
static inline Py_UCS4
ouro_utf8_next(const char **p)
{
    const unsigned char *s = (const unsigned char *)*p;
    if (s[0] < 0x80) {
        *p += 1;
        return s[0];
    }
    if (s[0] < 0xE0) {
        *p += 2;
        return (Py_UCS4)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
    }
    if (s[0] < 0xF0) {
        *p += 3;
        return (Py_UCS4)(s[0] & 0x0F) << 12 | (Py_UCS4)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
    }
    *p += 4;
    return (Py_UCS4)(s[0] & 0x07) << 18 | (Py_UCS4)(s[1] & 0x3F) << 12 |
           (Py_UCS4)(s[2] & 0x3F) << 6 | (s[3] & 0x3F);
}

/* Write a character of up to four bytes; returns how many. */
static inline Py_ssize_t
ouro_utf8_put(char *p, Py_UCS4 ch)
{
    if (ch < 0x80) {
        p[0] = (char)ch;
        return 1;
    }
    if (ch < 0x800) {
        p[0] = (char)(0xC0 | ch >> 6);
        p[1] = (char)(0x80 | (ch & 0x3F));
        return 2;
    }
    if (ch < 0x10000) {
        p[0] = (char)(0xE0 | ch >> 12);
        p[1] = (char)(0x80 | (ch >> 6 & 0x3F));
        p[2] = (char)(0x80 | (ch & 0x3F));
        return 3;
    }
    p[0] = (char)(0xF0 | ch >> 18);
    p[1] = (char)(0x80 | (ch >> 12 & 0x3F));
    p[2] = (char)(0x80 | (ch >> 6 & 0x3F));
    p[3] = (char)(0x80 | (ch & 0x3F));
    return 4;
}

/* A code point that a str may hold. */
static inline bool
ouro_utf8_is_valid(Py_UCS4 ch)
{
    return ch <= 0x10FFFF && (ch < 0xD800 || ch > 0xDFFF);
}

/* How many bytes from the start are valid, and how many characters these are. */
Py_ssize_t ouro_utf8_scan(const char *s, Py_ssize_t size, Py_ssize_t *length);
/* What is wrong at the start of `s`, and the number of bytes to blame. */
const char *ouro_utf8_defect(const char *s, Py_ssize_t size, Py_ssize_t *bad);
/* The number of characters in valid text. */
Py_ssize_t ouro_utf8_count(const char *s, Py_ssize_t size);
/* Where character `index` of a str begins; index <= length. */
Py_ssize_t ouro_str_offset(const PyUnicodeObject *u, Py_ssize_t index);

PyObject *ouro_str_repr(PyObject *self);
PyObject *ouro_str_iter(PyObject *self);
/* Take a dying interned string out of the table. */
void ouro_str_forget(PyObject *str);

#endif
