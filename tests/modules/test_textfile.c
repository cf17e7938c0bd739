/* SPDX-License-Identifier: MIT */
/* The objects in sys.stdout and sys.stderr. */
#include "calls.h"

static void
write_some(void)
{
    PyObject *file = PySys_GetAttrString("stderr");
    EXPECT_REPR_OF(PyObject_CallMethod(file, "write", "(s)", "gr\xc3\xbc\xc3\x9f"), "4");
    EXPECT_REPR_OF(PyObject_CallMethod(file, "flush", NULL), "None");
    EXPECT_NULL(PyObject_CallMethod(file, "write", "(i)", 3));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "write() argument must be str, not int");
    EXPECT_REPR_OF(PyObject_GetAttrString(file, "name"), "'<stderr>'");
    Py_DECREF(file);
}

TEST_PY(text_is_written_as_utf_8)
{
    char *output = capture_stderr(write_some);
    EXPECT_STR(output, "gr\xc3\xbc\xc3\x9f");
    free(output);
}
