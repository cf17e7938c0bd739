/* SPDX-License-Identifier: MIT */
/* What the views of a dict have in common with sets. */
#include "calls.h"

/* {1: None, 2: None} of "12". */
static PyObject *
view_of(const char *digits, const char *what)
{
    PyObject *list = list_of(digits), *dict = PyDict_New();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyDict_SetItem(dict, PyList_GET_ITEM(list, i), Py_None);
    }
    PyObject *view = invoke(dict, what, NULL, NULL);
    REQUIRE_NOT_NULL(view);
    Py_DECREF(list);
    Py_DECREF(dict);
    return view;
}

static binaryfunc const operators[] = {PyNumber_And, PyNumber_Or, PyNumber_Subtract,
                                       PyNumber_Xor};

TEST_PY(operators_take_any_iterable_on_either_side)
{
    const char *results[] = {"{2}", "{1, 2, 3}", "{1}", "{1, 3}"};
    const char *reflected[] = {"{2}", "{2, 3, 1}", "{3}", "{3, 1}"};
    for (int i = 0; i < 4; i++) {
        PyObject *keys = view_of("12", "keys"), *list = list_of("23");
        PyObject *set = PySet_New(list), *other = view_of("23", "keys");
        EXPECT_REPR_OF(operators[i](keys, list), results[i]);
        EXPECT_REPR_OF(operators[i](keys, set), results[i]);
        EXPECT_REPR_OF(operators[i](keys, other), results[i]);
        EXPECT_REPR_OF(operators[i](list, keys), reflected[i]);
        EXPECT_REPR_OF(operators[i](set, keys), reflected[i]);
        EXPECT_NULL(operators[i](keys, Py_None));
        EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
        Py_DECREF(keys);
        Py_DECREF(list);
        Py_DECREF(set);
        Py_DECREF(other);
    }
}

TEST_PY(views_of_items_are_sets_of_pairs)
{
    PyObject *a = view_of("12", "items"), *b = view_of("23", "items");
    EXPECT_REPR_OF(PyNumber_And(a, b), "{(2, None)}");
    EXPECT_REPR_OF(PyNumber_Subtract(a, b), "{(1, None)}");
    EXPECT_REPR_OF(PyNumber_Xor(a, b), "{(1, None), (3, None)}");
    EXPECT_EQ(PyObject_RichCompareBool(a, a, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 0);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(values_that_cannot_be_hashed_matter_only_where_they_are_stored)
{
    PyObject *dict = PyDict_New(), *list = PyList_New(0), *one = list_of("1");
    PyDict_SetItem(dict, Py_None, list);
    PyObject *items = invoke(dict, "items", NULL, NULL);
    EXPECT_REPR_OF(PyNumber_And(items, one), "set()");
    EXPECT_REPR_OF(PyNumber_Xor(items, items), "set()");
    EXPECT_NULL(PyNumber_Or(items, one));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyNumber_Subtract(items, one));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(items);
    Py_DECREF(dict);
    Py_DECREF(list);
    Py_DECREF(one);
}

TEST_PY(views_compare_with_sets_and_views)
{
    PyObject *a = view_of("12", "keys"), *b = view_of("123", "keys");
    PyObject *set = container_of(&PySet_Type, "21"), *list = list_of("12");
    EXPECT_EQ(PyObject_RichCompareBool(a, set, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(set, a, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(set, b, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(set, a, Py_LT), 0);
    EXPECT_EQ(PyObject_RichCompareBool(b, set, Py_GT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LE), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_GE), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, list, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, list, Py_LT), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'<' not supported between instances of 'dict_keys' and 'list'");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(set);
    Py_DECREF(list);
}

TEST_PY(views_are_disjoint_or_not)
{
    PyObject *keys = view_of("12", "keys"), *items = view_of("12", "items");
    PyObject *list = list_of("34"), *set = container_of(&PySet_Type, "2345");
    PyObject *nested = PyList_New(0);
    PyList_Append(nested, list);
    EXPECT_REPR_OF(invoke(keys, "isdisjoint", list, NULL), "True");
    EXPECT_REPR_OF(invoke(keys, "isdisjoint", set, NULL), "False");
    EXPECT_REPR_OF(invoke(keys, "isdisjoint", keys, NULL), "False");
    EXPECT_REPR_OF(invoke(items, "isdisjoint", nested, NULL), "True");
    EXPECT_NULL(invoke(keys, "isdisjoint", nested, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(invoke(keys, "isdisjoint", Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
    Py_DECREF(keys);
    Py_DECREF(items);
    Py_DECREF(list);
    Py_DECREF(set);
    Py_DECREF(nested);
}

TEST_PY(values_are_no_set)
{
    PyObject *values = view_of("12", "values"), *list = list_of("1");
    EXPECT_NULL(PyNumber_And(values, list));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported operand type(s) for &: 'dict_values' and 'list'");
    EXPECT_EQ(PyObject_HasAttrString(values, "isdisjoint"), 0);
    Py_DECREF(values);
    Py_DECREF(list);
}

static binaryfunc operator_in_use;

static PyObject *
operate_on_views(void)
{
    PyObject *dict = PyDict_New(), *a = NULL, *b = NULL, *result = NULL;
    if (dict != NULL && PyDict_SetItem(dict, Py_None, Py_True) == 0) {
        a = invoke(dict, "items", NULL, NULL);
        b = a == NULL ? NULL : PyTuple_Pack(1, Py_True);
    }
    if (b != NULL) {
        result = operator_in_use(a, b);
    }
    Py_XDECREF(dict);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

TEST_PY(operations_on_views_leak_nothing)
{
    for (int i = 0; i < 4; i++) {
        operator_in_use = operators[i];
        repeat_without_leak(operate_on_views);
    }
}
