/* SPDX-License-Identifier: MIT */
/* Iterators over list and tuple. */
#include "calls.h"

TEST_PY(iterators_of_lists_and_tuples_have_types_of_their_own)
{
    PyObject *list = list_of("12"), *tuple = container_of(&PyTuple_Type, "12");
    PyObject *a = PyObject_GetIter(list), *b = PyObject_GetIter(tuple);
    PyObject *c = invoke(list, "__reversed__", NULL, NULL);
    EXPECT(Py_IS_TYPE(a, &PyListIter_Type));
    EXPECT(Py_IS_TYPE(b, &PyTupleIter_Type));
    EXPECT(Py_IS_TYPE(c, &PyListRevIter_Type));
    PyObject *iterators[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        PyObject *it = iterators[i];
        EXPECT_EQ(PyObject_GC_IsTracked(it), 1);
        EXPECT_EQ(PyObject_LengthHint(it, 9), 2);
        EXPECT_REPR_OF(PyIter_Next(it), i < 2 ? "1" : "2");
        EXPECT_EQ(PyObject_LengthHint(it, 9), 1);
        EXPECT_REPR_OF(PyIter_Next(it), i < 2 ? "2" : "1");
        EXPECT_NULL(PyIter_Next(it));
        EXPECT_NO_ERROR();
        EXPECT_EQ(PyObject_LengthHint(it, 9), 0);
        Py_DECREF(it);
    }
    EXPECT_EQ(Py_REFCNT(list), 1);
    EXPECT_EQ(Py_REFCNT(tuple), 1);
    Py_DECREF(list);
    Py_DECREF(tuple);
}

TEST_PY(a_list_may_change_under_its_iterators)
{
    PyObject *list = list_of("12"), *it = PyObject_GetIter(list);
    Py_DECREF(PyIter_Next(it));
    PyList_Append(list, Py_None);
    Py_DECREF(PyIter_Next(it));
    EXPECT_REPR_OF(PyIter_Next(it), "None");
    EXPECT_NULL(PyIter_Next(it));
    PyList_Append(list, Py_None); /* too late */
    EXPECT_NULL(PyIter_Next(it));
    Py_DECREF(it);
    it = PyObject_GetIter(list);
    PyObject *reverse = invoke(list, "__reversed__", NULL, NULL);
    Py_DECREF(PyIter_Next(it));
    PyList_Clear(list);
    EXPECT_EQ(PyObject_LengthHint(it, 9), 0);
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_EQ(PyObject_LengthHint(reverse, 9), 0);
    EXPECT_NULL(PyIter_Next(reverse));
    EXPECT_NO_ERROR();
    Py_DECREF(it);
    Py_DECREF(reverse);
    Py_DECREF(list);
}

TEST_PY(a_cycle_through_a_list_iterator_is_collected)
{
    PyObject *list = PyList_New(0), *it = PyObject_GetIter(list);
    PyList_Append(list, it);
    Py_DECREF(it);
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 2);
}

static PyObject *
iterate_a_list(void)
{
    PyObject *list = PyList_New(0), *it = list == NULL ? NULL : PyObject_GetIter(list);
    Py_XDECREF(list);
    return it;
}

TEST_PY(list_iterators_leak_nothing_also_when_memory_ends)
{
    repeat_without_leak(iterate_a_list);
    fail_each_allocation(iterate_a_list);
}
