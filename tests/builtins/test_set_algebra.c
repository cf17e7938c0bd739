/* SPDX-License-Identifier: MIT */
/* Operations on whole sets: results, operand types, errors. */
#include "calls.h"

static PyTypeObject *const kinds[] = {&PySet_Type, &PyFrozenSet_Type, &PyList_Type,
                                      &PyTuple_Type};

/* {1, 2, 3}.method(other) for every kind of iterable. */
static void
expect_with_every_kind(const char *method, const char *other, const char *expected)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(kinds); i++) {
        PyObject *self = container_of(&PySet_Type, "123");
        PyObject *iterable = container_of(kinds[i], other);
        EXPECT_REPR_OF(invoke(self, method, iterable, NULL), expected);
        Py_DECREF(self);
        Py_DECREF(iterable);
    }
}

TEST_PY(sets_are_combined_with_any_iterable)
{
    expect_with_every_kind("union", "345", "{1, 2, 3, 4, 5}");
    expect_with_every_kind("intersection", "3453", "{3}");
    expect_with_every_kind("intersection", "12345", "{1, 2, 3}");
    expect_with_every_kind("difference", "345", "{1, 2}");
    expect_with_every_kind("symmetric_difference", "3443", "{4, 1, 2}");
    expect_with_every_kind("isdisjoint", "345", "False");
    expect_with_every_kind("isdisjoint", "456789", "True");
    expect_with_every_kind("issubset", "3210", "True");
    expect_with_every_kind("issubset", "32", "False");
    expect_with_every_kind("issuperset", "33", "True");
    expect_with_every_kind("issuperset", "34", "False");
    expect_with_every_kind("issuperset", "3456", "False");
}

/* The same for methods that change the set. */
static void
expect_update(const char *method, const char *other, const char *expected)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(kinds); i++) {
        PyObject *self = container_of(&PySet_Type, "123");
        PyObject *iterable = container_of(kinds[i], other);
        EXPECT_REPR_OF(invoke(self, method, iterable, NULL), "None");
        EXPECT_REPR_OF(self, expected);
        Py_DECREF(iterable);
    }
}

TEST_PY(sets_are_updated_with_any_iterable)
{
    expect_update("update", "345", "{1, 2, 3, 4, 5}");
    expect_update("intersection_update", "345", "{3}");
    expect_update("difference_update", "345", "{1, 2}");
    expect_update("symmetric_difference_update", "3445", "{1, 2, 4, 5}");
}

TEST_PY(a_dict_stands_for_its_keys)
{
    PyObject *set = container_of(&PySet_Type, "12"), *dict = PyDict_New();
    PyObject *two = number(2);
    PyDict_SetItem(dict, two, Py_None);
    EXPECT_REPR_OF(invoke(set, "difference", dict, NULL), "{1}");
    EXPECT_REPR_OF(invoke(set, "intersection", dict, NULL), "{2}");
    EXPECT_REPR_OF(invoke(set, "symmetric_difference", dict, NULL), "{1}");
    EXPECT_REPR_OF(PySet_New(dict), "{2}");
    Py_DECREF(set);
    Py_DECREF(dict);
    Py_DECREF(two);
}

TEST_PY(a_set_is_combined_with_itself)
{
    PyObject *set = container_of(&PySet_Type, "12");
    EXPECT_REPR_OF(invoke(set, "union", set, NULL), "{1, 2}");
    EXPECT_REPR_OF(invoke(set, "intersection", set, NULL), "{1, 2}");
    EXPECT_REPR_OF(invoke(set, "difference", set, NULL), "set()");
    EXPECT_REPR_OF(invoke(set, "symmetric_difference", set, NULL), "set()");
    EXPECT_REPR_OF(invoke(set, "isdisjoint", set, NULL), "False");
    EXPECT_REPR_OF(invoke(set, "update", set, NULL), "None");
    EXPECT_REPR_OF(invoke(set, "intersection_update", set, NULL), "None");
    EXPECT_EQ(PySet_Size(set), 2);
    EXPECT_REPR_OF(invoke(set, "difference_update", set, NULL), "None");
    EXPECT_EQ(PySet_Size(set), 0);
    PySet_Add(set, Py_None);
    EXPECT_REPR_OF(invoke(set, "symmetric_difference_update", set, NULL), "None");
    EXPECT_REPR_OF(set, "set()");
}

TEST_PY(methods_take_any_number_of_iterables)
{
    PyObject *set = container_of(&PySet_Type, "123");
    PyObject *a = list_of("2"), *b = list_of("23");
    EXPECT_REPR_OF(invoke(set, "union", NULL, NULL), "{1, 2, 3}");
    EXPECT_REPR_OF(invoke(set, "union", a, b), "{1, 2, 3}");
    EXPECT_REPR_OF(invoke(set, "intersection", NULL, NULL), "{1, 2, 3}");
    EXPECT_REPR_OF(invoke(set, "intersection", b, a), "{2}");
    EXPECT_REPR_OF(invoke(set, "difference", NULL, NULL), "{1, 2, 3}");
    EXPECT_REPR_OF(invoke(set, "difference", a, b), "{1}");
    EXPECT_REPR_OF(invoke(set, "update", a, b), "None");
    EXPECT_REPR_OF(invoke(set, "intersection_update", b, b), "None");
    EXPECT_REPR_OF(Py_NewRef(set), "{2, 3}");
    EXPECT_REPR_OF(invoke(set, "difference_update", a, a), "None");
    EXPECT_REPR_OF(set, "{3}");
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(the_first_operand_gives_the_type)
{
    PyObject *set = container_of(&PySet_Type, "12"),
             *frozen = container_of(&PyFrozenSet_Type, "23");
    EXPECT_REPR_OF(PyNumber_Or(set, frozen), "{1, 2, 3}");
    EXPECT_REPR_OF(PyNumber_Or(frozen, set), "frozenset({2, 3, 1})");
    EXPECT_REPR_OF(PyNumber_And(frozen, set), "frozenset({2})");
    EXPECT_REPR_OF(PyNumber_Subtract(frozen, set), "frozenset({3})");
    EXPECT_REPR_OF(PyNumber_Xor(frozen, set), "frozenset({1, 3})");
    /* Of a subclass only the name of its base is left. */
    PyObject *type = class_of(&PyFrozenSet_Type, "F");
    PyObject *mine = PyObject_CallOneArg(type, set);
    EXPECT_REPR_OF(Py_NewRef(mine), "F({1, 2})");
    EXPECT_REPR_OF(PyNumber_Or(mine, frozen), "frozenset({1, 2, 3})");
    EXPECT_REPR_OF(invoke(mine, "copy", NULL, NULL), "frozenset({1, 2})");
    EXPECT_REPR_OF(invoke(mine, "union", NULL, NULL), "frozenset({1, 2})");
    Py_DECREF(mine);
    Py_DECREF(type);
    Py_DECREF(set);
    Py_DECREF(frozen);
}

TEST_PY(operators_want_sets)
{
    PyObject *set = container_of(&PySet_Type, "12"), *list = list_of("1");
    EXPECT_NULL(PyNumber_Or(set, list));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported operand type(s) for |: 'set' and 'list'");
    EXPECT_NULL(PyNumber_And(list, set));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported operand type(s) for &: 'list' and 'set'");
    EXPECT_NULL(PyNumber_InPlaceSubtract(set, list));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported operand type(s) for -=: 'set' and 'list'");
    EXPECT_NULL(PyNumber_InPlaceXor(set, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(set);
    Py_DECREF(list);
}

TEST_PY(operators_in_place_change_sets_and_replace_frozensets)
{
    PyObject *set = container_of(&PySet_Type, "12"),
             *other = container_of(&PyFrozenSet_Type, "23");
    PyObject *result = PyNumber_InPlaceOr(set, other);
    EXPECT_EQ(result, set);
    EXPECT_REPR_OF(result, "{1, 2, 3}");
    EXPECT_REPR_OF(PyNumber_InPlaceAnd(set, other), "{2, 3}");
    EXPECT_REPR_OF(PyNumber_InPlaceXor(set, other), "set()");
    EXPECT_REPR_OF(PyNumber_InPlaceOr(set, other), "{2, 3}");
    EXPECT_REPR_OF(PyNumber_InPlaceSubtract(set, other), "set()");
    result = PyNumber_InPlaceOr(other, other);
    EXPECT(result != other);
    EXPECT_REPR_OF(result, "frozenset({2, 3})");
    Py_DECREF(set);
    Py_DECREF(other);
}

TEST_PY(items_that_cannot_be_hashed_stop_an_operation)
{
    PyObject *list = list_of("1");
    PyList_Append(list, list);
    const char *reason = "cannot use 'list' as a set element (unhashable type: 'list')";
    const char *methods[] = {"union",
                             "difference",
                             "intersection",
                             "symmetric_difference",
                             "update",
                             "difference_update",
                             "intersection_update",
                             "symmetric_difference_update",
                             "issuperset"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(methods); i++) {
        PyObject *set = container_of(&PySet_Type, "123");
        EXPECT_NULL(invoke(set, methods[i], list, NULL));
        EXPECT_RAISED_TEXT(PyExc_TypeError, reason);
        EXPECT_NULL(invoke(set, methods[i], Py_None, NULL));
        EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
        Py_DECREF(set);
    }
    /* The bad item is not reached when all items have been found before. */
    PyObject *one = container_of(&PySet_Type, "1");
    EXPECT_REPR_OF(invoke(one, "issubset", list, NULL), "True");
    Py_DECREF(one);
    PyList_Clear(list);
    Py_DECREF(list);
}

static const char *const operation_names[] = {
    "union",
    "difference",
    "intersection",
    "symmetric_difference",
    "update",
    "difference_update",
    "intersection_update",
    "symmetric_difference_update",
    "isdisjoint",
    "issubset",
    "issuperset",
};
static const char *operation_name;
static PyTypeObject *operand_type;

static PyObject *
operate_once(void)
{
    PyObject *result = NULL, *list = PyList_New(0), *other = NULL;
    PyObject *set = PySet_New(NULL), *one = number(1000), *two = number(2000);
    if (list != NULL && set != NULL && one != NULL && two != NULL &&
        PyList_Append(list, one) == 0 && PySet_Add(set, one) == 0 &&
        PySet_Add(set, two) == 0) {
        other = PyObject_CallOneArg((PyObject *)operand_type, list);
    }
    if (other != NULL) {
        PyObject *name = text(operation_name);
        result = name == NULL ? NULL : PyObject_CallMethodOneArg(set, name, other);
        Py_XDECREF(name);
    }
    Py_XDECREF(list);
    Py_XDECREF(set);
    Py_XDECREF(one);
    Py_XDECREF(two);
    Py_XDECREF(other);
    return result;
}

TEST_PY(operations_leak_nothing_also_when_memory_ends)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(operation_names); i++) {
        operation_name = operation_names[i];
        operand_type = i % 2 == 0 ? &PyTuple_Type : &PyFrozenSet_Type;
        repeat_without_leak(operate_once);
        fail_each_allocation(operate_once);
    }
}
