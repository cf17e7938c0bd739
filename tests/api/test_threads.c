/* SPDX-License-Identifier: MIT */
/* Attaching, detaching and taking turns, through the public functions. tests/thread/test_lock.c
 * tests the lock itself. */
#include "../harness.h"

#include <pthread.h>
#include <unistd.h>

#include "../../src/thread/interpreter.h"

static void
run_threads(int count, void *(*function)(void *), void *arg)
{
    pthread_t threads[16];
    for (int i = 0; i < count; i++) {
        REQUIRE_EQ(pthread_create(&threads[i], NULL, function, arg), 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* ---- one thread --------------------------------------------------------------------------- */

TEST_PY(save_and_restore_detach_and_attach)
{
    PyThreadState *state = PyThreadState_Get();
    EXPECT_EQ(PyEval_SaveThread(), state);
    EXPECT_NULL(PyThreadState_GetUnchecked());
    EXPECT_EQ(PyGILState_Check(), 0);
    PyEval_RestoreThread(state);
    EXPECT_EQ(PyThreadState_Get(), state);
    Py_BEGIN_ALLOW_THREADS
    EXPECT_NULL(PyThreadState_GetUnchecked());
    Py_BLOCK_THREADS
    EXPECT_EQ(PyThreadState_Get(), state);
    Py_UNBLOCK_THREADS
    Py_END_ALLOW_THREADS
    EXPECT_EQ(PyThreadState_Get(), state);
    PyEval_ReleaseThread(state);
    PyEval_AcquireThread(state);
    PyEval_InitThreads();
}

TEST(asking_for_the_state_while_detached_is_fatal)
{
    EXPECT_FATAL(PyThreadState_Get(),
                 "PyThreadState_Get: the calling thread is not attached");
    EXPECT_FATAL(PyEval_SaveThread(), "not attached");
    EXPECT_FATAL(PyEval_RestoreThread(NULL), "NULL");
    EXPECT_FATAL(PyGILState_Ensure(), "no main interpreter");
    EXPECT_EQ(PyGILState_Check(), 0);
    EXPECT_NULL(PyThreadState_GetDict());
    EXPECT_NULL(PyGILState_GetThisThreadState());
}

TEST_PY(a_second_state_of_one_thread_has_its_own_error_and_dict)
{
    PyThreadState *first = PyThreadState_Get();
    PyObject *first_dict = PyThreadState_GetDict();
    PyErr_SetString(PyExc_ValueError, "of the first");
    PyThreadState *second = PyThreadState_New(PyInterpreterState_Get());
    REQUIRE_NOT_NULL(second);
    EXPECT_NE(PyThreadState_GetID(first), PyThreadState_GetID(second));
    EXPECT_EQ(PyThreadState_Swap(second), first);
    EXPECT_NO_ERROR();
    EXPECT_NE(PyThreadState_GetDict(), first_dict);
    PyErr_SetString(PyExc_KeyError, "of the second");
    EXPECT_EQ(PyThreadState_Swap(first), second);
    EXPECT_EQ(PyErr_Occurred(), PyExc_ValueError);
    PyErr_Clear();
    EXPECT_EQ(PyThreadState_GetDict(), first_dict);
    PyThreadState_Clear(second);
    PyThreadState_Delete(second);
    EXPECT_FATAL(PyThreadState_Delete(first), "PyThreadState_DeleteCurrent");
}

TEST_PY(delete_current_detaches)
{
    PyThreadState *first = PyThreadState_Get();
    PyThreadState_Swap(PyThreadState_New(PyInterpreterState_Get()));
    PyThreadState_Clear(PyThreadState_Get());
    PyThreadState_DeleteCurrent();
    EXPECT_NULL(PyThreadState_GetUnchecked());
    EXPECT_NULL(PyThreadState_Swap(first));
}

/* ---- PyGILState ---------------------------------------------------------------------------- */

TEST_PY(ensure_finds_the_state_of_an_attached_and_of_a_detached_thread)
{
    PyThreadState *state = PyThreadState_Get();
    PyGILState_STATE outer = PyGILState_Ensure();
    EXPECT_EQ(outer, PyGILState_LOCKED);
    EXPECT_EQ(PyThreadState_Get(), state);
    PyGILState_Release(outer);
    EXPECT_EQ(PyThreadState_Get(), state);

    PyEval_SaveThread();
    PyGILState_STATE inner = PyGILState_Ensure();
    EXPECT_EQ(inner, PyGILState_UNLOCKED);
    EXPECT_EQ(PyThreadState_Get(), state);
    EXPECT_EQ(PyGILState_GetThisThreadState(), state);
    PyGILState_Release(inner);
    EXPECT_EQ(PyGILState_Check(), 0);
    PyEval_RestoreThread(state);
}

TEST_PY(release_without_ensure_is_fatal)
{
    EXPECT_FATAL(PyGILState_Release(PyGILState_LOCKED), "PyGILState_Release");
}

TEST_PY(ensure_leaves_a_further_interpreter_and_comes_back_to_it)
{
    PyThreadState *main_state = PyThreadState_Get();
    PyInterpreterState *main_interp = PyInterpreterState_Get();
    PyThreadState *state = Py_NewInterpreter();
    PyGILState_STATE before = PyGILState_Ensure();
    EXPECT_EQ(PyInterpreterState_Get(), main_interp);
    EXPECT_EQ(PyThreadState_Get(), main_state);
    PyGILState_Release(before);
    EXPECT_EQ(PyThreadState_Get(), state);
    Py_EndInterpreter(state);
    PyThreadState_Swap(main_state);
}

static void *
ensure_nested(void *arg)
{
    PyThreadState **mine = arg;
    EXPECT_NULL(PyGILState_GetThisThreadState());
    PyGILState_STATE outer = PyGILState_Ensure();
    EXPECT_EQ(outer, PyGILState_UNLOCKED);
    *mine = PyThreadState_Get();
    PyGILState_STATE inner = PyGILState_Ensure();
    EXPECT_EQ(inner, PyGILState_LOCKED);
    PyThreadState *saved = PyEval_SaveThread();
    PyGILState_STATE third = PyGILState_Ensure();
    EXPECT_EQ(third, PyGILState_UNLOCKED);
    EXPECT_EQ(PyThreadState_Get(), *mine);
    PyGILState_Release(third);
    PyEval_RestoreThread(saved);
    PyGILState_Release(inner);
    EXPECT_EQ(PyThreadState_Get(), *mine);
    PyErr_SetString(PyExc_ValueError, "released with the state");
    PyGILState_Release(outer);
    EXPECT_EQ(PyGILState_Check(), 0);
    EXPECT_NULL(PyGILState_GetThisThreadState());
    return NULL;
}

TEST_PY(ensure_makes_a_state_for_a_new_thread_and_calls_nest)
{
    PyThreadState *mine = PyThreadState_Get();
    PyThreadState *theirs = NULL;
    Py_BEGIN_ALLOW_THREADS
    run_threads(1, ensure_nested, &theirs);
    Py_END_ALLOW_THREADS
    EXPECT_NE(theirs, mine);
    EXPECT_EQ(PyThreadState_Get(), mine);
}

/* ---- several threads ------------------------------------------------------------------------ */

static int unprotected; /* only the interpreter's lock protects it */

static void *
make_objects(void *arg)
{
    int rounds = *(int *)arg;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *list = PyList_New(0);
    for (int i = 0; i < rounds; i++) {
        PyObject *cycle = PyList_New(1);
        PyList_SetItem(cycle, 0, Py_NewRef(cycle));
        PyList_Append(list, cycle);
        Py_DECREF(cycle);
        int value = unprotected;
        if (i % 64 == 0) {
            EXPECT_EQ(PyErr_CheckSignals(), 0);
            value = unprotected;
        }
        unprotected = value + 1;
        if (i % 100 == 0) {
            Py_BEGIN_ALLOW_THREADS
            sched_yield();
            Py_END_ALLOW_THREADS
        }
    }
    EXPECT_EQ(PyList_GET_SIZE(list), rounds);
    EXPECT_NO_ERROR();
    Py_DECREF(list);
    PyGILState_Release(state);
    return NULL;
}

TEST_PY(eight_threads_allocate_without_disturbing_each_other)
{
    int rounds = UNDER_TSAN ? 1000 : 10000;
    if (getenv("OURO_STRESS") != NULL) {
        rounds = 200; /* each allocation collects */
    }
    Py_BEGIN_ALLOW_THREADS
    run_threads(8, make_objects, &rounds);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(unprotected, 8 * rounds);
}

static int turns[2];
static int turn_count;
static int changes;
static int last_turn = -1;

static void *
take_turns(void *arg)
{
    int me = *(int *)arg;
    PyGILState_STATE state = PyGILState_Ensure();
    while (turn_count < 2000) {
        turn_count++;
        turns[me]++;
        changes += last_turn != me;
        last_turn = me;
        PyErr_CheckSignals();
    }
    PyGILState_Release(state);
    return NULL;
}

TEST_PY(check_signals_lets_a_waiting_thread_run)
{
    int numbers[2] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, take_turns, &numbers[i]);
    }
    while (atomic_load(&ouro_current.interp->lock.waiting) < 2) {
        usleep(1000); /* until both wait for us */
    }
    Py_BEGIN_ALLOW_THREADS
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    Py_END_ALLOW_THREADS
    /* The threads alternate. */
    EXPECT_EQ(turns[0], 1000);
    EXPECT_EQ(turns[1], 1000);
    EXPECT_EQ(changes, 2000);
}

static void *
use_given_state(void *arg)
{
    PyEval_AcquireThread(arg);
    PyObject *list = PyList_New(10);
    Py_DECREF(list);
    PyThreadState_Clear(arg);
    PyThreadState_DeleteCurrent();
    return NULL;
}

TEST_PY(a_state_made_here_may_be_used_by_another_thread)
{
    PyThreadState *state = PyThreadState_New(PyInterpreterState_Get());
    Py_BEGIN_ALLOW_THREADS
    run_threads(1, use_given_state, state);
    Py_END_ALLOW_THREADS
}

/* ---- two interpreters in parallel ----------------------------------------------------------- */

static pthread_barrier_t both_inside;

static void *
live_in_own_interpreter(void *arg)
{
    PyEval_AcquireThread(arg);
    pthread_barrier_wait(
        &both_inside); /* reached only if each interpreter has a lock of its own */
    PyObject *list = PyList_New(0);
    for (int i = 0; i < 20000; i++) {
        PyObject *item = PyList_New(1);
        PyList_SetItem(item, 0, Py_NewRef(item));
        PyList_Append(list, item);
        Py_DECREF(item);
    }
    EXPECT_EQ(PyList_GET_SIZE(list), 20000);
    Py_DECREF(list);
    Py_EndInterpreter(arg);
    return NULL;
}

TEST_PY(two_interpreters_run_in_parallel)
{
    PyThreadState *main_state = PyThreadState_Get();
    PyThreadState *states[2];
    pthread_t threads[2];
    pthread_barrier_init(&both_inside, NULL, 2);
    for (int i = 0; i < 2; i++) {
        states[i] = Py_NewInterpreter();
        REQUIRE_NOT_NULL(states[i]);
        PyThreadState_Swap(main_state);
    }
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, live_in_own_interpreter, states[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&both_inside);
}

/* ---- the end ---------------------------------------------------------------------------------- */

static volatile bool came_back;

static void *
come_too_late(void *arg)
{
    PyGILState_Ensure();
    PyThreadState *saved = PyEval_SaveThread();
    pthread_barrier_wait(arg);
    pthread_barrier_wait(arg);
    PyEval_RestoreThread(saved);
    came_back = true;
    return NULL;
}

TEST(a_thread_that_comes_back_after_the_end_is_stopped, .no_leak_check = true)
{
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t thread;
    Py_Initialize();
    pthread_create(&thread, NULL, come_too_late, &barrier);
    Py_BEGIN_ALLOW_THREADS
    pthread_barrier_wait(&barrier);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(Py_FinalizeEx(), 0);
    Py_Initialize();
    Py_BEGIN_ALLOW_THREADS
    pthread_barrier_wait(&barrier);
    usleep(50 * 1000);
    Py_END_ALLOW_THREADS
    EXPECT(!came_back);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}
