/* SPDX-License-Identifier: MIT */
/* instancemethod, and the type of functions that do not exist. */
#include "../types/special.h"

static PyObject *
first_argument(PyObject *Py_UNUSED(self), PyObject *args)
{
    return Py_NewRef(PyTuple_GET_SIZE(args) == 0 ? Py_None : PyTuple_GET_ITEM(args, 0));
}

static PyMethodDef def = {"first", first_argument, METH_VARARGS, "the first argument"};

TEST_PY(a_built_in_function_becomes_a_method)
{
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    PyObject *function = PyCFunction_New(&def, NULL);
    PyObject *method = PyInstanceMethod_New(function);
    REQUIRE(method != NULL && PyInstanceMethod_Check(method));
    EXPECT_EQ(PyInstanceMethod_Function(method), function);
    EXPECT_EQ(PyInstanceMethod_GET_FUNCTION(method), function);
    PyObject_SetAttrString((PyObject *)type, "first", method);
    PyObject_SetAttrString((PyObject *)type, "__iter__", method); /* also a special one */
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_IS(CALL(op, "first"), op);
    EXPECT_IS(PyObject_GetAttrString((PyObject *)type, "first"), function);
    EXPECT_IS(PyObject_CallOneArg(method, Py_True), Py_True);
    EXPECT_IS(Py_TYPE(op)->tp_iter(op), op);
    Py_DECREF(op);
    Py_DECREF(method);
    Py_DECREF(function);
    Py_DECREF(type);
}

TEST_PY(an_instance_method_shows_its_function)
{
    PyObject *function = PyCFunction_New(&def, NULL);
    PyObject *method = PyObject_CallOneArg((PyObject *)&PyInstanceMethod_Type, function);
    PyObject *same = PyInstanceMethod_New(function),
             *other = PyInstanceMethod_New(Py_None);
    PyObject *repr = PyObject_Repr(method);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), "<instancemethod first at 0x");
    EXPECT_IS(PyObject_GetAttrString(method, "__func__"), function);
    EXPECT_REPR_OF(PyObject_GetAttrString(method, "__name__"), "'first'");
    EXPECT_REPR_OF(PyObject_GetAttrString(method, "__doc__"), "'the first argument'");
    EXPECT_EQ(PyObject_RichCompareBool(method, same, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(method, other, Py_EQ), 0);
    EXPECT_NULL(PyObject_CallOneArg((PyObject *)&PyInstanceMethod_Type, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "first argument must be callable");
    EXPECT_NULL(PyInstanceMethod_Function(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(repr);
    Py_DECREF(other);
    Py_DECREF(same);
    Py_DECREF(method);
    Py_DECREF(function);
}

static PyObject *
make_instance_method(void)
{
    return PyInstanceMethod_New(Py_None);
}

TEST_PY(making_an_instance_method_can_fail)
{
    repeat_without_leak(make_instance_method);
    fail_each_allocation(make_instance_method);
}

TEST_PY(there_are_no_python_functions)
{
    PyObject *function = PyCFunction_New(&def, NULL);
    EXPECT(!PyFunction_Check(function));
    Py_DECREF(function);
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&PyFunction_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "cannot create 'function' instances: there is no Python code");
}
