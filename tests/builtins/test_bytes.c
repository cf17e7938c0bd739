/* SPDX-License-Identifier: MIT */
/* bytes objects. */
#include "../protocol.h"

TEST_PY(bytes_hold_any_bytes)
{
    PyObject *b = PyBytes_FromStringAndSize("a\0b", 3);
    EXPECT_EQ(PyBytes_Size(b), 3);
    EXPECT(memcmp(PyBytes_AsString(b), "a\0b", 4) == 0);
    char *buffer;
    Py_ssize_t size;
    EXPECT_EQ(PyBytes_AsStringAndSize(b, &buffer, &size), 0);
    EXPECT_EQ(size, 3);
    EXPECT_EQ(PyBytes_AsStringAndSize(b, &buffer, NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "embedded null byte");
    EXPECT_REPR_OF(b, "b'a\\x00b'");
    EXPECT_EQ(PyBytes_Size(Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected bytes, NoneType found");
    EXPECT_NULL(PyBytes_AsString(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyBytes_FromStringAndSize("x", -1));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(empty_bytes_are_one_immortal_object)
{
    EXPECT_EQ(PyBytes_FromString(""), PyBytes_FromStringAndSize(NULL, 0));
    EXPECT(PyUnstable_IsImmortal(PyBytes_FromString("")));
}

TEST_PY(bytes_are_compared_and_hashed_by_content)
{
    PyObject *a = PyBytes_FromString("abc"), *b = PyBytes_FromString("abd");
    PyObject *c = PyBytes_FromString("ab\xFF"), *copy = PyBytes_FromString("abc");
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(c, b, Py_GT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, copy, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(copy));
    PyObject *s = text("abc");
    EXPECT_EQ(PyObject_RichCompareBool(a, s, Py_EQ), 0);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(copy);
    Py_DECREF(s);
}

TEST_PY(bytes_are_a_sequence_of_ints)
{
    PyObject *b = PyBytes_FromString("ab");
    EXPECT_REPR_OF(PySequence_GetItem(b, -1), "98");
    EXPECT_NULL(PySequence_GetItem(b, 2));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PySequence_Contains(b, number('a')), 1);
    PyObject *large = number(300);
    EXPECT_EQ(PySequence_Contains(b, large), -1);
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(large);
    EXPECT_REPR_OF(PySequence_Repeat(b, 2), "b'abab'");
    EXPECT_REPR_OF(PySequence_List(b), "[97, 98]");
    PyObject *list = PySequence_List(b);
    EXPECT_REPR_OF(PyBytes_FromObject(list), "b'ab'");
    EXPECT_NULL(PyBytes_Join(b, list));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(list);
    PyObject *pair = PyTuple_Pack(2, b, b);
    EXPECT_REPR_OF(PyBytes_Join(b, pair), "b'ababab'");
    Py_DECREF(pair);
    PyBytes_Concat(&b, Py_None);
    EXPECT_NULL(b);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(bytes_that_nobody_saw_can_be_resized)
{
    PyObject *b = PyBytes_FromStringAndSize("abcdef", 6);
    EXPECT_EQ(_PyBytes_Resize(&b, 3), 0);
    EXPECT_REPR_OF(Py_NewRef(b), "b'abc'");
    PyObject *other = Py_NewRef(b);
    EXPECT_EQ(_PyBytes_Resize(&b, 9), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(b);
    EXPECT_EQ(Py_REFCNT(other), 1);
    Py_DECREF(other);
}

TEST_PY(bytes_can_be_called)
{
    PyObject *type = (PyObject *)&PyBytes_Type, *s = text("\xC3\xA9"),
             *utf8 = text("utf-8");
    EXPECT_REPR_OF(PyObject_CallOneArg(type, number(2)), "b'\\x00\\x00'");
    EXPECT_REPR_OF(PyObject_CallFunctionObjArgs(type, s, utf8, NULL), "b'\\xc3\\xa9'");
    EXPECT_NULL(PyObject_CallOneArg(type, s));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "string argument without an encoding");
    EXPECT_NULL(PyObject_CallOneArg(type, number(-1)));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "negative count");
    Py_DECREF(s);
    Py_DECREF(utf8);
}

TEST_PY(an_encoding_that_is_no_utf8_is_an_error)
{
    PyObject *s = text("a"), *surrogate = PyUnicode_FromOrdinal(0xD800);
    EXPECT_NULL(
        PyObject_CallFunctionObjArgs((PyObject *)&PyBytes_Type, s, surrogate, NULL));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    Py_DECREF(s);
    Py_DECREF(surrogate);
}

TEST_PY(bytes_of_an_object_come_from_the_object)
{
    PyObject *list = Py_BuildValue("[ii]", 65, 66), *bytes = PyBytes_FromString("ab");
    EXPECT_REPR_OF(PyObject_Bytes(list), "b'AB'");
    PyObject *same = PyObject_Bytes(bytes);
    EXPECT_EQ(same, bytes);
    Py_DECREF(same);
    EXPECT_REPR_OF(PyObject_Bytes(NULL), "b'<NULL>'");
    PyObject *s = text("ab");
    EXPECT_NULL(PyObject_Bytes(s));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "cannot convert 'str' object to bytes");
    Py_DECREF(s);
    Py_DECREF(bytes);
    Py_DECREF(list);
}

TEST_PY(concatenating_and_deleting_takes_the_second_part)
{
    PyObject *left = PyBytes_FromString("ab"), *right = PyBytes_FromString("cd");
    PyBytes_ConcatAndDel(&left, Py_NewRef(right));
    EXPECT_EQ(Py_REFCNT(right), 1);
    EXPECT_REPR_OF(Py_NewRef(left), "b'abcd'");
    PyBytes_ConcatAndDel(&left, NULL); /* as after a failure */
    EXPECT_NULL(left);
    PyErr_Clear();
    PyBytes_ConcatAndDel(&left, Py_NewRef(right));
    EXPECT_NULL(left);
    EXPECT_EQ(Py_REFCNT(right), 1);
    PyErr_Clear();
    Py_DECREF(right);
}
