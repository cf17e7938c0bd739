/* SPDX-License-Identifier: MIT */
/* PyBytes_FromFormat and the repr of bytes. */
#include "../protocol.h"

TEST_PY(bytes_are_formatted)
{
    EXPECT_REPR_OF(PyBytes_FromFormat("%c|%d|%u|%ld|%lu|%zd|%zu|%i|%x|%s|%.2s|%%", 'a',
                                      -1, 2u, -3L, 4UL, (Py_ssize_t)-5, (size_t)6, 7,
                                      255u, "text", "text"),
                   "b'a|-1|2|-3|4|-5|6|7|ff|text|te|%'");
    EXPECT_REPR_OF(PyBytes_FromFormat("%p", (void *)(uintptr_t)16), "b'0x10'");
    EXPECT_NULL(PyBytes_FromFormat("%f", 1.0));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "invalid format string: unsupported code '%f'");
    EXPECT_NULL(PyBytes_FromFormat("%c", 256));
    EXPECT_RAISED(PyExc_OverflowError);
}

TEST_PY(repr_of_bytes_escapes_what_is_not_ascii)
{
    EXPECT_REPR_OF(PyBytes_FromString("it's"), "b\"it's\"");
    EXPECT_REPR_OF(PyBytes_FromString("\\\n\xFF"), "b'\\\\\\n\\xff'");
}

static PyObject *
format_from_list(PyObject *(*format)(const char *, va_list), const char *codes, ...)
{
    va_list vargs;
    va_start(vargs, codes);
    PyObject *result = format(codes, vargs);
    va_end(vargs);
    return result;
}

TEST_PY(bytes_and_text_are_formatted_from_a_va_list)
{
    EXPECT_REPR_OF(format_from_list(PyBytes_FromFormatV, "%d %s", 1, "a"), "b'1 a'");
    EXPECT_REPR_OF(format_from_list(PyUnicode_FromFormatV, "%d %s", 1, "a"), "'1 a'");
}

TEST_PY(the_quotes_of_a_bytes_repr_may_be_fixed)
{
    PyObject *bytes = PyBytes_FromString("it's");
    PyObject *smart = PyBytes_Repr(bytes, 1), *fixed = PyBytes_Repr(bytes, 0);
    EXPECT_STR(PyUnicode_AsUTF8(smart), "b\"it's\"");
    EXPECT_STR(PyUnicode_AsUTF8(fixed), "b'it\\'s'");
    Py_DECREF(smart);
    Py_DECREF(fixed);
    Py_DECREF(bytes);
}
