/* SPDX-License-Identifier: MIT */
/* format % args gives what CPython gives. */
#include "../cases.h"

TEST_PY(percent_formatting_is_that_of_cpython)
{
    static const struct recorded_case cases[] = {
#include "percent_cases.inc"
    };
    RECORDED_CASES(cases);
}

static PyObject *
format_a_few(void)
{
    PyObject *format = text("%s|%5d|%.2f|%r");
    PyObject *real = PyFloat_FromDouble(1.5);
    PyObject *args =
        real == NULL ? NULL : PyTuple_Pack(4, Py_None, Py_True, real, Py_None);
    PyObject *result =
        format == NULL || args == NULL ? NULL : PyUnicode_Format(format, args);
    Py_XDECREF(format);
    Py_XDECREF(real);
    Py_XDECREF(args);
    return result;
}

TEST_PY(percent_formatting_survives_any_failing_allocation)
{
    EXPECT_REPR_OF(format_a_few(), "'None|    1|1.50|None'");
    fail_each_allocation(format_a_few);
    repeat_without_leak(format_a_few);
}

TEST_PY(a_format_must_be_a_str)
{
    EXPECT_NULL(PyUnicode_Format(Py_None, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "must be str, not NoneType");
    EXPECT_NULL(PyUnicode_Format(NULL, NULL));
    EXPECT_RAISED(PyExc_SystemError);
}
