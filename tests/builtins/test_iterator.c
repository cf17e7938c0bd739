/* SPDX-License-Identifier: MIT */
/* Iterators over indices, and over the results of a callable. */
#include "../protocol.h"

static int calls;

static PyObject *
count_up(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromLong(calls++);
}

static PyMethodDef count_up_def = {"count_up", count_up, METH_NOARGS, NULL};

TEST_PY(a_sequence_iterator_ends_at_index_error_and_stays_at_the_end)
{
    PyObject *list = PyList_New(0);
    PyList_Append(list, Py_True);
    PyObject *it = PySeqIter_New(list);
    EXPECT(PySeqIter_Check(it));
    EXPECT_EQ(PyObject_GC_IsTracked(it), 1);
    EXPECT_EQ(PyObject_LengthHint(it, 9), 1);
    EXPECT_EQ(PyIter_Next(it), Py_True);
    EXPECT_EQ(PyObject_LengthHint(it, 9), 0);
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_NO_ERROR();
    EXPECT_EQ(Py_REFCNT(list), 1);
    PyList_Append(list, Py_True);
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_EQ(PyObject_LengthHint(it, 9), 0);
    Py_DECREF(it);
    Py_DECREF(list);
    EXPECT_NULL(PySeqIter_New(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(a_callable_iterator_ends_at_its_sentinel)
{
    PyObject *f = PyCFunction_New(&count_up_def, NULL), *two = number(2);
    PyObject *it = PyCallIter_New(f, two);
    EXPECT(PyCallIter_Check(it));
    EXPECT_REPR_OF(PySequence_List(it), "[0, 1]");
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_NO_ERROR();
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(Py_REFCNT(f), 1);
    Py_DECREF(it);
    Py_DECREF(f);
}

TEST_PY(iterators_in_cycles_are_collected)
{
    PyObject *list = PyList_New(0);
    PyObject *it = PySeqIter_New(list), *other = PyCallIter_New(list, list);
    PyList_Append(list, it);
    PyList_Append(list, other);
    Py_DECREF(it);
    Py_DECREF(other);
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 3);
}
