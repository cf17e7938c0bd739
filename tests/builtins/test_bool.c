/* SPDX-License-Identifier: MIT */
/* bool: two immortal ints. */
#include "../protocol.h"

TEST_PY(bools_are_the_ints_zero_and_one)
{
    EXPECT_EQ(PyBool_FromLong(7), Py_True);
    EXPECT_EQ(PyBool_FromLong(0), Py_False);
    EXPECT(PyBool_Check(Py_True) && PyLong_Check(Py_True) && !PyLong_CheckExact(Py_True));
    EXPECT_EQ(PyLong_AsLong(Py_True), 1);
    EXPECT_EQ(PyLong_AsLong(Py_False), 0);
    EXPECT_EQ(PyObject_RichCompareBool(Py_True, number(1), Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(Py_True), PyObject_Hash(number(1)));
    EXPECT_REPR_OF(Py_True, "True");
    EXPECT_REPR_OF(Py_False, "False");
}

TEST_PY(logic_of_bools_gives_bools_and_arithmetic_ints)
{
    EXPECT_EQ(PyNumber_And(Py_True, Py_False), Py_False);
    EXPECT_EQ(PyNumber_Or(Py_True, Py_False), Py_True);
    EXPECT_EQ(PyNumber_Xor(Py_True, Py_True), Py_False);
    EXPECT_REPR_OF(PyNumber_And(Py_True, number(3)), "1");
    EXPECT_REPR_OF(PyNumber_Add(Py_True, Py_True), "2");
    EXPECT_REPR_OF(PyNumber_Positive(Py_True), "1");
    EXPECT_REPR_OF(PyNumber_Negative(Py_True), "-1");
}

TEST_PY(bool_of_an_object_is_its_truth)
{
    PyObject *list = PyList_New(0);
    EXPECT_EQ(PyObject_CallOneArg((PyObject *)&PyBool_Type, list), Py_False);
    EXPECT_EQ(PyObject_CallNoArgs((PyObject *)&PyBool_Type), Py_False);
    EXPECT_EQ(PyObject_CallOneArg((PyObject *)&PyBool_Type, Py_Ellipsis), Py_True);
    Py_DECREF(list);
}
