/* SPDX-License-Identifier: MIT */
/* Arithmetic of ints, short and long; the long results were computed by CPython. */
#include "../protocol.h"

/* `op` on two decimal numbers, as decimal text. */
static PyObject *
computed(const char *a, const char *op, const char *b)
{
    PyObject *x = PyLong_FromString(a, NULL, 10), *y = PyLong_FromString(b, NULL, 10);
    PyObject *r = NULL;
    switch (op[0]) {
    case '+':
        r = PyNumber_Add(x, y);
        break;
    case '-':
        r = PyNumber_Subtract(x, y);
        break;
    case '*':
        r = op[1] == '*' ? PyNumber_Power(x, y, Py_None) : PyNumber_Multiply(x, y);
        break;
    case '/':
        r = op[1] == '/' ? PyNumber_FloorDivide(x, y) : PyNumber_TrueDivide(x, y);
        break;
    case '%':
        r = PyNumber_Remainder(x, y);
        break;
    case '&':
        r = PyNumber_And(x, y);
        break;
    case '|':
        r = PyNumber_Or(x, y);
        break;
    case '^':
        r = PyNumber_Xor(x, y);
        break;
    case '<':
        r = PyNumber_Lshift(x, y);
        break;
    default:
        r = PyNumber_Rshift(x, y);
        break;
    }
    Py_XDECREF(x);
    Py_XDECREF(y);
    return r;
}

TEST_PY(results_are_those_of_cpython)
{
    static const char *const cases[][4] = {
#include "int_cases.inc"
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_REPR_OF(computed(cases[i][0], cases[i][1], cases[i][2]), cases[i][3]);
    }
}

TEST_PY(quotient_and_remainder_make_the_dividend_again)
{
    /* Powers of two and their neighbours, where carries and borrows happen. */
    for (int i = 0; i < 200; i += 7) {
        for (int j = 0; j < 200; j += 11) {
            for (int delta = -1; delta <= 1; delta++) {
                PyObject *shift_a = number(i), *shift_b = number(j), *d = number(delta);
                PyObject *pa = PyNumber_Lshift(number(3), shift_a);
                PyObject *b = PyNumber_Lshift(number(delta == 0 ? -1 : 1), shift_b);
                PyObject *a = PyNumber_Add(pa, d);
                PyObject *q = PyNumber_FloorDivide(a, b), *r = PyNumber_Remainder(a, b);
                PyObject *product = PyNumber_Multiply(q, b);
                PyObject *sum = PyNumber_Add(product, r);
                EXPECT_EQ(PyObject_RichCompareBool(sum, a, Py_EQ), 1);
                Py_DECREF(shift_a);
                Py_DECREF(shift_b);
                Py_DECREF(pa);
                Py_DECREF(a);
                Py_DECREF(b);
                Py_DECREF(q);
                Py_DECREF(r);
                Py_DECREF(product);
                Py_DECREF(sum);
            }
        }
    }
}

TEST_PY(impossible_operations_raise)
{
    EXPECT_NULL(computed("1", "//", "0"));
    EXPECT_RAISED_TEXT(PyExc_ZeroDivisionError, "integer division or modulo by zero");
    EXPECT_NULL(computed("1", "%", "0"));
    EXPECT_RAISED(PyExc_ZeroDivisionError);
    EXPECT_NULL(computed("1", "/", "0"));
    EXPECT_RAISED_TEXT(PyExc_ZeroDivisionError, "division by zero");
    EXPECT_NULL(computed("1", "<<", "-1"));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "negative shift count");
    EXPECT_NULL(computed("1", "<<", "9223372036854775807"));
    EXPECT(PyErr_Occurred() != NULL);
    PyErr_Clear();
    EXPECT_REPR_OF(computed("-1", ">>", "99999999999999999999"), "-1");
    EXPECT_REPR_OF(computed("0", "<<", "99999999999999999999"), "0");
    EXPECT_NULL(PyNumber_Power(number(2), number(3), number(0)));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_REPR_OF(PyNumber_Power(number(3), number(200), number(50)), "1");
    EXPECT_NULL(PyNumber_Add(number(1), Py_None));
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(sign_operations)
{
    PyObject *big = PyLong_FromString("-18446744073709551616", NULL, 10);
    EXPECT_REPR_OF(PyNumber_Negative(big), "18446744073709551616");
    EXPECT_REPR_OF(PyNumber_Absolute(big), "18446744073709551616");
    EXPECT_REPR_OF(PyNumber_Invert(big), "18446744073709551615");
    EXPECT_EQ(PyObject_IsTrue(big), 1);
    EXPECT_EQ(PyObject_IsTrue(number(0)), 0);
    Py_DECREF(big);
}

static PyObject *
divide_long_ints(void)
{
    return computed("123456789012345678901234567890", "//", "-98765432109876543210");
}

static PyObject *
raise_long_int(void)
{
    return computed("12345678901234567890", "**", "5");
}

TEST_PY(arithmetic_survives_any_failing_allocation)
{
    fail_each_allocation(divide_long_ints);
    fail_each_allocation(raise_long_int);
}
