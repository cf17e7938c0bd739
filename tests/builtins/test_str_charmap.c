/* SPDX-License-Identifier: MIT */
/* Encodings by a table. */
#include "../protocol.h"

TEST_PY(a_table_decodes_each_byte)
{
    PyObject *letters = PyUnicode_FromString("xyz");
    PyObject *dict = Py_BuildValue("{i:s,i:i,i:O}", 0, "ab", 1, 0x20AC, 2, Py_None);
    EXPECT_REPR_OF(PyUnicode_DecodeCharmap("\2\1\0", 3, letters, NULL), "'zyx'");
    EXPECT_REPR_OF(PyUnicode_DecodeCharmap("\1\0", 2, dict, NULL), "'\xE2\x82\xAC"
                                                                   "ab'");
    EXPECT_REPR_OF(PyUnicode_DecodeCharmap("\xE9", 1, NULL, NULL), "'\xC3\xA9'");
    EXPECT_NULL(PyUnicode_DecodeCharmap("\0\2", 2, dict, NULL));
    EXPECT_RAISED_TEXT(PyExc_UnicodeDecodeError,
                       "'charmap' codec can't decode byte 0x02 in position 1: character "
                       "maps to <undefined>");
    EXPECT_REPR_OF(PyUnicode_DecodeCharmap("\1\7", 2, letters, "replace"),
                   "'y\xEF\xBF\xBD'");
    Py_DECREF(letters);
    Py_DECREF(dict);
}

TEST_PY(the_table_that_decodes_makes_the_table_that_encodes)
{
    PyObject *letters = PyUnicode_FromString("xy\xE2\x82\xAC");
    PyObject *table = PyUnicode_BuildEncodingMap(letters);
    PyObject *text_of = PyUnicode_FromString("\xE2\x82\xACx"),
             *other = PyUnicode_FromString("ax");
    EXPECT_REPR_OF(PyUnicode_AsCharmapString(text_of, table), "b'\\x02\\x00'");
    EXPECT_NULL(PyUnicode_AsCharmapString(other, table));
    EXPECT_RAISED_TEXT(PyExc_UnicodeEncodeError,
                       "'charmap' codec can't encode character '\\x61' in position 0: "
                       "character maps to <undefined>");
    Py_DECREF(letters);
    Py_DECREF(table);
    Py_DECREF(text_of);
    Py_DECREF(other);
}

TEST_PY(a_table_with_something_else_is_a_type_error)
{
    PyObject *wrong = Py_BuildValue("{i:d}", 97, 1.5), *a = PyUnicode_FromString("a");
    PyObject *large = Py_BuildValue("{i:i}", 97, 256);
    EXPECT_NULL(PyUnicode_DecodeCharmap("a", 1, wrong, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyUnicode_AsCharmapString(a, wrong));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyUnicode_AsCharmapString(a, large));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "character mapping must be in range(256)");
    Py_DECREF(wrong);
    Py_DECREF(large);
    Py_DECREF(a);
}
