/* SPDX-License-Identifier: MIT */
/* complex from C; operators and text are among number_cases.inc. */
#include "../protocol.h"

TEST_PY(the_parts_of_a_complex_are_read_as_doubles)
{
    PyObject *c = PyComplex_FromDoubles(1.5, -2.5);
    REQUIRE_NOT_NULL(c);
    EXPECT(PyComplex_RealAsDouble(c) == 1.5);
    EXPECT(PyComplex_ImagAsDouble(c) == -2.5);
    EXPECT(PyComplex_AsCComplex(c).imag == -2.5);
    EXPECT(PyComplex_Check(c) && PyComplex_CheckExact(c));
    EXPECT(PyComplex_RealAsDouble(number(3)) == 3.0);
    EXPECT(PyComplex_ImagAsDouble(number(-1)) == 0.0);
    EXPECT_NO_ERROR();
    EXPECT(PyComplex_RealAsDouble(Py_None) == -1.0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "must be real number, not NoneType");
    EXPECT(PyComplex_ImagAsDouble(Py_None) == -1.0);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(c);
}

TEST_PY(a_complex_without_imaginary_part_hashes_as_the_number)
{
    PyObject *c = PyComplex_FromDoubles(5.0, 0.0), *i = number(5);
    EXPECT_EQ(PyObject_Hash(c), PyObject_Hash(i));
    EXPECT_EQ(PyObject_RichCompareBool(c, i, Py_EQ), 1);
    Py_DECREF(c);
}

TEST_PY(impossible_operations_on_complex_raise)
{
    PyObject *c = PyComplex_FromDoubles(1.0, 1.0),
             *zero = PyComplex_FromDoubles(0.0, 0.0);
    PyObject *minus = number(-1);
    EXPECT_NULL(PyNumber_TrueDivide(c, zero));
    EXPECT_RAISED_TEXT(PyExc_ZeroDivisionError, "division by zero");
    EXPECT_NULL(PyNumber_Power(zero, minus, Py_None));
    EXPECT_RAISED_TEXT(PyExc_ZeroDivisionError, "zero to a negative or complex power");
    EXPECT_NULL(PyNumber_Power(zero, c, Py_None));
    PyErr_Clear();
    Py_DECREF(c);
    Py_DECREF(zero);
}

static PyObject *
multiply_complex(void)
{
    PyObject *c = PyComplex_FromDoubles(1.0, 2.0);
    PyObject *result = c == NULL ? NULL : PyNumber_Multiply(c, c);
    Py_XDECREF(c);
    return result;
}

static PyObject *
parse_and_show_complex(void)
{
    PyObject *s = text("1+2j");
    PyObject *c = s == NULL ? NULL : PyObject_CallOneArg((PyObject *)&PyComplex_Type, s);
    PyObject *result = c == NULL ? NULL : PyObject_Repr(c);
    Py_XDECREF(c);
    Py_XDECREF(s);
    return result;
}

TEST_PY(complex_survives_any_failing_allocation)
{
    fail_each_allocation(multiply_complex);
    fail_each_allocation(parse_and_show_complex);
    repeat_without_leak(parse_and_show_complex);
}

TEST_PY(a_complex_is_made_of_a_c_complex)
{
    EXPECT_REPR_OF(PyComplex_FromCComplex((Py_complex){1.0, -2.0}), "(1-2j)");
}
