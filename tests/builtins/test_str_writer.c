/* SPDX-License-Identifier: MIT */
/* PyUnicodeWriter. */
#include "../protocol.h"

TEST_PY(a_writer_collects_text_of_all_kinds)
{
    PyUnicodeWriter *w = PyUnicodeWriter_Create(0);
    PyObject *s = text("h\xC3\xA9llo");
    Py_UCS4 points[] = {0x20AC, '!'};
    EXPECT_EQ(PyUnicodeWriter_WriteChar(w, 0xE9), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteUTF8(w, "utf8", -1), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteASCII(w, "ascii", 3), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteStr(w, s), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteStr(w, Py_None), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteRepr(w, s), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteRepr(w, NULL), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteSubstring(w, s, 1, 3), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteUCS4(w, points, 2), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteWideChar(w, L"w", 1), 0);
    EXPECT_EQ(PyUnicodeWriter_Format(w, "%d", 42), 0);
    PyObject *result = PyUnicodeWriter_Finish(w);
    EXPECT_STR(PyUnicode_AsUTF8(result),
               "\xC3\xA9utf8asch\xC3\xA9lloNone'h\xC3\xA9llo'<NULL>"
               "\xC3\xA9l\xE2\x82\xAC!w42");
    EXPECT_EQ(PyUnicode_GetLength(result), 37);
    Py_DECREF(result);
    Py_DECREF(s);
}

TEST_PY(a_failed_write_leaves_the_text_as_it_was)
{
    PyUnicodeWriter *w = PyUnicodeWriter_Create(4);
    Py_UCS4 bad[] = {'x', 0x110000};
    EXPECT_EQ(PyUnicodeWriter_WriteASCII(w, "ok", 2), 0);
    EXPECT_EQ(PyUnicodeWriter_WriteUTF8(w, "\xFF", 1), -1);
    EXPECT_RAISED(PyExc_UnicodeDecodeError);
    EXPECT_EQ(PyUnicodeWriter_WriteUCS4(w, bad, 2), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyUnicodeWriter_WriteChar(w, 0x110000), -1);
    EXPECT_RAISED(PyExc_ValueError);
    PyObject *s = text("abc");
    EXPECT_EQ(PyUnicodeWriter_WriteSubstring(w, s, 2, 9), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyUnicodeWriter_WriteSubstring(w, Py_None, 0, 0), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(s);
    EXPECT_REPR_OF(PyUnicodeWriter_Finish(w), "'ok'");
}

TEST_PY(writers_can_be_discarded_and_must_not_be_negative)
{
    PyUnicodeWriter_Discard(NULL);
    PyUnicodeWriter_Discard(PyUnicodeWriter_Create(100));
    EXPECT_NULL(PyUnicodeWriter_Create(-1));
    EXPECT_RAISED(PyExc_ValueError);
    PyObject *empty = PyUnicodeWriter_Finish(PyUnicodeWriter_Create(0));
    EXPECT_EQ(empty, text(""));
}
