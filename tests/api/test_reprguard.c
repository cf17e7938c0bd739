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

#define MANY 1000

/* The order is unrelated to the addresses. 7 and MANY have no common factor, so each object comes
 * once. */
TEST_PY(many_objects_are_entered_and_left_in_any_order)
{
    PyObject *objects[MANY];
    for (int i = 0; i < MANY; i++) {
        objects[i] = PyList_New(0);
        EXPECT_EQ(Py_ReprEnter(objects[i]), 0);
    }
    for (int i = 0, at = 0; i < MANY; i++, at = (at + 7) % MANY) {
        EXPECT_EQ(Py_ReprEnter(objects[at]), 1);
        Py_ReprLeave(objects[at]);
        EXPECT_EQ(Py_REFCNT(objects[at]), 1);
        for (int j = 1; j < 30 && i + j < MANY; j++) {
            EXPECT_EQ(Py_ReprEnter(objects[(at + 7 * j) % MANY]), 1);
        }
    }
    for (int i = 0; i < MANY; i++) {
        EXPECT_EQ(Py_ReprEnter(objects[i]), 0);
        Py_ReprLeave(objects[i]);
        Py_DECREF(objects[i]);
    }
}

TEST_PY(what_was_never_left_ends_with_its_thread_state)
{
    PyThreadState *here = PyThreadState_Get();
    PyThreadState *other = PyThreadState_New(PyInterpreterState_Get());
    PyObject *list = PyList_New(0);
    PyThreadState_Swap(other);
    EXPECT_EQ(Py_ReprEnter(list), 0);
    EXPECT_EQ(Py_REFCNT(list), 2);
    PyThreadState_Swap(here);
    EXPECT_EQ(Py_ReprEnter(list), 0); /* each thread prints for itself */
    Py_ReprLeave(list);
    PyThreadState_Clear(other);
    PyThreadState_Delete(other);
    EXPECT_EQ(Py_REFCNT(list), 1);
    Py_DECREF(list);
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
