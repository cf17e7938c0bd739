/* SPDX-License-Identifier: MIT */
/* What a thread is running: no Python code. */
#include "../protocol.h"

TEST_PY(no_thread_has_a_frame)
{
    EXPECT_NULL(PyEval_GetFrame());
    EXPECT_NULL(PyThreadState_GetFrame(PyThreadState_Get()));
    EXPECT_NULL(PyEval_GetGlobals());
    EXPECT_NULL(PyEval_GetFrameGlobals());
    EXPECT_NO_ERROR();
    EXPECT_NULL(PyEval_GetLocals());
    EXPECT_RAISED_TEXT(PyExc_SystemError, "frame does not exist");
    EXPECT_NULL(PyEval_GetFrameLocals());
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(callables_have_names_for_messages)
{
    PyObject *list = PyList_New(0), *method = PyObject_GetAttrString(list, "append");
    EXPECT_STR(PyEval_GetFuncName(method), "append");
    EXPECT_STR(PyEval_GetFuncDesc(method), "()");
    EXPECT_STR(PyEval_GetFuncName(list), "list");
    EXPECT_STR(PyEval_GetFuncDesc(list), " object");
    PyObject *bound = PyMethod_New(method, list);
    EXPECT_STR(PyEval_GetFuncName(bound), "append");
    EXPECT_STR(PyEval_GetFuncDesc(bound), "()");
    Py_DECREF(bound);
    Py_DECREF(method);
    Py_DECREF(list);
}

static int traced;

static int
count_traced(PyObject *arg, PyFrameObject *frame, int what, PyObject *event)
{
    (void)arg, (void)frame, (void)what, (void)event;
    traced++;
    return 0;
}

TEST_PY(nothing_is_traced)
{
    PyEval_SetTrace(count_traced, Py_None);
    PyEval_SetTraceAllThreads(count_traced, Py_None);
    PyEval_SetProfile(count_traced, Py_None);
    PyEval_SetProfileAllThreads(count_traced, Py_None);
    PyThreadState_EnterTracing(PyThreadState_Get());
    Py_XDECREF(PyObject_CallNoArgs((PyObject *)&PyList_Type));
    PyThreadState_LeaveTracing(PyThreadState_Get());
    EXPECT_EQ(traced, 0);
}

TEST_PY(a_thread_state_shows_its_interpreter_and_its_neighbours)
{
    PyThreadState *thread = PyThreadState_Get();
    EXPECT(thread->interp == PyInterpreterState_Get());
    PyThreadState *other = PyThreadState_New(thread->interp);
    EXPECT(other->next == thread || other->prev == thread);
    PyThreadState_Clear(other);
    PyThreadState_Delete(other);
}
