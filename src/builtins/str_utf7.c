/* SPDX-License-Identifier: MIT */
/* UTF-7: ASCII as it is; everything else as UTF-16 in base64, between '+' and '-'. */
#include "str_codec.h"

struct utf7_reader {
    PyUnicodeWriter *writer;
    const char *s, *errors;
    Py_ssize_t size;
};

static int
base64_value(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* --- what is between '+' and '-' ------------------------------------------------------------------ */

struct shift {
    unsigned bits, count; /* not yet a unit, and how many bits */
    Py_UCS4 high;         /* a surrogate that waits for the second, or 0 */
};

/* One unit of UTF-16. 0; or -1 with an exception. */
static int
write_utf16_unit(const struct utf7_reader *r, struct shift *shift, Py_UCS4 unit)
{
    Py_UCS4 high = shift->high;
    shift->high = 0;
    if (high != 0 && Py_UNICODE_IS_LOW_SURROGATE(unit)) {
        return PyUnicodeWriter_WriteChar(r->writer,
                                         Py_UNICODE_JOIN_SURROGATES(high, unit));
    }
    if (high != 0 && PyUnicodeWriter_WriteChar(r->writer, high) < 0) {
        return -1;
    }
    if (Py_UNICODE_IS_HIGH_SURROGATE(unit)) {
        shift->high = unit;
        return 0;
    }
    return PyUnicodeWriter_WriteChar(r->writer, unit);
}

static int
add_base64(const struct utf7_reader *r, struct shift *shift, int value)
{
    shift->bits = shift->bits << 6 | (unsigned)value;
    shift->count += 6;
    if (shift->count < 16) {
        return 0;
    }
    shift->count -= 16;
    Py_UCS4 unit = shift->bits >> shift->count & 0xFFFF;
    shift->bits &= (1u << shift->count) - 1;
    return write_utf16_unit(r, shift, unit);
}

/* NULL, or what is wrong with the bits that are left. */
static const char *
wrong_rest(const struct shift *shift)
{
    return shift->count >= 6  ? "partial character in base64 sequence"
           : shift->bits != 0 ? "non-zero padding bits in base64 sequence"
                              : NULL;
}

static Py_ssize_t
bad_utf7(const struct utf7_reader *r, Py_ssize_t start, Py_ssize_t end,
         const char *reason)
{
    return ouro_codec_bad_bytes(r->writer, "utf7", r->s, r->size, start, end, reason,
                                r->errors);
}

/* The end of a shift at `at`, which is behind its last digit. Where to go on. */
static Py_ssize_t
finish_shift(const struct utf7_reader *r, const struct shift *shift, Py_ssize_t start,
             Py_ssize_t at)
{
    const char *wrong = wrong_rest(shift);
    if (at == r->size) {
        return wrong == NULL && shift->high == 0
                   ? at
                   : bad_utf7(r, start, at, "unterminated shift sequence");
    }
    if (wrong != NULL) {
        return bad_utf7(r, start, at + 1, wrong);
    }
    if (shift->high != 0 && PyUnicodeWriter_WriteChar(r->writer, shift->high) < 0) {
        return -1;
    }
    return r->s[at] == '-' ? at + 1 : at;
}

/* What begins with the '+' at `start`. */
static Py_ssize_t
decode_shift(const struct utf7_reader *r, Py_ssize_t start)
{
    struct shift shift = {0};
    Py_ssize_t at = start + 1;
    if (at < r->size && r->s[at] == '-') {
        return PyUnicodeWriter_WriteChar(r->writer, '+') < 0 ? -1 : at + 1;
    }
    if (at < r->size && base64_value(r->s[at]) < 0) {
        return bad_utf7(r, start, at + 1, "ill-formed sequence");
    }
    for (; at < r->size && base64_value(r->s[at]) >= 0; at++) {
        if (add_base64(r, &shift, base64_value(r->s[at])) < 0) {
            return -1;
        }
    }
    return at == start + 1 ? bad_utf7(r, start, at, "unterminated shift sequence")
                           : finish_shift(r, &shift, start, at);
}

/* --- the whole ------------------------------------------------------------------------------------- */

/* Does the shift at `start` go on behind the text? */
static bool
is_cut_shift(const struct utf7_reader *r, Py_ssize_t start)
{
    Py_ssize_t at = start + 1;
    while (at < r->size && base64_value(r->s[at]) >= 0) {
        at++;
    }
    return at == r->size;
}

static Py_ssize_t
decode_next(const struct utf7_reader *r, Py_ssize_t at)
{
    unsigned char c = (unsigned char)r->s[at];
    return c == '+'   ? decode_shift(r, at)
           : c < 0x80 ? (PyUnicodeWriter_WriteChar(r->writer, c) < 0 ? -1 : at + 1)
                      : bad_utf7(r, at, at + 1, "unexpected special character");
}

PyObject *
PyUnicode_DecodeUTF7Stateful(const char *s, Py_ssize_t size, const char *errors,
                             Py_ssize_t *consumed)
{
    struct utf7_reader r = {PyUnicodeWriter_Create(size), s, errors, size};
    Py_ssize_t at = 0;
    while (r.writer != NULL && at < size &&
           !(consumed != NULL && s[at] == '+' && is_cut_shift(&r, at))) {
        at = decode_next(&r, at);
        if (at < 0) {
            PyUnicodeWriter_Discard(r.writer);
            return NULL;
        }
    }
    if (consumed != NULL) {
        *consumed = at;
    }
    return r.writer == NULL ? NULL : PyUnicodeWriter_Finish(r.writer);
}

PyObject *
PyUnicode_DecodeUTF7(const char *s, Py_ssize_t size, const char *errors)
{
    return PyUnicode_DecodeUTF7Stateful(s, size, errors, NULL);
}
