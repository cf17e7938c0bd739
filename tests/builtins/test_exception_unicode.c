/* SPDX-License-Identifier: MIT */
/* UnicodeDecodeError and UnicodeEncodeError; their messages are tested with the codecs. */
#include "../protocol.h"

TEST_PY(unicode_errors_check_their_arguments)
{
    EXPECT_NULL(PyObject_CallNoArgs(PyExc_UnicodeDecodeError));
    EXPECT_RAISED(PyExc_TypeError);
    PyObject *s = text("x");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(PyExc_UnicodeDecodeError, s, s, number(0),
                                             number(1), s, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "argument 2 must be bytes, not str");
    PyObject *e = PyObject_CallFunctionObjArgs(PyExc_UnicodeEncodeError, s, s, number(0),
                                               number(1), s, NULL);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "start"), "0");
    EXPECT_EQ(PyObject_SetAttrString(e, "start", Py_None), 0);
    EXPECT_EQ(PyObject_SetAttrString(e, "object", Py_None), 0);
    PyObject *shown = PyObject_Str(e); /* nonsense, but no crash */
    EXPECT_NOT_NULL(shown);
    Py_XDECREF(shown);
    Py_DECREF(e);
    Py_DECREF(s);
}
