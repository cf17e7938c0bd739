/* SPDX-License-Identifier: MIT */
/* What the files of str share: making strings, and reading UTF-8.
 *
 * The code points are in an array of the str's kind. Functions that split text, or write it
 * piece by piece, work on UTF-8 nevertheless: bytes can be searched, compared and copied
 * without regard to the kind, and for ASCII they are the array itself.
 *
 *   str.inv.kind     the kind is the smallest that holds every code point; ASCII is flagged
 *   str.inv.end      a 0 of the kind follows the last code point
 *   str.inv.utf8     utf8 is NULL, or utf8_length bytes of UTF-8 and a NUL; where there are
 *                    lone surrogates, each as three bytes, utf8_length is the complement */
#ifndef OURO_BUILTINS_STR_OBJECT_H
#define OURO_BUILTINS_STR_OBJECT_H

#include <Python.h>

#include <stdbool.h>

#include "text_parts.h"

static inline PyASCIIObject *
ouro_str(PyObject *op)
{
    return (PyASCIIObject *)op;
}

/* Where the array of an exact str would be, and what subclasses have instead. */
static inline PyCompactUnicodeObject *
ouro_str_compact(PyObject *op)
{
    return (PyCompactUnicodeObject *)op;
}

/* --- making (str_data.c) ---------------------------------------------------------------------------- */

/* A str of `length` code points of one byte, all of them ASCII, for the caller to fill. */
PyObject *ouro_str_new_ascii(Py_ssize_t length);
/* A str with a copy of UTF-8, surrogates included, of `length` code points. */
PyObject *ouro_str_new(const char *utf8, Py_ssize_t size, Py_ssize_t length);
/* The same when the number of code points is not known. */
PyObject *ouro_str_copy(const char *utf8, Py_ssize_t size);
/* A str with a copy of code points of a kind, in the smallest kind that holds them. */
PyObject *ouro_str_narrowest(int kind, const void *data, Py_ssize_t length);
/* Copy code points from one kind to another, which holds them all. */
void ouro_str_copy_data(int to_kind, void *to, int from_kind, const void *from,
                        Py_ssize_t length);
/* Forget the UTF-8 of a dying str. */
void ouro_str_drop_utf8(PyObject *str);

/* The text as UTF-8, where lone surrogates take three bytes each: kept with the str. The
 * start is NULL with MemoryError. */
struct text_range ouro_str_utf8(PyObject *str);
/* Write such text, or a str. 0; or -1 with MemoryError. */
int ouro_writer_put(PyUnicodeWriter *writer, struct text_range text);
int ouro_writer_put_str(PyUnicodeWriter *writer, PyObject *str);

/* Is `op` a str? Else TypeError "must be str, not X". */
bool ouro_str_require(PyObject *op);

/* The array of a str and its kind, for loops over its code points. */
struct str_reader {
    const void *data;
    int kind;
    Py_ssize_t length;
};

static inline struct str_reader
ouro_str_reader(PyObject *str)
{
    return (struct str_reader){PyUnicode_DATA(str), PyUnicode_KIND(str),
                               PyUnicode_GET_LENGTH(str)};
}

static inline Py_UCS4
ouro_str_at(const struct str_reader *r, Py_ssize_t index)
{
    return PyUnicode_READ(r->kind, r->data, index);
}

/* --- reading UTF-8 ------------------------------------------------------------------------------- */

/* The first byte of a character, as opposed to a continuation. */
static inline bool
ouro_utf8_is_start(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* The character at `p`, which is moved behind it; the text is valid, or has surrogates. */
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

/* How many bytes from the start are valid, and how many characters these are. */
Py_ssize_t ouro_utf8_scan(const char *s, Py_ssize_t size, Py_ssize_t *length);
/* What is wrong at the start of `s`, and the number of bytes to blame. */
const char *ouro_utf8_defect(const char *s, Py_ssize_t size, Py_ssize_t *bad);
/* The number of characters in valid text. */
Py_ssize_t ouro_utf8_count(const char *s, Py_ssize_t size);

PyObject *ouro_str_repr(PyObject *self);
PyObject *ouro_str_iter(PyObject *self);
/* Take a dying interned string out of the table. */
void ouro_str_forget(PyObject *str);

#endif
