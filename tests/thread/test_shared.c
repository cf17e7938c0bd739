/* SPDX-License-Identifier: MIT */
/* The scope in which static types are finished. */
#include "../harness.h"

#include <pthread.h>

#include "../../src/thread/interpreter.h"

TEST_PY(what_is_allocated_in_the_shared_scope_is_immortal_and_outside_the_heap)
{
    struct _is *interp = ouro_current.interp;
    ouro_shared_begin();
    EXPECT_EQ(ouro_current.interp, &ouro_shared);
    PyObject *list = PyList_New(0);
    PyObject *number = PyLong_FromLong(123456);
    ouro_shared_end();
    EXPECT_EQ(ouro_current.interp, interp);
    EXPECT(PyUnstable_IsImmortal(list));
    EXPECT(PyUnstable_IsImmortal(number));
    EXPECT(!ouro_heap_contains(&interp->heap, list));
    EXPECT_EQ(PyObject_GC_IsTracked(list), 0);
}

TEST_PY(shared_scopes_nest)
{
    struct _is *interp = ouro_current.interp;
    ouro_shared_begin();
    ouro_shared_begin();
    ouro_shared_end();
    EXPECT_EQ(ouro_current.interp, &ouro_shared);
    EXPECT_EQ(PyErr_CheckSignals(), 0); /* no safe point in here */
    ouro_shared_end();
    EXPECT_EQ(ouro_current.interp, interp);
}

TEST_PY(an_error_raised_in_the_shared_scope_reaches_the_thread)
{
    ouro_shared_begin();
    PyErr_NoMemory();
    ouro_shared_end();
    EXPECT_RAISED(PyExc_MemoryError);
    ouro_shared_begin();
    PyErr_SetString(PyExc_ValueError, "in there");
    ouro_shared_end();
    EXPECT_RAISED(PyExc_ValueError);
}

TEST_PY(leaving_the_interpreter_from_the_shared_scope_is_fatal)
{
    EXPECT_FATAL((ouro_shared_begin(), PyEval_SaveThread()), "static type");
    EXPECT_FATAL((ouro_shared_begin(), PyOS_BeforeFork()), "static type");
}

TEST(allocating_while_detached_is_fatal)
{
    EXPECT_EQ(ouro_current.interp, &ouro_nowhere);
    EXPECT_FATAL(PyList_New(0), "not attached");
}

static int inside;

static void *
come_in(void *arg)
{
    PyEval_AcquireThread(arg);
    for (int i = 0; i < 200; i++) {
        ouro_shared_begin();
        EXPECT_EQ(++inside, 1);
        PyObject *list = PyList_New(0);
        EXPECT(PyUnstable_IsImmortal(list));
        --inside;
        ouro_shared_end();
    }
    Py_EndInterpreter(arg);
    return NULL;
}

TEST_PY(one_thread_is_in_the_shared_scope_at_a_time)
{
    PyThreadState *main_state = PyThreadState_Get();
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        PyThreadState *state = Py_NewInterpreter();
        REQUIRE_NOT_NULL(state);
        PyThreadState_Swap(main_state);
        pthread_create(&threads[i], NULL, come_in, state);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
}
