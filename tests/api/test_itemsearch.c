/* SPDX-License-Identifier: MIT */
/* Searching an iterable, and copying it. */
#include "../protocol.h"

static PyObject *
numbers(void)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; i < 6; i++) {
        PyObject *n = number(i % 3);
        PyList_Append(list, n);
        Py_DECREF(n);
    }
    return list;
}

TEST_PY(items_are_counted_and_found)
{
    PyObject *list = numbers(), *one = number(1), *nine = number(9);
    PyObject *iterator = PyObject_GetIter(list);
    EXPECT_EQ(PySequence_Count(list, one), 2);
    EXPECT_EQ(PySequence_Count(list, nine), 0);
    EXPECT_EQ(PySequence_Index(list, one), 1);
    EXPECT_EQ(PySequence_Index(list, nine), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "sequence.index(x): x not in sequence");
    EXPECT_EQ(PySequence_Contains(list, one), 1);
    EXPECT_EQ(PySequence_In(list, nine), 0);
    EXPECT_EQ(PySequence_Contains(iterator, one), 1);
    EXPECT_EQ(PySequence_Count(iterator, one), 1); /* what is left of it */
    Py_DECREF(iterator);
    Py_DECREF(list);
}

TEST_PY(what_cannot_be_searched_says_so)
{
    EXPECT_EQ(PySequence_Contains(Py_None, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "argument of type 'NoneType' is not a container or iterable");
    EXPECT_EQ(PySequence_Count(Py_None, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "argument of type 'NoneType' is not iterable");
    EXPECT_EQ(PySequence_Index(NULL, Py_None), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PySequence_List(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
    EXPECT_NULL(PySequence_Tuple(Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PySequence_Fast(Py_None, "a list is wanted"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "a list is wanted");
    EXPECT_NULL(PySequence_Fast(NULL, "a list is wanted"));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(iterables_are_copied_into_lists_and_tuples)
{
    PyObject *list = numbers();
    PyObject *tuple = PySequence_Tuple(list);
    PyObject *same = PySequence_Tuple(tuple);
    EXPECT_EQ(same, tuple);
    Py_DECREF(same);
    PyObject *copy = PySequence_List(tuple);
    EXPECT_NE(copy, list);
    EXPECT_REPR_OF(copy, "[0, 1, 2, 0, 1, 2]");
    PyObject *iterator = PyObject_GetIter(list);
    EXPECT_REPR_OF(PySequence_Tuple(iterator), "(0, 1, 2, 0, 1, 2)");
    Py_DECREF(iterator);

    PyObject *fast = PySequence_Fast(list, "");
    EXPECT_EQ(fast, list);
    EXPECT_EQ(PySequence_Fast_GET_SIZE(fast), 6);
    EXPECT_EQ(PySequence_Fast_GET_ITEM(fast, 2), PySequence_Fast_ITEMS(fast)[2]);
    Py_DECREF(fast);
    fast = PySequence_Fast(tuple, "");
    EXPECT_EQ(fast, tuple);
    EXPECT_EQ(PySequence_Fast_GET_SIZE(fast), 6);
    EXPECT_EQ(PySequence_Fast_GET_ITEM(fast, 2), PySequence_Fast_ITEMS(fast)[2]);
    Py_DECREF(fast);
    Py_DECREF(tuple);
    Py_DECREF(list);
}

static PyObject *
copy_an_iterator(void)
{
    PyObject *s = text("some text");
    PyObject *iterator = s == NULL ? NULL : PyObject_GetIter(s);
    PyObject *tuple = iterator == NULL ? NULL : PySequence_Tuple(iterator);
    Py_XDECREF(iterator);
    Py_XDECREF(s);
    return tuple;
}

TEST_PY(copying_survives_any_failing_allocation)
{
    fail_each_allocation(copy_an_iterator);
}
