/* SPDX-License-Identifier: MIT */
/* The slots of set and frozenset. */
#include "calls.h"

TEST_PY(constructors_check_their_arguments)
{
    PyObject *list = list_of("112"), *args = PyTuple_Pack(2, list, list);
    PyObject *none = PyTuple_New(0), *keywords = PyDict_New();
    PyDict_SetItemString(keywords, "x", Py_None);
    PyObject *set = (PyObject *)&PySet_Type, *frozenset = (PyObject *)&PyFrozenSet_Type;
    EXPECT_REPR_OF(PyObject_CallOneArg(set, list), "{1, 2}");
    EXPECT_REPR_OF(PyObject_CallNoArgs(frozenset), "frozenset()");
    EXPECT_NULL(PyObject_Call(set, args, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "set expected at most 1 argument, got 2");
    EXPECT_NULL(PyObject_Call(frozenset, args, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "frozenset expected at most 1 argument, got 2");
    EXPECT_NULL(PyObject_Call(set, none, keywords));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "set() takes no keyword arguments");
    EXPECT_NULL(PyObject_Call(frozenset, none, keywords));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "frozenset() takes no keyword arguments");
    EXPECT_NULL(PyObject_CallOneArg(set, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
    Py_DECREF(list);
    Py_DECREF(args);
    Py_DECREF(keywords);
}

TEST_PY(init_replaces_what_was_there)
{
    PyObject *set = container_of(&PySet_Type, "12"), *list = list_of("3");
    PyObject *args = PyTuple_Pack(1, list);
    EXPECT_EQ(PySet_Type.tp_init(set, args, NULL), 0);
    EXPECT_REPR_OF(set, "{3}");
    Py_DECREF(list);
    Py_DECREF(args);
}

TEST_PY(subclasses_keep_their_name_and_are_always_tracked)
{
    PyTypeObject *bases[] = {&PySet_Type, &PyFrozenSet_Type};
    for (int i = 0; i < 2; i++) {
        PyObject *type = class_of(bases[i], "S"), *list = list_of("1");
        PyObject *empty = PyObject_CallNoArgs(type),
                 *one = PyObject_CallOneArg(type, list);
        EXPECT(PyAnySet_Check(one) && !PyAnySet_CheckExact(one));
        EXPECT_EQ(PyObject_GC_IsTracked(one), 1);
        EXPECT_EQ(PyObject_SetAttrString(one, "attribute", one), 0);
        EXPECT_REPR_OF(empty, "S()");
        EXPECT_REPR_OF(one, "S({1})");
        EXPECT_GE(PyGC_Collect(), 1);
        Py_DECREF(list);
        Py_DECREF(type);
    }
}

TEST_PY(sets_compare_by_inclusion)
{
    PyObject *a = container_of(&PySet_Type, "12"),
             *b = container_of(&PyFrozenSet_Type, "21"),
             *c = container_of(&PySet_Type, "123"), *d = container_of(&PySet_Type, "45");
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_NE), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LE), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), 0);
    EXPECT_EQ(PyObject_RichCompareBool(b, a, Py_GT), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(c, b, Py_GT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(c, a, Py_GE), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_GE), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, d, Py_LE), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, d, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, Py_None, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, Py_None, Py_LT), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'<' not supported between instances of 'set' and 'NoneType'");
    PyObject *all[] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        Py_DECREF(all[i]);
    }
}

TEST_PY(equal_frozensets_have_equal_hashes_whatever_their_order)
{
    PyObject *a = container_of(&PyFrozenSet_Type, "123456789"),
             *b = container_of(&PyFrozenSet_Type, "975318642"),
             *c = container_of(&PyFrozenSet_Type, "12345678"), *set = PySet_New(a);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(a));
    EXPECT_NE(PyObject_Hash(a), PyObject_Hash(c));
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_EQ), 0);
    EXPECT_EQ(PyObject_Hash(set), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'set'");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(set);
}

/* All subsets of 12 small numbers. */
TEST_PY(hashes_of_similar_frozensets_differ)
{
    enum { MEMBERS = 12 };
    PyObject *hashes = PySet_New(NULL);
    for (unsigned bits = 0; bits < 1u << MEMBERS; bits++) {
        PyObject *frozen = PyFrozenSet_New(NULL);
        for (int i = 0; i < MEMBERS; i++) {
            PyObject *n = number(i);
            if (bits >> i & 1) {
                PySet_Add(frozen, n);
            }
            Py_DECREF(n);
        }
        PyObject *hash = PyLong_FromSsize_t(PyObject_Hash(frozen));
        PySet_Add(hashes, hash);
        Py_DECREF(hash);
        Py_DECREF(frozen);
    }
    EXPECT_EQ(PySet_Size(hashes), 1 << MEMBERS);
    Py_DECREF(hashes);
}

TEST_PY(sets_have_a_length_and_a_truth_value)
{
    PyObject *set = container_of(&PySet_Type, "12"), *empty = PyFrozenSet_New(NULL);
    EXPECT_EQ(PyObject_Size(set), 2);
    EXPECT_EQ(PyObject_IsTrue(set), 1);
    EXPECT_EQ(PyObject_IsTrue(empty), 0);
    EXPECT_NULL(PySequence_GetItem(set, 0));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(set);
    Py_DECREF(empty);
}

/* A subclass of set that can be hashed, so that it can be in itself. */
static Py_hash_t
hash_by_identity(PyObject *self)
{
    return Py_HashPointer(self);
}

static PyTypeObject identity_set_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "IdentitySet",
    .tp_base = &PySet_Type,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_hash = hash_by_identity,
};

TEST_PY(a_set_inside_itself_is_printed_once_and_collected)
{
    identity_set_type.tp_richcompare = PyBaseObject_Type.tp_richcompare;
    REQUIRE_EQ(PyType_Ready(&identity_set_type), 0);
    PyObject *set = PyObject_CallNoArgs((PyObject *)&identity_set_type);
    REQUIRE_NOT_NULL(set);
    EXPECT_EQ(PySet_Add(set, set), 0);
    EXPECT_REPR_OF(Py_NewRef(set), "IdentitySet({IdentitySet(...)})");
    Py_DECREF(set);
    EXPECT_EQ(PyGC_Collect(), 1);
}

static PyObject *
print_a_set(void)
{
    PyObject *set = container_of(&PyFrozenSet_Type, "12");
    PyObject *repr = PyObject_Repr(set);
    Py_DECREF(set);
    return repr;
}

TEST_PY(printing_a_set_leaks_nothing)
{
    repeat_without_leak(print_a_set);
}
