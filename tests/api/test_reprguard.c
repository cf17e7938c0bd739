/* SPDX-License-Identifier: MIT */
/* Py_ReprEnter and Py_ReprLeave. */
#include "../protocol.h"

TEST_PY(an_object_can_be_entered_again_only_after_it_was_left)
{
    PyObject *a = PyList_New(0), *b = PyList_New(0);
    EXPECT_EQ(Py_ReprEnter(a), 0);
    EXPECT_EQ(Py_ReprEnter(b), 0);
    EXPECT_EQ(Py_ReprEnter(a), 1);
    Py_ReprLeave(a);
    EXPECT_EQ(Py_ReprEnter(a), 0);
    Py_ReprLeave(b);
    Py_ReprLeave(a);
    EXPECT_EQ(Py_REFCNT(a), 1);
    EXPECT_EQ(Py_REFCNT(b), 1);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(leaving_keeps_the_pending_exception)
{
    Py_ReprLeave(Py_None); /* never entered */
    EXPECT_EQ(Py_ReprEnter(Py_None), 0);
    PyErr_SetString(PyExc_ValueError, "mine");
    Py_ReprLeave(Py_None);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "mine");
    EXPECT_EQ(Py_ReprEnter(Py_None), 0);
    Py_ReprLeave(Py_None);
}

TEST_PY(a_list_that_holds_itself_prints_dots)
{
    PyObject *list = PyList_New(0);
    PyList_Append(list, list);
    EXPECT_REPR_OF(Py_NewRef(list), "[[...]]");
    PyList_Clear(list);
    Py_DECREF(list);
}

static PyObject *
enter_and_leave(void)
{
    PyObject *o = PyList_New(0);
    if (o != NULL && Py_ReprEnter(o) < 0) {
        Py_CLEAR(o);
    }
    if (o != NULL) {
        Py_ReprLeave(o);
    }
    return o;
}

TEST_PY(entering_survives_any_failing_allocation)
{
    fail_each_allocation(enter_and_leave);
}
