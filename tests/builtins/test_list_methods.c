/* SPDX-License-Identifier: MIT */
/* Methods of list and tuple, called by name. */
#include "calls.h"

TEST_PY(methods_of_list)
{
    PyObject *list = PyList_New(0), *copy;
    EXPECT_REPR_OF(invoke(list, "append", number(3), NULL), "None");
    EXPECT_REPR_OF(invoke(list, "insert", number(0), number(1)), "None");
    EXPECT_REPR_OF(invoke(list, "extend", list, NULL), "None");
    EXPECT_REPR_OF(invoke(list, "count", number(3), NULL), "2");
    EXPECT_REPR_OF(invoke(list, "index", number(3), number(2)), "3");
    EXPECT_REPR_OF(invoke(list, "sort", NULL, NULL), "None");
    EXPECT_REPR_OF(invoke(list, "reverse", NULL, NULL), "None");
    EXPECT_REPR_OF(Py_NewRef(list), "[3, 3, 1, 1]");
    EXPECT_REPR_OF(invoke(list, "pop", NULL, NULL), "1");
    EXPECT_REPR_OF(invoke(list, "pop", number(-3), NULL), "3");
    EXPECT_REPR_OF(invoke(list, "remove", number(1), NULL), "None");
    copy = invoke(list, "copy", NULL, NULL);
    EXPECT_NE(copy, list);
    EXPECT_REPR_OF(copy, "[3]");
    EXPECT_NULL(invoke(list, "remove", Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "list.remove(x): x not in list");
    EXPECT_NULL(invoke(list, "index", Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "None is not in list");
    EXPECT_NULL(invoke(list, "pop", number(7), NULL));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "pop index out of range");
    EXPECT_REPR_OF(invoke(list, "clear", NULL, NULL), "None");
    EXPECT_NULL(invoke(list, "pop", NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "pop from empty list");
    EXPECT_NULL(invoke(list, "insert", number(0), NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(list);
}

TEST_PY(methods_of_tuple)
{
    PyObject *t = PyTuple_Pack(3, Py_None, Py_True, Py_None);
    EXPECT_REPR_OF(invoke(t, "count", Py_None, NULL), "2");
    EXPECT_REPR_OF(invoke(t, "index", Py_None, number(1)), "2");
    EXPECT_NULL(invoke(t, "index", Py_False, NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "tuple.index(x): x not in tuple");
    Py_DECREF(t);
}
