/* SPDX-License-Identifier: MIT */
/* The exception that is being handled. */
#include "../protocol.h"

static PyObject *
new_error(const char *message)
{
    return PyObject_CallFunction(PyExc_ValueError, "s", message);
}

TEST_PY(nothing_is_handled_at_first)
{
    PyObject *type, *value, *traceback;
    EXPECT_NULL(PyErr_GetHandledException());
    PyErr_GetExcInfo(&type, &value, &traceback);
    EXPECT_EQ(type, Py_None);
    EXPECT_NULL(value);
    EXPECT_EQ(traceback, Py_None);
    PyErr_SetExcInfo(type, value, traceback);
    EXPECT_NULL(PyErr_GetHandledException());
}

TEST_PY(the_handled_exception_is_kept_and_given_back)
{
    PyObject *e = new_error("caught"), *type, *value, *traceback;
    PyErr_SetHandledException(e);
    EXPECT_EQ(Py_REFCNT(e), 2);
    EXPECT_NULL(PyErr_Occurred());
    PyErr_GetExcInfo(&type, &value, &traceback);
    EXPECT_EQ(type, PyExc_ValueError);
    EXPECT_EQ(value, e);
    EXPECT_EQ(traceback, Py_None);
    PyErr_SetHandledException(NULL);
    EXPECT_EQ(Py_REFCNT(e), 2);
    PyErr_SetExcInfo(type, value, traceback);
    PyObject *again = PyErr_GetHandledException();
    EXPECT_EQ(again, e);
    Py_DECREF(again);
    PyErr_SetHandledException(Py_None);
    EXPECT_NULL(PyErr_GetHandledException());
    EXPECT_EQ(Py_REFCNT(e), 1);
    Py_DECREF(e);
}

TEST_PY(what_is_raised_meanwhile_has_it_as_context)
{
    PyObject *caught = new_error("caught");
    PyErr_SetHandledException(caught);
    PyErr_SetString(PyExc_KeyError, "raised");
    PyObject *raised = PyErr_GetRaisedException();
    EXPECT_EQ(((PyBaseExceptionObject *)raised)->context, caught);
    /* The same exception is raised again: it does not become its own context. */
    PyErr_SetObject(PyExc_ValueError, caught);
    PyErr_Clear();
    EXPECT_NULL(((PyBaseExceptionObject *)caught)->context);
    /* The other way round: the cycle of contexts is cut. */
    PyErr_SetHandledException(raised);
    PyErr_SetObject(PyExc_ValueError, caught);
    PyErr_Clear();
    EXPECT_EQ(((PyBaseExceptionObject *)caught)->context, raised);
    EXPECT_NULL(((PyBaseExceptionObject *)raised)->context);
    PyErr_SetHandledException(NULL);
    Py_DECREF(raised);
    Py_DECREF(caught);
}

/* A chain that was made cyclic does not hang the next raise. */
TEST_PY(cyclic_contexts_end)
{
    PyObject *a = new_error("a"), *b = new_error("b"), *c = new_error("c");
    PyException_SetContext(a, Py_NewRef(b));
    PyException_SetContext(b, Py_NewRef(c));
    PyException_SetContext(c, Py_NewRef(b));
    PyErr_SetHandledException(a);
    PyErr_SetString(PyExc_KeyError, "raised");
    EXPECT_RAISED(PyExc_KeyError);
    PyErr_SetHandledException(NULL);
    PyException_SetContext(c, NULL);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
}

TEST_PY(a_handled_exception_does_not_outlive_the_interpreter)
{
    PyObject *e = new_error("caught");
    PyErr_SetHandledException(e);
    Py_DECREF(e);
}
