/* SPDX-License-Identifier: MIT */
/* PyCapsule_Import. */
#include "../protocol.h"

static int offered;

static void
offer_capsule(void)
{
    PyObject *module = PyImport_AddModule("spam");
    PyModule_Add(module, "api", PyCapsule_New(&offered, "spam.api", NULL));
    PyModule_Add(module, "other", PyCapsule_New(&offered, "another name", NULL));
    PyModule_Add(module, "inner", PyModule_New("inner"));
    PyObject *inner = PyObject_GetAttrString(module, "inner");
    PyModule_Add(inner, "api", PyCapsule_New(&offered, "spam.inner.api", NULL));
    Py_DECREF(inner);
}

TEST_PY(the_pointer_of_a_capsule_is_imported)
{
    offer_capsule();
    EXPECT_EQ(PyCapsule_Import("spam.api", 0), &offered);
    EXPECT_EQ(PyCapsule_Import("spam.inner.api", 1), &offered);
    EXPECT_NO_ERROR();
}

TEST_PY(what_is_no_such_capsule_is_refused)
{
    offer_capsule();
    EXPECT_NULL(PyCapsule_Import("spam.other", 0));
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "PyCapsule_Import \"spam.other\" is not valid");
    EXPECT_NULL(PyCapsule_Import("spam", 0));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "PyCapsule_Import \"spam\" is not valid");
    EXPECT_NULL(PyCapsule_Import("spam.nothing", 0));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "module 'spam' has no attribute 'nothing'");
    EXPECT_NULL(PyCapsule_Import("nothing.api", 0));
    EXPECT_RAISED_TEXT(PyExc_ImportError,
                       "PyCapsule_Import could not import module \"nothing\"");
}

static PyObject *
import_pointer(void)
{
    return PyCapsule_Import("spam.api", 0) == NULL ? NULL : Py_NewRef(Py_None);
}

TEST_PY(importing_a_pointer_leaves_nothing_behind)
{
    offer_capsule();
    repeat_without_leak(import_pointer);
}
