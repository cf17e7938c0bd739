/* SPDX-License-Identifier: MIT */
/* The layout of PEP 393: kinds, arrays of code points, filling them in, and their UTF-8. */
#include "calls.h"

/* "a" and one character of each width. */
static PyObject *
with_character(Py_UCS4 ch)
{
    Py_UCS4 data[] = {'a', ch};
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, data, 2);
}

TEST(the_heads_have_the_layout_of_cpython)
{
    EXPECT_EQ(sizeof(PyASCIIObject), 40);
    EXPECT_EQ(sizeof(PyCompactUnicodeObject), 56);
    EXPECT_EQ(sizeof(PyUnicodeObject), 64);
    EXPECT_EQ(offsetof(PyASCIIObject, length), 16);
    EXPECT_EQ(offsetof(PyASCIIObject, hash), 24);
    EXPECT_EQ(offsetof(PyCompactUnicodeObject, utf8_length), 40);
    EXPECT_EQ(offsetof(PyUnicodeObject, data), 56);
}

TEST_PY(the_kind_is_the_smallest_that_holds_every_character)
{
    static const struct {
        Py_UCS4 ch, max;
        int kind, ascii;
    } cases[] = {
        {'b', 0x7f, 1, 1},         {0x7f, 0x7f, 1, 1},         {0x80, 0xff, 1, 0},
        {0xff, 0xff, 1, 0},        {0x100, 0xffff, 2, 0},      {0xffff, 0xffff, 2, 0},
        {0x10000, 0x10ffff, 4, 0}, {0x10ffff, 0x10ffff, 4, 0}, {0xd800, 0xffff, 2, 0},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        PyObject *s = with_character(cases[i].ch);
        EXPECT_EQ(PyUnicode_KIND(s), cases[i].kind);
        EXPECT_EQ(PyUnicode_IS_ASCII(s), cases[i].ascii);
        EXPECT(PyUnicode_IS_COMPACT(s) && PyUnicode_IS_READY(s) &&
               PyUnicode_READY(s) == 0);
        EXPECT_EQ(PyUnicode_IS_COMPACT_ASCII(s), cases[i].ascii);
        EXPECT_EQ(PyUnicode_MAX_CHAR_VALUE(s), cases[i].max);
        EXPECT_EQ(PyUnicode_READ_CHAR(s, 1), cases[i].ch);
        EXPECT_EQ(PyUnicode_READ(PyUnicode_KIND(s), PyUnicode_DATA(s), 0), 'a');
        EXPECT_EQ(PyUnicode_READ_CHAR(s, 2), 0); /* the end is marked */
        EXPECT_EQ(PyUnicode_ReadChar(s, 1), cases[i].ch);
        /* A part that needs less has a smaller kind. */
        PyObject *part = PyUnicode_Substring(s, 0, 1);
        EXPECT(PyUnicode_IS_ASCII(part));
        Py_DECREF(part);
        Py_DECREF(s);
    }
    PyObject *s = with_character(0xe9);
    EXPECT_EQ(PyUnicode_1BYTE_DATA(s)[1], 0xe9);
    Py_DECREF(s);
    s = with_character(0x20ac);
    EXPECT_EQ(PyUnicode_2BYTE_DATA(s)[1], 0x20ac);
    Py_DECREF(s);
    s = with_character(0x1f40d);
    EXPECT_EQ(PyUnicode_4BYTE_DATA(s)[1], 0x1f40d);
    Py_DECREF(s);
    EXPECT_NULL(with_character(0x110000));
    EXPECT_RAISED(PyExc_ValueError);
}

TEST_PY(a_new_string_is_filled_in_place)
{
    PyObject *s = PyUnicode_New(4, 0x20ac), *from = with_character(0xe9);
    REQUIRE_NOT_NULL(s);
    EXPECT_EQ(PyUnicode_KIND(s), 2);
    PyUnicode_WRITE(PyUnicode_KIND(s), PyUnicode_DATA(s), 0, 0x20ac);
    EXPECT_EQ(PyUnicode_CopyCharacters(s, 1, from, 0, 100), 2);
    EXPECT_EQ(PyUnicode_Fill(s, 3, 100, 'x'), 1);
    EXPECT_EQ(PyUnicode_Fill(s, 4, 100, 'x'), 0);
    EXPECT_EQ(PyUnicode_WriteChar(s, 1, 'b'), 0);
    EXPECT_EQ(PyUnicode_CopyCharacters(s, 0, from, 0, 0), 0);
    EXPECT_REPR_OF(Py_NewRef(s), "'\xE2\x82\xAC"
                                 "b\xC3\xA9x'");
    Py_DECREF(from);
    Py_DECREF(s);
    EXPECT_NULL(PyUnicode_New(-1, 'x'));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyUnicode_New(1, 0x110000));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_REPR_OF(PyUnicode_New(0, 0x10ffff), "''");
}

TEST_PY(writing_outside_or_too_much_is_refused)
{
    PyObject *s = PyUnicode_New(2, 'x'), *wide = with_character(0x20ac);
    EXPECT_EQ(PyUnicode_WriteChar(s, 2, 'x'), -1);
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PyUnicode_WriteChar(s, 0, 0x80), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "character out of range");
    EXPECT_EQ(PyUnicode_WriteChar(Py_None, 0, 'x'), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyUnicode_Fill(s, 0, 1, 0x80), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyUnicode_Fill(s, -1, 1, 'x'), -1);
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PyUnicode_CopyCharacters(s, 0, wide, 0, 2), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyUnicode_CopyCharacters(s, 1, wide, 0, 2), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "Cannot write 2 characters at 1 in a string of 2 characters");
    EXPECT_EQ(PyUnicode_CopyCharacters(s, 0, wide, 3, 1), -1);
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PyUnicode_CopyCharacters(s, 0, wide, 0, -1), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyUnicode_CopyCharacters(s, 0, Py_None, 0, 1), -1);
    EXPECT_RAISED(PyExc_SystemError);
    PyUnicode_Fill(s, 0, 2, 'x');
    Py_DECREF(wide);
    Py_DECREF(s);
}

TEST_PY(a_string_that_others_have_seen_does_not_change)
{
    PyObject *s = PyUnicode_New(2, 'x');
    PyUnicode_Fill(s, 0, 2, 'x');
    Py_INCREF(s);
    EXPECT_EQ(PyUnicode_WriteChar(s, 0, 'y'), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "Cannot modify a string currently used");
    Py_DECREF(s);
    PyObject_Hash(s);
    EXPECT_EQ(PyUnicode_Fill(s, 0, 1, 'y'), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(s);
}

TEST_PY(resizing_keeps_the_start)
{
    PyObject *s = with_character(0x20ac);
    EXPECT_EQ(PyUnicode_Resize(&s, 2), 0);
    EXPECT_EQ(PyUnicode_Resize(&s, 3), 0);
    EXPECT_EQ(PyUnicode_WriteChar(s, 2, 'z'), 0);
    EXPECT_REPR_OF(Py_NewRef(s), "'a\xE2\x82\xACz'");
    EXPECT_EQ(PyUnicode_Resize(&s, 1), 0);
    EXPECT_REPR_OF(Py_NewRef(s), "'a'");
    EXPECT_EQ(PyUnicode_Resize(&s, 0), 0);
    EXPECT_REPR_OF(Py_NewRef(s), "''");
    EXPECT_EQ(PyUnicode_Resize(&s, -1), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(s);
}

TEST_PY(utf8_is_made_once_and_is_the_text_itself_for_ascii)
{
    Py_ssize_t size;
    PyObject *ascii = text("spam");
    EXPECT(PyUnicode_AsUTF8(ascii) == PyUnicode_DATA(ascii));
    Py_DECREF(ascii);
    PyObject *s = with_character(0x1f40d);
    const char *utf8 = PyUnicode_AsUTF8AndSize(s, &size);
    EXPECT_STR(utf8, "a\xF0\x9F\x90\x8D");
    EXPECT_EQ(size, 5);
    EXPECT(PyUnicode_AsUTF8(s) == utf8);
    Py_DECREF(s);
}

TEST_PY(lone_surrogates_are_characters_without_utf8)
{
    Py_ssize_t size = 5;
    PyObject *s = with_character(0xdc80), *other = with_character(0xdc81);
    EXPECT_EQ(PyUnicode_GetLength(s), 2);
    EXPECT_NULL(PyUnicode_AsUTF8AndSize(s, &size));
    EXPECT_EQ(size, -1);
    EXPECT_RAISED_TEXT(PyExc_UnicodeEncodeError,
                       "'utf-8' codec can't encode character '\\udc80' in position 1: "
                       "surrogates not allowed");
    EXPECT_EQ(PyUnicode_EqualToUTF8(s, "a\xED\xB2\x80"), 0);
    EXPECT_EQ(PyUnicode_Compare(s, other), -1);
    EXPECT_EQ(PyUnicode_FindChar(s, 0xdc80, 0, 2, 1), 1);
    /* Methods that work on UTF-8 inside keep it. */
    PyObject *parts = invoke(s, "split", NULL, NULL), *sum;
    EXPECT_EQ(PyUnicode_Equal(PyList_GET_ITEM(parts, 0), s), 1);
    sum = PyUnicode_Join(other, parts);
    EXPECT_EQ(PyUnicode_Equal(sum, s), 1);
    Py_DECREF(sum);
    sum = PyUnicode_Replace(s, s, other, -1);
    EXPECT_EQ(PyUnicode_Equal(sum, other), 1);
    Py_DECREF(sum);
    Py_DECREF(parts);
    Py_DECREF(other);
    Py_DECREF(s);
}

TEST_PY(bytes_that_mean_nothing_survive_as_surrogates)
{
    PyObject *s = PyUnicode_DecodeUTF8("a\xff\x80", 3, "surrogateescape");
    EXPECT_REPR_OF(Py_NewRef(s), "'a\\udcff\\udc80'");
    PyObject *bytes = PyUnicode_AsEncodedString(s, "utf-8", "surrogateescape");
    EXPECT_REPR_OF(bytes, "b'a\\xff\\x80'");
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(s, "ascii", "surrogateescape"),
                   "b'a\\xff\\x80'");
    EXPECT_REPR_OF(PyUnicode_EncodeFSDefault(s), "b'a\\xff\\x80'");
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(s, "utf-8", "backslashreplace"),
                   "b'a\\\\udcff\\\\udc80'");
    EXPECT_NULL(PyUnicode_AsUTF16String(s));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    Py_DECREF(s);
    s = PyUnicode_DecodeUTF8("\xED\xA0\x80", 3, "surrogatepass");
    EXPECT_REPR_OF(Py_NewRef(s), "'\\ud800'");
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(s, NULL, "surrogatepass"),
                   "b'\\xed\\xa0\\x80'");
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(s, "utf-16-le", "surrogatepass"),
                   "b'\\x00\\xd8'");
    EXPECT_NULL(PyUnicode_AsEncodedString(s, NULL, "surrogateescape"));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    Py_DECREF(s);
    EXPECT_NULL(PyUnicode_DecodeUTF8("\xff", 1, "surrogatepass"));
    EXPECT_RAISED(PyExc_UnicodeDecodeError);
}

TEST_PY(strings_of_different_kinds_compare_join_and_are_found)
{
    Py_UCS4 widest[] = {'a', 0xe9, 0x20ac, 0x1f40d, 'a'};
    PyObject *all = PyUnicode_FromKindAndData(4, widest, 5);
    PyObject *ascii = text("a"), *latin = with_character(0xe9),
             *wide = with_character(0x20ac);
    EXPECT_EQ(PyUnicode_Find(all, ascii, 0, 5, 1), 0);
    EXPECT_EQ(PyUnicode_Find(all, ascii, 0, 5, -1), 4);
    EXPECT_EQ(PyUnicode_Find(all, latin, 0, 5, 1), 0);
    EXPECT_EQ(PyUnicode_Find(all, latin, 1, 5, 1), -1);
    EXPECT_EQ(PyUnicode_Find(ascii, wide, 0, 5, 1), -1);
    EXPECT_EQ(PyUnicode_Count(all, ascii, 0, 5), 2);
    EXPECT_EQ(PyUnicode_Tailmatch(all, ascii, 0, 5, 1), 1);
    EXPECT_EQ(PyUnicode_Tailmatch(all, latin, 0, 5, -1), 1);
    EXPECT_EQ(PyUnicode_Compare(latin, wide), -1);
    EXPECT_EQ(PyUnicode_Compare(wide, ascii), 1);
    PyObject *sum = PyUnicode_Concat(ascii, wide);
    EXPECT(PyUnicode_KIND(sum) == 2 && PyUnicode_GET_LENGTH(sum) == 3);
    EXPECT_EQ(PyUnicode_READ_CHAR(sum, 2), 0x20ac);
    Py_DECREF(sum);
    EXPECT_NE(PyObject_Hash(latin), PyObject_Hash(wide));
    PyObject *same = PyUnicode_FromString("a\xE2\x82\xAC");
    EXPECT_EQ(PyObject_Hash(same), PyObject_Hash(wide));
    EXPECT_EQ(PyUnicode_Equal(same, wide), 1);
    Py_DECREF(same);
    Py_DECREF(wide);
    Py_DECREF(latin);
    Py_DECREF(ascii);
    Py_DECREF(all);
}

TEST_PY(the_text_of_a_subclass_is_a_block_of_its_own)
{
    PyObject *type = class_of(&PyUnicode_Type, "Text");
    for (int wide = 0; wide < 2; wide++) {
        PyObject *value = wide ? with_character(0x20ac) : text("ab");
        PyObject *s = PyObject_CallOneArg(type, value);
        REQUIRE_NOT_NULL(s);
        EXPECT(!PyUnicode_IS_COMPACT(s));
        EXPECT_EQ(PyUnicode_KIND(s), wide ? 2 : 1);
        EXPECT_EQ(PyUnicode_Compare(s, value), 0);
        EXPECT_STR(PyUnicode_AsUTF8(s), PyUnicode_AsUTF8(value));
        EXPECT_EQ(PyUnicode_WriteChar(s, 0, 'x'), -1);
        EXPECT_RAISED(PyExc_TypeError);
        Py_DECREF(s);
        Py_DECREF(value);
    }
    Py_DECREF(type);
}
