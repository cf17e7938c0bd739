/* SPDX-License-Identifier: MIT */
/* slice objects and their indices. */
#include "../protocol.h"

static PyObject *
new_slice(const char *start, const char *stop, const char *step)
{
    PyObject *parts[3];
    const char *given[3] = {start, stop, step};
    for (int i = 0; i < 3; i++) {
        parts[i] = given[i] == NULL ? NULL : PyLong_FromString(given[i], NULL, 10);
    }
    PyObject *slice = PySlice_New(parts[0], parts[1], parts[2]);
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(parts[i]);
    }
    REQUIRE_NOT_NULL(slice);
    return slice;
}

static void
expect_indices(PyObject *slice, Py_ssize_t length, Py_ssize_t start, Py_ssize_t stop,
               Py_ssize_t step, Py_ssize_t count)
{
    Py_ssize_t a, b, c, n;
    EXPECT_EQ(PySlice_GetIndicesEx(slice, length, &a, &b, &c, &n), 0);
    EXPECT_EQ(a, start);
    EXPECT_EQ(b, stop);
    EXPECT_EQ(c, step);
    EXPECT_EQ(n, count);
    Py_DECREF(slice);
}

TEST_PY(indices_are_clipped_to_the_length)
{
    expect_indices(new_slice(NULL, NULL, NULL), 5, 0, 5, 1, 5);
    expect_indices(new_slice("1", "3", NULL), 5, 1, 3, 1, 2);
    expect_indices(new_slice("-2", "9", NULL), 5, 3, 5, 1, 2);
    expect_indices(new_slice("-9", "-1", NULL), 5, 0, 4, 1, 4);
    expect_indices(new_slice("4", "2", NULL), 5, 4, 2, 1, 0);
    expect_indices(new_slice(NULL, NULL, "2"), 5, 0, 5, 2, 3);
    expect_indices(new_slice(NULL, NULL, "-1"), 5, 4, -1, -1, 5);
    expect_indices(new_slice("9", "0", "-2"), 5, 4, 0, -2, 2);
    expect_indices(new_slice("-9", NULL, "-1"), 5, -1, -1, -1, 0);
    expect_indices(new_slice(NULL, NULL, NULL), 0, 0, 0, 1, 0);
    expect_indices(new_slice("-100000000000000000000", "100000000000000000000", NULL), 5,
                   0, 5, 1, 5);
    expect_indices(new_slice(NULL, NULL, "-100000000000000000000"), 5, 4, -1,
                   -PY_SSIZE_T_MAX, 1);
}

TEST_PY(bad_slices_raise)
{
    Py_ssize_t a, b, c, n;
    PyObject *zero = new_slice(NULL, NULL, "0");
    EXPECT_EQ(PySlice_GetIndicesEx(zero, 5, &a, &b, &c, &n), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "slice step cannot be zero");
    Py_DECREF(zero);
    PyObject *odd = PySlice_New(Py_True, (PyObject *)&PyList_Type, NULL);
    EXPECT_EQ(PySlice_Unpack(odd, &a, &b, &c), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "slice indices must be integers or None or have an "
                       "__index__ method");
    Py_DECREF(odd);
}

TEST_PY(the_older_form_refuses_what_is_outside)
{
    Py_ssize_t a, b, c;
    PyObject *inside = new_slice("1", "-1", NULL), *outside = new_slice("1", "9", NULL);
    EXPECT_EQ(PySlice_GetIndices(inside, 5, &a, &b, &c), 0);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 4);
    EXPECT_EQ(c, 1);
    EXPECT_EQ(PySlice_GetIndices(outside, 5, &a, &b, &c), -1);
    EXPECT_NO_ERROR();
    Py_DECREF(inside);
    Py_DECREF(outside);
}

TEST_PY(slices_can_be_called_printed_compared_and_hashed)
{
    PyObject *type = (PyObject *)&PySlice_Type, *n = number(7), *name = text("indices");
    PyObject *a = PyObject_CallOneArg(type, n);
    PyObject *b = PyObject_CallFunctionObjArgs(type, Py_None, n, NULL);
    EXPECT(PySlice_Check(a));
    EXPECT_EQ(PyObject_GC_IsTracked(a), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_REPR_OF(PyObject_CallMethodOneArg(a, name, n), "(0, 7, 1)");
    EXPECT_REPR_OF(PyObject_GetAttrString(a, "stop"), "7");
    EXPECT_REPR_OF(a, "slice(None, 7, None)");
    EXPECT_NULL(PyObject_CallNoArgs(type));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "slice expected at least 1 argument, got 0");
    PyObject *minus = number(-1);
    EXPECT_NULL(PyObject_CallMethodOneArg(b, name, minus));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "length should not be negative");
    Py_DECREF(b);
    Py_DECREF(name);
}

static PyObject *
slice_and_its_indices(void)
{
    PyObject *big = PyLong_FromLong(100000);
    PyObject *slice = big == NULL ? NULL : PySlice_New(big, NULL, NULL);
    PyObject *name = PyUnicode_InternFromString("indices");
    PyObject *result = NULL;
    if (slice != NULL && name != NULL) {
        result = PyObject_CallMethodOneArg(slice, name, big);
    }
    Py_XDECREF(big);
    Py_XDECREF(slice);
    Py_XDECREF(name);
    return result;
}

TEST_PY(slices_survive_any_failing_allocation)
{
    fail_each_allocation(slice_and_its_indices);
}

TEST_PY(an_index_that_must_not_be_none_is_converted)
{
    Py_ssize_t index = 7;
    EXPECT_EQ(_PyEval_SliceIndexNotNone(number(3), &index), 1);
    EXPECT_EQ(index, 3);
    EXPECT_EQ(_PyEval_SliceIndexNotNone(Py_None, &index), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "slice indices must be integers or have an __index__ method");
    EXPECT_EQ(_PyEval_SliceIndex(Py_None, &index), 1);
    EXPECT_EQ(index, 3);
}

TEST_PY(slices_are_clipped_to_a_length)
{
    static const struct {
        Py_ssize_t start, stop, step, count, clipped_start, clipped_stop;
    } cases[] = {
        {0, 10, 1, 5, 0, 5},
        {-3, 10, 1, 3, 2, 5},
        {-9, -1, 2, 2, 0, 4},
        {4, 1, 1, 0, 4, 1},
        {9, -9, -1, 5, 4, -1},
        {3, 0, -2, 2, 3, 0},
        {-1, -4, -1, 3, 4, 1},
        {9, 20, 1, 0, 5, 5},
        {0, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, 1, 0, 5},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        Py_ssize_t start = cases[i].start, stop = cases[i].stop;
        EXPECT_EQ(PySlice_AdjustIndices(5, &start, &stop, cases[i].step), cases[i].count);
        EXPECT_EQ(start, cases[i].clipped_start);
        EXPECT_EQ(stop, cases[i].clipped_stop);
    }
}
