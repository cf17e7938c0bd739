/* SPDX-License-Identifier: MIT */
/* What sys tells about numbers and threads. */
#include "../protocol.h"

TEST_PY(float_info_has_the_limits_of_double)
{
    PyObject *info = PyFloat_GetInfo();
    EXPECT_REPR_OF(PyObject_GetAttrString(info, "mant_dig"), "53");
    EXPECT_REPR_OF(PyObject_GetAttrString(info, "max"), "1.7976931348623157e+308");
    EXPECT_REPR_OF(PyObject_GetAttrString(info, "dig"), "15");
    EXPECT_EQ(PyTuple_Size(info), 11);
    Py_DECREF(info);
}

TEST_PY(int_info_has_the_layout_of_ints)
{
    PyObject *info = PyLong_GetInfo();
    PyObject *bits = PyObject_GetAttrString(info, "bits_per_digit");
    EXPECT_EQ(PyLong_AsLong(bits), PyLong_GetNativeLayout()->bits_per_digit);
    EXPECT_REPR_OF(PyObject_GetAttrString(info, "str_digits_check_threshold"), "640");
    Py_DECREF(bits);
    Py_DECREF(info);
}

TEST_PY(thread_info_names_pthreads)
{
    PyObject *info = PyThread_GetInfo();
    EXPECT_REPR_OF(PyObject_GetAttrString(info, "name"), "'pthread'");
    Py_DECREF(info);
}
