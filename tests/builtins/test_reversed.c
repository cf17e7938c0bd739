/* SPDX-License-Identifier: MIT */
/* reversed. */
#include "calls.h"

static PyObject *
reverse(PyObject *o)
{
    return PyObject_CallOneArg((PyObject *)&PyReversed_Type, o);
}

TEST_PY(sequences_are_walked_from_the_end)
{
    PyObject *word = text("abc"), *it = reverse(word);
    EXPECT(Py_IS_TYPE(it, &PyReversed_Type));
    EXPECT_EQ(PyObject_GC_IsTracked(it), 1);
    EXPECT_EQ(PyObject_LengthHint(it, 9), 3);
    EXPECT_REPR_OF(PyIter_Next(it), "'c'");
    EXPECT_EQ(PyObject_LengthHint(it, 9), 2);
    EXPECT_REPR_OF(PySequence_List(it), "['b', 'a']");
    EXPECT_EQ(PyObject_LengthHint(it, 9), 0);
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_NO_ERROR();
    Py_DECREF(it);
    Py_DECREF(word);
}

TEST_PY(types_that_can_reverse_themselves_do)
{
    PyObject *list = list_of("12"), *dict = PyDict_New(), *set = PySet_New(NULL);
    PyDict_SetItemString(dict, "a", Py_True);
    PyDict_SetItemString(dict, "b", Py_False);
    PyObject *it = reverse(list);
    EXPECT(Py_IS_TYPE(it, &PyListRevIter_Type));
    Py_DECREF(it);
    it = reverse(dict);
    EXPECT(Py_IS_TYPE(it, &PyDictRevIterKey_Type));
    EXPECT_REPR_OF(PySequence_List(it), "['b', 'a']");
    Py_DECREF(it);
    EXPECT_NULL(reverse(set));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'set' object is not reversible");
    EXPECT_NULL(reverse(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not reversible");
    Py_DECREF(list);
    Py_DECREF(dict);
    Py_DECREF(set);
}

TEST_PY(a_class_can_refuse_to_be_reversed)
{
    PyObject *type = class_of(&PyTuple_Type, "OneWay"), *tuple;
    EXPECT_EQ(PyObject_SetAttrString(type, "__reversed__", Py_None), 0);
    tuple = PyObject_CallNoArgs(type);
    EXPECT_NULL(reverse(tuple));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'OneWay' object is not reversible");
    Py_DECREF(tuple);
    Py_DECREF(type);
}

TEST_PY(reversed_checks_its_arguments)
{
    PyObject *none = PyTuple_New(0), *keywords = PyDict_New();
    PyDict_SetItemString(keywords, "x", Py_None);
    PyObject *type = (PyObject *)&PyReversed_Type;
    EXPECT_NULL(PyObject_Call(type, none, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "reversed expected 1 argument, got 0");
    EXPECT_NULL(PyObject_Call(type, none, keywords));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "reversed() takes no keyword arguments");
    Py_DECREF(keywords);
}

static PyObject *
reverse_a_tuple(void)
{
    PyObject *tuple = PyTuple_Pack(2, Py_None, Py_True);
    PyObject *it = tuple == NULL ? NULL : reverse(tuple);
    PyObject *item = it == NULL ? NULL : PyIter_Next(it);
    Py_XDECREF(tuple);
    Py_XDECREF(item);
    return it;
}

TEST_PY(reversing_leaks_nothing_also_when_memory_ends)
{
    repeat_without_leak(reverse_a_tuple);
    fail_each_allocation(reverse_a_tuple);
}
