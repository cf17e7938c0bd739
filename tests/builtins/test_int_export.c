/* SPDX-License-Identifier: MIT */
/* The digits of an int, out and in; and the older private names. */
#include "../types/special.h"

static PyObject *
int_of(const char *digits)
{
    PyObject *v = PyLong_FromString(digits, NULL, 0);
    REQUIRE_NOT_NULL(v);
    return v;
}

/* The int again, from its exported form. */
static PyObject *
rebuild(const PyLongExport *e)
{
    void *digits;
    if (e->digits == NULL) {
        return PyLong_FromInt64(e->value);
    }
    PyLongWriter *writer = PyLongWriter_Create(e->negative, e->ndigits, &digits);
    REQUIRE_NOT_NULL(writer);
    memcpy(digits, e->digits, (size_t)e->ndigits * PyLong_GetNativeLayout()->digit_size);
    return PyLongWriter_Finish(writer);
}

TEST_PY(an_int_goes_out_and_comes_back)
{
    static const char *const cases[] = {
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "0x123456789abcdef0123456789abcdef",
        "-0x100000000000000000000000000000000",
    };
    const PyLongLayout *layout = PyLong_GetNativeLayout();
    EXPECT(layout->bits_per_digit == 32 && layout->digit_size == 4);
    EXPECT_EQ(layout->digits_order, -1);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        PyLongExport e;
        PyObject *v = int_of(cases[i]);
        EXPECT_EQ(PyLong_Export(v, &e), 0);
        PyObject *again = rebuild(&e);
        EXPECT_EQ(PyObject_RichCompareBool(v, again, Py_EQ), 1);
        Py_DECREF(again);
        PyLong_FreeExport(&e);
        PyLong_FreeExport(&e); /* once is enough, twice does no harm */
        Py_DECREF(v);
    }
    PyLongExport e;
    EXPECT_EQ(PyLong_Export(Py_None, &e), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(a_writer_drops_leading_zeros_and_can_be_discarded)
{
    void *digits;
    PyLongWriter *writer = PyLongWriter_Create(1, 3, &digits);
    memset(digits, 0, 12);
    ((uint32_t *)digits)[0] = 5;
    PyObject *v = PyLongWriter_Finish(writer);
    EXPECT_INT(v, -5);
    PyLongWriter_Discard(PyLongWriter_Create(0, 3, &digits));
    PyLongWriter_Discard(NULL);
    EXPECT_NULL(PyLongWriter_Create(0, 0, &digits));
    EXPECT_RAISED(PyExc_ValueError);
}

TEST_PY(private_names_tell_sign_bits_and_bytes)
{
    unsigned char bytes[4];
    PyObject *v = int_of("-0x1234"), *zero = int_of("0"), *big = int_of("0xffffffff");
    EXPECT(_PyLong_Sign(v) == -1 && _PyLong_Sign(zero) == 0 && _PyLong_Sign(big) == 1);
    EXPECT_EQ(_PyLong_NumBits(v), 13);
    EXPECT_EQ(_PyLong_AsByteArray((PyLongObject *)v, bytes, 4, 0, 1, 1), 0);
    EXPECT(memcmp(bytes, "\xff\xff\xed\xcc", 4) == 0);
    EXPECT_EQ(_PyLong_AsByteArray((PyLongObject *)v, bytes, 4, 0, 0, 1), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "can't convert negative int to unsigned");
    EXPECT_EQ(_PyLong_AsByteArray((PyLongObject *)big, bytes, 4, 1, 0, 1), 0);
    EXPECT_EQ(_PyLong_AsByteArray((PyLongObject *)big, bytes, 4, 1, 1, 1), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "int too big to convert");
    EXPECT_EQ(_PyLong_AsByteArray((PyLongObject *)big, bytes, 4, 1, 1, 0), -1);
    EXPECT_NO_ERROR();
    EXPECT_EQ(_PyLong_AsByteArray((PyLongObject *)zero, bytes, 0, 1, 1, 1), 0);
    EXPECT_INT(_PyLong_FromByteArray((unsigned char *)"\x01\x02", 2, 0, 1), 0x102);
    EXPECT_INT(_PyLong_FromByteArray((unsigned char *)"\xff\xff", 2, 1, 1), -1);
    EXPECT_INT(_PyLong_FromByteArray((unsigned char *)"\xff\xff", 2, 1, 0), 0xffff);
    Py_DECREF(big);
    Py_DECREF(zero);
    Py_DECREF(v);
}
