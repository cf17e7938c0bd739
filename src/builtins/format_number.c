/* SPDX-License-Identifier: MIT */
/* __format__ of int and float: from a value to digits; format_spec.c lays them out. */
#include "format_spec.h"

#include <limits.h>

#include "arguments.h"

static PyObject *
raise_format_error(const char *message)
{
    PyErr_SetString(PyExc_ValueError, message);
    return NULL;
}

/* --- int ------------------------------------------------------------------------------------------------ */

/* One character by its number. */
static PyObject *
format_character(struct format_spec *f, PyObject *self)
{
    if (f->sign != 0) {
        return raise_format_error("Sign not allowed with integer format specifier 'c'");
    }
    if (f->alternate) {
        return raise_format_error(
            "Alternate form (#) not allowed with integer format specifier 'c'");
    }
    long ordinal = PyLong_AsLong(self);
    if (ordinal == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (ordinal < 0 || ordinal > 0x10FFFF) {
        PyErr_SetString(PyExc_OverflowError, "%c arg not in range(0x110000)");
        return NULL;
    }
    PyObject *text = PyUnicode_FromOrdinal((int)ordinal);
    PyObject *result = text == NULL ? NULL : ouro_format_text(f, text);
    Py_XDECREF(text);
    return result;
}

char *
ouro_format_digits(PyObject *whole, Py_UCS4 code, Py_ssize_t precision, bool *negative)
{
    int base = code == 'b' ? 2 : code == 'o' ? 8 : code == 'x' || code == 'X' ? 16 : 10;
    PyObject *text = _PyLong_Format(whole, base);
    if (text == NULL) {
        return NULL;
    }
    const char *digits = PyUnicode_AsUTF8(text);
    *negative = *digits == '-';
    digits += *negative + (base == 10 ? 0 : 2);
    size_t count = strlen(digits);
    size_t zeros = precision > (Py_ssize_t)count ? (size_t)precision - count : 0;
    char *result = PyMem_Malloc(zeros + count + 1);
    if (result == NULL) {
        PyErr_NoMemory();
    } else {
        memset(result, '0', zeros);
        memcpy(result + zeros, digits, count + 1);
        for (char *p = result; code == 'X' && *p != '\0'; p++) {
            *p = *p >= 'a' ? (char)(*p - 32) : *p;
        }
    }
    Py_DECREF(text);
    return result;
}

static PyObject *
format_integer(struct format_spec *f, PyObject *self)
{
    if (f->precision >= 0) {
        return raise_format_error("Precision not allowed in integer format specifier");
    }
    if (f->no_minus_zero) {
        return raise_format_error(
            "Negative zero coercion (z) not allowed in integer format specifier");
    }
    if (f->type == 'c') {
        return format_character(f, self);
    }
    bool negative;
    char *digits = ouro_format_digits(self, f->type, -1, &negative);
    if (digits == NULL) {
        return NULL;
    }
    bool decimal = f->type == 0 || f->type == 'd' || f->type == 'n';
    char prefix[3] = {'0', (char)f->type, '\0'};
    struct number_text n = {.sign = negative ? '-' : 0,
                            .prefix = f->alternate && !decimal ? prefix : "",
                            .digits = digits,
                            .digit_count = (Py_ssize_t)strlen(digits),
                            .rest = "",
                            .group = decimal ? 3 : 4};
    PyObject *result = ouro_format_number(f, &n);
    PyMem_Free(digits);
    return result;
}

/* Is this one of the codes, all ASCII? */
static bool
code_is_one_of(const struct format_spec *f, const char *codes)
{
    return f->type != 0 && f->type < 0x80 && strchr(codes, (int)f->type) != NULL;
}

PyObject *
ouro_int_format_spec(PyObject *self, PyObject *spec)
{
    if (!PyUnicode_Check(spec)) {
        return ouro_args_wrong_type("__format__", "argument", "str", spec);
    }
    if (PyUnicode_GET_LENGTH(spec) == 0) {
        return PyObject_Str(self);
    }
    struct format_spec f;
    if (!ouro_format_parse(spec, self, '\0', &f)) {
        return NULL;
    }
    if (f.type == 0 || code_is_one_of(&f, "bcdonxX")) {
        return format_integer(&f, self);
    }
    if (!code_is_one_of(&f, "eEfFgG%")) {
        return ouro_format_unknown_code(&f, self);
    }
    double value = PyLong_AsDouble(self);
    if (value == -1.0 && PyErr_Occurred()) {
        return NULL;
    }
    return ouro_format_double(&f, value, self);
}

/* --- float ------------------------------------------------------------------------------------------------ */

/* Take the sign and the digits before the point off; the rest stays as it is. */
static PyObject *
layout_double(const struct format_spec *f, const char *text)
{
    struct number_text n = {.prefix = "", .group = 3};
    if (*text == '-') {
        n.sign = *text++;
    }
    n.digits = text;
    n.digit_count = (Py_ssize_t)strspn(text, "0123456789");
    n.rest = text + n.digit_count;
    return ouro_format_number(f, &n);
}

/* With z, what was rounded to zero has no sign. */
static const char *
without_minus_zero(const char *text)
{
    const char *behind = text + 1 + strspn(text + 1, "0.");
    bool zero = *behind == '\0' || *behind == 'e' || *behind == 'E' || *behind == '%';
    return *text == '-' && zero ? text + 1 : text;
}

PyObject *
ouro_format_double(struct format_spec *f, double value, PyObject *o)
{
    if (f->precision > INT_MAX) {
        return raise_format_error("precision too big");
    }
    if (f->type != 0 && !code_is_one_of(f, "eEfFgGn%")) {
        return ouro_format_unknown_code(f, o);
    }
    int flags = f->alternate ? Py_DTSF_ALT : 0, precision = (int)f->precision;
    char code = (char)f->type;
    if (code == 0) {
        flags |= Py_DTSF_ADD_DOT_0;
        code = precision < 0 ? 'r' : 'g';
        precision = precision < 0 ? 0 : precision;
    } else if (code == 'n') {
        code = 'g';
    } else if (code == '%') {
        code = 'f';
        value *= 100;
    }
    char *text =
        PyOS_double_to_string(value, code, precision < 0 ? 6 : precision, flags, NULL);
    if (text == NULL) {
        return NULL;
    }
    if (f->type == '%') {
        char *longer = PyMem_Realloc(text, strlen(text) + 2);
        if (longer == NULL) {
            PyMem_Free(text);
            return PyErr_NoMemory();
        }
        text = longer;
        strcat(text, "%");
    }
    PyObject *result =
        layout_double(f, f->no_minus_zero ? without_minus_zero(text) : text);
    PyMem_Free(text);
    return result;
}

PyObject *
ouro_float_format_spec(PyObject *self, PyObject *spec)
{
    if (!PyUnicode_Check(spec)) {
        return ouro_args_wrong_type("__format__", "argument", "str", spec);
    }
    if (PyUnicode_GET_LENGTH(spec) == 0) {
        return PyObject_Str(self);
    }
    struct format_spec f;
    if (!ouro_format_parse(spec, self, '\0', &f)) {
        return NULL;
    }
    return ouro_format_double(&f, PyFloat_AS_DOUBLE(self), self);
}
