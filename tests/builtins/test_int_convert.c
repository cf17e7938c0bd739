/* SPDX-License-Identifier: MIT */
/* int from and to C numbers. */
#include "../protocol.h"

TEST_PY(c_numbers_come_back_unchanged)
{
    long long values[] = {0,
                          1,
                          -1,
                          256,
                          257,
                          -5,
                          -6,
                          INT_MAX,
                          INT_MIN,
                          UINT32_MAX,
                          (long long)1 << 32,
                          LLONG_MAX,
                          LLONG_MIN,
                          LLONG_MIN + 1};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(values); i++) {
        PyObject *n = PyLong_FromLongLong(values[i]);
        int overflow = 9;
        EXPECT_EQ(PyLong_AsLongLong(n), values[i]);
        EXPECT_EQ(PyLong_AsLong(n), values[i]);
        EXPECT_EQ(PyLong_AsSsize_t(n), values[i]);
        EXPECT_EQ(PyLong_AsLongAndOverflow(n, &overflow), values[i]);
        EXPECT_EQ(overflow, 0);
        EXPECT_EQ(PyLong_AsUnsignedLongLongMask(n), (unsigned long long)values[i]);
        EXPECT_NO_ERROR();
        Py_DECREF(n);
    }
    PyObject *n = PyLong_FromUnsignedLongLong(ULLONG_MAX);
    EXPECT_EQ(PyLong_AsUnsignedLongLong(n), ULLONG_MAX);
    EXPECT_EQ(PyLong_AsSize_t(n), SIZE_MAX);
    EXPECT_EQ(PyLong_AsUnsignedLong(n), ULONG_MAX);
    EXPECT_NO_ERROR();
    Py_DECREF(n);
    PyObject *address = PyLong_FromVoidPtr(&n);
    EXPECT_EQ(PyLong_AsVoidPtr(address), &n);
    Py_DECREF(address);
}

TEST_PY(what_does_not_fit_is_an_overflow_error)
{
    PyObject *n = PyLong_FromUnsignedLongLong((unsigned long long)1 << 63);
    EXPECT_EQ(PyLong_AsLong(n), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "Python int too large to convert to C long");
    EXPECT_EQ(PyLong_AsSsize_t(n), -1);
    EXPECT_RAISED(PyExc_OverflowError);
    int overflow = 0;
    EXPECT_EQ(PyLong_AsLongLongAndOverflow(n, &overflow), -1);
    EXPECT_EQ(overflow, 1);
    EXPECT_NO_ERROR();
    Py_DECREF(n);
    EXPECT_EQ(PyLong_AsUnsignedLong(number(-1)), ULONG_MAX);
    EXPECT_RAISED(PyExc_OverflowError);
    PyObject *wide = PyLong_FromLongLong((long long)INT_MAX + 1);
    EXPECT_EQ(PyLong_AsInt(wide), -1);
    EXPECT_RAISED(PyExc_OverflowError);
    int32_t narrow;
    EXPECT_EQ(PyLong_AsInt32(wide, &narrow), -1);
    EXPECT_RAISED(PyExc_OverflowError);
    Py_DECREF(wide);
}

TEST_PY(other_types_are_a_type_error)
{
    PyObject *f = PyFloat_FromDouble(1.5);
    EXPECT_EQ(PyLong_AsLong(f), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyLong_AsSsize_t(f), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyLong_AsVoidPtr(f));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyLong_AsLong(NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyLong_IsZero(f), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(f);
}

TEST_PY(doubles_are_cut_towards_zero)
{
    EXPECT_REPR_OF(PyLong_FromDouble(-3.99), "-3");
    EXPECT_REPR_OF(PyLong_FromDouble(0.5), "0");
    EXPECT_REPR_OF(PyLong_FromDouble(1e22), "10000000000000000000000");
    EXPECT_REPR_OF(PyLong_FromDouble(-18446744073709551616.0), "-18446744073709551616");
    EXPECT_NULL(PyLong_FromDouble(INFINITY));
    EXPECT_RAISED(PyExc_OverflowError);
    EXPECT_NULL(PyLong_FromDouble(NAN));
    EXPECT_RAISED(PyExc_ValueError);
}

TEST_PY(conversion_to_double_rounds_half_to_even)
{
    struct {
        const char *digits;
        double value;
    } cases[] = {{"9007199254740993", 9007199254740992.0},
                 {"9007199254740995", 9007199254740996.0},
                 {"18446744073709551615", 18446744073709551616.0},
                 {"-9007199254740993", -9007199254740992.0}};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        PyObject *n = PyLong_FromString(cases[i].digits, NULL, 10);
        EXPECT(PyLong_AsDouble(n) == cases[i].value);
        Py_DECREF(n);
    }
    PyObject *shift = number(1100), *huge = PyNumber_Lshift(number(1), shift);
    EXPECT(PyLong_AsDouble(huge) == -1.0);
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "int too large to convert to float");
    Py_DECREF(shift);
    Py_DECREF(huge);
}

TEST_PY(the_sign_can_be_asked_for)
{
    int sign = 9;
    EXPECT_EQ(PyLong_GetSign(number(-3), &sign), 0);
    EXPECT_EQ(sign, -1);
    EXPECT_EQ(PyLong_GetSign(number(0), &sign), 0);
    EXPECT_EQ(sign, 0);
    EXPECT_EQ(PyLong_IsPositive(number(2)), 1);
    EXPECT_EQ(PyLong_IsNegative(number(2)), 0);
    EXPECT_EQ(PyLong_IsZero(number(0)), 1);
    EXPECT_EQ(_PyLong_NumBits(number(255)), 8);
}

static PyObject *
make_long_int(void)
{
    return PyLong_FromDouble(1e100);
}

TEST_PY(int_creation_survives_any_failing_allocation)
{
    fail_each_allocation(make_long_int);
}

TEST_PY(ints_of_known_width_come_and_go)
{
    EXPECT_REPR_OF(PyLong_FromInt32(INT32_MIN), "-2147483648");
    EXPECT_REPR_OF(PyLong_FromUInt32(UINT32_MAX), "4294967295");
    EXPECT_REPR_OF(PyLong_FromInt64(INT64_MIN), "-9223372036854775808");
    EXPECT_REPR_OF(PyLong_FromUInt64(UINT64_MAX), "18446744073709551615");
    EXPECT_REPR_OF(PyLong_FromSize_t(SIZE_MAX), "18446744073709551615");
    PyObject *most = PyLong_FromUInt64(UINT64_MAX), *minus = number(-1);
    uint32_t u32 = 7;
    uint64_t u64 = 7;
    int64_t i64 = 7;
    EXPECT_EQ(PyLong_AsUInt64(most, &u64), 0);
    EXPECT(u64 == UINT64_MAX);
    EXPECT_EQ(PyLong_AsInt64(minus, &i64), 0);
    EXPECT_EQ(i64, -1);
    EXPECT_EQ(PyLong_AsUInt32(number(5), &u32), 0);
    EXPECT_EQ(u32, 5);
    EXPECT_EQ(PyLong_AsInt64(most, &i64), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError,
                       "Python int too large to convert to C int64_t");
    EXPECT_EQ(PyLong_AsUInt32(most, &u32), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError,
                       "Python int too large to convert to C uint32_t");
    EXPECT_EQ(PyLong_AsUInt64(minus, &u64), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "can't convert negative value to uint64_t");
    EXPECT_EQ(PyLong_AsUInt64(Py_None, &u64), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT(PyLong_AsUnsignedLongMask(minus) == ULONG_MAX);
    EXPECT_NO_ERROR();
    Py_DECREF(most);
    Py_DECREF(minus);
}

TEST_PY(compact_ints_are_read_at_once)
{
    PyObject *small = number(-12), *large = PyLong_FromDouble(1e30);
    REQUIRE(PyUnstable_Long_IsCompact((PyLongObject *)small));
    EXPECT_EQ(PyUnstable_Long_CompactValue((PyLongObject *)small), -12);
    EXPECT_EQ(PyUnstable_Long_IsCompact((PyLongObject *)large), 0);
    Py_DECREF(small);
    Py_DECREF(large);
}
