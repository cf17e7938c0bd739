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

TEST_PY(a_dict_is_merged_with_mappings_and_pairs_in_place)
{
    PyObject *dict = PyDict_New(), *pairs = PyList_New(0);
    PyObject *pair = PyTuple_Pack(2, Py_None, Py_True), *two = number(2);
    PyList_Append(pairs, pair);
    PyObject *same = PyNumber_InPlaceOr(dict, pairs);
    EXPECT_EQ(same, dict);
    EXPECT_REPR_OF(same, "{None: True}");
    EXPECT_NULL(PyNumber_InPlaceOr(dict, two));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'int' object is not iterable");
    EXPECT_NULL(PyNumber_Or(dict, pairs));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported operand type(s) for |: 'dict' and 'list'");
    Py_DECREF(dict);
    Py_DECREF(pairs);
    Py_DECREF(pair);
    Py_DECREF(two);
}

TEST_PY(dicts_and_views_are_reversed)
{
    PyObject *dict = PyDict_New();
    PyDict_SetItemString(dict, "a", Py_True);
    PyDict_SetItemString(dict, "gone", Py_None);
    PyDict_SetItemString(dict, "b", Py_False);
    PyDict_DelItemString(dict, "gone");
    const char *views[] = {"keys", "values", "items"};
    const char *expected[] = {"['b', 'a']", "[False, True]",
                              "[('b', False), ('a', True)]"};
    for (int i = 0; i < 3; i++) {
        PyObject *view = invoke(dict, views[i], NULL, NULL);
        PyObject *it = invoke(view, "__reversed__", NULL, NULL);
        EXPECT_EQ(PyObject_LengthHint(it, 9), 2);
        EXPECT_REPR_OF(PySequence_List(it), expected[i]);
        Py_DECREF(it);
        Py_DECREF(view);
    }
    PyObject *it = invoke(dict, "__reversed__", NULL, NULL);
    PyDict_Clear(dict);
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "dictionary changed size during iteration");
    Py_DECREF(it);
    Py_DECREF(dict);
}

TEST_PY(keys_that_cannot_be_hashed_are_named_with_their_role)
{
    PyObject *dict = PyDict_New(), *list = PyList_New(0);
    EXPECT_NULL(invoke(dict, "get", list, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "cannot use 'list' as a dict key (unhashable type: 'list')");
    Py_DECREF(dict);
    Py_DECREF(list);
}
