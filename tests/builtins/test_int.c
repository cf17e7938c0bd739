/* SPDX-License-Identifier: MIT */
/* int objects: sharing, comparison, hash, construction. */
#include "../protocol.h"

static PyObject *
parsed(const char *digits)
{
    return PyLong_FromString(digits, NULL, 10);
}

TEST_PY(small_ints_are_shared_and_immortal)
{
    for (long i = -5; i <= 256; i++) {
        PyObject *a = number(i), *b = PyLong_FromLongLong(i);
        EXPECT_EQ(a, b);
        EXPECT(PyUnstable_IsImmortal(a));
        EXPECT_EQ(PyLong_AsLong(a), i);
    }
    PyObject *a = number(257), *b = number(-6);
    EXPECT_EQ(Py_REFCNT(a), 1);
    EXPECT_EQ(Py_REFCNT(b), 1);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(ints_are_ordered_by_value)
{
    static const char *const ascending[] = {"-340282366920938463463374607431768211456",
                                            "-18446744073709551616",
                                            "-9223372036854775809",
                                            "-9223372036854775808",
                                            "-4294967296",
                                            "-6",
                                            "-1",
                                            "0",
                                            "1",
                                            "257",
                                            "4294967295",
                                            "4294967296",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "18446744073709551615",
                                            "18446744073709551616",
                                            "340282366920938463463374607431768211456"};
    size_t count = Py_ARRAY_LENGTH(ascending);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            PyObject *a = parsed(ascending[i]), *b = parsed(ascending[j]);
            EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), i < j);
            EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), i == j);
            EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_GE), i >= j);
            Py_DECREF(a);
            Py_DECREF(b);
        }
    }
}

TEST_PY(equal_numbers_of_different_types_have_equal_hashes)
{
    double values[] = {0, 1, -1, -2, 256, 1e15, 1152921504606846976.0, 1e300, -3e200};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(values); i++) {
        PyObject *f = PyFloat_FromDouble(values[i]), *n = PyLong_FromDouble(values[i]);
        EXPECT_EQ(PyObject_Hash(f), PyObject_Hash(n));
        EXPECT_EQ(PyObject_RichCompareBool(f, n, Py_EQ), 1);
        Py_DECREF(f);
        Py_DECREF(n);
    }
    EXPECT_EQ(PyObject_Hash(number(-1)), -2);
}

TEST_PY(int_can_be_called)
{
    PyObject *int_type = (PyObject *)&PyLong_Type, *digits = text("ff"),
             *base = number(16);
    EXPECT_REPR_OF(PyObject_CallNoArgs(int_type), "0");
    EXPECT_REPR_OF(PyObject_CallFunctionObjArgs(int_type, digits, base, NULL), "255");
    EXPECT_NULL(PyObject_CallOneArg(int_type, digits));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "invalid literal for int() with base 10: 'ff'");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(int_type, base, base, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyObject_CallFunctionObjArgs(int_type, digits, Py_True, NULL));
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(digits);
}

TEST_PY(a_subtype_of_int_keeps_the_value)
{
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"test.Number", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots};
    PyObject *type = PyType_FromSpecWithBases(&spec, (PyObject *)&PyLong_Type);
    REQUIRE_NOT_NULL(type);
    PyObject *big = parsed("123456789012345678901234567890");
    PyObject *instance = PyObject_CallOneArg(type, big);
    REQUIRE_NOT_NULL(instance);
    EXPECT(PyLong_Check(instance) && !PyLong_CheckExact(instance));
    EXPECT_EQ(PyObject_RichCompareBool(instance, big, Py_EQ), 1);
    PyObject *plain = PyNumber_Positive(instance);
    EXPECT(PyLong_CheckExact(plain));
    Py_XDECREF(plain);
    Py_DECREF(instance);
    Py_DECREF(big);
    Py_DECREF(type);
}
