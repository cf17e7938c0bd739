/* SPDX-License-Identifier: MIT */
/* Arithmetic of complex numbers. */
#include "complex_object.h"

#include <errno.h>

/* --- on C values ------------------------------------------------------------------------------------ */

Py_complex
_Py_c_sum(Py_complex left, Py_complex right)
{
    return (Py_complex){left.real + right.real, left.imag + right.imag};
}

Py_complex
_Py_c_diff(Py_complex left, Py_complex right)
{
    return (Py_complex){left.real - right.real, left.imag - right.imag};
}

Py_complex
_Py_c_neg(Py_complex num)
{
    return (Py_complex){-num.real, -num.imag};
}

Py_complex
_Py_c_prod(Py_complex left, Py_complex right)
{
    return (Py_complex){left.real * right.real - left.imag * right.imag,
                        left.real * right.imag + left.imag * right.real};
}

/* Dividing by the larger part of the divisor first keeps the squares from overflowing. */
Py_complex
_Py_c_quot(Py_complex dividend, Py_complex divisor)
{
    double real = fabs(divisor.real), imag = fabs(divisor.imag);
    if (isnan(real) || isnan(imag)) {
        return (Py_complex){Py_NAN, Py_NAN};
    }
    if (real == 0.0 && imag == 0.0) {
        errno = EDOM;
        return (Py_complex){0.0, 0.0};
    }
    if (real >= imag) {
        double ratio = divisor.imag / divisor.real;
        double scale = divisor.real + divisor.imag * ratio;
        return (Py_complex){(dividend.real + dividend.imag * ratio) / scale,
                            (dividend.imag - dividend.real * ratio) / scale};
    }
    double ratio = divisor.real / divisor.imag;
    double scale = divisor.real * ratio + divisor.imag;
    return (Py_complex){(dividend.real * ratio + dividend.imag) / scale,
                        (dividend.imag * ratio - dividend.real) / scale};
}

double
_Py_c_abs(Py_complex num)
{
    errno = 0;
    double result = hypot(num.real, num.imag);
    if (isinf(result) && isfinite(num.real) && isfinite(num.imag)) {
        errno = ERANGE;
    }
    return result;
}

Py_complex
_Py_c_pow(Py_complex num, Py_complex exponent)
{
    if (exponent.real == 0.0 && exponent.imag == 0.0) {
        return (Py_complex){1.0, 0.0};
    }
    if (num.real == 0.0 && num.imag == 0.0) {
        if (exponent.imag != 0.0 || exponent.real < 0.0) {
            errno = EDOM;
        }
        return (Py_complex){0.0, 0.0};
    }
    double size = hypot(num.real, num.imag), angle = atan2(num.imag, num.real);
    double length = pow(size, exponent.real), phase = angle * exponent.real;
    if (exponent.imag != 0.0) {
        length *= exp(-angle * exponent.imag);
        phase += exponent.imag * log(size);
    }
    double real = length * cos(phase), imag = length * sin(phase);
    return (Py_complex){real, imag};
}

/* A small whole power, by squaring: exact where the product is. */
static Py_complex
whole_power(Py_complex num, long exponent)
{
    Py_complex result = {1.0, 0.0};
    for (long rest = exponent < 0 ? -exponent : exponent; rest > 0; rest >>= 1) {
        if (rest & 1) {
            result = _Py_c_prod(result, num);
        }
        num = _Py_c_prod(num, num);
    }
    return exponent < 0 ? _Py_c_quot((Py_complex){1.0, 0.0}, result) : result;
}

/* --- on objects ---------------------------------------------------------------------------------------- */

/* 1 when `op` is a number and *value its value; 0 for other types; -1 with an exception. */
static int
operand_to_complex(PyObject *op, Py_complex *value)
{
    if (PyComplex_Check(op)) {
        *value = OURO_COMPLEX(op);
        return 1;
    }
    if (!PyFloat_Check(op) && !PyLong_Check(op)) {
        return 0;
    }
    *value = (Py_complex){PyFloat_AsDouble(op), 0.0};
    return value->real == -1.0 && PyErr_Occurred() ? -1 : 1;
}

#define TWO_COMPLEX(a, b, x, y)                                                          \
    Py_complex x, y;                                                                     \
    {                                                                                    \
        int got_ = operand_to_complex((a), &(x));                                        \
        got_ = got_ > 0 ? operand_to_complex((b), &(y)) : got_;                          \
        if (got_ <= 0) {                                                                 \
            return got_ < 0 ? NULL : Py_NewRef(Py_NotImplemented);                       \
        }                                                                                \
    }

static PyObject *
complex_add(PyObject *a, PyObject *b)
{
    TWO_COMPLEX(a, b, x, y)
    return PyComplex_FromCComplex(_Py_c_sum(x, y));
}

static PyObject *
complex_subtract(PyObject *a, PyObject *b)
{
    TWO_COMPLEX(a, b, x, y)
    return PyComplex_FromCComplex(_Py_c_diff(x, y));
}

static PyObject *
complex_multiply(PyObject *a, PyObject *b)
{
    TWO_COMPLEX(a, b, x, y)
    return PyComplex_FromCComplex(_Py_c_prod(x, y));
}

static PyObject *
complex_true_divide(PyObject *a, PyObject *b)
{
    TWO_COMPLEX(a, b, x, y)
    errno = 0;
    Py_complex quotient = _Py_c_quot(x, y);
    if (errno == EDOM) {
        PyErr_SetString(PyExc_ZeroDivisionError, "division by zero");
        return NULL;
    }
    return PyComplex_FromCComplex(quotient);
}

static PyObject *
complex_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    TWO_COMPLEX(a, b, x, y)
    if (modulus != Py_None) {
        PyErr_SetString(PyExc_ValueError, "complex modulo");
        return NULL;
    }
    errno = 0;
    bool whole = y.imag == 0.0 && y.real == floor(y.real) && fabs(y.real) <= 100.0;
    Py_complex result = whole ? whole_power(x, (long)y.real) : _Py_c_pow(x, y);
    if (errno == EDOM) {
        PyErr_SetString(PyExc_ZeroDivisionError, "zero to a negative or complex power");
        return NULL;
    }
    bool finite =
        isfinite(x.real) && isfinite(x.imag) && isfinite(y.real) && isfinite(y.imag);
    if (finite && (isinf(result.real) || isinf(result.imag))) {
        PyErr_SetString(PyExc_OverflowError, "complex exponentiation");
        return NULL;
    }
    return PyComplex_FromCComplex(result);
}

static PyObject *
complex_negative(PyObject *self)
{
    return PyComplex_FromCComplex(_Py_c_neg(OURO_COMPLEX(self)));
}

static PyObject *
complex_positive(PyObject *self)
{
    return PyComplex_CheckExact(self) ? Py_NewRef(self)
                                      : PyComplex_FromCComplex(OURO_COMPLEX(self));
}

static PyObject *
complex_absolute(PyObject *self)
{
    double size = _Py_c_abs(OURO_COMPLEX(self));
    if (errno == ERANGE) {
        PyErr_SetString(PyExc_OverflowError, "absolute value too large");
        return NULL;
    }
    return PyFloat_FromDouble(size);
}

static int
complex_bool(PyObject *self)
{
    return OURO_COMPLEX(self).real != 0.0 || OURO_COMPLEX(self).imag != 0.0;
}

PyNumberMethods ouro_complex_as_number = {
    .nb_add = complex_add,
    .nb_subtract = complex_subtract,
    .nb_multiply = complex_multiply,
    .nb_power = complex_power,
    .nb_negative = complex_negative,
    .nb_positive = complex_positive,
    .nb_absolute = complex_absolute,
    .nb_bool = complex_bool,
    .nb_true_divide = complex_true_divide,
};
