/* SPDX-License-Identifier: MIT */
#include "../types/special.h"

static int data, other_data, destroyed;

static void
note_destruction(PyObject *capsule)
{
    EXPECT_EQ(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)), &data);
    destroyed++;
}

TEST_PY(a_capsule_keeps_a_pointer_under_a_name)
{
    PyObject *capsule = PyCapsule_New(&data, "mod.attr", note_destruction);
    REQUIRE(capsule != NULL && PyCapsule_CheckExact(capsule));
    EXPECT_EQ(PyCapsule_GetPointer(capsule, "mod.attr"), &data);
    EXPECT_STR(PyCapsule_GetName(capsule), "mod.attr");
    EXPECT_EQ(PyCapsule_GetDestructor(capsule), note_destruction);
    EXPECT_NULL(PyCapsule_GetContext(capsule));
    EXPECT_EQ(PyCapsule_IsValid(capsule, "mod.attr"), 1);
    EXPECT_EQ(PyCapsule_IsValid(capsule, "other"), 0);
    EXPECT_EQ(PyCapsule_IsValid(capsule, NULL), 0);
    EXPECT_EQ(PyCapsule_IsValid(Py_None, "mod.attr"), 0);
    EXPECT_EQ(PyCapsule_IsValid(NULL, "mod.attr"), 0);
    PyObject *repr = PyObject_Repr(capsule);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), "<capsule object \"mod.attr\" at 0x");
    Py_DECREF(repr);
    EXPECT_NO_ERROR();
    Py_DECREF(capsule);
    EXPECT_EQ(destroyed, 1);
}

TEST_PY(everything_in_a_capsule_can_be_changed)
{
    PyObject *capsule = PyCapsule_New(&data, NULL, note_destruction);
    PyObject *repr = PyObject_Repr(capsule);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), "<capsule object NULL at 0x");
    Py_DECREF(repr);
    EXPECT_EQ(PyCapsule_GetPointer(capsule, NULL), &data);
    EXPECT_EQ(PyCapsule_SetPointer(capsule, &other_data), 0);
    EXPECT_EQ(PyCapsule_SetName(capsule, "n"), 0);
    EXPECT_EQ(PyCapsule_SetContext(capsule, &data), 0);
    EXPECT_EQ(PyCapsule_SetDestructor(capsule, NULL), 0);
    EXPECT_EQ(PyCapsule_GetPointer(capsule, "n"), &other_data);
    EXPECT_EQ(PyCapsule_GetContext(capsule), &data);
    EXPECT_NULL(PyCapsule_GetDestructor(capsule));
    Py_DECREF(capsule);
    EXPECT_EQ(destroyed, 0);
}

TEST_PY(misuse_of_a_capsule_is_named)
{
    EXPECT_NULL(PyCapsule_New(NULL, "n", NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "PyCapsule_New called with null pointer");
    PyObject *capsule = PyCapsule_New(&data, "n", NULL);
    EXPECT_NULL(PyCapsule_GetPointer(capsule, "m"));
    EXPECT_RAISED_TEXT(PyExc_ValueError,
                       "PyCapsule_GetPointer called with incorrect name");
    EXPECT_EQ(PyCapsule_SetPointer(capsule, NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "PyCapsule_SetPointer called with null pointer");
    Py_DECREF(capsule);
#define EXPECT_INVALID(call, name)                                                       \
    do {                                                                                 \
        (void)(call);                                                                    \
        EXPECT_RAISED_TEXT(PyExc_ValueError,                                             \
                           name " called with invalid PyCapsule object");                \
    } while (0)
    EXPECT_INVALID(PyCapsule_GetPointer(Py_None, "n"), "PyCapsule_GetPointer");
    EXPECT_INVALID(PyCapsule_GetName(Py_None), "PyCapsule_GetName");
    EXPECT_INVALID(PyCapsule_GetDestructor(Py_None), "PyCapsule_GetDestructor");
    EXPECT_INVALID(PyCapsule_GetContext(NULL), "PyCapsule_GetContext");
    EXPECT_INVALID(PyCapsule_SetPointer(Py_None, &data), "PyCapsule_SetPointer");
    EXPECT_INVALID(PyCapsule_SetName(Py_None, "n"), "PyCapsule_SetName");
    EXPECT_INVALID(PyCapsule_SetDestructor(Py_None, NULL), "PyCapsule_SetDestructor");
    EXPECT_INVALID(PyCapsule_SetContext(Py_None, NULL), "PyCapsule_SetContext");
}

static PyObject *
make_capsule(void)
{
    return PyCapsule_New(&data, "n", NULL);
}

TEST_PY(making_a_capsule_can_fail)
{
    repeat_without_leak(make_capsule);
    fail_each_allocation(make_capsule);
}
