/* SPDX-License-Identifier: MIT */
/* The methods of int, float and complex give what CPython gives. */
#include "../cases.h"

TEST_PY(methods_of_numbers_do_what_they_do_in_cpython)
{
    static const struct recorded_case cases[] = {
#include "number_cases.inc"
    };
    RECORDED_CASES(cases);
}

TEST_PY(native_bytes_hold_the_value_or_say_how_many_it_needs)
{
    static const struct {
        const char *value;
        Py_ssize_t room;
        int flags;
        Py_ssize_t needed;
        unsigned char bytes[4];
    } cases[] = {
        {"0", 4, Py_ASNATIVEBYTES_BIG_ENDIAN, 1, {0, 0, 0, 0}},
        {"258", 4, Py_ASNATIVEBYTES_BIG_ENDIAN, 2, {0, 0, 1, 2}},
        {"258", 4, Py_ASNATIVEBYTES_LITTLE_ENDIAN, 2, {2, 1, 0, 0}},
        {"-2", 4, Py_ASNATIVEBYTES_BIG_ENDIAN, 1, {255, 255, 255, 254}},
        {"255", 1, Py_ASNATIVEBYTES_BIG_ENDIAN, 2, {255}},
        {"255", 1, Py_ASNATIVEBYTES_UNSIGNED_BUFFER, 1, {255}},
        {"256", 1, Py_ASNATIVEBYTES_UNSIGNED_BUFFER, 2, {0}},
        {"-128", 1, Py_ASNATIVEBYTES_BIG_ENDIAN, 1, {128}},
        {"-129", 1, Py_ASNATIVEBYTES_BIG_ENDIAN, 2, {127}},
        {"1208925819614629174706176", 4, Py_ASNATIVEBYTES_BIG_ENDIAN, 11, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        unsigned char buffer[4] = {1, 1, 1, 1};
        PyObject *v = PyLong_FromString(cases[i].value, NULL, 10);
        EXPECT_EQ(PyLong_AsNativeBytes(v, buffer, cases[i].room, cases[i].flags),
                  cases[i].needed);
        EXPECT_EQ(memcmp(buffer, cases[i].bytes, (size_t)cases[i].room), 0);
        Py_DECREF(v);
    }
    EXPECT_EQ(PyLong_AsNativeBytes(number(200), NULL, 0, -1), 2);
}

TEST_PY(native_bytes_refuse_what_they_cannot_take)
{
    char buffer[8];
    EXPECT_EQ(
        PyLong_AsNativeBytes(number(-1), buffer, 8, Py_ASNATIVEBYTES_REJECT_NEGATIVE),
        -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "Cannot convert negative int");
    EXPECT_EQ(PyLong_AsNativeBytes(Py_None, buffer, 8, -1), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expect int, got NoneType");
    EXPECT_EQ(PyLong_AsNativeBytes(Py_None, buffer, 8, Py_ASNATIVEBYTES_ALLOW_INDEX), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyLong_AsNativeBytes(number(1), buffer, -1, -1), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyLong_FromNativeBytes(NULL, 1, -1));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(native_bytes_come_back_as_the_number)
{
    int64_t value = -5;
    EXPECT_REPR_OF(PyLong_FromNativeBytes(&value, 8, -1), "-5");
    EXPECT_REPR_OF(PyLong_FromUnsignedNativeBytes(&value, 8, -1), "18446744073709551611");
    EXPECT_REPR_OF(PyLong_FromNativeBytes("\xff\x01", 2, Py_ASNATIVEBYTES_BIG_ENDIAN),
                   "-255");
    EXPECT_REPR_OF(
        PyLong_FromNativeBytes("\xff\x01", 2, Py_ASNATIVEBYTES_UNSIGNED_BUFFER), "65281");
}

static PyObject *
round_a_long_int(void)
{
    PyObject *v = PyLong_FromString("123456789012345678901234567890", NULL, 10);
    PyObject *method = v == NULL ? NULL : PyObject_GetAttrString(v, "__round__");
    PyObject *digits = PyLong_FromLong(-3);
    PyObject *result = method == NULL ? NULL : PyObject_CallOneArg(method, digits);
    Py_XDECREF(method);
    Py_XDECREF(v);
    return result;
}

TEST_PY(rounding_survives_any_failing_allocation)
{
    fail_each_allocation(round_a_long_int);
}
