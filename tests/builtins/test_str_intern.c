/* SPDX-License-Identifier: MIT */
/* Interned strings. */
#include "../protocol.h"

TEST_PY(interned_strings_of_equal_content_are_one_object)
{
    PyObject *a = PyUnicode_InternFromString("an interned name");
    PyObject *b = text("an interned name");
    EXPECT_NE(a, b);
    PyUnicode_InternInPlace(&b);
    EXPECT_EQ(a, b);
    EXPECT(PyUnicode_CHECK_INTERNED(a));
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(interning_keeps_no_string_alive)
{
    PyObject *a = PyUnicode_InternFromString("a passing name");
    EXPECT_EQ(Py_REFCNT(a), 1);
    Py_DECREF(a);
    for (int i = 0; i < 1000; i++) {
        PyObject *s = PyUnicode_FromFormat("name %d", i);
        PyUnicode_InternInPlace(&s);
        EXPECT_EQ(Py_REFCNT(s), 1);
        Py_DECREF(s);
    }
}

static PyObject *survivor;

TEST(an_interned_string_may_outlive_its_interpreter)
{
    Py_Initialize();
    survivor = PyUnicode_InternFromString("survivor");
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT(!PyUnicode_CHECK_INTERNED(survivor));
    Py_Initialize();
    EXPECT_STR(PyUnicode_AsUTF8(survivor), "survivor");
    Py_DECREF(survivor);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST_PY(interning_keeps_a_pending_exception_and_other_objects)
{
    PyErr_SetString(PyExc_ValueError, "pending");
    PyObject *s = text("another name");
    PyUnicode_InternInPlace(&s);
    EXPECT_RAISED(PyExc_ValueError);
    PyObject *none = Py_None;
    PyUnicode_InternInPlace(&none);
    EXPECT_EQ(none, Py_None);
    Py_DECREF(s);
}

TEST_PY(interpreters_intern_on_their_own)
{
    PyObject *here = PyUnicode_InternFromString("the same name");
    PyThreadState *first = PyThreadState_Get(), *second = Py_NewInterpreter();
    REQUIRE_NOT_NULL(second);
    PyObject *there = PyUnicode_InternFromString("the same name");
    EXPECT_NE(here, there);
    Py_DECREF(there);
    Py_EndInterpreter(second);
    PyThreadState_Swap(first);
    Py_DECREF(here);
}
