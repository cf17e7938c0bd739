/* SPDX-License-Identifier: MIT */
/* float objects: conversion, comparison, arithmetic. Text is in float_text.c. */
#include <Python.h>

#include <float.h>

#include "arguments.h"
#include "float_text.h"

PyObject *
PyFloat_FromDouble(double value)
{
    PyFloatObject *self = PyObject_New(PyFloatObject, &PyFloat_Type);
    if (self != NULL) {
        self->ob_fval = value;
    }
    return (PyObject *)self;
}

double
PyFloat_GetMax(void)
{
    return DBL_MAX;
}

double
PyFloat_GetMin(void)
{
    return DBL_MIN;
}

double
PyFloat_AsDouble(PyObject *pyfloat)
{
    if (pyfloat == NULL) {
        PyErr_BadArgument();
        return -1.0;
    }
    if (PyFloat_Check(pyfloat)) {
        return PyFloat_AS_DOUBLE(pyfloat);
    }
    if (PyLong_Check(pyfloat)) {
        return PyLong_AsDouble(pyfloat);
    }
    PyNumberMethods *number = Py_TYPE(pyfloat)->tp_as_number;
    if (number == NULL || (number->nb_float == NULL && number->nb_index == NULL)) {
        PyErr_Format(PyExc_TypeError, "must be real number, not %.50s",
                     Py_TYPE(pyfloat)->tp_name);
        return -1.0;
    }
    if (number->nb_float == NULL) {
        PyObject *whole = PyNumber_Index(pyfloat);
        double value = whole == NULL ? -1.0 : PyLong_AsDouble(whole);
        Py_XDECREF(whole);
        return value;
    }
    PyObject *converted = number->nb_float(pyfloat);
    if (converted == NULL) {
        return -1.0;
    }
    double value = -1.0;
    if (PyFloat_Check(converted)) {
        value = PyFloat_AS_DOUBLE(converted);
    } else {
        PyErr_Format(PyExc_TypeError, "%.50s.__float__ returned non-float (type %.50s)",
                     Py_TYPE(pyfloat)->tp_name, Py_TYPE(converted)->tp_name);
    }
    Py_DECREF(converted);
    return value;
}

/* --- comparison -------------------------------------------------------------------------------- */

/* Compare x with an int exactly; neither NaN nor infinite. Returns -1, 0 or 1; -2 with an
 * exception. */
static int
compare_double_with_int(double x, PyObject *n)
{
    double whole = floor(x);
    PyObject *floored = PyLong_FromDouble(whole);
    if (floored == NULL) {
        return -2;
    }
    int less = PyObject_RichCompareBool(floored, n, Py_LT);
    int equal = less == 0 ? PyObject_RichCompareBool(floored, n, Py_EQ) : 0;
    Py_DECREF(floored);
    if (less < 0 || equal < 0) {
        return -2;
    }
    /* whole < n implies x < n, as n is an integer. */
    return less ? -1 : !equal ? 1 : x > whole;
}

static PyObject *
float_richcompare(PyObject *self, PyObject *other, int op)
{
    double x = PyFloat_AS_DOUBLE(self), y;
    if (PyFloat_Check(other)) {
        y = PyFloat_AS_DOUBLE(other);
    } else if (!PyLong_Check(other)) {
        Py_RETURN_NOTIMPLEMENTED;
    } else if (!isfinite(x)) {
        y = 0.0; /* any finite number compares alike */
    } else {
        int order = compare_double_with_int(x, other);
        if (order == -2) {
            return NULL;
        }
        Py_RETURN_RICHCOMPARE(order, 0, op);
    }
    Py_RETURN_RICHCOMPARE(x, y, op);
}

static Py_hash_t
float_hash(PyObject *self)
{
    return Py_HashDouble(self, PyFloat_AS_DOUBLE(self));
}

/* --- arithmetic --------------------------------------------------------------------------------- */

/* 1 when `op` is a float or an int and *x its value; 0 for other types; -1 with an
 * exception when an int is too large. */
static int
operand_to_double(PyObject *op, double *x)
{
    if (PyFloat_Check(op)) {
        *x = PyFloat_AS_DOUBLE(op);
        return 1;
    }
    if (!PyLong_Check(op)) {
        return 0;
    }
    *x = PyLong_AsDouble(op);
    return *x == -1.0 && PyErr_Occurred() ? -1 : 1;
}

#define TWO_DOUBLES(a, b, x, y)                                                          \
    double x, y;                                                                         \
    {                                                                                    \
        int got_ = operand_to_double((a), &(x));                                         \
        got_ = got_ > 0 ? operand_to_double((b), &(y)) : got_;                           \
        if (got_ <= 0) {                                                                 \
            return got_ < 0 ? NULL : Py_NewRef(Py_NotImplemented);                       \
        }                                                                                \
    }

static PyObject *
float_add(PyObject *a, PyObject *b)
{
    TWO_DOUBLES(a, b, x, y)
    return PyFloat_FromDouble(x + y);
}

static PyObject *
float_subtract(PyObject *a, PyObject *b)
{
    TWO_DOUBLES(a, b, x, y)
    return PyFloat_FromDouble(x - y);
}

static PyObject *
float_multiply(PyObject *a, PyObject *b)
{
    TWO_DOUBLES(a, b, x, y)
    return PyFloat_FromDouble(x * y);
}

static PyObject *
raise_zero_division(const char *message)
{
    PyErr_SetString(PyExc_ZeroDivisionError, message);
    return NULL;
}

static PyObject *
float_true_divide(PyObject *a, PyObject *b)
{
    TWO_DOUBLES(a, b, x, y)
    if (y == 0.0) {
        return raise_zero_division("division by zero");
    }
    return PyFloat_FromDouble(x / y);
}

/* Division downwards: the remainder has the sign of y, the quotient is whole. */
static void
divide_doubles_down(double x, double y, double *quotient, double *remainder)
{
    double rest = fmod(x, y);
    double whole = (x - rest) / y;
    if (rest != 0.0) {
        if ((y < 0) != (rest < 0)) {
            rest += y;
            whole -= 1.0;
        }
    } else {
        rest = copysign(0.0, y);
    }
    if (whole != 0.0) {
        double rounded = floor(whole);
        *quotient = whole - rounded > 0.5 ? rounded + 1.0 : rounded;
    } else {
        *quotient = copysign(0.0, x / y);
    }
    *remainder = rest;
}

static PyObject *
float_remainder(PyObject *a, PyObject *b)
{
    TWO_DOUBLES(a, b, x, y)
    if (y == 0.0) {
        return raise_zero_division("division by zero");
    }
    double quotient, remainder;
    divide_doubles_down(x, y, &quotient, &remainder);
    return PyFloat_FromDouble(remainder);
}

static PyObject *
float_floor_divide(PyObject *a, PyObject *b)
{
    TWO_DOUBLES(a, b, x, y)
    if (y == 0.0) {
        return raise_zero_division("division by zero");
    }
    double quotient, remainder;
    divide_doubles_down(x, y, &quotient, &remainder);
    return PyFloat_FromDouble(quotient);
}

static PyObject *
float_divmod(PyObject *a, PyObject *b)
{
    TWO_DOUBLES(a, b, x, y)
    if (y == 0.0) {
        return raise_zero_division("division by zero");
    }
    double quotient, remainder;
    divide_doubles_down(x, y, &quotient, &remainder);
    PyObject *pair[2] = {PyFloat_FromDouble(quotient), PyFloat_FromDouble(remainder)};
    if (pair[0] == NULL || pair[1] == NULL) {
        Py_XDECREF(pair[0]);
        Py_XDECREF(pair[1]);
        return NULL;
    }
    return _PyTuple_FromArraySteal(pair, 2);
}

static PyObject *
float_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None) {
        PyErr_SetString(PyExc_TypeError, "pow() 3rd argument not allowed unless all "
                                         "arguments are integers");
        return NULL;
    }
    TWO_DOUBLES(a, b, x, y)
    if (x == 0.0 && y < 0.0) {
        return raise_zero_division("zero to a negative power");
    }
    if (x < 0.0 && isfinite(x) && isfinite(y) && y != floor(y)) {
        return PyComplex_Type.tp_as_number->nb_power(a, b, modulus);
    }
    double result = pow(x, y);
    if (isinf(result) && isfinite(x) && isfinite(y)) {
        PyErr_SetString(PyExc_OverflowError, "Numerical result out of range");
        return NULL;
    }
    return PyFloat_FromDouble(result);
}

static PyObject *
float_negative(PyObject *self)
{
    return PyFloat_FromDouble(-PyFloat_AS_DOUBLE(self));
}

static PyObject *
float_float(PyObject *self)
{
    return PyFloat_CheckExact(self) ? Py_NewRef(self)
                                    : PyFloat_FromDouble(PyFloat_AS_DOUBLE(self));
}

static PyObject *
float_absolute(PyObject *self)
{
    return PyFloat_FromDouble(fabs(PyFloat_AS_DOUBLE(self)));
}

static int
float_bool(PyObject *self)
{
    return PyFloat_AS_DOUBLE(self) != 0.0;
}

static PyObject *
float_int(PyObject *self)
{
    return PyLong_FromDouble(PyFloat_AS_DOUBLE(self));
}

/* --- the type ----------------------------------------------------------------------------------- */

static PyObject *
float_repr(PyObject *self)
{
    char text[OURO_FLOAT_TEXT_MAX];
    size_t length = ouro_float_repr(PyFloat_AS_DOUBLE(self), text);
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
}

static PyObject *
float_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if ((type == &PyFloat_Type && !ouro_args_positional("float", kwargs)) ||
        !ouro_args_between("float", PyTuple_GET_SIZE(args), 0, 1)) {
        return NULL;
    }
    PyObject *value = PyTuple_GET_SIZE(args) == 0
                          ? PyFloat_FromDouble(0.0)
                          : PyNumber_Float(PyTuple_GET_ITEM(args, 0));
    if (value == NULL || type == &PyFloat_Type) {
        return value;
    }
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL) {
        PyFloat_AS_DOUBLE(self) = PyFloat_AS_DOUBLE(value);
    }
    Py_DECREF(value);
    return self;
}

static PyNumberMethods float_as_number = {
    .nb_add = float_add,
    .nb_subtract = float_subtract,
    .nb_multiply = float_multiply,
    .nb_remainder = float_remainder,
    .nb_divmod = float_divmod,
    .nb_power = float_power,
    .nb_negative = float_negative,
    .nb_positive = float_float,
    .nb_absolute = float_absolute,
    .nb_bool = float_bool,
    .nb_int = float_int,
    .nb_float = float_float,
    .nb_floor_divide = float_floor_divide,
    .nb_true_divide = float_true_divide,
};

PyTypeObject PyFloat_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "float",
    .tp_basicsize = sizeof(PyFloatObject),
    .tp_repr = float_repr,
    .tp_as_number = &float_as_number,
    .tp_hash = float_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "float(x=0, /)\n--\n\nA floating-point number.",
    .tp_richcompare = float_richcompare,
    .tp_new = float_new,
    .tp_free = PyObject_Free,
};
