/* SPDX-License-Identifier: MIT */
/* Backslash escapes of str and bytes. */
#include "../protocol.h"

static PyObject *
unescape(const char *s)
{
    return PyUnicode_DecodeUnicodeEscape(s, (Py_ssize_t)strlen(s), NULL);
}

static PyObject *
unescape_raw(const char *s)
{
    return PyUnicode_DecodeRawUnicodeEscape(s, (Py_ssize_t)strlen(s), NULL);
}

static PyObject *
unescape_bytes(const char *s, const char *errors)
{
    return PyBytes_DecodeEscape(s, (Py_ssize_t)strlen(s), errors, 0, NULL);
}

TEST_PY(escapes_of_text_mean_what_they_mean_in_literals)
{
    EXPECT_REPR_OF(unescape("a\\n\\t\\\\\\'\\\"\\x41\\101\\u20ac\\U0001f600\\\nz"),
                   "'a\\n\\t\\\\\\'\"AA\xE2\x82\xAC\xF0\x9F\x98\x80z'");
    EXPECT_REPR_OF(unescape("\\q\xE9"), "'\\\\q\xC3\xA9'");
    EXPECT_REPR_OF(unescape("\\18"), "'\\x018'");
}

TEST_PY(bad_escapes_of_text_are_decode_errors_with_their_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"ab\\x4", "'unicodeescape' codec can't decode bytes in position 2-4: truncated "
                   "\\xXX escape"},
        {"\\u12", "'unicodeescape' codec can't decode bytes in position 0-3: truncated "
                  "\\uXXXX escape"},
        {"\\U0011ffff", "'unicodeescape' codec can't decode bytes in position 0-9: "
                        "illegal Unicode character"},
        {"a\\", "'unicodeescape' codec can't decode byte 0x5c in position 1: \\ at end "
                "of string"},
        {"\\N{DIGIT ONE}", "'unicodeescape' codec can't decode bytes in position 0-1: "
                           "unknown Unicode character name"},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_NULL(unescape(cases[i].text));
        EXPECT_RAISED_TEXT(PyExc_UnicodeDecodeError, cases[i].message);
    }
    EXPECT_REPR_OF(PyUnicode_DecodeUnicodeEscape("\\x4z", 4, "replace"),
                   "'\xEF\xBF\xBDz'");
}

TEST_PY(raw_escapes_are_those_of_code_points_alone)
{
    EXPECT_REPR_OF(unescape_raw("\\n\\u20ac\\\\u20ac\xE9"),
                   "'\\\\n\xE2\x82\xAC\\\\\\\\u20ac\xC3\xA9'");
    EXPECT_REPR_OF(unescape_raw("a\\"), "'a\\\\'");
    EXPECT_NULL(unescape_raw("\\u20"));
    EXPECT_RAISED(PyExc_UnicodeDecodeError);
}

TEST_PY(text_is_escaped_so_that_it_can_be_read_again)
{
    PyObject *str =
        PyUnicode_FromString("a\n\\\x01\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80'");
    EXPECT_REPR_OF(PyUnicode_AsUnicodeEscapeString(str),
                   "b\"a\\\\n\\\\\\\\\\\\x01\\\\xe9\\\\u20ac\\\\U0001f600'\"");
    EXPECT_REPR_OF(PyUnicode_AsRawUnicodeEscapeString(str),
                   "b\"a\\n\\\\\\x01\\xe9\\\\u20ac\\\\U0001f600'\"");
    EXPECT_NULL(PyUnicode_AsUnicodeEscapeString(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(str);
}

TEST_PY(escapes_of_bytes_mean_what_they_mean_in_literals)
{
    EXPECT_REPR_OF(unescape_bytes("a\\n\\x41\\101\\\n\\q\\u20ac", NULL),
                   "b'a\\nAA\\\\q\\\\u20ac'");
    EXPECT_NULL(unescape_bytes("a\\x4z", NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "invalid \\x escape at position 1");
    EXPECT_REPR_OF(unescape_bytes("a\\x4z", "replace"), "b'a?z'");
    EXPECT_REPR_OF(unescape_bytes("a\\x4z", "ignore"), "b'az'");
    EXPECT_NULL(unescape_bytes("a\\x4z", "other"));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_NULL(unescape_bytes("a\\", NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "Trailing \\ in string");
}
