/* SPDX-License-Identifier: MIT */
/* Encodings by name, as objects. */
#include "../protocol.h"

TEST_PY(encodings_are_known_by_name)
{
    EXPECT_EQ(PyCodec_KnownEncoding("utf-8"), 1);
    EXPECT_EQ(PyCodec_KnownEncoding("UTF_16"), 1);
    EXPECT_EQ(PyCodec_KnownEncoding("rot13"), 0);
    EXPECT_NO_ERROR();
}

TEST_PY(text_is_encoded_and_decoded_by_name)
{
    PyObject *s = text("\xC3\xA9"), *bytes = PyCodec_Encode(s, "latin-1", NULL);
    EXPECT_REPR_OF(Py_NewRef(bytes), "b'\\xe9'");
    EXPECT_REPR_OF(PyCodec_Decode(bytes, "latin-1", NULL), "'\xC3\xA9'");
    EXPECT_NULL(PyCodec_Encode(bytes, "latin-1", NULL));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyCodec_Decode(s, "latin-1", NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(bytes);
    Py_DECREF(s);
}

TEST_PY(a_codec_function_says_how_much_it_used)
{
    PyObject *encode = PyCodec_Encoder("ascii"), *decode = PyCodec_Decoder("utf-8");
    PyObject *s = text("a\xC3\xA9");
    EXPECT_REPR_OF(PyObject_CallFunction(encode, "Os", s, "replace"), "(b'a?', 2)");
    EXPECT_NULL(PyObject_CallFunction(encode, "O", s));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    EXPECT_REPR_OF(PyObject_CallFunction(decode, "y", "ab"), "('ab', 2)");
    EXPECT_NULL(PyCodec_Encoder("rot13"));
    EXPECT_RAISED_TEXT(PyExc_LookupError, "unknown encoding: rot13");
    Py_DECREF(s);
    Py_DECREF(encode);
    Py_DECREF(decode);
}

TEST_PY(the_old_names_convert_str_and_demand_what_they_say)
{
    PyObject *str = PyUnicode_FromString("a\xC3\xA9");
    EXPECT_REPR_OF(PyUnicode_AsEncodedObject(str, "latin-1", NULL), "b'a\\xe9'");
    EXPECT_NULL(PyUnicode_AsEncodedUnicode(str, NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "encoder returned 'bytes' instead of 'str'");
    EXPECT_NULL(PyUnicode_AsDecodedObject(str, NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "decoding str is not supported");
    EXPECT_NULL(PyUnicode_AsDecodedUnicode(Py_None, NULL, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(str);
}
