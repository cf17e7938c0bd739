/* SPDX-License-Identifier: MIT */
/* Decoding UTF-16 and UTF-32. */
#include "str_codec.h"

/* Units of two or four bytes that are left. */
struct unit_reader {
    const unsigned char *p, *end;
    int size; /* of a unit */
    bool little;
};

static Py_UCS4
read_unit(const struct unit_reader *r, Py_ssize_t at)
{
    Py_UCS4 value = 0;
    for (int i = 0; i < r->size; i++) {
        value = value << 8 | r->p[at + (r->little ? r->size - 1 - i : i)];
    }
    return value;
}

/* A mark at the beginning tells the order when it is not given, and is not text. */
static void
read_order_mark(struct unit_reader *r, int *byteorder)
{
    r->little =
        *byteorder == 0 ? __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ : *byteorder < 0;
    if (*byteorder != 0 || r->end - r->p < r->size) {
        return;
    }
    for (int little = 0; little < 2; little++) {
        struct unit_reader probe = *r;
        probe.little = little;
        if (read_unit(&probe, 0) == 0xFEFF) {
            r->little = little;
            r->p += r->size;
            *byteorder = little ? -1 : 1;
            return;
        }
    }
}

/* The character at the front; its size in *used. When it is none, (Py_UCS4)-1, the reason,
 * and in *used the bytes to blame. */
static Py_UCS4
next_wide(const struct unit_reader *r, Py_ssize_t *used, const char **reason)
{
    Py_ssize_t left = r->end - r->p;
    *used = Py_MIN(left, r->size);
    if (left < r->size) {
        *reason = "truncated data";
        return (Py_UCS4)-1;
    }
    Py_UCS4 ch = read_unit(r, 0);
    if (r->size == 4) {
        *reason = ch > 0x10FFFF
                      ? "code point not in range(0x110000)"
                      : "code point in surrogate code point range(0xd800, 0xe000)";
        return ch <= 0x10FFFF && !Py_UNICODE_IS_SURROGATE(ch) ? ch : (Py_UCS4)-1;
    }
    if (!Py_UNICODE_IS_SURROGATE(ch)) {
        return ch;
    }
    if (Py_UNICODE_IS_LOW_SURROGATE(ch)) {
        *reason = "illegal encoding";
        return (Py_UCS4)-1;
    }
    if (left < 4) {
        *used = left;
        *reason = "unexpected end of data";
        return (Py_UCS4)-1;
    }
    Py_UCS4 low = read_unit(r, 2);
    if (!Py_UNICODE_IS_LOW_SURROGATE(low)) {
        *reason = "illegal UTF-16 surrogate";
        return (Py_UCS4)-1;
    }
    *used = 4;
    return Py_UNICODE_JOIN_SURROGATES(ch, low);
}

static PyObject *
decode_wide(int unit, const char *s, Py_ssize_t size, const char *errors, int *byteorder,
            Py_ssize_t *consumed)
{
    int order = byteorder == NULL ? 0 : *byteorder;
    const unsigned char *start = (const unsigned char *)s;
    struct unit_reader r = {start, start + size, unit, false};
    read_order_mark(&r, &order);
    const char *encoding = unit == 2 ? (r.little ? "utf-16-le" : "utf-16-be")
                                     : (r.little ? "utf-32-le" : "utf-32-be");
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    while (writer != NULL && r.p < r.end) {
        Py_ssize_t used, at = r.p - start;
        const char *reason = "";
        Py_UCS4 ch = next_wide(&r, &used, &reason);
        bool cut = ch == (Py_UCS4)-1 && at + used == size &&
                   (strcmp(reason, "truncated data") == 0 ||
                    strcmp(reason, "unexpected end of data") == 0);
        if (cut && consumed != NULL) {
            break;
        }
        if (ch == (Py_UCS4)-1) {
            at = ouro_codec_bad_bytes(writer, encoding, s, size, at, at + used, reason,
                                      errors);
        } else {
            at = PyUnicodeWriter_WriteChar(writer, ch) < 0 ? -1 : at + used;
        }
        if (at < 0) {
            PyUnicodeWriter_Discard(writer);
            return NULL;
        }
        r.p = start + at;
    }
    if (byteorder != NULL) {
        *byteorder = order;
    }
    if (consumed != NULL) {
        *consumed = r.p - start;
    }
    return writer == NULL ? NULL : PyUnicodeWriter_Finish(writer);
}

PyObject *
PyUnicode_DecodeUTF16Stateful(const char *s, Py_ssize_t size, const char *errors,
                              int *byteorder, Py_ssize_t *consumed)
{
    return decode_wide(2, s, size, errors, byteorder, consumed);
}

PyObject *
PyUnicode_DecodeUTF16(const char *s, Py_ssize_t size, const char *errors, int *byteorder)
{
    return PyUnicode_DecodeUTF16Stateful(s, size, errors, byteorder, NULL);
}

PyObject *
PyUnicode_DecodeUTF32Stateful(const char *s, Py_ssize_t size, const char *errors,
                              int *byteorder, Py_ssize_t *consumed)
{
    return decode_wide(4, s, size, errors, byteorder, consumed);
}

PyObject *
PyUnicode_DecodeUTF32(const char *s, Py_ssize_t size, const char *errors, int *byteorder)
{
    return PyUnicode_DecodeUTF32Stateful(s, size, errors, byteorder, NULL);
}
