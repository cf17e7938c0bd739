/* SPDX-License-Identifier: MIT */
/* str objects: making, comparing, hashing, the sequence slots. */
#include "../protocol.h"

TEST_PY(the_length_counts_code_points)
{
    PyObject *s = text("a\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E"); /* a é € 𝄞 */
    EXPECT_EQ(PyUnicode_GetLength(s), 4);
    EXPECT_EQ(PyUnicode_GET_LENGTH(s), 4);
    EXPECT(!PyUnicode_IS_ASCII(s));
    Py_ssize_t size;
    EXPECT_STR(PyUnicode_AsUTF8AndSize(s, &size),
               "a\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E");
    EXPECT_EQ(size, 10);
    EXPECT_EQ(PyUnicode_ReadChar(s, 2), 0x20AC);
    EXPECT_EQ(PyUnicode_ReadChar(s, 3), 0x1D11E);
    EXPECT_EQ(PyUnicode_ReadChar(s, 4), (Py_UCS4)-1);
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PyUnicode_GetLength(Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(s);
}

TEST_PY(the_empty_str_is_one_immortal_object)
{
    EXPECT_EQ(text(""), PyUnicode_FromStringAndSize(NULL, 0));
    EXPECT(PyUnstable_IsImmortal(text("")));
    EXPECT_EQ(PyObject_CallNoArgs((PyObject *)&PyUnicode_Type), text(""));
}

TEST_PY(wrong_sizes_and_pointers_are_system_errors)
{
    EXPECT_NULL(PyUnicode_FromStringAndSize("x", -1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyUnicode_FromStringAndSize(NULL, 1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyUnicode_FromString(NULL));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(strings_compare_by_code_points)
{
    static const char *const ascending[] = {
        "", "A", "AB", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9D\x84\x9E"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(ascending); i++) {
        for (size_t j = 0; j < Py_ARRAY_LENGTH(ascending); j++) {
            PyObject *a = text(ascending[i]), *b = text(ascending[j]);
            EXPECT_EQ(PyUnicode_Compare(a, b), (i > j) - (i < j));
            EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), i < j);
            EXPECT_EQ(PyUnicode_Equal(a, b), i == j);
            EXPECT_EQ(PyUnicode_EqualToUTF8(a, ascending[j]), i == j);
            Py_DECREF(a);
            Py_DECREF(b);
        }
    }
    PyObject *s = text("abc");
    EXPECT_EQ(PyUnicode_Compare(s, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "Can't compare str and NoneType");
    EXPECT_EQ(PyUnicode_RichCompare(s, Py_None, Py_EQ), Py_NotImplemented);
    EXPECT_EQ(PyUnicode_CompareWithASCIIString(s, "abc"), 0);
    EXPECT_EQ(PyUnicode_CompareWithASCIIString(s, "abd"), -1);
    EXPECT_EQ(PyUnicode_CompareWithASCIIString(s, "ab"), 1);
    EXPECT_EQ(PyUnicode_CompareWithASCIIString(s, "abcd"), -1);
    EXPECT_EQ(PyUnicode_EqualToUTF8AndSize(s, "abcd", 3), 1);
    Py_DECREF(s);
    PyObject *latin = text("\xC3\xA9");
    EXPECT_EQ(PyUnicode_CompareWithASCIIString(latin, "\xE9"), 0);
    Py_DECREF(latin);
}

TEST_PY(equal_strings_have_equal_hashes)
{
    PyObject *a = text("some key"), *b = PyUnicode_FromFormat("some %s", "key");
    EXPECT_NE(a, b);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(a));
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(strings_are_sequences_of_characters)
{
    PyObject *s = text("a\xC3\xA9z"), *z = text("z");
    EXPECT_REPR_OF(PySequence_GetItem(s, 1), "'\xC3\xA9'");
    EXPECT_REPR_OF(PySequence_GetItem(s, -1), "'z'");
    EXPECT_NULL(PySequence_GetItem(s, 3));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PySequence_Contains(s, z), 1);
    EXPECT_REPR_OF(PySequence_Repeat(s, 2), "'a\xC3\xA9za\xC3\xA9z'");
    EXPECT_REPR_OF(PySequence_Repeat(s, 0), "''");
    EXPECT_REPR_OF(PySequence_Concat(s, z), "'a\xC3\xA9zz'");
    EXPECT_REPR_OF(PySequence_List(s), "['a', '\xC3\xA9', 'z']");
    EXPECT_NULL(PyUnicode_Concat(s, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "can only concatenate str (not \"NoneType\") to str");
    PyObject *index = number(-3);
    EXPECT_REPR_OF(PyObject_GetItem(s, index), "'a'");
    Py_DECREF(s);
    Py_DECREF(z);
}

TEST_PY(append_replaces_the_left_string)
{
    PyObject *s = text("ab"), *tail = text("cd");
    EXPECT_SAME_COUNT(tail, PyUnicode_Append(&s, tail));
    EXPECT_REPR_OF(s, "'abcd'");
    s = text("x");
    PyUnicode_AppendAndDel(&s, tail);
    EXPECT_REPR_OF(s, "'xcd'");
    s = text("ab");
    PyUnicode_Append(&s, Py_None);
    EXPECT_NULL(s);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(characters_come_from_numbers)
{
    EXPECT_REPR_OF(PyUnicode_FromOrdinal(0x20AC), "'\xE2\x82\xAC'");
    EXPECT_NULL(PyUnicode_FromOrdinal(0x110000));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_REPR_OF(PyUnicode_FromOrdinal(0xD800), "'\\ud800'");
    Py_UCS2 two[] = {'a', 0x20AC};
    EXPECT_REPR_OF(PyUnicode_FromKindAndData(2, two, 2), "'a\xE2\x82\xAC'");
    EXPECT_REPR_OF(PyUnicode_FromWideChar(L"wide \x20AC", -1), "'wide \xE2\x82\xAC'");
    EXPECT_NULL(PyUnicode_FromKindAndData(3, two, 2));
    EXPECT_RAISED(PyExc_SystemError);
}

static PyObject *
make_str_subtype(void)
{
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"test.Text", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots};
    return PyType_FromSpecWithBases(&spec, (PyObject *)&PyUnicode_Type);
}

TEST_PY(a_subtype_of_str_is_found_by_plain_keys)
{
    PyObject *type = make_str_subtype(), *plain = text("the key");
    REQUIRE_NOT_NULL(type);
    PyObject *instance = PyObject_CallOneArg(type, plain);
    REQUIRE_NOT_NULL(instance);
    EXPECT(PyUnicode_Check(instance) && !PyUnicode_CheckExact(instance));
    EXPECT_EQ(PyObject_RichCompareBool(instance, plain, Py_EQ), 1);
    PyObject *dict = PyDict_New();
    EXPECT_EQ(PyDict_SetItem(dict, instance, Py_True), 0);
    EXPECT_EQ(PyDict_GetItemWithError(dict, plain), Py_True);
    PyObject *exact = PyUnicode_FromObject(instance);
    EXPECT(PyUnicode_CheckExact(exact));
    Py_DECREF(exact);
    Py_DECREF(dict);
    Py_DECREF(instance);
    Py_DECREF(plain);
    Py_DECREF(type);
}

TEST_PY(str_can_be_called)
{
    PyObject *type = (PyObject *)&PyUnicode_Type, *bytes = PyBytes_FromString("x");
    PyObject *encoding = text("ascii");
    EXPECT_REPR_OF(PyObject_CallOneArg(type, Py_None), "'None'");
    EXPECT_REPR_OF(PyObject_CallFunctionObjArgs(type, bytes, encoding, NULL), "'x'");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(type, encoding, encoding, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "decoding str is not supported");
    Py_DECREF(bytes);
    Py_DECREF(encoding);
}

static PyObject *
make_and_join(void)
{
    PyObject *a = PyUnicode_FromString("left"), *b = PyUnicode_FromString("right");
    PyObject *result = a == NULL || b == NULL ? NULL : PyUnicode_Concat(a, b);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

TEST_PY(strings_survive_any_failing_allocation)
{
    fail_each_allocation(make_and_join);
}
