/* SPDX-License-Identifier: MIT */
/* PyBytesWriter. */
#include "../protocol.h"

static PyObject *
write_bytes_in_parts(void)
{
    PyBytesWriter *writer = PyBytesWriter_Create(2);
    if (writer == NULL) {
        return NULL;
    }
    memcpy(PyBytesWriter_GetData(writer), "ab", 2);
    if (PyBytesWriter_WriteBytes(writer, "cde", -1) < 0 ||
        PyBytesWriter_Format(writer, "%d-%s", 42, "a long text that makes it grow") < 0) {
        PyBytesWriter_Discard(writer);
        return NULL;
    }
    return PyBytesWriter_Finish(writer);
}

TEST_PY(a_bytes_writer_appends)
{
    EXPECT_REPR_OF(write_bytes_in_parts(), "b'abcde42-a long text that makes it grow'");
    repeat_without_leak(write_bytes_in_parts);
    fail_each_allocation(write_bytes_in_parts);
}

TEST_PY(a_bytes_writer_is_filled_in_place_and_cut)
{
    PyBytesWriter *writer = PyBytesWriter_Create(4);
    char *p = PyBytesWriter_GetData(writer);
    memcpy(p, "abcd", 4);
    p = PyBytesWriter_GrowAndUpdatePointer(writer, 1000, p + 4);
    REQUIRE_NOT_NULL(p);
    EXPECT_EQ(PyBytesWriter_GetSize(writer), 1004);
    *p++ = 'e';
    EXPECT_REPR_OF(PyBytesWriter_FinishWithPointer(writer, p), "b'abcde'");
    writer = PyBytesWriter_Create(4);
    memcpy(PyBytesWriter_GetData(writer), "abcd", 4);
    EXPECT_EQ(PyBytesWriter_Grow(writer, -2), 0);
    EXPECT_REPR_OF(PyBytesWriter_Finish(writer), "b'ab'");
    EXPECT_REPR_OF(PyBytesWriter_FinishWithSize(PyBytesWriter_Create(3), 0), "b''");
}

TEST_PY(a_bytes_writer_refuses_impossible_sizes)
{
    EXPECT_NULL(PyBytesWriter_Create(-1));
    EXPECT_RAISED(PyExc_ValueError);
    PyBytesWriter *writer = PyBytesWriter_Create(1);
    EXPECT_EQ(PyBytesWriter_Grow(writer, -2), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyBytesWriter_Resize(writer, -1), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyBytesWriter_Resize(writer, PY_SSIZE_T_MAX), -1);
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_NULL(PyBytesWriter_FinishWithSize(writer, 1000000));
    EXPECT_RAISED(PyExc_ValueError);
    PyBytesWriter_Discard(NULL);
}
