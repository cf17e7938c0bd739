/* SPDX-License-Identifier: MIT */
/* Raising ImportError. */
#include "../protocol.h"

static PyObject *
raise_import_error(void)
{
    PyObject *message = text("no"), *name = text("spam");
    PyObject *result = message == NULL || name == NULL
                           ? NULL
                           : PyErr_SetImportError(message, name, NULL);
    Py_XDECREF(message);
    Py_XDECREF(name);
    return result;
}

TEST_PY(the_error_has_name_and_path)
{
    EXPECT_NULL(raise_import_error());
    PyObject *error = PyErr_GetRaisedException();
    EXPECT_EQ(Py_TYPE(error), PyExc_ImportError);
    EXPECT_REPR_OF(PyObject_GetAttrString(error, "name"), "'spam'");
    EXPECT_REPR_OF(PyObject_GetAttrString(error, "path"), "None");
    EXPECT_REPR_OF(PyObject_Str(error), "'no'");
    Py_DECREF(error);
    repeat_without_leak(raise_import_error);
}

TEST_PY(only_import_errors_can_be_raised_so)
{
    EXPECT_NULL(PyErr_SetImportErrorSubclass(PyExc_KeyError, Py_None, NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected a subclass of ImportError");
    EXPECT_NULL(PyErr_SetImportError(NULL, NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected a message argument");
}
