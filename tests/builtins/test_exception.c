/* SPDX-License-Identifier: MIT */
/* Exception objects. */
#include "../protocol.h"

TEST_PY(exceptions_keep_and_print_their_arguments)
{
    PyObject *s = text("it"), *none = PyObject_CallNoArgs(PyExc_ValueError);
    PyObject *one = PyObject_CallOneArg(PyExc_ValueError, s);
    PyObject *two = PyObject_CallFunctionObjArgs(PyExc_ValueError, s, Py_None, NULL);
    EXPECT_REPR_OF(PyObject_Str(none), "''");
    EXPECT_REPR_OF(none, "ValueError()");
    EXPECT_REPR_OF(PyObject_Str(one), "'it'");
    EXPECT_REPR_OF(PyException_GetArgs(one), "('it',)");
    EXPECT_REPR_OF(PyObject_GetAttrString(one, "args"), "('it',)");
    EXPECT_REPR_OF(one, "ValueError('it')");
    EXPECT_REPR_OF(PyObject_Str(two), "\"('it', None)\"");
    EXPECT_REPR_OF(two, "ValueError('it', None)");
    Py_DECREF(s);
}

TEST_PY(keyword_arguments_are_refused)
{
    PyObject *kwargs = PyDict_New(), *empty = PyTuple_New(0);
    PyDict_SetItemString(kwargs, "x", Py_None);
    EXPECT_NULL(PyObject_Call(PyExc_ValueError, empty, kwargs));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "ValueError() takes no keyword arguments");
    Py_DECREF(kwargs);
}

TEST_PY(cause_and_context_are_stolen)
{
    PyObject *e = PyObject_CallNoArgs(PyExc_ValueError);
    PyObject *other = PyObject_CallNoArgs(PyExc_TypeError);
    EXPECT_NULL(PyException_GetCause(e));
    PyException_SetCause(e, Py_NewRef(other));
    PyException_SetContext(e, Py_NewRef(other));
    EXPECT_EQ(Py_REFCNT(other), 3);
    PyObject *cause = PyException_GetCause(e), *context = PyException_GetContext(e);
    EXPECT(cause == other && context == other);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "__suppress_context__"), "True");
    Py_DECREF(cause);
    Py_DECREF(context);
    EXPECT_EQ(PyObject_SetAttrString(e, "__cause__", Py_None), 0);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "__cause__"), "None");
    EXPECT_EQ(PyObject_SetAttrString(e, "__context__", Py_True), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyException_SetTraceback(e, Py_None), 0);
    EXPECT_NULL(PyException_GetTraceback(e));
    Py_DECREF(e);
    EXPECT_EQ(Py_REFCNT(other), 1);
    Py_DECREF(other);
}

TEST_PY(exceptions_have_attributes_and_can_be_in_cycles)
{
    PyObject *e = PyObject_CallNoArgs(PyExc_ValueError);
    EXPECT_EQ(PyObject_SetAttrString(e, "me", e), 0);
    PyException_SetContext(e, Py_NewRef(e));
    EXPECT_EQ(PyObject_GC_IsTracked(e), 1);
    Py_DECREF(e);
    EXPECT_EQ(PyGC_Collect(), 2); /* the exception and its dict */
}

TEST_PY(arguments_can_be_replaced)
{
    PyObject *e = PyObject_CallNoArgs(PyExc_ValueError), *list = PyList_New(0);
    PyList_Append(list, Py_None);
    EXPECT_EQ(PyObject_SetAttrString(e, "args", list), 0);
    EXPECT_REPR_OF(Py_NewRef(e), "ValueError(None)");
    EXPECT_EQ(PyObject_DelAttrString(e, "args"), -1);
    EXPECT_RAISED(PyExc_TypeError);
    PyObject *pair = PyTuple_Pack(2, Py_None, Py_True);
    PyException_SetArgs(e, pair);
    EXPECT_EQ(Py_REFCNT(pair), 2);
    Py_DECREF(e);
    Py_DECREF(pair);
    Py_DECREF(list);
}

TEST_PY(a_chain_of_contexts_dies_on_a_small_stack, .stack = 256 * 1024)
{
    PyObject *chain = NULL;
    for (int i = 0; i < 10000; i++) {
        PyObject *e = PyObject_CallNoArgs(PyExc_ValueError);
        REQUIRE_NOT_NULL(e);
        PyException_SetContext(e, chain);
        chain = e;
    }
    Py_DECREF(chain);
}
