/* SPDX-License-Identifier: MIT */
/* Error handlers of encodings, built in and registered. */
#include "../protocol.h"

static PyObject *
new_decode_error(void)
{
    return PyUnicodeDecodeError_Create("enc", "ab\xFF\xFE", 4, 2, 4, "because");
}

static PyObject *
new_encode_error(void)
{
    return PyObject_CallFunction(PyExc_UnicodeEncodeError, "ssnns", "enc",
                                 "a\xC3\xA9\xE2\x82\xAC", (Py_ssize_t)1, (Py_ssize_t)3,
                                 "because");
}

static PyObject *
new_translate_error(void)
{
    return PyObject_CallFunction(PyExc_UnicodeTranslateError, "snns", "xyz",
                                 (Py_ssize_t)0, (Py_ssize_t)2, "because");
}

#define EXPECT_HANDLED(handler, error, expected)                                         \
    do {                                                                                 \
        PyObject *error_ = (error);                                                      \
        EXPECT_REPR_OF(handler(error_), (expected));                                     \
        Py_XDECREF(error_);                                                              \
    } while (0)

TEST_PY(built_in_handlers_return_text_and_where_to_go_on)
{
    EXPECT_HANDLED(PyCodec_IgnoreErrors, new_decode_error(), "('', 4)");
    EXPECT_HANDLED(PyCodec_IgnoreErrors, new_translate_error(), "('', 2)");
    EXPECT_HANDLED(PyCodec_ReplaceErrors, new_decode_error(), "('\xEF\xBF\xBD', 4)");
    EXPECT_HANDLED(PyCodec_ReplaceErrors, new_encode_error(), "('\?\?', 3)");
    EXPECT_HANDLED(PyCodec_ReplaceErrors, new_translate_error(),
                   "('\xEF\xBF\xBD\xEF\xBF\xBD', 2)");
    EXPECT_HANDLED(PyCodec_BackslashReplaceErrors, new_decode_error(),
                   "('\\\\xff\\\\xfe', 4)");
    EXPECT_HANDLED(PyCodec_BackslashReplaceErrors, new_encode_error(),
                   "('\\\\xe9\\\\u20ac', 3)");
    EXPECT_HANDLED(PyCodec_XMLCharRefReplaceErrors, new_encode_error(),
                   "('&#233;&#8364;', 3)");
}

TEST_PY(handlers_refuse_what_they_do_not_know)
{
    PyObject *decode = new_decode_error();
    EXPECT_NULL(PyCodec_XMLCharRefReplaceErrors(decode));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "don't know how to handle UnicodeDecodeError in error callback");
    EXPECT_NULL(PyCodec_IgnoreErrors(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "don't know how to handle NoneType in error callback");
    EXPECT_NULL(PyCodec_StrictErrors(decode));
    EXPECT_RAISED_TEXT(PyExc_UnicodeDecodeError,
                       "'enc' codec can't decode bytes in position 2-3: because");
    EXPECT_NULL(PyCodec_StrictErrors(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(decode);
}

/* What the registered handler returns: a new reference each time. */
static PyObject *answer;

static PyObject *
give_answer(PyObject *self, PyObject *exc)
{
    (void)self;
    (void)exc;
    return Py_NewRef(answer);
}

static PyMethodDef give_answer_def = {"answer", give_answer, METH_O, NULL};

static void
register_answer(PyObject *value)
{
    PyObject *function = PyCFunction_New(&give_answer_def, NULL);
    Py_XSETREF(answer, value);
    EXPECT_EQ(PyCodec_RegisterError("tests.answer", function), 0);
    Py_DECREF(function);
}

TEST_PY(a_registered_handler_decodes_and_says_where_to_go_on)
{
    register_answer(Py_BuildValue("(sn)", "<>", (Py_ssize_t)3));
    EXPECT_REPR_OF(PyUnicode_DecodeUTF8("a\xFF\xFEz", 4, "tests.answer"), "'a<>z'");
    EXPECT_REPR_OF(PyUnicode_DecodeASCII("a\xFF\xFEz", 4, "tests.answer"), "'a<>z'");
    register_answer(Py_BuildValue("(sn)", "!", (Py_ssize_t)-1));
    EXPECT_REPR_OF(PyUnicode_Decode("\0\xDC\0\0z\0", 6, "utf-16-le", "ignore"),
                   "'\\x00z'");
    EXPECT_REPR_OF(PyUnicode_DecodeUTF8("a\xFF\xFEz", 4, "tests.answer"), "'a!z'");
    Py_CLEAR(answer);
}

TEST_PY(a_registered_handler_encodes_text_or_bytes)
{
    PyObject *str = PyUnicode_FromString("a\xE2\x82\xACz");
    register_answer(Py_BuildValue("(sn)", "EUR", (Py_ssize_t)2));
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(str, "ascii", "tests.answer"), "b'aEURz'");
    register_answer(Py_BuildValue("(yn)", "\x80", (Py_ssize_t)2));
    EXPECT_REPR_OF(PyUnicode_AsEncodedString(str, "ascii", "tests.answer"), "b'a\\x80z'");
    register_answer(Py_BuildValue("(sn)", "\xC3\xA9", (Py_ssize_t)2)); /* not ASCII */
    EXPECT_NULL(PyUnicode_AsEncodedString(str, "ascii", "tests.answer"));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    Py_DECREF(str);
    Py_CLEAR(answer);
}

TEST_PY(a_handler_that_returns_nonsense_is_an_error)
{
    register_answer(PyLong_FromLong(1));
    EXPECT_NULL(PyUnicode_DecodeUTF8("\xFF", 1, "tests.answer"));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "error handler must return (str or bytes, int) tuple");
    register_answer(Py_BuildValue("(sn)", "", (Py_ssize_t)9));
    EXPECT_NULL(PyUnicode_DecodeUTF8("\xFF", 1, "tests.answer"));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "position 9 from error handler out of bounds");
    register_answer(Py_BuildValue("(yn)", "x", (Py_ssize_t)1));
    EXPECT_NULL(PyUnicode_DecodeUTF8("\xFF", 1, "tests.answer"));
    EXPECT_RAISED(PyExc_TypeError);
    Py_CLEAR(answer);
}

TEST_PY(handlers_are_found_by_name)
{
    PyObject *strict = PyCodec_LookupError(NULL), *ignore = PyCodec_LookupError("ignore");
    EXPECT(strict != NULL && ignore != NULL && strict != ignore);
    EXPECT_NULL(PyCodec_LookupError("tests.none"));
    EXPECT_RAISED_TEXT(PyExc_LookupError, "unknown error handler name 'tests.none'");
    EXPECT_EQ(PyCodec_RegisterError("tests.bad", Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "handler must be callable");
    Py_XDECREF(strict);
    Py_XDECREF(ignore);
}
