/* SPDX-License-Identifier: MIT */
/* Raising OSError from errno. */
#include "../protocol.h"

TEST_PY(errno_is_raised_with_its_text)
{
    errno = ENOENT;
    EXPECT_NULL(PyErr_SetFromErrno(PyExc_OSError));
    EXPECT_EQ(PyErr_Occurred(), PyExc_FileNotFoundError);
    EXPECT_RAISED_TEXT(PyExc_OSError, "[Errno 2] No such file or directory");
    errno = 0;
    EXPECT_NULL(PyErr_SetFromErrno(PyExc_OSError));
    EXPECT_RAISED_TEXT(PyExc_OSError, "[Errno 0] Error");
    errno = EINTR;
    EXPECT_NULL(PyErr_SetFromErrno(PyExc_OSError));
    EXPECT_RAISED_TEXT(PyExc_InterruptedError, "[Errno 4] Interrupted system call");
    errno = ENOENT;
    EXPECT_NULL(PyErr_SetFromErrno(PyExc_ValueError));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "(2, 'No such file or directory')");
}

TEST_PY(errno_is_raised_with_file_names)
{
    PyObject *a = text("a"), *b = text("b");
    errno = EACCES;
    EXPECT_NULL(PyErr_SetFromErrnoWithFilename(PyExc_OSError, "a.txt"));
    EXPECT_RAISED_TEXT(PyExc_PermissionError, "[Errno 13] Permission denied: 'a.txt'");
    errno = EACCES;
    EXPECT_NULL(PyErr_SetFromErrnoWithFilename(PyExc_OSError, NULL));
    EXPECT_RAISED_TEXT(PyExc_PermissionError, "[Errno 13] Permission denied");
    errno = EACCES;
    EXPECT_NULL(PyErr_SetFromErrnoWithFilename(PyExc_OSError, "\xff"));
    EXPECT_RAISED_TEXT(PyExc_PermissionError, "[Errno 13] Permission denied: '\\udcff'");
    errno = EACCES;
    EXPECT_NULL(PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, a));
    EXPECT_RAISED_TEXT(PyExc_PermissionError, "[Errno 13] Permission denied: 'a'");
    errno = EACCES;
    EXPECT_NULL(PyErr_SetFromErrnoWithFilenameObjects(PyExc_OSError, a, b));
    EXPECT_RAISED_TEXT(PyExc_PermissionError, "[Errno 13] Permission denied: 'a' -> 'b'");
    Py_DECREF(a);
    Py_DECREF(b);
}

static PyObject *
raise_from_errno(void)
{
    errno = ENOENT;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, "\xff");
    if (PyErr_ExceptionMatches(PyExc_OSError)) {
        PyErr_Clear();
        return Py_NewRef(Py_None);
    }
    return NULL;
}

TEST_PY(raising_from_errno_survives_each_allocation_failing)
{
    fail_each_allocation(raise_from_errno);
    repeat_without_leak(raise_from_errno);
}
