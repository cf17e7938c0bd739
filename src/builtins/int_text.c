/* SPDX-License-Identifier: MIT */
/* int from text and to text. */
#include "int_object.h"

#include <ouroboros.h>

#include "str_character.h"

/* --- how long it may be ------------------------------------------------------------------------- */

static bool
are_too_many(size_t digits)
{
    int most = Ouro_IntGetMaxStrDigits();
    return most > 0 && digits > (size_t)most;
}

static PyObject *
raise_too_long_to_write(void)
{
    return PyErr_Format(PyExc_ValueError,
                        "Exceeds the limit (%d digits) for integer string conversion; "
                        "use sys.set_int_max_str_digits() to increase the limit",
                        Ouro_IntGetMaxStrDigits());
}

static PyObject *
raise_too_long_to_read(size_t digits)
{
    return PyErr_Format(PyExc_ValueError,
                        "Exceeds the limit (%d digits) for integer string conversion: "
                        "value has %zu digits; use sys.set_int_max_str_digits() to "
                        "increase the limit",
                        Ouro_IntGetMaxStrDigits(), digits);
}

/* A number of that many bits has at least this many decimal digits: log10(2) > 0.30102. */
static size_t
least_decimal_digits(size_t bits)
{
    return bits == 0
               ? 1
               : (bits - 1) / 100000 * 30102 + (bits - 1) % 100000 * 30102 / 100000 + 1;
}

/* --- to text ---------------------------------------------------------------------------------- */

static PyObject *
int_to_decimal(PyLongObject *v)
{
    Py_ssize_t count = ouro_int_count(v);
    if (are_too_many(least_decimal_digits(ouro_digits_bits(ouro_int_digits(v), count)))) {
        return raise_too_long_to_write();
    }
    /* 32 bits are less than 9.64 decimal digits. */
    size_t room = (size_t)count * 10 + 3;
    char *text = PyMem_Malloc(room);
    uint32_t *digits = PyMem_Malloc((size_t)(count + 1) * sizeof *digits);
    PyObject *result = NULL;
    if (text == NULL || digits == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    memcpy(digits, ouro_int_digits(v), (size_t)count * sizeof *digits);
    char *end = text + room, *p = end;
    do {
        uint32_t part =
            count == 0 ? 0 : ouro_digits_divide_small(digits, digits, count, 1000000000);
        count = ouro_digits_trim(digits, count);
        for (int i = 0; i < 9 && (count > 0 || part > 0 || p == end); i++) {
            *--p = (char)('0' + part % 10);
            part /= 10;
        }
    } while (count > 0);
    if (are_too_many((size_t)(end - p))) {
        raise_too_long_to_write();
        goto done;
    }
    if (ouro_int_negative(v)) {
        *--p = '-';
    }
    result = PyUnicode_FromStringAndSize(p, end - p);
done:
    PyMem_Free(text);
    PyMem_Free(digits);
    return result;
}

PyObject *
ouro_int_repr(PyObject *self)
{
    int64_t value;
    if (ouro_int_fits64(ouro_int(self), &value)) {
        char text[24];
        int length = snprintf(text, sizeof text, "%" PRId64, value);
        return PyUnicode_FromStringAndSize(text, length);
    }
    return int_to_decimal(ouro_int(self));
}

PyObject *
_PyLong_Format(PyObject *pylong, int base)
{
    if (!PyLong_Check(pylong)) {
        PyErr_SetString(PyExc_TypeError, "an integer is required");
        return NULL;
    }
    if (base == 10) {
        return ouro_int_repr(pylong);
    }
    unsigned step = base == 2 ? 1 : base == 8 ? 3 : base == 16 ? 4 : 0;
    if (step == 0) {
        return PyErr_Format(PyExc_ValueError, "the base must be 2, 8, 10 or 16, not %d",
                            base);
    }
    PyLongObject *v = ouro_int(pylong);
    const uint32_t *digits = ouro_int_digits(v);
    Py_ssize_t count = ouro_int_count(v);
    size_t bits = ouro_digits_bits(digits, count);
    size_t length = bits == 0 ? 1 : (bits + step - 1) / step;
    char *text = PyMem_Malloc(length + 3);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    char *p = text;
    if (ouro_int_negative(v)) {
        *p++ = '-';
    }
    *p++ = '0';
    *p++ = base == 2 ? 'b' : base == 8 ? 'o' : 'x';
    for (size_t i = length; i-- > 0;) {
        unsigned value = 0;
        for (unsigned bit = step; bit-- > 0;) {
            size_t at = i * step + bit;
            unsigned one = at < bits ? (digits[at / 32] >> (at % 32)) & 1 : 0;
            value = value << 1 | one;
        }
        *p++ = "0123456789abcdef"[value];
    }
    PyObject *result = PyUnicode_FromStringAndSize(text, p - text);
    PyMem_Free(text);
    return result;
}

/* --- from text -------------------------------------------------------------------------------- */

static int
digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'Z') {
        return c - 'A' + 10;
    }
    return 99;
}

static bool
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The base that a prefix announces, or 0. */
static int
base_of_prefix(const char *s)
{
    if (s[0] != '0') {
        return 0;
    }
    switch (s[1]) {
    case 'x':
    case 'X':
        return 16;
    case 'o':
    case 'O':
        return 8;
    case 'b':
    case 'B':
        return 2;
    default:
        return 0;
    }
}

/* Where the digits end, underscores between them included; `s` itself when there are none
 * or an underscore stands at a wrong place. */
static const char *
end_of_digits(const char *s, int base)
{
    const char *p = s;
    while (digit_value(*p) < base || (*p == '_' && p > s && p[-1] != '_')) {
        p++;
    }
    return p > s && p[-1] == '_' ? s : p;
}

static size_t
count_without_underscores(const char *start, const char *end)
{
    size_t count = 0;
    for (const char *p = start; p < end; p++) {
        count += *p != '_';
    }
    return count;
}

/* How many digits of 32 bits `start` to `end` fills, in a base that is a power of two. */
static Py_ssize_t
read_bits(uint32_t *digits, const char *start, const char *end, int base)
{
    unsigned step = (unsigned)__builtin_ctz((unsigned)base), used = 0;
    uint64_t bits = 0;
    Py_ssize_t count = 0;
    for (const char *p = end; p-- > start;) {
        if (*p == '_') {
            continue;
        }
        bits |= (uint64_t)digit_value(*p) << used;
        used += step;
        if (used >= 32) {
            digits[count++] = (uint32_t)bits;
            bits >>= 32;
            used -= 32;
        }
    }
    digits[count++] = (uint32_t)bits;
    return count;
}

/* The same for any base, as on paper. */
static Py_ssize_t
read_digits(uint32_t *digits, const char *start, const char *end, int base)
{
    Py_ssize_t count = 0;
    for (const char *p = start; p < end;) {
        uint32_t factor = 1, part = 0;
        for (; p < end && factor < UINT32_MAX / 36; p++) {
            if (*p != '_') {
                factor *= (uint32_t)base;
                part = part * (uint32_t)base + (uint32_t)digit_value(*p);
            }
        }
        ouro_digits_scale(digits, digits, count, factor, part);
        count += digits[count] != 0;
    }
    return count;
}

static PyObject *
int_from_digits(const char *start, const char *end, int base, bool negative)
{
    bool is_power_of_two = (base & (base - 1)) == 0;
    size_t length = count_without_underscores(start, end);
    if (!is_power_of_two && are_too_many(length)) {
        return raise_too_long_to_read(length);
    }
    /* log2(36) < 5.2 bits per character. */
    PyLongObject *v =
        ouro_int_allocate((Py_ssize_t)(length / 32 * 6 + length % 32 * 6 / 32 + 2));
    if (v == NULL) {
        return NULL;
    }
    Py_SET_SIZE(v, (is_power_of_two ? read_bits : read_digits)(ouro_int_digits(v), start,
                                                               end, base));
    return ouro_int_normal(v, negative);
}

static PyObject *
raise_no_int(const char *str, int base)
{
    PyObject *text = PyUnicode_DecodeUTF8(str, (Py_ssize_t)strnlen(str, 200), "replace");
    if (text != NULL) {
        PyErr_Format(PyExc_ValueError, "invalid literal for int() with base %d: %R", base,
                     text);
        Py_DECREF(text);
    }
    return NULL;
}

PyObject *
PyLong_FromString(const char *str, char **pend, int base)
{
    if (pend != NULL) {
        *pend = (char *)str;
    }
    if ((base != 0 && base < 2) || base > 36) {
        PyErr_SetString(PyExc_ValueError, "int() arg 2 must be >= 2 and <= 36");
        return NULL;
    }
    const char *p = str;
    while (is_blank(*p)) {
        p++;
    }
    bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    int announced = base_of_prefix(p), used = base;
    if (base == 0) {
        used = announced != 0 ? announced : 10;
    }
    if (announced != 0 && announced == used) {
        p += 2;
        p += *p == '_' && digit_value(p[1]) < used;
    }
    const char *end = end_of_digits(p, used);
    if (end == p) {
        return raise_no_int(str, base);
    }
    if (base == 0 && announced == 0 && *p == '0' && strspn(p, "0_") < (size_t)(end - p)) {
        return raise_no_int(str, base); /* "012": octal once, an error today */
    }
    const char *rest = end;
    while (is_blank(*rest)) {
        rest++;
    }
    if (pend == NULL && *rest != '\0') {
        return raise_no_int(str, base);
    }
    if (pend != NULL) {
        *pend = (char *)rest;
    }
    return int_from_digits(p, end, used, negative);
}

PyObject *
PyLong_FromUnicodeObject(PyObject *u, int base)
{
    Py_ssize_t size;
    if (PyUnicode_AsUTF8(u) == NULL) {
        return NULL;
    }
    PyObject *plain = ouro_str_number_text(u);
    if (plain == NULL) {
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(plain, &size);
    char *end;
    PyObject *result = PyLong_FromString(text, &end, base);
    /* Text that is no number at all is refused here, where all of it is shown. */
    bool complete = result == NULL
                        ? end != text || !PyErr_ExceptionMatches(PyExc_ValueError)
                        : end == text + size;
    Py_DECREF(plain);
    if (complete || base == 1 || base < 0 || base > 36) {
        return result;
    }
    Py_XDECREF(result);
    return PyErr_Format(PyExc_ValueError, "invalid literal for int() with base %d: %R",
                        base, u);
}
