/* SPDX-License-Identifier: MIT */
/* Copying between layouts. */
#include "../protocol.h"

/* A matrix of two rows and three columns, in eight bytes: each row has a gap behind it. */
static char matrix[8] = {'a', 'b', 'c', '-', 'd', 'e', 'f', '-'};
static Py_ssize_t matrix_shape[] = {2, 3}, matrix_strides[] = {4, 1};

static Py_buffer
view_of_matrix(void)
{
    return (Py_buffer){.buf = matrix,
                       .len = 6,
                       .itemsize = 1,
                       .ndim = 2,
                       .shape = matrix_shape,
                       .strides = matrix_strides};
}

TEST_PY(items_are_gathered_in_either_order)
{
    Py_buffer view = view_of_matrix();
    char out[7] = "";
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'C'), 0);
    EXPECT_STR(out, "abcdef");
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'F'), 0);
    EXPECT_STR(out, "adbecf");
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'A'), 0);
    EXPECT_STR(out, "abcdef");
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 5, 'C'), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "PyBuffer_ToContiguous: len != view->len");
}

/* Strides may be left out, and the shape too. */
TEST_PY(contiguous_views_are_gathered_as_well)
{
    char text_[] = "abcdef", out[7] = "";
    Py_buffer view = {
        .buf = text_, .len = 6, .itemsize = 1, .ndim = 2, .shape = matrix_shape};
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'C'), 0);
    EXPECT_STR(out, "abcdef");
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'F'), 0);
    EXPECT_STR(out, "adbecf");
    view = (Py_buffer){.buf = text_, .len = 6, .itemsize = 2, .ndim = 2};
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'F'), 0);
    EXPECT_STR(out, "abcdef");
    EXPECT_EQ(PyBuffer_FillInfo(&view, NULL, text_, 6, 0, PyBUF_SIMPLE), 0);
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'F'), 0);
    EXPECT_STR(out, "abcdef");
}

TEST_PY(items_are_scattered_in_either_order)
{
    Py_buffer view = view_of_matrix();
    EXPECT_EQ(PyBuffer_FromContiguous(&view, "uvwxyz", 6, 'C'), 0);
    EXPECT_EQ(memcmp(matrix, "uvw-xyz-", 8), 0);
    EXPECT_EQ(PyBuffer_FromContiguous(&view, "uvwxyz", 6, 'F'), 0);
    EXPECT_EQ(memcmp(matrix, "uwy-vxz-", 8), 0);
    /* It copies no more than the view holds, and less if there is less data. */
    EXPECT_EQ(PyBuffer_FromContiguous(&view, "123456789", 9, 'C'), 0);
    EXPECT_EQ(memcmp(matrix, "123-456-", 8), 0);
    EXPECT_EQ(PyBuffer_FromContiguous(&view, "abcd", 4, 'C'), 0);
    EXPECT_EQ(memcmp(matrix, "abc-d56-", 8), 0);
    view.readonly = 1;
    EXPECT_EQ(PyBuffer_FromContiguous(&view, "uvwxyz", 6, 'C'), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError, "Object is not writable.");
}

TEST_PY(views_with_too_many_dimensions_are_refused)
{
    Py_buffer view = view_of_matrix();
    Py_ssize_t shape[PyBUF_MAX_NDIM + 1], strides[PyBUF_MAX_NDIM + 1];
    for (int i = 0; i <= PyBUF_MAX_NDIM; i++) {
        shape[i] = i < 2 ? 2 : 1;
        strides[i] = 3;
    }
    view.ndim = PyBUF_MAX_NDIM + 1;
    view.shape = shape;
    view.strides = strides;
    char out[6];
    EXPECT_EQ(PyBuffer_ToContiguous(out, &view, 6, 'C'), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError, "a buffer has more than 64 dimensions");
}

/* An exporter of the matrix, or of a row of six bytes. */
struct layout {
    PyObject_HEAD
    bool with_gaps;
    char row[6];
};

static int
layout_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    struct layout *l = (struct layout *)self;
    if (!l->with_gaps) {
        return PyBuffer_FillInfo(view, self, l->row, 6, 0, flags);
    }
    *view = view_of_matrix();
    view->obj = Py_NewRef(self);
    return 0;
}

static PyType_Slot layout_slots[] = {{Py_bf_getbuffer, layout_getbuffer}, {0, NULL}};
static PyType_Spec layout_spec = {"test.Layout", sizeof(struct layout), 0,
                                  Py_TPFLAGS_DEFAULT, layout_slots};

TEST_PY(the_data_of_one_object_are_copied_to_another)
{
    PyObject *type = PyType_FromSpec(&layout_spec), *bytes = PyBytes_FromString("bytes!");
    struct layout *row = (struct layout *)PyObject_CallNoArgs(type);
    struct layout *gaps = (struct layout *)PyObject_CallNoArgs(type);
    gaps->with_gaps = true;
    EXPECT_EQ(PyObject_CopyData((PyObject *)row, bytes), 0);
    EXPECT_EQ(memcmp(row->row, "bytes!", 6), 0);
    EXPECT_EQ(PyObject_CopyData((PyObject *)gaps, bytes), 0);
    EXPECT_EQ(memcmp(matrix, "byt-es!-", 8), 0);
    memcpy(matrix, "abc-def-", 8);
    EXPECT_EQ(PyObject_CopyData((PyObject *)row, (PyObject *)gaps), 0);
    EXPECT_EQ(memcmp(row->row, "abcdef", 6), 0);
    EXPECT_EQ(PyObject_CopyData((PyObject *)gaps, (PyObject *)gaps), 0);
    EXPECT_EQ(memcmp(matrix, "abc-def-", 8), 0);
    EXPECT_REPR_OF(PyBytes_FromObject((PyObject *)gaps), "b'abcdef'");

    EXPECT_EQ(PyObject_CopyData(bytes, (PyObject *)row), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError, "Object is not writable.");
    EXPECT_EQ(PyObject_CopyData((PyObject *)row, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "both destination and source must be bytes-like objects");
    Py_SETREF(bytes, PyBytes_FromString("too long"));
    EXPECT_EQ(PyObject_CopyData((PyObject *)row, bytes), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError,
                       "destination is too small to receive data from source");
    EXPECT_EQ(Py_REFCNT(row), 1);
    EXPECT_EQ(Py_REFCNT(gaps), 1);
    Py_DECREF(row);
    Py_DECREF(gaps);
    Py_DECREF(bytes);
    Py_DECREF(type);
}
