/* SPDX-License-Identifier: MIT */
/* Doubles as bytes; the bytes are those of struct.pack in CPython. */
#include "../protocol.h"

TEST_PY(packed_doubles_come_back)
{
    static const double values[] = {
        0.0, 1.0, -2.5, 65504.0, 6.103515625e-05, 5.960464477539063e-08};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(values); i++) {
        for (int le = 0; le < 2; le++) {
            char p[8];
            EXPECT_EQ(PyFloat_Pack2(values[i], p, le), 0);
            EXPECT(PyFloat_Unpack2(p, le) == values[i]);
            EXPECT_EQ(PyFloat_Pack4(values[i], p, le), 0);
            EXPECT(PyFloat_Unpack4(p, le) == values[i]);
            EXPECT_EQ(PyFloat_Pack8(values[i], p, le), 0);
            EXPECT(PyFloat_Unpack8(p, le) == values[i]);
        }
    }
}

TEST_PY(half_precision_rounds_to_even)
{
    static const struct {
        double value;
        const char *bytes;
    } cases[] = {
        {1.0, "\x3c\x00"},    {0.1, "\x2e\x66"},     {2049.0, "\x68\x00"},
        {2051.0, "\x68\x02"}, {65519.0, "\x7b\xff"}, {1e-8, "\x00\x00"},
        {-0.0, "\x80\x00"},   {3e-8, "\x00\x01"},    {6.1e-5, "\x03\xff"},
    };
    char p[2];
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_EQ(PyFloat_Pack2(cases[i].value, p, 0), 0);
        EXPECT_EQ(memcmp(p, cases[i].bytes, 2), 0);
    }
    EXPECT_EQ(PyFloat_Pack2(Py_INFINITY, p, 0), 0);
    EXPECT(PyFloat_Unpack2(p, 0) == Py_INFINITY);
    EXPECT_EQ(PyFloat_Pack2(-Py_NAN, p, 0), 0);
    EXPECT(isnan(PyFloat_Unpack2(p, 0)));
}

TEST_PY(what_is_too_large_to_pack_is_an_overflow)
{
    char p[4];
    EXPECT_EQ(PyFloat_Pack2(65520.0, p, 0), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "float too large to pack with e format");
    EXPECT_EQ(PyFloat_Pack2(1e300, p, 0), -1);
    EXPECT_RAISED(PyExc_OverflowError);
    EXPECT_EQ(PyFloat_Pack4(1e39, p, 0), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError, "float too large to pack with f format");
}
