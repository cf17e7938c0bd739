/* SPDX-License-Identifier: MIT */
/* Views whose items lie side by side. */
#include "../types/special.h"

TEST_PY(a_view_that_is_contiguous_already_shows_the_memory_itself)
{
    PyObject *array = PyByteArray_FromStringAndSize("spam", 4);
    PyObject *view = PyMemoryView_GetContiguous(array, PyBUF_WRITE, 'C');
    REQUIRE_NOT_NULL(view);
    EXPECT(PyMemoryView_GET_BUFFER(view)->buf == PyByteArray_AsString(array));
    Py_DECREF(view);
    Py_DECREF(array);
    PyObject *bytes = PyBytes_FromString("spam");
    EXPECT_NULL(PyMemoryView_GetContiguous(bytes, PyBUF_WRITE, 'C'));
    EXPECT_RAISED_TEXT(PyExc_BufferError, "underlying buffer is not writable");
    Py_DECREF(bytes);
    EXPECT_NULL(PyMemoryView_GetContiguous(Py_None, PyBUF_READ, 'C'));
    EXPECT_RAISED(PyExc_TypeError);
}

/* Two rows of three shorts, in another order than the one asked for. */
static short columns[6] = {1, 4, 2, 5, 3, 6};
static Py_ssize_t matrix_shape[] = {2, 3}, matrix_strides[] = {2, 4};

TEST_PY(items_with_gaps_are_copied_with_their_shape)
{
    Py_buffer info = {
        .buf = columns,
        .len = sizeof columns,
        .itemsize = 2,
        .ndim = 2,
        .format = "h",
        .shape = matrix_shape,
        .strides = matrix_strides,
    };
    PyObject *view = PyMemoryView_FromBuffer(&info);
    PyObject *same = PyMemoryView_GetContiguous(view, PyBUF_READ, 'F');
    REQUIRE_NOT_NULL(same);
    EXPECT(PyMemoryView_GET_BUFFER(same)->buf == columns);
    Py_DECREF(same);
    PyObject *copy = PyMemoryView_GetContiguous(view, PyBUF_READ, 'C');
    REQUIRE_NOT_NULL(copy);
    const Py_buffer *got = PyMemoryView_GET_BUFFER(copy);
    EXPECT(got->ndim == 2 && got->shape[0] == 2 && got->shape[1] == 3 &&
           got->itemsize == 2);
    EXPECT(got->strides[0] == 6 && got->strides[1] == 2);
    EXPECT_STR(got->format, "h");
    EXPECT_EQ(got->readonly, 1);
    for (int i = 0; i < 6; i++) {
        EXPECT_EQ(((short *)got->buf)[i], i + 1);
    }
    Py_buffer other;
    EXPECT_EQ(PyObject_GetBuffer(copy, &other, PyBUF_WRITABLE), -1);
    EXPECT_RAISED(PyExc_BufferError);
    Py_DECREF(copy);
    EXPECT_NULL(PyMemoryView_GetContiguous(view, PyBUF_WRITE, 'C'));
    EXPECT_RAISED_TEXT(
        PyExc_BufferError,
        "writable contiguous buffer requested for a non-contiguous object.");
    Py_DECREF(view);
}
