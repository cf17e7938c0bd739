/* SPDX-License-Identifier: MIT */
/* `object`: the defaults of everything. */
#include "helpers.h"

TEST_PY(object_can_be_made_and_destroyed)
{
    PyObject *op = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    REQUIRE_NOT_NULL(op);
    EXPECT(!PyObject_IS_GC(op));
    Py_DECREF(op);
}

TEST_PY(object_takes_no_arguments)
{
    EXPECT_NULL(PyObject_CallOneArg((PyObject *)&PyBaseObject_Type, Py_None));
    EXPECT_ERROR(PyExc_TypeError, "object() takes no arguments");
    PyTypeObject *type = make_plain_type("t.Thing", NULL);
    EXPECT_NULL(PyObject_CallOneArg((PyObject *)type, Py_None));
    EXPECT_ERROR(PyExc_TypeError, "t.Thing() takes no arguments");
    Py_DECREF(type);
}

TEST_PY(an_abstract_class_has_no_instances)
{
    PyTypeObject *type = make_type("t.Idea", 0, Py_TPFLAGS_IS_ABSTRACT, NO_SLOTS, NULL);
    EXPECT_NULL(make_instance(type));
    EXPECT_ERROR(PyExc_TypeError, "Can't instantiate abstract class Idea");
    Py_DECREF(type);
}

TEST_PY(objects_are_shown_with_type_and_address)
{
    PyTypeObject *type = make_plain_type("some.Thing", NULL);
    PyObject *op = make_instance(type);
    char text[100];
    snprintf(text, sizeof text, "<some.Thing object at %p>", (void *)op);
    EXPECT_TEXT(PyObject_Repr(op), text);
    EXPECT_TEXT(PyObject_Str(op), text);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(objects_compare_by_identity)
{
    PyObject *a = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    PyObject *b = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    richcmpfunc compare = PyBaseObject_Type.tp_richcompare;
    EXPECT_EQ(compare(a, a, Py_EQ), Py_True);
    EXPECT_EQ(compare(a, b, Py_EQ), Py_NotImplemented);
    EXPECT_EQ(compare(a, a, Py_NE), Py_False);
    EXPECT_EQ(compare(a, b, Py_NE), Py_NotImplemented);
    EXPECT_EQ(compare(a, b, Py_LT), Py_NotImplemented);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 0);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(a));
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(objects_know_their_class)
{
    PyObject *cls = PyObject_GetAttrString(Py_None, "__class__");
    EXPECT_EQ(cls, (PyObject *)Py_TYPE(Py_None));
    Py_XDECREF(cls);
}
