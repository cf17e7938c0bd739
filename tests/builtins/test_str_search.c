/* SPDX-License-Identifier: MIT */
/* Finding, cutting and joining text. */
#include "../protocol.h"

#define TO_THE_END PY_SSIZE_T_MAX

TEST_PY(indices_count_characters)
{
    PyObject *s = text("\xC3\xA9tat d'\xC3\xA9t\xC3\xA9"), *e = text("\xC3\xA9");
    PyObject *none = text("zz"), *empty = text("");
    EXPECT_EQ(PyUnicode_Find(s, e, 0, TO_THE_END, 1), 0);
    EXPECT_EQ(PyUnicode_Find(s, e, 1, TO_THE_END, 1), 7);
    EXPECT_EQ(PyUnicode_Find(s, e, 0, TO_THE_END, -1), 9);
    EXPECT_EQ(PyUnicode_Find(s, e, 1, 7, 1), -1);
    EXPECT_EQ(PyUnicode_Find(s, e, -1, TO_THE_END, 1), 9);
    EXPECT_EQ(PyUnicode_Find(s, none, 0, TO_THE_END, 1), -1);
    EXPECT_EQ(PyUnicode_Find(s, empty, 10, TO_THE_END, 1), 10);
    EXPECT_EQ(PyUnicode_Find(s, empty, 11, TO_THE_END, 1), -1);
    EXPECT_EQ(PyUnicode_FindChar(s, 't', 0, TO_THE_END, 1), 1);
    EXPECT_EQ(PyUnicode_Count(s, e, 0, TO_THE_END), 3);
    EXPECT_EQ(PyUnicode_Count(s, empty, 0, TO_THE_END), 11);
    EXPECT_EQ(PyUnicode_Contains(s, e), 1);
    EXPECT_EQ(PyUnicode_Contains(s, none), 0);
    EXPECT_EQ(PyUnicode_Tailmatch(s, e, 0, TO_THE_END, 1), 1);
    EXPECT_EQ(PyUnicode_Tailmatch(s, e, 0, TO_THE_END, -1), 1);
    EXPECT_EQ(PyUnicode_Tailmatch(s, e, 1, TO_THE_END, -1), 0);
    EXPECT_EQ(PyUnicode_Find(s, Py_None, 0, 1, 1), -2);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyUnicode_Contains(s, Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(s);
    Py_DECREF(e);
    Py_DECREF(none);
}

TEST_PY(substrings_are_cut_to_the_length)
{
    PyObject *s = text("a\xC3\xA9z");
    EXPECT_REPR_OF(PyUnicode_Substring(s, 1, 2), "'\xC3\xA9'");
    EXPECT_REPR_OF(PyUnicode_Substring(s, 1, 99), "'\xC3\xA9z'");
    EXPECT_REPR_OF(PyUnicode_Substring(s, 3, 99), "''");
    PyObject *whole = PyUnicode_Substring(s, 0, 3);
    EXPECT_EQ(whole, s);
    Py_DECREF(whole);
    EXPECT_NULL(PyUnicode_Substring(s, -1, 2));
    EXPECT_RAISED(PyExc_IndexError);
    Py_DECREF(s);
}

TEST_PY(strings_are_joined_and_split)
{
    PyObject *comma = text(", "), *s = text("a, b, c"), *blanks = text("  a  b \t c ");
    PyObject *parts = PyUnicode_Split(s, comma, -1);
    EXPECT_REPR_OF(PyUnicode_Join(comma, parts), "'a, b, c'");
    EXPECT_REPR_OF(PyUnicode_Join(NULL, parts), "'a b c'");
    EXPECT_REPR_OF(parts, "['a', 'b', 'c']");
    EXPECT_REPR_OF(PyUnicode_Split(s, comma, 1), "['a', 'b, c']");
    EXPECT_REPR_OF(PyUnicode_Split(blanks, NULL, -1), "['a', 'b', 'c']");
    EXPECT_REPR_OF(PyUnicode_Split(blanks, NULL, 1), "['a', 'b \\t c ']");
    PyObject *empty = text("");
    EXPECT_NULL(PyUnicode_Split(s, empty, -1));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "empty separator");
    PyObject *mixed = PyTuple_Pack(2, s, Py_None);
    EXPECT_NULL(PyUnicode_Join(comma, mixed));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "sequence item 1: expected str instance, NoneType found");
    Py_DECREF(mixed);
    Py_DECREF(comma);
    Py_DECREF(s);
    Py_DECREF(blanks);
}

TEST_PY(parts_are_replaced)
{
    PyObject *s = text("banana"), *an = text("an"), *dash = text("-"), *empty = text("");
    EXPECT_REPR_OF(PyUnicode_Replace(s, an, dash, -1), "'b--a'");
    EXPECT_REPR_OF(PyUnicode_Replace(s, an, empty, 1), "'bana'");
    EXPECT_REPR_OF(PyUnicode_Replace(an, empty, dash, -1), "'-a-n-'");
    EXPECT_REPR_OF(PyUnicode_Replace(an, empty, dash, 1), "'-an'");
    EXPECT_REPR_OF(PyUnicode_Replace(s, dash, an, -1), "'banana'");
    Py_DECREF(s);
    Py_DECREF(an);
    Py_DECREF(dash);
}
