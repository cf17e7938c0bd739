/* SPDX-License-Identifier: MIT */
/* tuple objects and when they are tracked. */
#include "../protocol.h"

TEST_PY(the_empty_tuple_is_one_immortal_untracked_object)
{
    PyObject *empty = PyTuple_New(0);
    EXPECT_EQ(empty, PyTuple_New(0));
    EXPECT_EQ(empty, PyTuple_Pack(0));
    EXPECT(PyUnstable_IsImmortal(empty));
    EXPECT_EQ(PyObject_GC_IsTracked(empty), 0);
    EXPECT(PyObject_IS_GC(empty));
    EXPECT_REPR_OF(empty, "()");
}

TEST_PY(a_new_tuple_is_tracked_while_it_is_being_filled)
{
    PyObject *t = PyTuple_New(2);
    EXPECT_EQ(PyObject_GC_IsTracked(t), 1);
    EXPECT_NULL(PyTuple_GET_ITEM(t, 0));
    PyGC_Collect();
    EXPECT_EQ(PyObject_GC_IsTracked(t), 1);
    PyTuple_SET_ITEM(t, 0, number(1));
    EXPECT_EQ(PyTuple_SetItem(t, 1, number(2)), 0);
    EXPECT_REPR_OF(t, "(1, 2)");
}

TEST_PY(a_tuple_of_atoms_is_packed_untracked)
{
    PyObject *s = text("x"), *atoms = PyTuple_Pack(2, s, Py_None);
    PyObject *list = PyList_New(0), *mixed = PyTuple_Pack(2, s, list);
    PyObject *nested = PyTuple_Pack(1, atoms), *outer = PyTuple_Pack(1, mixed);
    EXPECT_EQ(PyObject_GC_IsTracked(atoms), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(mixed), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(nested), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(outer), 1);
    EXPECT_EQ(Py_REFCNT(list), 2);
    Py_DECREF(outer);
    Py_DECREF(nested);
    Py_DECREF(mixed);
    Py_DECREF(atoms);
    EXPECT_EQ(Py_REFCNT(list), 1);
    Py_DECREF(list);
    Py_DECREF(s);
}

TEST_PY(setting_a_container_tracks_an_untracked_tuple_again)
{
    PyObject *t = PyTuple_Pack(1, Py_None), *list = PyList_New(0);
    EXPECT_EQ(PyObject_GC_IsTracked(t), 0);
    EXPECT_EQ(PyTuple_SetItem(t, 0, Py_NewRef(list)), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(t), 1);
    EXPECT_EQ(PyList_Append(list, t), 0);
    Py_DECREF(t);
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_PY(setting_items_steals_and_checks)
{
    PyObject *t = PyTuple_New(1), *item = PyList_New(0), *other = NULL;
    EXPECT_EQ(PyTuple_SetItem(t, 1, Py_NewRef(item)), -1);
    EXPECT_RAISED_TEXT(PyExc_IndexError, "tuple assignment index out of range");
    EXPECT_EQ(Py_REFCNT(item), 1);
    other = Py_NewRef(t);
    EXPECT_EQ(PyTuple_SetItem(t, 0, Py_NewRef(item)), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(Py_REFCNT(item), 1);
    Py_DECREF(other);
    EXPECT_EQ(PyTuple_SetItem(t, 0, Py_NewRef(item)), 0);
    EXPECT_EQ(Py_REFCNT(item), 2);
    EXPECT_EQ(PyTuple_SetItem(t, 0, Py_NewRef(Py_None)), 0);
    EXPECT_EQ(Py_REFCNT(item), 1);
    EXPECT_EQ(PyTuple_SetItem(item, 0, NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(item);
    Py_DECREF(t);
}

TEST_PY(items_are_borrowed_and_checked)
{
    PyObject *s = text("x"), *t = PyTuple_Pack(1, s);
    EXPECT_SAME_COUNT(s, EXPECT_EQ(PyTuple_GetItem(t, 0), s));
    EXPECT_NULL(PyTuple_GetItem(t, 1));
    EXPECT_RAISED_TEXT(PyExc_IndexError, "tuple index out of range");
    EXPECT_NULL(PyTuple_GetItem(t, -1));
    EXPECT_RAISED(PyExc_IndexError);
    EXPECT_NULL(PyTuple_GetItem(s, 0));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyTuple_Size(t), 1);
    EXPECT_EQ(PyTuple_Size(s), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyTuple_New(-1));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(t);
    Py_DECREF(s);
}

TEST_PY(slices_are_cut_to_the_size)
{
    PyObject *t = PyTuple_Pack(3, number(1), number(2), number(3));
    EXPECT_REPR_OF(PyTuple_GetSlice(t, 1, 99), "(2, 3)");
    EXPECT_REPR_OF(PyTuple_GetSlice(t, -5, 1), "(1,)");
    EXPECT_REPR_OF(PyTuple_GetSlice(t, 2, 1), "()");
    PyObject *whole = PyTuple_GetSlice(t, 0, 3);
    EXPECT_EQ(whole, t);
    Py_DECREF(whole);
    Py_DECREF(t);
}

TEST_PY(resizing_keeps_releases_and_clears_items)
{
    PyObject *item = PyList_New(0), *t = PyTuple_New(2);
    PyTuple_SET_ITEM(t, 0, Py_NewRef(Py_None));
    PyTuple_SET_ITEM(t, 1, Py_NewRef(item));
    EXPECT_EQ(_PyTuple_Resize(&t, 1), 0);
    EXPECT_EQ(Py_REFCNT(item), 1);
    EXPECT_EQ(_PyTuple_Resize(&t, 40), 0);
    EXPECT_EQ(PyTuple_GET_ITEM(t, 0), Py_None);
    EXPECT_NULL(PyTuple_GET_ITEM(t, 39));
    EXPECT_EQ(PyObject_GC_IsTracked(t), 1);
    EXPECT_EQ(_PyTuple_Resize(&t, 0), 0);
    EXPECT_EQ(t, PyTuple_New(0));
    EXPECT_EQ(_PyTuple_Resize(&t, 2), 0);
    PyObject *other = Py_NewRef(t);
    EXPECT_EQ(_PyTuple_Resize(&t, 3), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(t);
    Py_DECREF(other);
    Py_DECREF(item);
}

TEST_PY(tuples_compare_item_by_item_and_hash_by_content)
{
    PyObject *a = PyTuple_Pack(2, number(1), number(2));
    PyObject *b = PyTuple_Pack(2, number(1), number(3)), *c = PyTuple_Pack(1, number(1));
    PyObject *copy = PyTuple_Pack(2, number(1), number(2));
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(c, a, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, copy, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_NE), 1);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(copy));
    EXPECT_NE(PyObject_Hash(a), PyObject_Hash(b));
    PyObject *list = PyList_New(0), *unhashable = PyTuple_Pack(1, list);
    EXPECT_EQ(PyObject_Hash(unhashable), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(unhashable);
    Py_DECREF(list);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(copy);
}

TEST_PY(tuples_are_sequences)
{
    PyObject *t = PyTuple_Pack(2, number(1), number(2)), *one = number(1);
    EXPECT_REPR_OF(PySequence_Concat(t, t), "(1, 2, 1, 2)");
    EXPECT_REPR_OF(PySequence_Repeat(t, 2), "(1, 2, 1, 2)");
    EXPECT_REPR_OF(PySequence_Repeat(t, 0), "()");
    EXPECT_EQ(PySequence_Contains(t, one), 1);
    EXPECT_EQ(PySequence_Contains(t, Py_None), 0);
    EXPECT_REPR_OF(PyObject_GetItem(t, one), "2");
    EXPECT_NULL(PyObject_GetItem(t, t));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PySequence_Concat(t, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(t);
}

TEST_PY(a_tuple_inside_itself_is_printed_once)
{
    PyObject *t = PyTuple_New(1), *list = PyList_New(0);
    PyList_Append(list, t);
    PyTuple_SET_ITEM(t, 0, list);
    EXPECT_REPR_OF(Py_NewRef(t), "([(...)],)");
    Py_DECREF(t);
    EXPECT_EQ(PyGC_Collect(), 2);
}

static PyObject *
make_tuples(void)
{
    PyObject *a = PyTuple_Pack(2, Py_None, Py_True),
             *b = a == NULL ? NULL : PyTuple_New(3);
    Py_XDECREF(a);
    return b;
}

TEST_PY(tuples_survive_any_failing_allocation)
{
    fail_each_allocation(make_tuples);
}
