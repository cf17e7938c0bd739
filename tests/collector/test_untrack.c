/* SPDX-License-Identifier: MIT */
/* Which containers a collection stops looking at: scenarios C96 to C98. */
#include "nodes.h"

/* A tuple whose items are given one by one, so that it is tracked. */
static PyObject *
new_tuple(PyObject *first, PyObject *second)
{
    PyObject *tuple = PyTuple_New(2);
    REQUIRE_NOT_NULL(tuple);
    PyTuple_SET_ITEM(tuple, 0, Py_XNewRef(first));
    PyTuple_SET_ITEM(tuple, 1, Py_XNewRef(second));
    return tuple;
}

TEST_PY(a_tuple_of_atoms_is_untracked_by_the_collection_that_examines_it) /* C96 */
{
    baseline_quiet();
    PyObject *tuple = new_tuple(Py_None, Py_True);
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 1);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 0);
    Py_DECREF(tuple);

    tuple = new_tuple(Py_None, Py_True);
    Ouro_GCCollect(0);
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 0);
    Py_DECREF(tuple);
}

TEST_PY(a_tuple_with_a_container_stays_tracked) /* C96 */
{
    baseline_quiet();
    PyObject *list = PyList_New(0);
    PyObject *tuple = new_tuple(Py_None, list);
    collect();
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 1);
    Py_DECREF(list);
    Py_DECREF(tuple);
}

TEST_PY(a_tuple_of_untracked_tuples_is_untracked_sooner_or_later) /* C96 */
{
    baseline_quiet();
    PyObject *inner = new_tuple(Py_None, Py_None);
    PyObject *outer = new_tuple(inner, Py_None);
    PyObject *outermost = new_tuple(Py_None, outer);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(inner), 0);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(outer), 0);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(outermost), 0);
    Py_DECREF(inner);
    Py_DECREF(outer);
    Py_DECREF(outermost);
}

TEST_PY(a_tuple_that_is_not_filled_stays_tracked) /* C96 */
{
    baseline_quiet();
    PyObject *list = PyList_New(0);
    PyObject *tuple = new_tuple(Py_None, NULL);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 1);
    PyTuple_SET_ITEM(tuple, 1, list); /* so it may be filled with anything */
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 1);
    Py_DECREF(tuple);
}

TEST_PY(an_untracked_tuple_dies_by_its_count)
{
    baseline_quiet();
    PyObject *x = new_untracked_node(&N, "x");
    PyObject *tuple = new_tuple(Py_None, Py_None);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 0);
    Py_DECREF(tuple);
    Py_DECREF(x);
    EXPECT_STR(events(), "dealloc x");
}

TEST_PY(dicts_are_tracked_from_the_start_and_for_ever) /* C97 */
{
    baseline_quiet();
    PyObject *empty = PyDict_New(), *atoms = PyDict_New(), *holder = PyDict_New();
    PyObject *list = PyList_New(0);
    PyDict_SetItemString(atoms, "a", Py_None);
    PyDict_SetItemString(holder, "a", list);
    PyObject *dicts[] = {empty, atoms, holder};
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PyObject_GC_IsTracked(dicts[i]), 1);
    }
    collect();
    collect();
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PyObject_GC_IsTracked(dicts[i]), 1);
        Py_DECREF(dicts[i]);
    }
    Py_DECREF(list);
}

TEST_PY(a_frozenset_of_atoms_is_untracked_from_birth) /* C97 */
{
    baseline_quiet();
    PyObject *atoms = new_tuple(Py_None, Py_True);
    PyObject *frozen = PyFrozenSet_New(atoms), *set = PySet_New(atoms);
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(set), 1);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(set), 1);
    Py_DECREF(atoms);
    Py_DECREF(frozen);
    Py_DECREF(set);
}

TEST_PY(a_frozenset_with_a_container_stays_tracked) /* C97 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, NULL), *items = new_tuple(x, Py_None);
    PyObject *frozen = PyFrozenSet_New(items);
    REQUIRE_NOT_NULL(frozen);
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 1);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 1);
    /* So a cycle through it is found. */
    set_a(x, frozen);
    Py_DECREF(items);
    Py_DECREF(frozen);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
}

TEST_PY(instances_of_subtypes_of_tuple_and_dict_stay_tracked) /* C98 */
{
    baseline_quiet();
    PyObject *tuple_type = subclass_of(&PyTuple_Type),
             *dict_type = subclass_of(&PyDict_Type);
    PyObject *items = new_tuple(Py_None, Py_None);
    PyObject *tuple = PyObject_CallOneArg(tuple_type, items);
    PyObject *dict = PyObject_CallNoArgs(dict_type);
    REQUIRE_NOT_NULL(tuple);
    REQUIRE_NOT_NULL(dict);
    EXPECT(PyTuple_Check(tuple) && !PyTuple_CheckExact(tuple));
    EXPECT(PyDict_Check(dict) && !PyDict_CheckExact(dict));
    collect();
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(items), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(tuple), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(dict), 1);
    Py_DECREF(tuple);
    Py_DECREF(dict);
    Py_DECREF(items);
    Py_DECREF(tuple_type);
    Py_DECREF(dict_type);
}

TEST_PY(instances_of_subtypes_of_frozenset_stay_tracked) /* C98 */
{
    baseline_quiet();
    PyObject *type = subclass_of(&PyFrozenSet_Type);
    PyObject *frozen = PyObject_CallNoArgs(type);
    REQUIRE_NOT_NULL(frozen);
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 1);
    collect();
    EXPECT_EQ(PyObject_GC_IsTracked(frozen), 1);
    Py_DECREF(frozen);
    Py_DECREF(type);
}

/* Old and frozen tuples in one page, which full collections look at whole. */
TEST_PY(frozen_tuples_stay_tracked) /* sections 3.6 and 11 */
{
    enum { COUNT = 2000 };
    static PyObject *tuples[3][COUNT];
    baseline_quiet();
    for (int set = 0; set < 3; set++) {
        for (int i = 0; i < COUNT; i++) {
            tuples[set][i] = PyTuple_New(1);
            REQUIRE_NOT_NULL(tuples[set][i]);
            PyTuple_SET_ITEM(tuples[set][i], 0, Py_NewRef(Py_None));
        }
        if (set == 0) { /* every second slot is left for the others */
            for (int i = 0; i < COUNT; i += 2) {
                Py_CLEAR(tuples[0][i]);
            }
            Ouro_GCFreeze();
        }
        collect();
    }
    for (int i = 1; i < COUNT; i += 2) {
        REQUIRE_EQ(PyObject_GC_IsTracked(tuples[0][i]), 1);
        REQUIRE_EQ(PyObject_GC_IsTracked(tuples[1][i]), 0);
    }
    EXPECT_GE(Ouro_GCGetFreezeCount(), COUNT / 2);
    for (int i = 0; i < COUNT; i++) {
        Py_XDECREF(tuples[0][i]);
        Py_DECREF(tuples[1][i]);
        Py_DECREF(tuples[2][i]);
    }
}

TEST_PY(tuples_of_atoms_are_untracked_with_and_without_a_certificate)
{
    for (int i = 0; i < 6; i++) {
        int generation = i / 2;
        baseline_quiet();
        mark_always(i % 2 != 0);
        PyObject *atoms = PyTuple_New(1); /* packed at once it would not be tracked */
        PyTuple_SET_ITEM(atoms, 0, Py_NewRef(Py_None));
        EXPECT_EQ(PyObject_GC_IsTracked(atoms), 1);
        PyObject *node = new_node(&N, NULL), *empty = PyDict_New();
        PyObject *containers = PyTuple_Pack(2, Py_None, node);
        PyObject *untracked = PyTuple_Pack(1, empty);
        PyObject *unfilled = PyTuple_New(2);
        PyTuple_SET_ITEM(unfilled, 0, Py_NewRef(Py_None));
        PyObject_GC_UnTrack(empty); /* it may be tracked again any time */
        Ouro_GCCollect(generation);
        EXPECT_EQ(PyObject_GC_IsTracked(atoms), 0);
        EXPECT_EQ(PyObject_GC_IsTracked(containers), 1);
        EXPECT_EQ(PyObject_GC_IsTracked(untracked), 1);
        EXPECT_EQ(PyObject_GC_IsTracked(unfilled), 1);
        Py_DECREF(unfilled);
        Py_DECREF(untracked);
        Py_DECREF(containers);
        Py_DECREF(empty);
        Py_DECREF(node);
        Py_DECREF(atoms);
    }
}
