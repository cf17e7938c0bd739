/* SPDX-License-Identifier: MIT */
/* UTF-8 and the other encodings. */
#include "../protocol.h"

TEST_PY(bad_utf8_is_a_decode_error_with_its_place)
{
    static const struct {
        const char *bytes;
        const char *message;
    } cases[] = {
        {"ab\xFF",
         "'utf-8' codec can't decode byte 0xff in position 2: invalid start byte"},
        {"\x80",
         "'utf-8' codec can't decode byte 0x80 in position 0: invalid start byte"},
        {"\xC0\x80",
         "'utf-8' codec can't decode byte 0xc0 in position 0: invalid start byte"},
        {"\xC3",
         "'utf-8' codec can't decode byte 0xc3 in position 0: unexpected end of data"},
        {"\xC3x",
         "'utf-8' codec can't decode byte 0xc3 in position 0: invalid continuation byte"},
        {"\xE2\x82",
         "'utf-8' codec can't decode bytes in position 0-1: unexpected end of data"},
        {"\xE2\x82x",
         "'utf-8' codec can't decode bytes in position 0-1: invalid continuation byte"},
        {"\xE0\x80\x80",
         "'utf-8' codec can't decode byte 0xe0 in position 0: invalid continuation byte"},
        {"\xED\xA0\x80",
         "'utf-8' codec can't decode byte 0xed in position 0: invalid continuation byte"},
        {"\xF4\x90\x80\x80",
         "'utf-8' codec can't decode byte 0xf4 in position 0: invalid continuation byte"},
        {"\xF5\x80\x80\x80",
         "'utf-8' codec can't decode byte 0xf5 in position 0: invalid start byte"},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_NULL(PyUnicode_FromString(cases[i].bytes));
        EXPECT_RAISED_TEXT(PyExc_UnicodeDecodeError, cases[i].message);
    }
}

TEST_PY(bad_utf8_can_be_replaced_or_ignored)
{
    EXPECT_REPR_OF(PyUnicode_DecodeUTF8("a\xFFz", 3, "replace"), "'a\xEF\xBF\xBDz'");
    EXPECT_REPR_OF(PyUnicode_DecodeUTF8("a\xE2\x82z", 4, "ignore"), "'az'");
    EXPECT_NULL(PyUnicode_DecodeUTF8("a\xFF", 2, "other"));
    EXPECT_RAISED_TEXT(PyExc_LookupError, "unknown error handler name 'other'");
}

TEST_PY(all_valid_code_points_survive_a_round_trip)
{
    for (Py_UCS4 ch = 0; ch <= 0x10FFFF; ch += ch < 0x3000 ? 1 : 97) {
        if (ch >= 0xD800 && ch <= 0xDFFF) {
            continue;
        }
        PyObject *s = PyUnicode_FromKindAndData(4, &ch, 1);
        Py_ssize_t size;
        const char *utf8 = PyUnicode_AsUTF8AndSize(s, &size);
        PyObject *again = PyUnicode_FromStringAndSize(utf8, size);
        EXPECT_EQ(PyUnicode_Equal(s, again), 1);
        EXPECT_EQ(PyUnicode_ReadChar(again, 0), ch);
        Py_DECREF(s);
        Py_DECREF(again);
    }
}

TEST_PY(narrow_encodings_refuse_what_they_cannot_hold)
{
    PyObject *s = text("a\xC3\xA9\xE2\x82\xAC");
    EXPECT_REPR_OF(PyUnicode_AsUTF8String(s), "b'a\\xc3\\xa9\\xe2\\x82\\xac'");
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(s, "latin-1", "replace"), "b'a\\xe9?'");
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(s, "ASCII", "ignore"), "b'a'");
    EXPECT_NULL(PyUnicode_AsLatin1String(s));
    EXPECT_RAISED_TEXT(PyExc_UnicodeEncodeError,
                       "'latin-1' codec can't encode character '\\u20ac' in position 2: "
                       "ordinal not in range(256)");
    EXPECT_NULL(PyUnicode_AsASCIIString(s));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    EXPECT_NULL(PyUnicode_AsEncodedString(s, "utf-7", NULL));
    EXPECT_RAISED_TEXT(PyExc_LookupError, "unknown encoding: utf-7");
    EXPECT_NULL(PyUnicode_AsEncodedString(Py_None, NULL, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(s);
    EXPECT_REPR_OF(PyUnicode_Decode("\xE9", 1, "iso_8859_1", NULL), "'\xC3\xA9'");
    EXPECT_NULL(PyUnicode_DecodeASCII("a\xE9", 2, NULL));
    EXPECT_RAISED_TEXT(
        PyExc_UnicodeDecodeError,
        "'ascii' codec can't decode byte 0xe9 in position 1: ordinal not in "
        "range(128)");
}

TEST_PY(code_points_can_be_copied_out)
{
    PyObject *s = text("x\xE2\x82\xAC");
    Py_UCS4 buffer[3] = {9, 9, 9};
    EXPECT_EQ(PyUnicode_AsUCS4(s, buffer, 3, 1), buffer);
    EXPECT(buffer[0] == 'x' && buffer[1] == 0x20AC && buffer[2] == 0);
    EXPECT_NULL(PyUnicode_AsUCS4(s, buffer, 2, 1));
    EXPECT_RAISED(PyExc_SystemError);
    Py_UCS4 *copy = PyUnicode_AsUCS4Copy(s);
    EXPECT_EQ(copy[1], 0x20AC);
    PyMem_Free(copy);
    Py_ssize_t size;
    wchar_t *wide = PyUnicode_AsWideCharString(s, &size);
    EXPECT(size == 2 && wcscmp(wide, L"x\x20AC") == 0);
    PyMem_Free(wide);
    Py_DECREF(s);
}

static PyObject *
decode_with_replacement(void)
{
    return PyUnicode_DecodeUTF8("a\xFFz", 3, "replace");
}

TEST_PY(decoding_survives_any_failing_allocation)
{
    fail_each_allocation(decode_with_replacement);
}

TEST_PY(an_incomplete_character_at_the_end_is_left_over_for_the_next_part)
{
    Py_ssize_t consumed;
    int order = 0;
    EXPECT_REPR_OF(PyUnicode_DecodeUTF8Stateful("a\xE2\x82", 3, NULL, &consumed), "'a'");
    EXPECT_EQ(consumed, 1);
    EXPECT_REPR_OF(PyUnicode_DecodeUTF8Stateful("ab", 2, NULL, &consumed), "'ab'");
    EXPECT_EQ(consumed, 2);
    EXPECT_NULL(PyUnicode_DecodeUTF8Stateful("a\xFFz", 3, NULL, &consumed));
    EXPECT_RAISED(PyExc_UnicodeDecodeError);
    EXPECT_REPR_OF(
        PyUnicode_DecodeUTF16Stateful("\xFE\xFF\0a\0", 5, NULL, &order, &consumed),
        "'a'");
    EXPECT_EQ(order, 1);
    EXPECT_EQ(consumed, 4);
    order = -1;
    EXPECT_REPR_OF(
        PyUnicode_DecodeUTF16Stateful("a\0\x3D\xD8", 4, NULL, &order, &consumed), "'a'");
    EXPECT_EQ(consumed, 2);
    EXPECT_REPR_OF(PyUnicode_DecodeUTF32Stateful("a\0\0\0b", 5, NULL, &order, &consumed),
                   "'a'");
    EXPECT_EQ(consumed, 4);
}

TEST_PY(names_of_files_are_utf8)
{
    PyObject *name = PyUnicode_DecodeFSDefault("\xC3\xA9");
    EXPECT_REPR_OF(PyUnicode_EncodeFSDefault(name), "b'\\xc3\\xa9'");
    EXPECT_REPR_OF(name, "'\xC3\xA9'");
    EXPECT_REPR_OF(PyUnicode_DecodeFSDefaultAndSize("abc", 2), "'ab'");
    EXPECT_STR(PyUnicode_GetDefaultEncoding(), "utf-8");
}

static PyObject *
encode_and_decode_utf16(void)
{
    PyObject *str = PyUnicode_FromString("a\xF0\x9F\x98\x80");
    PyObject *bytes = str == NULL ? NULL : PyUnicode_AsUTF16String(str);
    PyObject *back = bytes == NULL
                         ? NULL
                         : PyUnicode_Decode(PyBytes_AS_STRING(bytes),
                                            PyBytes_GET_SIZE(bytes), "utf-16", NULL);
    Py_XDECREF(str);
    Py_XDECREF(bytes);
    return back;
}

TEST_PY(wide_encodings_survive_any_failing_allocation)
{
    EXPECT_REPR_OF(encode_and_decode_utf16(), "'a\xF0\x9F\x98\x80'");
    fail_each_allocation(encode_and_decode_utf16);
    repeat_without_leak(encode_and_decode_utf16);
}

TEST_PY(text_goes_into_wide_characters_and_wide_bytes)
{
    PyObject *s = text("a\xE2\x82\xAC");
    wchar_t wide[4] = L"xxx";
    EXPECT_EQ(PyUnicode_AsWideChar(s, wide, 4), 2);
    EXPECT(wide[0] == 'a' && wide[1] == 0x20AC && wide[2] == 0);
    wide[1] = 'x';
    EXPECT_EQ(PyUnicode_AsWideChar(s, wide, 1), 1); /* no room for more */
    EXPECT(wide[0] == 'a' && wide[1] == 'x');
    EXPECT_EQ(PyUnicode_AsWideChar(s, NULL, 0), 3); /* with the terminating 0 */
    EXPECT_EQ(PyUnicode_AsWideChar(NULL, wide, 1), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_REPR_OF(PyUnicode_DecodeLatin1("\xE9", 1, NULL), "'\xC3\xA9'");
    int order = -1;
    EXPECT_REPR_OF(PyUnicode_DecodeUTF16("\xAC\x20", 2, NULL, &order), "'\xE2\x82\xAC'");
    order = 1;
    EXPECT_REPR_OF(PyUnicode_DecodeUTF32("\0\0\x20\xAC", 4, NULL, &order),
                   "'\xE2\x82\xAC'");
    PyObject *bytes = PyUnicode_AsUTF32String(s); /* with its order mark */
    REQUIRE_NOT_NULL(bytes);
    EXPECT_EQ(PyBytes_GET_SIZE(bytes), 12);
    order = 0;
    PyObject *back = PyUnicode_DecodeUTF32(PyBytes_AS_STRING(bytes), 12, NULL, &order);
    EXPECT_EQ(PyUnicode_Equal(back, s), 1);
    Py_DECREF(back);
    Py_DECREF(bytes);
    Py_DECREF(s);
}
