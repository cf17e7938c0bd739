/* SPDX-License-Identifier: MIT */
/* Bound methods. */
#include "../protocol.h"

static PyObject *
show_arguments(PyObject *Py_UNUSED(self), PyObject *args, PyObject *kwargs)
{
    return PyUnicode_FromFormat("%R %R", args, kwargs);
}

static PyMethodDef show_def = {"show", _PyCFunction_CAST(show_arguments),
                               METH_VARARGS | METH_KEYWORDS, "shows"};

TEST_PY(a_bound_method_puts_its_object_in_front)
{
    PyObject *f = PyCFunction_New(&show_def, NULL);
    PyObject *m = PyMethod_New(f, Py_True);
    PyObject *args[3] = {Py_Ellipsis, Py_None, Py_False};
    EXPECT_REPR_OF(PyObject_CallNoArgs(m), "'(True,) <NULL>'");
    EXPECT_REPR_OF(PyObject_CallOneArg(m, Py_None), "'(True, None) <NULL>'");
    EXPECT_REPR_OF(
        PyObject_Vectorcall(m, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL),
        "'(True, None, False) <NULL>'");
    EXPECT_EQ(args[0], Py_Ellipsis);
    EXPECT_REPR_OF(PyObject_Vectorcall(m, args + 1, 2, NULL),
                   "'(True, None, False) <NULL>'");
    PyObject *many = PyTuple_New(12), *keywords = PyDict_New();
    for (int i = 0; i < 12; i++) {
        PyTuple_SET_ITEM(many, i, number(i));
    }
    PyDict_SetItemString(keywords, "k", Py_None);
    EXPECT_REPR_OF(PyObject_Call(m, many, keywords),
                   "\"(True, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) {'k': None}\"");
    Py_DECREF(many);
    Py_DECREF(keywords);
    Py_DECREF(m);
    Py_DECREF(f);
}

TEST_PY(methods_own_their_parts_and_are_collected_with_them)
{
    PyObject *f = PyCFunction_New(&show_def, NULL), *self = PyList_New(0);
    PyObject *m = PyMethod_New(f, self);
    EXPECT(PyMethod_Check(m));
    EXPECT_EQ(PyObject_GC_IsTracked(m), 1);
    EXPECT_EQ(Py_REFCNT(f), 2);
    EXPECT_EQ(Py_REFCNT(self), 2);
    EXPECT_EQ(PyMethod_Function(m), f);
    EXPECT_EQ(PyMethod_Self(m), self);
    PyList_Append(self, m);
    Py_DECREF(self);
    Py_DECREF(m);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(Py_REFCNT(f), 1);
    Py_DECREF(f);
    EXPECT_NULL(PyMethod_Function(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyMethod_Self(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(making_a_method_checks_its_arguments)
{
    PyObject *type = (PyObject *)&PyMethod_Type;
    PyObject *f = PyCFunction_New(&show_def, NULL);
    EXPECT_NULL(PyMethod_New(f, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_CallFunctionObjArgs(type, f, Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "instance must not be None");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(type, Py_True, Py_True, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "first argument must be callable");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(type, f, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "method expected 2 arguments, got 1");
    PyObject *m = PyObject_CallFunctionObjArgs(type, f, Py_True, NULL);
    EXPECT_REPR_OF(m == NULL ? NULL : PyObject_CallNoArgs(m), "'(True,) <NULL>'");
    Py_XDECREF(m);
    Py_DECREF(f);
}

TEST_PY(methods_pass_attributes_of_their_function_on)
{
    PyObject *f = PyCFunction_New(&show_def, NULL);
    PyObject *m = PyMethod_New(f, Py_True), *n = PyMethod_New(f, Py_True);
    PyObject *other = PyMethod_New(f, Py_None);
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "__name__"), "'show'");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "__doc__"), "'shows'");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "__self__"), "True");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "__func__"), "<built-in function show>");
    EXPECT_NULL(PyObject_GetAttrString(m, "nothing"));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_EQ(PyObject_RichCompareBool(m, n, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(m, other, Py_EQ), 0);
    EXPECT_EQ(PyObject_Hash(m), PyObject_Hash(n));
    EXPECT_REPR_OF(m, "<bound method show of True>");
    Py_DECREF(n);
    Py_DECREF(other);
    Py_DECREF(f);
}

static PyObject *
call_method_with_many(void)
{
    PyObject *f = PyCFunction_New(&show_def, NULL);
    PyObject *m = f == NULL ? NULL : PyMethod_New(f, Py_True);
    PyObject *args[10];
    for (int i = 0; i < 10; i++) {
        args[i] = Py_None;
    }
    PyObject *result = m == NULL ? NULL : PyObject_Vectorcall(m, args, 10, NULL);
    Py_XDECREF(m);
    Py_XDECREF(f);
    return result;
}

TEST_PY(a_bound_method_survives_any_failing_allocation)
{
    fail_each_allocation(call_method_with_many);
}
