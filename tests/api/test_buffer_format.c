/* SPDX-License-Identifier: MIT */
/* Sizes of items. The numbers are those of CPython's struct.calcsize on a 64-bit system. */
#include "../protocol.h"

TEST_PY(formats_have_sizes)
{
    static const struct {
        const char *format;
        Py_ssize_t size;
    } cases[] = {
        {NULL, 1},    {"", 0},    {"B", 1},   {"?", 1},    {"e", 2},  {"i", 4},
        {"l", 8},     {"=l", 4},  {"<q", 8},  {">hh", 4},  {"!d", 8}, {"@P", 8},
        {"bi", 8},    {"=bi", 5}, {"bib", 9}, {"ib0q", 8}, {"3s", 3}, {"10i", 40},
        {" i  i", 8}, {"0i", 0},  {"bxh", 4}, {"nN", 16},  {"=", 0},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_EQ(PyBuffer_SizeFromFormat(cases[i].format), cases[i].size);
    }
    EXPECT_NO_ERROR();
}

TEST_PY(bad_formats_are_value_errors)
{
    EXPECT_EQ(PyBuffer_SizeFromFormat("Z"), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "bad char in struct format");
    EXPECT_EQ(PyBuffer_SizeFromFormat("<P"), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "bad char in struct format");
    EXPECT_EQ(PyBuffer_SizeFromFormat("i3"), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "repeat count given without format specifier");
    EXPECT_EQ(PyBuffer_SizeFromFormat("9223372036854775807i"), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "total struct size too long");
    EXPECT_EQ(PyBuffer_SizeFromFormat("99999999999999999999i"), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "total struct size too long");
}
