/* SPDX-License-Identifier: MIT */
/* The private writer, as extension modules used it before PyUnicodeWriter existed. */
#include "../protocol.h"

static PyObject *
write_privately(void)
{
    _PyUnicodeWriter writer;
    PyObject *e = text("\xC3\xA9t\xC3\xA9");
    _PyUnicodeWriter_Init(&writer);
    writer.overallocate = 1;
    writer.min_length = 10;
    if (e == NULL || _PyUnicodeWriter_WriteChar(&writer, '[') < 0 ||
        _PyUnicodeWriter_WriteASCIIString(&writer, "abc", -1) < 0 ||
        _PyUnicodeWriter_WriteASCIIString(&writer, "defgh", 2) < 0 ||
        _PyUnicodeWriter_WriteStr(&writer, e) < 0 ||
        _PyUnicodeWriter_WriteSubstring(&writer, e, 1, 3) < 0 ||
        _PyUnicodeWriter_WriteLatin1String(&writer, "\xE9", 1) < 0) {
        Py_XDECREF(e);
        _PyUnicodeWriter_Dealloc(&writer);
        return NULL;
    }
    Py_DECREF(e);
    return _PyUnicodeWriter_Finish(&writer);
}

TEST_PY(the_private_writer_writes)
{
    EXPECT_REPR_OF(write_privately(), "'[abcde\xC3\xA9t\xC3\xA9t\xC3\xA9\xC3\xA9'");
    repeat_without_leak(write_privately);
    fail_each_allocation(write_privately);
}

TEST_PY(the_private_writer_may_be_given_up_or_be_empty)
{
    _PyUnicodeWriter writer;
    _PyUnicodeWriter_Init(&writer);
    EXPECT_EQ(_PyUnicodeWriter_WriteStr(&writer, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "must be str, not NoneType");
    _PyUnicodeWriter_Dealloc(&writer);
    _PyUnicodeWriter_Init(&writer);
    EXPECT_REPR_OF(_PyUnicodeWriter_Finish(&writer), "''");
}
