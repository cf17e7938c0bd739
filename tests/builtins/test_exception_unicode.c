/* SPDX-License-Identifier: MIT */
/* UnicodeDecodeError, UnicodeEncodeError and UnicodeTranslateError. The tests of the codecs test
 * the messages. */
#include "../protocol.h"

TEST_PY(unicode_errors_check_their_arguments)
{
    EXPECT_NULL(PyObject_CallNoArgs(PyExc_UnicodeDecodeError));
    EXPECT_RAISED(PyExc_TypeError);
    PyObject *s = text("x");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(PyExc_UnicodeDecodeError, s, s, number(0),
                                             number(1), s, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "argument 2 must be bytes, not str");
    PyObject *e = PyObject_CallFunctionObjArgs(PyExc_UnicodeEncodeError, s, s, number(0),
                                               number(1), s, NULL);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "start"), "0");
    EXPECT_EQ(PyObject_SetAttrString(e, "start", Py_None), 0);
    EXPECT_EQ(PyObject_SetAttrString(e, "object", Py_None), 0);
    PyObject *shown = PyObject_Str(e); /* nonsense, but no crash */
    EXPECT_NOT_NULL(shown);
    Py_XDECREF(shown);
    Py_DECREF(e);
    Py_DECREF(s);
}

TEST_PY(a_translate_error_says_which_character)
{
    PyObject *e = PyObject_CallFunction(PyExc_UnicodeTranslateError, "snns", "xyz",
                                        (Py_ssize_t)1, (Py_ssize_t)2, "why");
    PyObject *one = PyObject_Str(e);
    EXPECT_STR(PyUnicode_AsUTF8(one),
               "can't translate character '\\x79' in position 1: why");
    EXPECT_EQ(PyUnicodeTranslateError_SetEnd(e, 3), 0);
    PyObject *two = PyObject_Str(e);
    EXPECT_STR(PyUnicode_AsUTF8(two), "can't translate characters in position 1-2: why");
    EXPECT_EQ(PyObject_HasAttrString(e, "encoding"), 0);
    EXPECT_NULL(PyObject_CallFunction(PyExc_UnicodeTranslateError, "s", "x"));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(one);
    Py_DECREF(two);
    Py_DECREF(e);
}

TEST_PY(the_parts_of_an_encode_error_can_be_read_and_set_from_c)
{
    Py_ssize_t start, end;
    PyObject *e = PyObject_CallFunction(PyExc_UnicodeEncodeError, "ssnns", "enc", "xyz",
                                        (Py_ssize_t)0, (Py_ssize_t)1, "why");
    EXPECT_REPR_OF(PyUnicodeEncodeError_GetEncoding(e), "'enc'");
    EXPECT_REPR_OF(PyUnicodeEncodeError_GetReason(e), "'why'");
    EXPECT_EQ(PyUnicodeEncodeError_SetStart(e, 1), 0);
    EXPECT_EQ(PyUnicodeEncodeError_SetEnd(e, 3), 0);
    EXPECT_EQ(PyUnicodeEncodeError_GetStart(e, &start), 0);
    EXPECT_EQ(PyUnicodeEncodeError_GetEnd(e, &end), 0);
    EXPECT(start == 1 && end == 3);
    EXPECT_EQ(PyUnicodeEncodeError_SetReason(e, "so"), 0);
    EXPECT_REPR_OF(PyUnicodeEncodeError_GetReason(e), "'so'");
    Py_DECREF(e);
}

TEST_PY(the_parts_of_a_translate_error_can_be_read_and_set_from_c)
{
    Py_ssize_t start, end;
    PyObject *e = PyObject_CallFunction(PyExc_UnicodeTranslateError, "snns", "xyz",
                                        (Py_ssize_t)1, (Py_ssize_t)2, "why");
    EXPECT_REPR_OF(PyUnicodeTranslateError_GetObject(e), "'xyz'");
    EXPECT_REPR_OF(PyUnicodeTranslateError_GetReason(e), "'why'");
    EXPECT_EQ(PyUnicodeTranslateError_GetStart(e, &start), 0);
    EXPECT_EQ(PyUnicodeTranslateError_GetEnd(e, &end), 0);
    EXPECT(start == 1 && end == 2);
    EXPECT_EQ(PyUnicodeTranslateError_SetReason(e, "so"), 0);
    EXPECT_REPR_OF(PyUnicodeTranslateError_GetReason(e), "'so'");
    Py_DECREF(e);
}

TEST_PY(the_parts_of_a_unicode_error_can_be_read_and_set_from_c)
{
    Py_ssize_t start, end;
    PyObject *e = PyUnicodeDecodeError_Create("enc", "a\0c", 3, 1, 2, "why");
    EXPECT_REPR_OF(PyUnicodeDecodeError_GetEncoding(e), "'enc'");
    EXPECT_REPR_OF(PyUnicodeDecodeError_GetObject(e), "b'a\\x00c'");
    EXPECT_REPR_OF(PyUnicodeDecodeError_GetReason(e), "'why'");
    EXPECT_EQ(PyUnicodeDecodeError_GetStart(e, &start), 0);
    EXPECT_EQ(PyUnicodeDecodeError_GetEnd(e, &end), 0);
    EXPECT(start == 1 && end == 2);
    EXPECT_EQ(PyUnicodeDecodeError_SetReason(e, "so"), 0);
    EXPECT_REPR_OF(PyUnicodeDecodeError_GetReason(e), "'so'");
    Py_DECREF(e);
}

TEST_PY(positions_of_a_unicode_error_are_moved_into_the_object)
{
    Py_ssize_t at = 7;
    PyObject *e = PyUnicodeDecodeError_Create("enc", "abc", 3, 0, 1, "why");
    EXPECT_EQ(PyUnicodeDecodeError_SetStart(e, 99), 0);
    EXPECT(PyUnicodeDecodeError_GetStart(e, &at) == 0 && at == 2);
    EXPECT_EQ(PyUnicodeDecodeError_SetStart(e, -5), 0);
    EXPECT(PyUnicodeDecodeError_GetStart(e, &at) == 0 && at == 0);
    EXPECT_EQ(PyUnicodeDecodeError_SetEnd(e, 99), 0);
    EXPECT(PyUnicodeDecodeError_GetEnd(e, &at) == 0 && at == 3);
    EXPECT_EQ(PyUnicodeDecodeError_SetEnd(e, 0), 0);
    EXPECT(PyUnicodeDecodeError_GetEnd(e, &at) == 0 && at == 1);
    Py_DECREF(e);
}

TEST_PY(the_parts_of_something_else_are_a_type_error)
{
    Py_ssize_t at;
    PyObject *e = PyUnicodeDecodeError_Create("enc", "abc", 3, 0, 1, "why");
    EXPECT_NULL(PyUnicodeEncodeError_GetObject(e));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "expected UnicodeEncodeError, not UnicodeDecodeError");
    EXPECT_EQ(PyUnicodeTranslateError_SetStart(e, 0), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyObject_SetAttrString(e, "object", Py_None), 0);
    EXPECT_EQ(PyUnicodeDecodeError_GetStart(e, &at), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "object attribute must be bytes");
    Py_DECREF(e);
}
