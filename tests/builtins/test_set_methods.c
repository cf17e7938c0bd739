/* SPDX-License-Identifier: MIT */
/* Methods of set and frozenset that deal with one item. */
#include "calls.h"

TEST_PY(methods_of_set)
{
    PyObject *set = PySet_New(NULL), *one = number(1), *two = number(2);
    EXPECT_REPR_OF(invoke(set, "add", one, NULL), "None");
    EXPECT_REPR_OF(invoke(set, "__contains__", one, NULL), "True");
    EXPECT_REPR_OF(invoke(set, "copy", NULL, NULL), "{1}");
    EXPECT_REPR_OF(invoke(set, "discard", two, NULL), "None");
    EXPECT_NULL(invoke(set, "remove", two, NULL));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "2");
    EXPECT_REPR_OF(invoke(set, "remove", one, NULL), "None");
    EXPECT_NULL(invoke(set, "pop", NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'pop from an empty set'");
    EXPECT_REPR_OF(invoke(set, "add", two, NULL), "None");
    EXPECT_REPR_OF(invoke(set, "pop", NULL, NULL), "2");
    EXPECT_REPR_OF(invoke(set, "clear", NULL, NULL), "None");
    EXPECT_NULL(invoke(set, "add", NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "set.add() takes exactly one argument (0 given)");
    Py_DECREF(set);
    Py_DECREF(one);
    Py_DECREF(two);
}

TEST_PY(a_set_is_looked_up_as_a_frozenset)
{
    PyObject *inner = container_of(&PySet_Type, "12"), *outer = PySet_New(NULL);
    PyObject *frozen = PyFrozenSet_New(inner), *other = container_of(&PySet_Type, "3");
    PySet_Add(outer, frozen);
    EXPECT_EQ(PySequence_Contains(outer, inner), 1);
    EXPECT_EQ(PySequence_Contains(outer, other), 0);
    EXPECT_NO_ERROR();
    EXPECT_NULL(invoke(outer, "remove", other, NULL));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "{3}");
    EXPECT_REPR_OF(invoke(outer, "discard", other, NULL), "None");
    EXPECT_REPR_OF(invoke(outer, "remove", inner, NULL), "None");
    EXPECT_EQ(PySet_Size(outer), 0);
    EXPECT_NULL(invoke(outer, "add", inner, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "cannot use 'set' as a set element (unhashable type: 'set')");
    Py_DECREF(inner);
    Py_DECREF(outer);
    Py_DECREF(frozen);
    Py_DECREF(other);
}

TEST_PY(a_frozenset_is_its_own_copy_and_cannot_be_changed)
{
    PyObject *frozen = container_of(&PyFrozenSet_Type, "12");
    PyObject *copy = invoke(frozen, "copy", NULL, NULL);
    EXPECT_EQ(copy, frozen);
    Py_DECREF(copy);
    const char *missing[] = {"add", "discard", "remove", "pop", "clear", "update"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(missing); i++) {
        EXPECT_EQ(PyObject_HasAttrString(frozen, missing[i]), 0);
    }
    Py_DECREF(frozen);
}
