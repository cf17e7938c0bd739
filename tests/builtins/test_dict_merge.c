/* SPDX-License-Identifier: MIT */
/* Copying items into a dict. */
#include "../protocol.h"

static PyObject *
letters(const char *names)
{
    PyObject *dict = PyDict_New();
    for (const char *p = names; *p != '\0'; p++) {
        PyObject *key = PyUnicode_FromOrdinal(*p), *value = text(names);
        PyDict_SetItem(dict, key, value);
        Py_DECREF(key);
        Py_DECREF(value);
    }
    return dict;
}

TEST_PY(updating_replaces_and_merging_need_not)
{
    PyObject *a = letters("ab"), *b = letters("bc"), *copy = PyDict_Copy(a);
    EXPECT_EQ(PyDict_Merge(a, b, 0), 0);
    EXPECT_REPR_OF(a, "{'a': 'ab', 'b': 'ab', 'c': 'bc'}");
    EXPECT_EQ(PyDict_Update(copy, b), 0);
    EXPECT_REPR_OF(Py_NewRef(copy), "{'a': 'ab', 'b': 'bc', 'c': 'bc'}");
    EXPECT_EQ(PyDict_Update(copy, copy), 0);
    EXPECT_REPR_OF(PyNumber_Or(b, copy), "{'b': 'bc', 'c': 'bc', 'a': 'ab'}");
    EXPECT_EQ(PyDict_Update(copy, Py_None), -1);
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_EQ(PyDict_Update(Py_None, copy), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(copy);
    Py_DECREF(b);
}

TEST_PY(pairs_make_a_dict)
{
    PyObject *dict = PyDict_New(), *list = PyList_New(0);
    PyObject *pair = PyTuple_Pack(2, Py_None, Py_True),
             *again = PyTuple_Pack(2, Py_None, Py_False);
    PyList_Append(list, pair);
    PyList_Append(list, again);
    EXPECT_EQ(PyDict_MergeFromSeq2(dict, list, 0), 0);
    EXPECT_REPR_OF(Py_NewRef(dict), "{None: True}");
    EXPECT_EQ(PyDict_MergeFromSeq2(dict, list, 1), 0);
    EXPECT_REPR_OF(Py_NewRef(dict), "{None: False}");
    EXPECT_REPR_OF(PyObject_CallOneArg((PyObject *)&PyDict_Type, list), "{None: False}");
    PyList_Append(list, Py_None);
    EXPECT_EQ(PyDict_MergeFromSeq2(dict, list, 1), -1);
    EXPECT_RAISED_TEXT(
        PyExc_TypeError,
        "cannot convert dictionary update sequence element #2 to a sequence");
    PyList_SetItem(list, 0, PyTuple_New(0));
    EXPECT_EQ(PyDict_MergeFromSeq2(dict, list, 1), -1);
    EXPECT_RAISED_TEXT(
        PyExc_ValueError,
        "dictionary update sequence element #0 has length 0; 2 is required");
    Py_DECREF(dict);
    Py_DECREF(list);
    Py_DECREF(pair);
    Py_DECREF(again);
}

TEST_PY(dict_takes_keyword_arguments)
{
    PyObject *kwargs = letters("x"), *empty = PyTuple_New(0);
    EXPECT_REPR_OF(PyObject_Call((PyObject *)&PyDict_Type, empty, kwargs), "{'x': 'x'}");
    Py_DECREF(kwargs);
}
