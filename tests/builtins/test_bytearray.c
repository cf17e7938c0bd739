/* SPDX-License-Identifier: MIT */
/* bytearray. Its memory does not move while there are views. */
#include "../protocol.h"

static PyObject *
array_of(const char *content)
{
    return PyByteArray_FromStringAndSize(content, (Py_ssize_t)strlen(content));
}

TEST_PY(bytearrays_are_made_from_many_things)
{
    PyObject *type = (PyObject *)&PyByteArray_Type, *bytes = PyBytes_FromString("ab");
    EXPECT_REPR_OF(PyObject_CallNoArgs(type), "bytearray(b'')");
    EXPECT_REPR_OF(PyObject_CallFunction(type, "i", 3), "bytearray(b'\\x00\\x00\\x00')");
    EXPECT_REPR_OF(PyObject_CallFunction(type, "[ii]", 65, 66), "bytearray(b'AB')");
    EXPECT_REPR_OF(PyObject_CallFunction(type, "ss", "\xc3\xa4", "latin-1"),
                   "bytearray(b'\\xe4')");
    EXPECT_REPR_OF(PyByteArray_FromObject(bytes), "bytearray(b'ab')");
    EXPECT_REPR_OF(PyByteArray_FromStringAndSize(NULL, 2), "bytearray(b'\\x00\\x00')");
    EXPECT_REPR_OF(PyByteArray_FromStringAndSize("", 0), "bytearray(b'')");
    EXPECT_NULL(PyByteArray_FromStringAndSize("", -1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_CallFunction(type, "i", -1));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "negative count");
    EXPECT_NULL(PyObject_CallFunction(type, "s", "text"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "string argument without an encoding");
    EXPECT_NULL(PyObject_CallFunction(type, "is", 3, "ascii"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "encoding without a string argument");
    EXPECT_NULL(PyObject_CallFunction(type, "[i]", 256));
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(bytes);
}

TEST_PY(a_bytearray_is_resized)
{
    PyObject *a = array_of("abc");
    EXPECT_EQ(PyByteArray_Size(a), 3);
    EXPECT_STR(PyByteArray_AsString(a), "abc");
    EXPECT_EQ(PyByteArray_Resize(a, 2), 0);
    EXPECT_STR(PyByteArray_AS_STRING(a), "ab");
    EXPECT_EQ(PyByteArray_Resize(a, 1000), 0);
    EXPECT_EQ(PyByteArray_GET_SIZE(a), 1000);
    EXPECT_EQ(memcmp(PyByteArray_AsString(a), "ab", 2), 0);
    EXPECT_EQ(PyByteArray_AsString(a)[1000], 0);
    EXPECT_EQ(PyByteArray_Resize(a, 0), 0);
    EXPECT_STR(PyByteArray_AsString(a), "");
    EXPECT_EQ(PyByteArray_Resize(a, -1), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "Can only resize to positive sizes, got -1");
    EXPECT_EQ(PyByteArray_Resize(a, PY_SSIZE_T_MAX), -1);
    EXPECT_RAISED(PyExc_MemoryError);
    Py_DECREF(a);
}

TEST_PY(nothing_moves_while_there_are_views)
{
    PyObject *a = array_of("abc"), *one = number(1);
    Py_buffer view;
    EXPECT_EQ(PyArg_Parse(a, "w*", &view), 1);
    ((char *)view.buf)[0] = 'A';
    EXPECT_EQ(PyByteArray_Resize(a, 10), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError,
                       "Existing exports of data: object cannot be re-sized");
    EXPECT_NULL(PyObject_CallMethod(a, "append", "i", 1));
    EXPECT_RAISED(PyExc_BufferError);
    EXPECT_EQ(PySequence_DelItem(a, 0), -1);
    EXPECT_RAISED(PyExc_BufferError);
    EXPECT_EQ(PySequence_SetItem(a, 1, one), 0);
    PyBuffer_Release(&view);
    EXPECT_EQ(PySequence_DelItem(a, 1), 0);
    EXPECT_REPR_OF(Py_NewRef(a), "bytearray(b'Ac')");
    Py_DECREF(one);
    Py_DECREF(a);
}

TEST_PY(items_are_bytes)
{
    PyObject *a = array_of("abc"), *value = number(256), *letter = number('x');
    EXPECT_REPR_OF(PySequence_GetItem(a, -1), "99");
    EXPECT_REPR_OF(PySequence_List(a), "[97, 98, 99]");
    EXPECT_EQ(PySequence_SetItem(a, 0, letter), 0);
    EXPECT_EQ(PySequence_Contains(a, letter), 1);
    EXPECT_EQ(PySequence_SetItem(a, 0, value), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "byte must be in range(0, 256)");
    EXPECT_EQ(PySequence_SetItem(a, 3, letter), -1);
    EXPECT_RAISED_TEXT(PyExc_IndexError, "bytearray index out of range");
    EXPECT_NULL(PySequence_GetItem(a, 3));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "bytearray index out of range");
    EXPECT_EQ(PyObject_Hash(a), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'bytearray'");
    Py_DECREF(letter);
    Py_DECREF(value);
    Py_DECREF(a);
}

TEST_PY(bytearrays_are_joined_and_compared)
{
    PyObject *a = array_of("ab"), *b = PyBytes_FromString("cd");
    EXPECT_REPR_OF(PyByteArray_Concat(a, b), "bytearray(b'abcd')");
    EXPECT_REPR_OF(PyByteArray_Concat(b, a), "bytearray(b'cdab')");
    EXPECT_REPR_OF(PySequence_Concat(b, a), "b'cdab'");
    EXPECT_NULL(PyByteArray_Concat(a, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "can't concat NoneType to bytearray");
    EXPECT_REPR_OF(PyObject_CallMethod(a, "extend", "O", b), "None");
    EXPECT_REPR_OF(PyObject_CallMethod(a, "extend", "O", a), "None");
    EXPECT_REPR_OF(PyObject_CallMethod(a, "append", "i", 33), "None");
    EXPECT_REPR_OF(Py_NewRef(a), "bytearray(b'abcdabcd!')");
    EXPECT_REPR_OF(PyObject_CallMethod(a, "clear", NULL), "None");
    EXPECT_REPR_OF(PySequence_InPlaceConcat(a, b), "bytearray(b'cd')");
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(b, a, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, Py_None, Py_EQ), 0);
    Py_DECREF(a);
    Py_DECREF(b);
}

/* The format codes Y, c and et take bytearrays. */
TEST_PY(bytearrays_are_arguments)
{
    PyObject *a = array_of("x"), *o;
    char c, *encoded = NULL;
    const char *s;
    EXPECT_EQ(PyArg_Parse(a, "Y", &o), 1);
    EXPECT_EQ(o, a);
    EXPECT_EQ(PyArg_Parse(Py_None, "Y", &o), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "argument must be bytearray, not None");
    EXPECT_EQ(PyArg_Parse(a, "c", &c), 1);
    EXPECT_EQ(c, 'x');
    EXPECT_EQ(PyArg_Parse(a, "et", NULL, &encoded), 1);
    EXPECT_STR(encoded, "x");
    PyMem_Free(encoded);
    EXPECT_EQ(PyArg_Parse(a, "y", &s), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "argument must be read-only bytes-like object, not bytearray");
    EXPECT_EQ(PyArg_Parse(a, "(i)", &o), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "argument must be 1-item tuple, not bytearray");
    EXPECT_EQ(PyByteArray_Resize(a, 2), 0);
    EXPECT_EQ(PyArg_Parse(a, "c", &c), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "argument must be a byte string of length 1, not a "
                       "bytearray object of length 2");
    Py_DECREF(a);
}

TEST_PY(bytearrays_are_decoded)
{
    PyObject *a = array_of("gr\xfcn");
    EXPECT_REPR_OF(PyUnicode_FromEncodedObject(a, "latin-1", NULL), "'gr\xc3\xbcn'");
    EXPECT_EQ(PyByteArray_Resize(a, 0), 0); /* the view was released */
    EXPECT_REPR_OF(PyUnicode_FromEncodedObject(a, NULL, NULL), "''");
    Py_DECREF(a);
}

static PyObject *
grow_a_bytearray(void)
{
    PyObject *a = PyByteArray_FromStringAndSize("abc", 3);
    PyObject *b = a == NULL ? NULL : PyByteArray_Concat(a, a);
    PyObject *c = b == NULL ? NULL : PyObject_CallMethod(a, "extend", "[ii]", 1, 2);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return c;
}

TEST_PY(bytearrays_survive_each_allocation_failing)
{
    fail_each_allocation(grow_a_bytearray);
    repeat_without_leak(grow_a_bytearray);
}
