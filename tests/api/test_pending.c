/* SPDX-License-Identifier: MIT */
/* Calls that wait for Py_MakePendingCalls. */
#include "../protocol.h"

static char pending_order[64];

static int
note_pending(void *arg)
{
    strcat(pending_order, arg);
    return 0;
}

static int
fail_pending(void *arg)
{
    PyErr_SetString(PyExc_ValueError, arg);
    return -1;
}

TEST_PY(pending_calls_come_in_their_order)
{
    EXPECT_EQ(Py_AddPendingCall(note_pending, "a"), 0);
    EXPECT_EQ(Py_AddPendingCall(note_pending, "b"), 0);
    EXPECT_STR(pending_order, "");
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_STR(pending_order, "ab");
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_STR(pending_order, "ab");
}

TEST_PY(a_pending_call_that_fails_leaves_the_rest_waiting)
{
    Py_AddPendingCall(fail_pending, "spam");
    Py_AddPendingCall(note_pending, "c");
    EXPECT_EQ(Py_MakePendingCalls(), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "spam");
    EXPECT_STR(pending_order, "");
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_STR(pending_order, "c");
}

static int
add_again(void *arg)
{
    ++*(int *)arg;
    return Py_AddPendingCall(add_again, arg);
}

TEST_PY(thirty_two_calls_may_wait)
{
    int calls = 0;
    for (int i = 0; i < 32; i++) {
        EXPECT_EQ(Py_AddPendingCall(note_pending, ""), 0);
    }
    EXPECT_EQ(Py_AddPendingCall(note_pending, ""), -1);
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    Py_AddPendingCall(add_again, &calls);
    EXPECT_EQ(Py_MakePendingCalls(), 0); /* and returns */
    EXPECT_EQ(calls, 32);
}

TEST_PY(the_arguments_of_the_program_are_its_own)
{
    int argc = 5;
    wchar_t *none = NULL, **argv = &none;
    Py_GetArgcArgv(&argc, &argv);
    EXPECT_EQ(argc, 0);
    EXPECT_NULL(argv);
}
