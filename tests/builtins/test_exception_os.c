/* SPDX-License-Identifier: MIT */
/* OSError and its classes. The texts and attributes are CPython's. */
#include "../protocol.h"

static void
expect_attribute(PyObject *o, const char *name, const char *expected)
{
    EXPECT_REPR_OF(PyObject_GetAttrString(o, name), expected);
}

TEST_PY(an_errno_chooses_the_class)
{
    const struct {
        int number;
        PyObject *type;
    } cases[] = {
        {EAGAIN, PyExc_BlockingIOError},
        {EALREADY, PyExc_BlockingIOError},
        {EINPROGRESS, PyExc_BlockingIOError},
        {EWOULDBLOCK, PyExc_BlockingIOError},
        {ECHILD, PyExc_ChildProcessError},
        {EPIPE, PyExc_BrokenPipeError},
        {ESHUTDOWN, PyExc_BrokenPipeError},
        {ECONNABORTED, PyExc_ConnectionAbortedError},
        {ECONNREFUSED, PyExc_ConnectionRefusedError},
        {ECONNRESET, PyExc_ConnectionResetError},
        {EEXIST, PyExc_FileExistsError},
        {ENOENT, PyExc_FileNotFoundError},
        {EINTR, PyExc_InterruptedError},
        {EISDIR, PyExc_IsADirectoryError},
        {ENOTDIR, PyExc_NotADirectoryError},
        {EACCES, PyExc_PermissionError},
        {EPERM, PyExc_PermissionError},
        {ESRCH, PyExc_ProcessLookupError},
        {ETIMEDOUT, PyExc_TimeoutError},
        {EINVAL, PyExc_OSError},
        {-1, PyExc_OSError},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        PyObject *e = PyObject_CallFunction(PyExc_OSError, "is", cases[i].number, "text");
        REQUIRE_NOT_NULL(e);
        EXPECT_EQ(Py_TYPE(e), (PyTypeObject *)cases[i].type);
        EXPECT_EQ(PyObject_IsInstance(e, PyExc_OSError), 1);
        Py_DECREF(e);
    }
    EXPECT_EQ(PyExc_IOError, PyExc_OSError);
    EXPECT_EQ(PyExc_EnvironmentError, PyExc_OSError);
}

/* Only OSError itself chooses, and only by an int that can be an errno. */
TEST_PY(other_arguments_choose_nothing)
{
    PyObject *e = PyObject_CallFunction(PyExc_FileExistsError, "is", ENOENT, "text");
    EXPECT_EQ(Py_TYPE(e), (PyTypeObject *)PyExc_FileExistsError);
    Py_DECREF(e);
    e = PyObject_CallFunction(PyExc_OSError, "i", ENOENT);
    EXPECT_EQ(Py_TYPE(e), (PyTypeObject *)PyExc_OSError);
    EXPECT_REPR_OF(PyObject_Str(e), "'2'");
    expect_attribute(e, "errno", "None");
    Py_DECREF(e);
    e = PyObject_CallFunction(PyExc_OSError, "Ls", (1LL << 32) + ENOENT, "text");
    EXPECT_EQ(Py_TYPE(e), (PyTypeObject *)PyExc_OSError);
    Py_DECREF(e);
    e = PyObject_CallFunction(PyExc_OSError, "ss", "2", "text");
    EXPECT_EQ(Py_TYPE(e), (PyTypeObject *)PyExc_OSError);
    EXPECT_REPR_OF(PyObject_Str(e), "'[Errno 2] text'");
    Py_DECREF(e);
}

TEST_PY(file_names_are_fields_and_not_args)
{
    PyObject *e =
        PyObject_CallFunction(PyExc_OSError, "issOs", 2, "gone", "a", Py_None, "b");
    EXPECT_REPR_OF(PyObject_Str(e), "\"[Errno 2] gone: 'a' -> 'b'\"");
    EXPECT_REPR_OF(PyException_GetArgs(e), "(2, 'gone')");
    expect_attribute(e, "strerror", "'gone'");
    expect_attribute(e, "filename", "'a'");
    expect_attribute(e, "filename2", "'b'");
    EXPECT_NULL(PyObject_GetAttrString(e, "characters_written"));
    EXPECT_RAISED(PyExc_AttributeError);
    Py_DECREF(e);
    e = PyObject_CallFunction(PyExc_OSError, "isO", 2, "gone", Py_None);
    EXPECT_REPR_OF(PyObject_Str(e), "'[Errno 2] gone'");
    EXPECT_REPR_OF(PyException_GetArgs(e), "(2, 'gone', None)");
    Py_DECREF(e);
}

TEST_PY(a_blocked_write_counts_its_characters)
{
    PyObject *e = PyObject_CallFunction(PyExc_OSError, "isi", EAGAIN, "blocked", 5);
    expect_attribute(e, "characters_written", "5");
    expect_attribute(e, "filename", "None");
    Py_DECREF(e);
    EXPECT_NULL(PyObject_CallFunction(PyExc_BlockingIOError, "isd", 2, "x", 5.5));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'float' object cannot be interpreted as an integer");
}

static PyObject *
make_an_os_error(void)
{
    return PyObject_CallFunction(PyExc_OSError, "issOs", 2, "gone", "a", Py_None, "b");
}

TEST_PY(os_errors_survive_each_allocation_failing)
{
    fail_each_allocation(make_an_os_error);
    repeat_without_leak(make_an_os_error);
}
