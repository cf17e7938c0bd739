/* SPDX-License-Identifier: MIT */
/* The sequence protocol. */
#include "../protocol.h"

static PyObject *
list_of(int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; i < n; i++) {
        PyList_SET_ITEM(list, i, number(i));
    }
    return list;
}

TEST_PY(lists_are_sequences_and_dicts_are_not)
{
    PyObject *list = list_of(2), *dict = PyDict_New();
    EXPECT_EQ(PySequence_Check(list), 1);
    EXPECT_EQ(PySequence_Check(dict), 0);
    EXPECT_EQ(PySequence_Check(Py_None), 0);
    EXPECT_EQ(PySequence_Size(list), 2);
    EXPECT_EQ(PySequence_Length(list), 2);
    EXPECT_EQ(PySequence_Size(dict), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "dict is not a sequence");
    EXPECT_EQ(PySequence_Size(Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "object of type 'NoneType' has no len()");
    EXPECT_EQ(PySequence_Size(NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(list);
    Py_DECREF(dict);
}

TEST_PY(sequences_are_concatenated_and_repeated)
{
    PyObject *list = list_of(1), *other = list_of(2);
    EXPECT_REPR_OF(PySequence_Concat(list, other), "[0, 0, 1]");
    EXPECT_REPR_OF(PySequence_Repeat(other, 2), "[0, 1, 0, 1]");
    PyObject *same = PySequence_InPlaceConcat(list, other);
    EXPECT_EQ(same, list);
    Py_XDECREF(same);
    same = PySequence_InPlaceRepeat(list, 2);
    EXPECT_EQ(same, list);
    Py_XDECREF(same);
    EXPECT_REPR_OF(list, "[0, 0, 1, 0, 0, 1]");
    EXPECT_NULL(PySequence_Concat(Py_None, other));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object can't be concatenated");
    EXPECT_NULL(PySequence_InPlaceConcat(Py_None, other));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PySequence_Repeat(Py_None, 2));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object can't be repeated");
    EXPECT_NULL(PySequence_Repeat(NULL, 2));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(other);
}

TEST_PY(negative_indices_count_from_the_end)
{
    PyObject *list = list_of(3), *value = text("x");
    EXPECT_REPR_OF(PySequence_GetItem(list, -1), "2");
    EXPECT_NULL(PySequence_GetItem(list, -4));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_NULL(PySequence_GetItem(list, 3));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_EQ(PySequence_SetItem(list, -3, value), 0);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PySequence_DelItem(list, -1), 0);
    EXPECT_REPR_OF(list, "['x', 1]");
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
}

TEST_PY(what_is_no_sequence_says_so)
{
    PyObject *dict = PyDict_New();
    EXPECT_NULL(PySequence_GetItem(Py_None, 0));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object does not support indexing");
    EXPECT_NULL(PySequence_GetItem(dict, 0));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "dict is not a sequence");
    EXPECT_EQ(PySequence_SetItem(Py_None, 0, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'NoneType' object does not support item assignment");
    EXPECT_EQ(PySequence_DelItem(Py_None, 0), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'NoneType' object doesn't support item deletion");
    EXPECT_NULL(PySequence_GetItem(NULL, 0));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(dict);
}
