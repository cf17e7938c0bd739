/* SPDX-License-Identifier: MIT */
/* range. */
#include "calls.h"

static PyObject *
new_range_of(const char *format, long a, long b, long c)
{
    PyObject *args = Py_BuildValue(format, a, b, c);
    PyObject *range = PyObject_Call((PyObject *)&PyRange_Type, args, NULL);
    Py_DECREF(args);
    return range;
}

static void
expect_list(PyObject *range, const char *repr)
{
    REQUIRE_NOT_NULL(range);
    EXPECT_REPR_OF(PySequence_List(range), repr);
    Py_DECREF(range);
}

TEST_PY(a_range_has_its_numbers)
{
    expect_list(new_range_of("(l)", 4, 0, 0), "[0, 1, 2, 3]");
    expect_list(new_range_of("(ll)", 2, 5, 0), "[2, 3, 4]");
    expect_list(new_range_of("(lll)", 10, 0, -3), "[10, 7, 4, 1]");
    expect_list(new_range_of("(lll)", 0, 10, 4), "[0, 4, 8]");
    expect_list(new_range_of("(ll)", 5, 2, 0), "[]");
    expect_list(new_range_of("(l)", -1, 0, 0), "[]");
    EXPECT_NULL(new_range_of("(lll)", 0, 1, 0));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "range() arg 3 must not be zero");
    EXPECT_REPR_OF(new_range_of("(lll)", 1, 9, 2), "range(1, 9, 2)");
    EXPECT_REPR_OF(new_range_of("(l)", 9, 0, 0), "range(0, 9)");
}

TEST_PY(a_range_is_a_sequence)
{
    PyObject *r = new_range_of("(lll)", 1, 10, 3), *n; /* 1 4 7 */
    EXPECT_EQ(PyObject_Size(r), 3);
    EXPECT_REPR_OF(PySequence_GetItem(r, -1), "7");
    EXPECT_NULL(PySequence_GetItem(r, 3));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "range object index out of range");
    PyObject *slice = PySlice_New(NULL, NULL, n = number(2));
    expect_list(PyObject_GetItem(r, slice), "[1, 7]");
    Py_DECREF(slice);
    Py_DECREF(n);
    slice = PySlice_New(NULL, NULL, n = number(-1));
    expect_list(PyObject_GetItem(r, slice), "[7, 4, 1]");
    Py_DECREF(slice);
    Py_DECREF(n);
    EXPECT_REPR_OF(invoke(r, "index", n = number(4), NULL), "1");
    EXPECT_EQ(PySequence_Contains(r, n), 1);
    Py_DECREF(n);
    n = number(5);
    EXPECT_EQ(PySequence_Contains(r, n), 0);
    EXPECT_NULL(invoke(r, "index", n, NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "5 is not in range");
    EXPECT_REPR_OF(invoke(r, "count", n, NULL), "0");
    Py_DECREF(n);
    n = PyFloat_FromDouble(4.0);
    EXPECT_EQ(PySequence_Contains(r, n), 1);
    Py_DECREF(n);
    expect_list(invoke(r, "__reversed__", NULL, NULL), "[7, 4, 1]");
    EXPECT_REPR_OF(PyObject_GetAttrString(r, "step"), "3");
    Py_DECREF(r);
}

TEST_PY(equal_ranges_have_the_same_numbers)
{
    PyObject *a = new_range_of("(lll)", 0, 10, 4), *b = new_range_of("(lll)", 0, 12, 4);
    PyObject *c = new_range_of("(ll)", 3, 3, 0), *d = new_range_of("(ll)", 5, 4, 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_EQ(PyObject_RichCompareBool(c, d, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_EQ), 0);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(d);
}

TEST_PY(numbers_of_any_size_are_fine)
{
    PyObject *args =
        Py_BuildValue("(NN)", PyLong_FromString("100000000000000000000", NULL, 10),
                      PyLong_FromString("100000000000000000002", NULL, 10));
    PyObject *r = PyObject_Call((PyObject *)&PyRange_Type, args, NULL);
    Py_DECREF(args);
    expect_list(r, "[100000000000000000000, 100000000000000000001]");
}
