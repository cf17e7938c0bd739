/* SPDX-License-Identifier: MIT */
/* Methods of dict, called by name. */
#include "calls.h"

TEST_PY(methods_of_dict)
{
    PyObject *dict = PyDict_New(), *k = text("k");
    EXPECT_REPR_OF(invoke(dict, "get", k, NULL), "None");
    EXPECT_REPR_OF(invoke(dict, "get", k, Py_True), "True");
    EXPECT_REPR_OF(invoke(dict, "setdefault", k, Py_True), "True");
    EXPECT_REPR_OF(invoke(dict, "setdefault", k, Py_False), "True");
    EXPECT_REPR_OF(invoke(dict, "copy", NULL, NULL), "{'k': True}");
    EXPECT_REPR_OF(invoke(dict, "pop", k, NULL), "True");
    EXPECT_REPR_OF(invoke(dict, "pop", k, Py_None), "None");
    EXPECT_NULL(invoke(dict, "pop", k, NULL));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'k'");
    EXPECT_NULL(invoke(dict, "popitem", NULL, NULL));
    EXPECT_RAISED(PyExc_KeyError);
    PyDict_SetItemString(dict, "a", Py_None);
    PyDict_SetItemString(dict, "b", Py_None);
    EXPECT_REPR_OF(invoke(dict, "popitem", NULL, NULL), "('b', None)");
    PyObject *other = PyDict_New();
    PyDict_SetItemString(other, "c", Py_True);
    EXPECT_REPR_OF(invoke(dict, "update", other, NULL), "None");
    EXPECT_REPR_OF(Py_NewRef(dict), "{'a': None, 'c': True}");
    EXPECT_REPR_OF(invoke(dict, "clear", NULL, NULL), "None");
    EXPECT_REPR_OF(invoke((PyObject *)&PyDict_Type, "fromkeys", other, Py_False),
                   "{'c': False}");
    EXPECT_NULL(invoke(dict, "get", NULL, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(other);
    Py_DECREF(k);
    Py_DECREF(dict);
}
