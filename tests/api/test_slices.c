/* SPDX-License-Identifier: MIT */
/* Slices of sequences. */
#include "../protocol.h"

/* A type that shows the slice object it is given. */
static PyObject *stored_slice;

static PyObject *
show_key(PyObject *Py_UNUSED(o), PyObject *key)
{
    return PyObject_Repr(key);
}

static int
store_key(PyObject *Py_UNUSED(o), PyObject *key, PyObject *value)
{
    Py_XSETREF(stored_slice, PyUnicode_FromFormat("%R %R", key, value));
    return 0;
}

static PyType_Slot keys_slots[] = {
    {Py_mp_subscript, show_key}, {Py_mp_ass_subscript, store_key}, {0, NULL}};
static PyType_Spec keys_spec = {"test.Keys", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                keys_slots};

TEST_PY(lists_and_tuples_are_sliced_with_indices_from_either_end)
{
    PyObject *list = PyList_New(4), *tuple;
    for (int i = 0; i < 4; i++) {
        PyList_SET_ITEM(list, i, number(i));
    }
    tuple = PyList_AsTuple(list);
    EXPECT_REPR_OF(PySequence_GetSlice(list, 1, -1), "[1, 2]");
    EXPECT_REPR_OF(PySequence_GetSlice(tuple, -3, 99), "(1, 2, 3)");
    EXPECT_EQ(PySequence_SetSlice(list, -1, 99, tuple), 0);
    EXPECT_EQ(PySequence_DelSlice(list, 0, 2), 0);
    EXPECT_EQ(PySequence_SetSlice(list, 0, 1, NULL), 0);
    EXPECT_REPR_OF(list, "[0, 1, 2, 3]");
    EXPECT_EQ(PySequence_SetSlice(tuple, 0, 1, tuple), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'tuple' object doesn't support slice assignment");
    EXPECT_EQ(PySequence_DelSlice(tuple, 0, 1), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'tuple' object doesn't support slice deletion");
    Py_DECREF(tuple);
}

TEST_PY(other_types_receive_a_slice_object)
{
    PyObject *type = PyType_FromSpec(&keys_spec);
    PyObject *o = PyObject_CallNoArgs(type);
    EXPECT_REPR_OF(PySequence_GetSlice(o, 1, -1), "'slice(1, -1, None)'");
    EXPECT_EQ(PySequence_SetSlice(o, 1, 2, Py_True), 0);
    EXPECT_REPR_OF(Py_NewRef(stored_slice), "'slice(1, 2, None) True'");
    EXPECT_EQ(PySequence_DelSlice(o, 1, 2), 0);
    EXPECT_REPR_OF(Py_NewRef(stored_slice), "'slice(1, 2, None) <NULL>'");
    Py_CLEAR(stored_slice);
    Py_DECREF(o);
    Py_DECREF(type);
}

TEST_PY(what_cannot_be_sliced_says_so)
{
    EXPECT_NULL(PySequence_GetSlice(Py_None, 0, 1));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is unsliceable");
    EXPECT_NULL(PySequence_GetSlice(NULL, 0, 1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PySequence_SetSlice(NULL, 0, 1, Py_None), -1);
    EXPECT_RAISED(PyExc_SystemError);
}
