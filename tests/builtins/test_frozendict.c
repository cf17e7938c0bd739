/* SPDX-License-Identifier: MIT */
/* frozendict: reading works as on a dict, changing does not. */
#include "calls.h"

static PyObject *
sample_dict(void)
{
    PyObject *dict = PyDict_New();
    PyDict_SetItemString(dict, "x", Py_True);
    PyDict_SetItemString(dict, "y", Py_None);
    return dict;
}

static PyObject *
sample(void)
{
    PyObject *dict = sample_dict(), *frozen = PyFrozenDict_New(dict);
    REQUIRE_NOT_NULL(frozen);
    Py_DECREF(dict);
    return frozen;
}

TEST_PY(a_frozendict_is_no_dict)
{
    PyObject *frozen = sample(), *dict = PyDict_New();
    EXPECT(PyFrozenDict_Check(frozen) && PyFrozenDict_CheckExact(frozen));
    EXPECT(PyAnyDict_Check(frozen) && PyAnyDict_CheckExact(frozen));
    EXPECT(!PyDict_Check(frozen) && !PyFrozenDict_Check(dict));
    EXPECT(PyAnyDict_Check(dict) && PyAnyDict_CheckExact(dict));
    EXPECT(!PyAnyDict_Check(Py_None));
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 1);
    Py_DECREF(frozen);
    Py_DECREF(dict);
}

TEST_PY(a_frozendict_is_made_from_mappings_and_pairs)
{
    PyObject *dict = sample_dict(), *pairs = PyDict_Items(dict), *none = PyTuple_New(0);
    PyObject *type = (PyObject *)&PyFrozenDict_Type;
    EXPECT_REPR_OF(PyFrozenDict_New(NULL), "frozendict()");
    EXPECT_REPR_OF(PyFrozenDict_New(dict), "frozendict({'x': True, 'y': None})");
    EXPECT_REPR_OF(PyFrozenDict_New(pairs), "frozendict({'x': True, 'y': None})");
    EXPECT_REPR_OF(PyObject_Call(type, none, dict), "frozendict({'x': True, 'y': None})");
    EXPECT_REPR_OF(PyObject_CallNoArgs(type), "frozendict()");
    PyObject *frozen = PyFrozenDict_New(dict);
    PyObject *again = PyFrozenDict_New(frozen),
             *called = PyObject_CallOneArg(type, frozen);
    EXPECT_EQ(again, frozen);
    EXPECT_EQ(called, frozen);
    PyDict_Clear(dict); /* which the frozendict does not notice */
    EXPECT_EQ(PyDict_Size(frozen), 2);
    EXPECT_NULL(PyFrozenDict_New(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
    PyObject *args = PyTuple_Pack(2, dict, dict);
    EXPECT_NULL(PyObject_Call(type, args, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "frozendict expected at most 1 argument, got 2");
    PyObject *all[] = {dict, pairs, frozen, again, called, args};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(all); i++) {
        Py_DECREF(all[i]);
    }
}

TEST_PY(functions_that_read_a_dict_read_a_frozendict)
{
    PyObject *frozen = sample(), *x = text("x"), *z = text("z"), *value;
    EXPECT_EQ(PyDict_Size(frozen), 2);
    EXPECT_EQ(PyDict_Contains(frozen, x), 1);
    EXPECT_EQ(PyDict_ContainsString(frozen, "z"), 0);
    EXPECT_EQ(PyDict_GetItem(frozen, x), Py_True);
    EXPECT_EQ(PyDict_GetItemWithError(frozen, x), Py_True);
    EXPECT_EQ(PyDict_GetItemString(frozen, "x"), Py_True);
    EXPECT_EQ(PyDict_GetItemRef(frozen, x, &value), 1);
    EXPECT_EQ(value, Py_True);
    EXPECT_EQ(PyDict_GetItemStringRef(frozen, "z", &value), 0);
    EXPECT_REPR_OF(PyDict_Keys(frozen), "['x', 'y']");
    EXPECT_REPR_OF(PyDict_Values(frozen), "[True, None]");
    EXPECT_REPR_OF(PyDict_Items(frozen), "[('x', True), ('y', None)]");
    Py_ssize_t pos = 0, count = 0;
    while (PyDict_Next(frozen, &pos, NULL, &value)) {
        count++;
    }
    EXPECT_EQ(count, 2);
    EXPECT_REPR_OF(PyObject_GetItem(frozen, x), "True");
    EXPECT_NULL(PyObject_GetItem(frozen, z));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'z'");
    PyObject *list = PyList_New(0);
    EXPECT_EQ(PyDict_Contains(frozen, list), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "cannot use 'list' as a frozendict key (unhashable type: 'list')");
    PyObject *dict = PyDict_New();
    EXPECT_EQ(PyDict_Update(dict, frozen), 0);
    EXPECT_EQ(PyDict_Size(dict), 2);
    PyObject *all[] = {frozen, x, z, list, dict};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(all); i++) {
        Py_DECREF(all[i]);
    }
}

TEST_PY(functions_that_change_a_dict_refuse_a_frozendict)
{
    PyObject *frozen = sample(), *x = text("x"), *value;
    EXPECT_EQ(PyDict_SetItem(frozen, x, x), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyDict_SetItemString(frozen, "x", x), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyDict_DelItem(frozen, x), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyDict_Pop(frozen, x, &value), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyDict_SetDefault(frozen, x, x));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyDict_Update(frozen, frozen), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyDict_Copy(frozen));
    EXPECT_RAISED(PyExc_SystemError);
    PyDict_Clear(frozen);
    EXPECT_EQ(PyObject_SetItem(frozen, x, x), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'frozendict' object does not support item assignment");
    EXPECT_EQ(PyObject_DelItem(frozen, x), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'frozendict' object does not support item deletion");
    EXPECT_EQ(PyObject_HasAttrString(frozen, "update"), 0);
    EXPECT_REPR_OF(frozen, "frozendict({'x': True, 'y': None})");
    Py_DECREF(x);
}

TEST_PY(equal_frozendicts_have_equal_hashes_whatever_their_order)
{
    PyObject *a = sample(), *dict = PyDict_New();
    PyDict_SetItemString(dict, "y", Py_None);
    PyDict_SetItemString(dict, "x", Py_True);
    PyObject *b = PyFrozenDict_New(dict);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, dict, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(a));
    PyDict_SetItemString(dict, "x", Py_False);
    PyObject *c = PyFrozenDict_New(dict);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_EQ), 0);
    EXPECT_NE(PyObject_Hash(a), PyObject_Hash(c));
    PyDict_SetItemString(dict, "x", dict);
    PyObject *unhashable = PyFrozenDict_New(dict);
    EXPECT_EQ(PyObject_Hash(unhashable), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'dict'");
    PyDict_Clear(dict);
    PyObject *all[] = {a, b, c, dict, unhashable};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(all); i++) {
        Py_DECREF(all[i]);
    }
}

TEST_PY(the_first_operand_of_a_union_gives_the_type)
{
    PyObject *frozen = sample(), *dict = PyDict_New();
    PyDict_SetItemString(dict, "z", Py_False);
    EXPECT_REPR_OF(PyNumber_Or(frozen, dict),
                   "frozendict({'x': True, 'y': None, 'z': False})");
    EXPECT_REPR_OF(PyNumber_Or(dict, frozen), "{'z': False, 'x': True, 'y': None}");
    PyObject *other = PyNumber_InPlaceOr(frozen, dict);
    EXPECT(other != frozen);
    EXPECT_EQ(PyDict_Size(frozen), 2);
    Py_XDECREF(other);
    EXPECT_NULL(PyNumber_Or(frozen, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(frozen);
    Py_DECREF(dict);
}

TEST_PY(methods_of_frozendict)
{
    PyObject *frozen = sample(), *x = text("x"), *list = list_of("12");
    PyObject *copy = invoke(frozen, "copy", NULL, NULL);
    EXPECT_EQ(copy, frozen);
    Py_DECREF(copy);
    EXPECT_REPR_OF(invoke(frozen, "get", x, NULL), "True");
    EXPECT_REPR_OF(invoke(frozen, "keys", NULL, NULL), "dict_keys(['x', 'y'])");
    EXPECT_REPR_OF(invoke(frozen, "items", NULL, NULL),
                   "dict_items([('x', True), ('y', None)])");
    PyObject *it = invoke(frozen, "__reversed__", NULL, NULL);
    EXPECT_REPR_OF(PySequence_List(it), "['y', 'x']");
    Py_DECREF(it);
    EXPECT_REPR_OF(invoke((PyObject *)&PyFrozenDict_Type, "fromkeys", list, Py_None),
                   "frozendict({1: None, 2: None})");
    PyObject *type = class_of(&PyFrozenDict_Type, "F"), *mine;
    mine = invoke(type, "fromkeys", list, NULL);
    EXPECT_REPR_OF(invoke(mine, "copy", NULL, NULL), "frozendict({1: None, 2: None})");
    EXPECT_REPR_OF(mine, "F({1: None, 2: None})");
    Py_DECREF(type);
    Py_DECREF(frozen);
    Py_DECREF(x);
    Py_DECREF(list);
}

TEST_PY(a_cycle_through_a_frozendict_is_collected)
{
    PyObject *list = PyList_New(0), *dict = PyDict_New();
    PyDict_SetItemString(dict, "list", list);
    PyObject *frozen = PyFrozenDict_New(dict);
    PyList_Append(list, frozen);
    Py_DECREF(dict);
    Py_DECREF(frozen);
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 2);
}

static PyObject *
make_a_frozendict(void)
{
    PyObject *pair = PyTuple_Pack(2, Py_None, Py_True);
    PyObject *pairs = pair == NULL ? NULL : PyTuple_Pack(1, pair);
    PyObject *frozen = pairs == NULL ? NULL : PyFrozenDict_New(pairs);
    PyObject *both = frozen == NULL ? NULL : PyNumber_Or(frozen, frozen);
    Py_XDECREF(pair);
    Py_XDECREF(pairs);
    Py_XDECREF(frozen);
    return both;
}

TEST_PY(frozendicts_leak_nothing_also_when_memory_ends)
{
    repeat_without_leak(make_a_frozendict);
    fail_each_allocation(make_a_frozendict);
}
