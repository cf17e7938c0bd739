/* SPDX-License-Identifier: MIT */
#include "../types/special.h"

TEST_PY(a_cell_holds_one_object_or_none)
{
    PyObject *value = PyList_New(0);
    PyObject *cell = PyCell_New(value);
    REQUIRE(cell != NULL && PyCell_Check(cell));
    EXPECT_EQ(PyObject_GC_IsTracked(cell), 1);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_IS(PyCell_Get(cell), value);
    EXPECT_EQ(PyCell_GET(cell), value);
    EXPECT_EQ(PyCell_Set(cell, NULL), 0);
    EXPECT_EQ(Py_REFCNT(value), 1);
    EXPECT_NULL(PyCell_Get(cell));
    EXPECT_NO_ERROR();
    PyCell_SET(cell, Py_NewRef(value)); /* takes the reference over */
    EXPECT_EQ(Py_REFCNT(value), 2);
    Py_DECREF(cell);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
}

TEST_PY(what_is_no_cell_is_refused)
{
    EXPECT_NULL(PyCell_Get(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyCell_Set(Py_None, Py_None), -1);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(the_contents_are_an_attribute)
{
    PyObject *cell = PyObject_CallNoArgs((PyObject *)&PyCell_Type);
    EXPECT_NULL(PyObject_GetAttrString(cell, "cell_contents"));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "Cell is empty");
    PyObject *repr = PyObject_Repr(cell);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), ": empty>");
    Py_DECREF(repr);
    EXPECT_EQ(PyObject_SetAttrString(cell, "cell_contents", Py_True), 0);
    EXPECT_IS(PyObject_GetAttrString(cell, "cell_contents"), Py_True);
    repr = PyObject_Repr(cell);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), ": bool object at 0x");
    Py_DECREF(repr);
    EXPECT_EQ(PyObject_DelAttrString(cell, "cell_contents"), 0);
    Py_DECREF(cell);
    EXPECT_NULL(
        PyObject_CallFunctionObjArgs((PyObject *)&PyCell_Type, Py_None, Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "cell expected at most 1 argument, got 2");
}

TEST_PY(cells_compare_by_contents_and_have_no_hash)
{
    PyObject *one = number(1), *two = number(2);
    PyObject *a = PyCell_New(one), *b = PyCell_New(two), *empty = PyCell_New(NULL);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(empty, a, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, empty, Py_LT), 0);
    EXPECT_EQ(PyObject_Hash(a), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'cell'");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(empty);
    Py_DECREF(one);
    Py_DECREF(two);
}

TEST_PY(a_cell_that_holds_itself_is_collected)
{
    PyObject *cell = PyCell_New(NULL);
    PyCell_Set(cell, cell);
    Py_DECREF(cell);
    EXPECT_EQ(PyGC_Collect(), 1);
}

static PyObject *
make_cell(void)
{
    return PyCell_New(Py_None);
}

TEST_PY(making_a_cell_can_fail)
{
    repeat_without_leak(make_cell);
    fail_each_allocation(make_cell);
}
