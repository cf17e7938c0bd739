/* SPDX-License-Identifier: MIT */
/* The slots of dict. */
#include "../protocol.h"

TEST_PY(dicts_are_mappings)
{
    PyObject *dict = PyDict_New(), *key = text("k");
    EXPECT_EQ(PyObject_SetItem(dict, key, Py_True), 0);
    EXPECT_REPR_OF(PyObject_GetItem(dict, key), "True");
    EXPECT_EQ(PyObject_Size(dict), 1);
    EXPECT_EQ(PySequence_Contains(dict, key), 1);
    EXPECT_EQ(PyObject_DelItem(dict, key), 0);
    EXPECT_NULL(PyObject_GetItem(dict, key));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'k'");
    EXPECT_EQ(PyObject_IsTrue(dict), 0);
    EXPECT_EQ(PyObject_Hash(dict), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(dict);
    Py_DECREF(key);
}

TEST_PY(dicts_are_equal_whatever_their_order)
{
    PyObject *a = PyDict_New(), *b = PyDict_New();
    PyDict_SetItemString(a, "x", Py_None);
    PyDict_SetItemString(a, "y", Py_True);
    PyDict_SetItemString(b, "y", Py_True);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 0);
    PyDict_SetItemString(b, "x", Py_None);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    PyDict_SetItemString(b, "x", Py_False);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_NE), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(a_dict_inside_itself_is_printed_once)
{
    PyObject *dict = PyDict_New();
    PyDict_SetItemString(dict, "self", dict);
    EXPECT_REPR_OF(Py_NewRef(dict), "{'self': {...}}");
    Py_DECREF(dict);
    EXPECT_EQ(PyGC_Collect(), 1);
}
