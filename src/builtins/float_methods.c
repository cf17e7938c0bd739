/* SPDX-License-Identifier: MIT */
/* The methods and attributes of float. */
#include "method_tables.h"

#include <float.h>
#include <locale.h>
#include <stdbool.h>

#include "arguments.h"
#include "format_spec.h"

static PyObject *
float_itself(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyNumber_Float(self);
}

static PyObject *
float_is_integer(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    double x = PyFloat_AS_DOUBLE(self);
    return PyBool_FromLong(isfinite(x) && floor(x) == x);
}

static PyObject *
float_trunc(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromDouble(PyFloat_AS_DOUBLE(self));
}

static PyObject *
float_floor(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromDouble(floor(PyFloat_AS_DOUBLE(self)));
}

static PyObject *
float_ceil(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromDouble(ceil(PyFloat_AS_DOUBLE(self)));
}

/* Two ints whose quotient is the value, the second a power of 2. */
static PyObject *
float_as_integer_ratio(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    double x = PyFloat_AS_DOUBLE(self);
    if (!isfinite(x)) {
        PyErr_SetString(isnan(x) ? PyExc_ValueError : PyExc_OverflowError,
                        isnan(x) ? "cannot convert NaN to integer ratio"
                                 : "cannot convert Infinity to integer ratio");
        return NULL;
    }
    int exponent;
    double mantissa = frexp(x, &exponent);
    while (mantissa != floor(mantissa)) {
        mantissa *= 2.0;
        exponent--;
    }
    exponent = x == 0.0 ? 0 : exponent;
    PyObject *shift = PyLong_FromLong(abs(exponent)), *one = PyLong_FromLong(1);
    PyObject *numerator = PyLong_FromDouble(mantissa), *pair = NULL;
    PyObject *denominator = Py_NewRef(one);
    if (shift != NULL && numerator != NULL) {
        PyObject **larger = exponent > 0 ? &numerator : &denominator;
        Py_SETREF(*larger, PyNumber_Lshift(*larger, shift));
    }
    if (shift != NULL && numerator != NULL && denominator != NULL) {
        pair = PyTuple_Pack(2, numerator, denominator);
    }
    Py_XDECREF(shift);
    Py_XDECREF(numerator);
    Py_XDECREF(denominator);
    return pair;
}

/* --- rounding ------------------------------------------------------------------------------------------ */

/* To `digits` behind the point, or in front of it when negative: printf rounds the exact
 * value, half to even. */
static double
round_decimal(double x, long digits)
{
    char text[DBL_MAX_10_EXP + 400];
    if (!isfinite(x) || x == 0.0 || digits > DBL_DIG - DBL_MIN_10_EXP + 15) {
        return x;
    }
    if (digits >= 0) {
        snprintf(text, sizeof text, "%.*f", (int)digits, x);
        return strtod(text, NULL);
    }
    /* How many digits in front of the point stay. */
    int exponent;
    snprintf(text, sizeof text, "%.17e", x);
    exponent = atoi(strchr(text, 'e') + 1);
    long keep = digits < -DBL_MAX_10_EXP - 1 ? -1 : exponent + 1 + digits;
    if (keep < 0) {
        return copysign(0.0, x);
    }
    if (keep == 0) {
        double unit = pow(10.0, exponent + 1);
        return copysign(fabs(x) > unit / 2 ? unit : 0.0, x);
    }
    snprintf(text, sizeof text, "%.*e", (int)keep - 1, x);
    return strtod(text, NULL);
}

/* __round__(ndigits=None) */
static PyObject *
float_round(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    double x = PyFloat_AS_DOUBLE(self);
    if (!ouro_args_between("__round__", nargs, 0, 1)) {
        return NULL;
    }
    if (nargs == 0 || args[0] == Py_None) {
        double rounded = round(x);
        if (fabs(x - rounded) == 0.5) {
            rounded = 2.0 * round(x / 2.0);
        }
        return PyLong_FromDouble(rounded);
    }
    Py_ssize_t digits = PyNumber_AsSsize_t(args[0], NULL);
    if (digits == -1 && PyErr_Occurred()) {
        return NULL;
    }
    digits = Py_MIN(Py_MAX(digits, -10000), 10000);
    double rounded = round_decimal(x, (long)digits);
    if (isinf(rounded) && isfinite(x)) {
        PyErr_SetString(PyExc_OverflowError, "rounded value too large to represent");
        return NULL;
    }
    return PyFloat_FromDouble(rounded);
}

/* --- hexadecimal ------------------------------------------------------------------------------------------ */

static PyObject *
float_hex(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    double x = PyFloat_AS_DOUBLE(self);
    if (!isfinite(x)) {
        return PyObject_Repr(self);
    }
    const char *sign = signbit(x) ? "-" : "";
    if (x == 0.0) {
        return PyUnicode_FromFormat("%s0x0.0p+0", sign);
    }
    /* One bit in front of the point, 52 behind it; none in front of a subnormal. */
    int exponent;
    frexp(x, &exponent);
    exponent = Py_MAX(exponent - 1, DBL_MIN_EXP - 1);
    uint64_t bits = (uint64_t)ldexp(fabs(x), DBL_MANT_DIG - 1 - exponent);
    char text[40];
    snprintf(text, sizeof text, "%s0x%d.%013" PRIx64 "p%+d", sign, (int)(bits >> 52),
             bits & ((UINT64_C(1) << 52) - 1), exponent);
    return PyUnicode_FromString(text);
}

static PyObject *
raise_no_hex(void)
{
    PyErr_SetString(PyExc_ValueError, "invalid hexadecimal floating-point string");
    return NULL;
}

/* The end of [0x]digits[.digits][p[+-]digits]; NULL when it is none. *point is where the
 * point stands, or NULL. */
static const char *
end_of_hex(const char *p, const char **point)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t whole = strspn(p, digits), fraction = 0;
    p += whole;
    *point = NULL;
    if (*p == '.') {
        *point = p++;
        fraction = strspn(p, digits);
        p += fraction;
    }
    if (whole + fraction == 0) {
        return NULL;
    }
    if (*p == 'p' || *p == 'P') {
        p++;
        p += *p == '+' || *p == '-';
        size_t count = strspn(p, "0123456789");
        return count == 0 ? NULL : p + count;
    }
    return p;
}

/* A copy with "0x" and the point of the locale, for strtod. */
static double
hex_to_double(bool negative, const char *start, const char *point, const char *end)
{
    const char *local = point == NULL ? "" : localeconv()->decimal_point;
    const char *behind = point == NULL ? end : point + 1;
    size_t size = (size_t)(end - start) + strlen(local) + 8;
    char *copy = PyMem_Malloc(size);
    if (copy == NULL) {
        PyErr_NoMemory();
        return -1.0;
    }
    snprintf(copy, size, "%s0x%.*s%s%.*s", negative ? "-" : "",
             (int)((point == NULL ? end : point) - start), start, local,
             (int)(end - behind), behind);
    double value = strtod(copy, NULL);
    PyMem_Free(copy);
    return value;
}

static PyObject *
float_from_hex_text(const char *text, Py_ssize_t size)
{
    const char *p = text + strspn(text, " \t\n\v\f\r");
    bool negative = *p == '-';
    double value;
    char *end;
    if ((p[*p == '-' || *p == '+'] | 0x20) == 'i' ||
        (p[*p == '-' || *p == '+'] | 0x20) == 'n') {
        value = PyOS_string_to_double(p, &end, NULL);
        if (end == p) {
            return PyErr_ExceptionMatches(PyExc_ValueError) ? raise_no_hex() : NULL;
        }
    } else {
        p += *p == '-' || *p == '+';
        p += p[0] == '0' && (p[1] | 0x20) == 'x' ? 2 : 0;
        const char *point;
        end = (char *)end_of_hex(p, &point);
        if (end == NULL) {
            return raise_no_hex();
        }
        value = hex_to_double(negative, p, point, end);
        if (isinf(value)) {
            PyErr_SetString(PyExc_OverflowError,
                            "hexadecimal value too large to represent as a float");
            return NULL;
        }
        if (PyErr_Occurred()) {
            return NULL;
        }
    }
    end += strspn(end, " \t\n\v\f\r");
    return end == text + size ? PyFloat_FromDouble(value) : raise_no_hex();
}

/* A class method. */
static PyObject *
float_fromhex(PyObject *type, PyObject *text)
{
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    PyObject *value = utf8 == NULL ? NULL : float_from_hex_text(utf8, size);
    if (value != NULL && type != (PyObject *)&PyFloat_Type) {
        Py_SETREF(value, PyObject_CallOneArg(type, value));
    }
    return value;
}

/* --- tables -------------------------------------------------------------------------------------------------- */

static PyObject *
float_getnewargs(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *value = PyNumber_Float(self);
    PyObject *args = value == NULL ? NULL : PyTuple_Pack(1, value);
    Py_XDECREF(value);
    return args;
}

static PyObject *
float_get_real(PyObject *self, void *Py_UNUSED(closure))
{
    return PyNumber_Float(self);
}

static PyObject *
float_get_imag(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    return PyFloat_FromDouble(0.0);
}

PyGetSetDef ouro_float_getset[] = {
    {"real", float_get_real, NULL, "the real part of a complex number", NULL},
    {"imag", float_get_imag, NULL, "the imaginary part of a complex number", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyMethodDef ouro_float_methods[] = {
    {"__ceil__", float_ceil, METH_NOARGS, "The least int that is not less."},
    {"__floor__", float_floor, METH_NOARGS, "The greatest int that is not greater."},
    {"__format__", ouro_float_format_spec, METH_O, "The number laid out by a format."},
    {"__getnewargs__", float_getnewargs, METH_NOARGS, NULL},
    {"__round__", _PyCFunction_CAST(float_round), METH_FASTCALL,
     "__round__(ndigits=None): rounded, half to even; an int without digits."},
    {"__trunc__", float_trunc, METH_NOARGS, "The whole part as an int."},
    {"as_integer_ratio", float_as_integer_ratio, METH_NOARGS,
     "Two ints whose quotient is the number."},
    {"conjugate", float_itself, METH_NOARGS, "The number itself."},
    {"fromhex", float_fromhex, METH_O | METH_CLASS, "A number from hexadecimal text."},
    {"hex", float_hex, METH_NOARGS, "The number as hexadecimal text."},
    {"is_integer", float_is_integer, METH_NOARGS, "Is there nothing behind the point?"},
    {NULL, NULL, 0, NULL},
};
