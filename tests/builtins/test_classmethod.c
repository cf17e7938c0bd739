/* SPDX-License-Identifier: MIT */
/* staticmethod and classmethod objects. */
#include "../protocol.h"

static PyObject *
show_args(PyObject *Py_UNUSED(self), PyObject *args)
{
    return Py_NewRef(args);
}

static PyMethodDef show_args_def = {"show_args", show_args, METH_VARARGS, NULL};

TEST_PY(a_static_method_is_looked_up_bare_and_can_be_called)
{
    PyObject *f = PyCFunction_New(&show_args_def, NULL);
    PyObject *s = PyStaticMethod_New(f);
    EXPECT_EQ(Py_TYPE(s), &PyStaticMethod_Type);
    PyObject *got = Py_TYPE(s)->tp_descr_get(s, Py_None, NULL);
    EXPECT_EQ(got, f);
    Py_DECREF(got);
    EXPECT_REPR_OF(PyObject_CallOneArg(s, Py_True), "(True,)");
    EXPECT_REPR_OF(PyObject_GetAttrString(s, "__func__"),
                   "<built-in function show_args>");
    EXPECT_REPR_OF(s, "<staticmethod(<built-in function show_args>)>");
    EXPECT_EQ(Py_REFCNT(f), 1);
    Py_DECREF(f);
}

TEST_PY(a_class_method_is_bound_to_the_class)
{
    PyObject *f = PyCFunction_New(&show_args_def, NULL);
    PyObject *c = PyClassMethod_New(f);
    PyObject *got = Py_TYPE(c)->tp_descr_get(c, Py_True, NULL);
    EXPECT_REPR_OF(PyObject_CallNoArgs(got), "(<class 'bool'>,)");
    Py_DECREF(got);
    got = Py_TYPE(c)->tp_descr_get(c, NULL, (PyObject *)&PyList_Type);
    EXPECT_REPR_OF(PyObject_CallNoArgs(got), "(<class 'list'>,)");
    Py_DECREF(got);
    Py_DECREF(c);
    EXPECT_EQ(Py_REFCNT(f), 1);
    Py_DECREF(f);
}

TEST_PY(wrappers_take_exactly_one_callable_and_have_a_dict)
{
    PyObject *type = (PyObject *)&PyClassMethod_Type;
    EXPECT_NULL(PyObject_CallNoArgs(type));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "classmethod expected 1 argument, got 0");
    PyObject *c = PyObject_CallOneArg(type, Py_None);
    REQUIRE_NOT_NULL(c);
    EXPECT_EQ(PyObject_SetAttrString(c, "note", Py_True), 0);
    EXPECT_REPR_OF(PyObject_GetAttrString(c, "__dict__"),
                   "{'__doc__': 'The type of the None singleton.', 'note': True}");
    Py_DECREF(c);
}

TEST_PY(a_wrapper_in_a_cycle_is_collected)
{
    PyObject *list = PyList_New(0);
    PyObject *c = PyStaticMethod_New(list);
    EXPECT_EQ(PyObject_GC_IsTracked(c), 1);
    PyList_Append(list, c);
    Py_DECREF(c);
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 2);
}
