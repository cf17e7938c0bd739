/* SPDX-License-Identifier: MIT */
/* enumerate. */
#include "calls.h"

static PyObject *
enumerate_from(PyObject *iterable, PyObject *start)
{
    PyObject *it =
        PyObject_CallFunctionObjArgs((PyObject *)&PyEnum_Type, iterable, start, NULL);
    PyObject *list = it == NULL ? NULL : PySequence_List(it);
    Py_XDECREF(it);
    return list;
}

TEST_PY(items_are_numbered)
{
    PyObject *word = text("ab"), *five = number(5);
    EXPECT_REPR_OF(enumerate_from(word, NULL), "[(0, 'a'), (1, 'b')]");
    EXPECT_REPR_OF(enumerate_from(word, five), "[(5, 'a'), (6, 'b')]");
    PyObject *keywords = PyDict_New(), *args = PyTuple_Pack(1, word);
    PyDict_SetItemString(keywords, "start", five);
    PyObject *it = PyObject_Call((PyObject *)&PyEnum_Type, args, keywords);
    EXPECT_EQ(PyObject_GC_IsTracked(it), 1);
    EXPECT_REPR_OF(PyIter_Next(it), "(5, 'a')");
    Py_DECREF(it);
    Py_DECREF(args);
    Py_DECREF(keywords);
    Py_DECREF(word);
    Py_DECREF(five);
}

TEST_PY(numbers_may_become_large)
{
    PyObject *word = text("abc"),
             *start = PyLong_FromString("9223372036854775806", NULL, 10),
             *larger = PyLong_FromString("99999999999999999999", NULL, 10);
    EXPECT_REPR_OF(enumerate_from(word, start),
                   "[(9223372036854775806, 'a'), (9223372036854775807, 'b'), "
                   "(9223372036854775808, 'c')]");
    EXPECT_REPR_OF(enumerate_from(word, larger),
                   "[(99999999999999999999, 'a'), (100000000000000000000, 'b'), "
                   "(100000000000000000001, 'c')]");
    Py_DECREF(word);
    Py_DECREF(start);
    Py_DECREF(larger);
}

TEST_PY(enumerate_checks_its_arguments)
{
    PyObject *list = PyList_New(0), *word = text("x");
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&PyEnum_Type));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(enumerate_from(Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
    EXPECT_NULL(enumerate_from(list, word));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'str' object cannot be interpreted as an integer");
    Py_DECREF(list);
    Py_DECREF(word);
}

static PyObject *
enumerate_a_tuple(void)
{
    PyObject *tuple = PyTuple_Pack(2, Py_None, Py_True), *list = NULL;
    PyObject *start = PyLong_FromString("9223372036854775807", NULL, 10);
    if (tuple != NULL && start != NULL) {
        list = enumerate_from(tuple, start);
    }
    Py_XDECREF(tuple);
    Py_XDECREF(start);
    return list;
}

TEST_PY(enumerating_leaks_nothing_also_when_memory_ends)
{
    repeat_without_leak(enumerate_a_tuple);
    fail_each_allocation(enumerate_a_tuple);
}
