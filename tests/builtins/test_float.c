/* SPDX-License-Identifier: MIT */
/* float objects: conversion, comparison, arithmetic. */
#include "../protocol.h"

#include <float.h>

static PyObject *
real(double value)
{
    return PyFloat_FromDouble(value);
}

TEST_PY(doubles_come_back_unchanged)
{
    double values[] = {0.0, -0.0, 1.5, -1e300, 5e-324, INFINITY};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(values); i++) {
        PyObject *f = real(values[i]);
        double back = PyFloat_AsDouble(f);
        EXPECT(memcmp(&back, &values[i], sizeof back) == 0);
        Py_DECREF(f);
    }
    EXPECT(PyFloat_AsDouble(number(3)) == 3.0);
    EXPECT(PyFloat_AsDouble(Py_None) == -1.0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "must be real number, not NoneType");
}

TEST_PY(comparison_with_ints_is_exact)
{
    PyObject *n = PyLong_FromString("9007199254740993", NULL, 10); /* 2^53 + 1 */
    PyObject *f = real(9007199254740992.0), *half = real(0.5), *inf = real(INFINITY);
    PyObject *nan = real(NAN);
    EXPECT_EQ(PyObject_RichCompareBool(f, n, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(f, n, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(n, f, Py_GT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(half, number(0), Py_GT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(half, number(1), Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(inf, n, Py_GT), 1);
    PyObject *differs = PyObject_RichCompare(nan, nan, Py_EQ);
    EXPECT_EQ(differs, Py_False);
    EXPECT_EQ(PyObject_RichCompareBool(nan, number(1), Py_LT), 0);
    Py_DECREF(n);
    Py_DECREF(f);
    Py_DECREF(half);
    Py_DECREF(inf);
    Py_DECREF(nan);
}

static PyObject *
apply(PyObject *(*function)(PyObject *, PyObject *), double a, double b)
{
    PyObject *x = real(a), *y = real(b);
    PyObject *result = function(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    return result;
}

TEST_PY(arithmetic_follows_the_sign_of_the_divisor)
{
    EXPECT_REPR_OF(apply(PyNumber_Add, 0.1, 0.2), "0.30000000000000004");
    EXPECT_REPR_OF(apply(PyNumber_TrueDivide, 1, 3), "0.3333333333333333");
    EXPECT_REPR_OF(apply(PyNumber_FloorDivide, -7, 2), "-4.0");
    EXPECT_REPR_OF(apply(PyNumber_Remainder, -7, 2), "1.0");
    EXPECT_REPR_OF(apply(PyNumber_Remainder, 7, -2), "-1.0");
    EXPECT_REPR_OF(apply(PyNumber_Remainder, -1e-17, 1), "1.0");
    EXPECT_REPR_OF(apply(PyNumber_Divmod, 7.5, 2), "(3.0, 1.5)");
    EXPECT_NULL(apply(PyNumber_TrueDivide, 1, 0));
    EXPECT_RAISED(PyExc_ZeroDivisionError);
    PyObject *f = real(2.5);
    EXPECT_REPR_OF(PyNumber_Add(number(1), f), "3.5");
    EXPECT_REPR_OF(PyNumber_Power(number(2), number(-1), Py_None), "0.5");
    EXPECT_REPR_OF(PyNumber_Long(f), "2");
    EXPECT_REPR_OF(PyNumber_Negative(f), "-2.5");
    EXPECT_NULL(PyNumber_Add(f, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(f);
}

TEST_PY(float_can_be_called)
{
    PyObject *source = text(" 1_0.5e1\n");
    EXPECT_REPR_OF(PyObject_CallOneArg((PyObject *)&PyFloat_Type, source), "105.0");
    EXPECT_REPR_OF(PyObject_CallNoArgs((PyObject *)&PyFloat_Type), "0.0");
    Py_DECREF(source);
}

TEST_PY(the_range_of_float_is_that_of_double)
{
    EXPECT(PyFloat_GetMax() == DBL_MAX);
    EXPECT(PyFloat_GetMin() == DBL_MIN);
}
