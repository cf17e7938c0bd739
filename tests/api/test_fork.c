/* SPDX-License-Identifier: MIT */
/* The child of a fork goes on with its own copy of the heap. */
#include "../../src/api/import.h"
#include "../collector/nodes.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void
make_garbage(int count)
{
    for (int i = 0; i < count; i++) {
        PyObject *list = PyList_New(1);
        PyList_SetItem(list, 0, Py_NewRef(list));
        Py_DECREF(list);
    }
}

/* Run `body` in a child; its exit status must be 0. */
static void
in_child(void (*body)(void))
{
    PyOS_BeforeFork();
    pid_t pid = fork();
    if (pid == 0) {
        PyOS_AfterFork_Child();
        body();
        _exit(0);
    }
    PyOS_AfterFork_Parent();
    REQUIRE(pid > 0);
    int status = -1;
    Py_BEGIN_ALLOW_THREADS
    waitpid(pid, &status, 0);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(status, 0);
}

static PyObject *kept;

static void
go_on(void)
{
    EXPECT_EQ(PyGILState_Check(), 1);
    make_garbage(5000);
    PyGC_Collect();
    EXPECT_EQ(PyList_GET_SIZE(kept), 1);
    PyThreadState *saved = PyEval_SaveThread();
    PyGILState_STATE state = PyGILState_Ensure();
    PyGILState_Release(state);
    PyEval_RestoreThread(saved);
    Py_DECREF(kept);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST_PY(the_child_goes_on_allocating_collecting_and_ending)
{
    kept = PyList_New(1);
    PyList_SetItem(kept, 0, PyList_New(0));
    in_child(go_on);
    make_garbage(5000);
    EXPECT_EQ(PyList_GET_SIZE(kept), 1);
    Py_DECREF(kept);
}

TEST_PY(a_child_that_nobody_prepared_for_works_when_no_other_thread_was_there)
{
    pid_t pid = fork();
    if (pid == 0) {
        PyOS_AfterFork();
        make_garbage(100);
        _exit(Py_FinalizeEx());
    }
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
}

static volatile bool stop_spinning;
static int spinning; /* under the interpreter's lock */

static void *
keep_busy(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyThreadState_GetDict();
    spinning++;
    while (!stop_spinning) {
        make_garbage(10);
        PyErr_CheckSignals();
    }
    PyGILState_Release(state);
    return NULL;
}

static void *
child_thread(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    make_garbage(10);
    PyGILState_Release(state);
    return NULL;
}

static void
go_on_with_threads(void)
{
    pthread_t thread;
    EXPECT_EQ(ouro_current.interp->threads, PyThreadState_Get());
    EXPECT_NULL(ouro_current.interp->threads->next);
    if (!UNDER_TSAN && !under_emulator()) { /* neither can start a thread here */
        pthread_create(&thread, NULL, child_thread, NULL);
        Py_BEGIN_ALLOW_THREADS
        pthread_join(thread, NULL);
        Py_END_ALLOW_THREADS
    }
    make_garbage(100);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST_PY(threads_of_the_parent_do_not_exist_in_the_child, .no_leak_check = true)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, keep_busy, NULL);
    }
    /* A thread that is starting may hold locks of libc or of a sanitizer. */
    while (spinning < 3) {
        PyErr_CheckSignals();
    }
    for (int i = 0; i < 20; i++) {
        PyErr_CheckSignals();
        in_child(go_on_with_threads);
    }
    stop_spinning = true;
    Py_BEGIN_ALLOW_THREADS
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    Py_END_ALLOW_THREADS
}

static PyThreadState *main_state;

static void
end_both(void)
{
    Py_EndInterpreter(PyThreadState_Get());
    EXPECT_NOT_NULL(PyInterpreterState_Main());
    PyGILState_STATE state = PyGILState_Ensure();
    make_garbage(10);
    PyGILState_Release(state);
}

TEST_PY(a_child_of_a_further_interpreter_keeps_the_main_one_if_it_was_idle)
{
    main_state = PyThreadState_Get();
    PyThreadState *state = Py_NewInterpreter();
    in_child(end_both);
    Py_EndInterpreter(state);
    PyThreadState_Swap(main_state);
}

static pthread_barrier_t busy;

/* Fork in a further interpreter, and run `body` in the child. At that moment another thread is
 * inside `function`, which works in the main interpreter and waits at the barrier twice. */
static void
fork_elsewhere(void *(*function)(void *), void *arg, void (*body)(void))
{
    main_state = PyThreadState_Get();
    PyThreadState *state = Py_NewInterpreter();
    pthread_barrier_init(&busy, NULL, 2);
    pthread_t thread;
    pthread_create(&thread, NULL, function, arg);
    pthread_barrier_wait(&busy);
    in_child(body);
    pthread_barrier_wait(&busy);
    pthread_join(thread, NULL);
    Py_EndInterpreter(state);
    PyThreadState_Swap(main_state);
}

static void *
hold_main(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    pthread_barrier_wait(&busy);
    pthread_barrier_wait(&busy);
    PyGILState_Release(state);
    return NULL;
}

static void
without_main(void)
{
    EXPECT_NULL(PyInterpreterState_Main());
    make_garbage(10);
    Py_EndInterpreter(PyThreadState_Get());
}

TEST_PY(an_interpreter_in_use_by_another_thread_is_lost_to_the_child,
        .no_leak_check = true)
{
    fork_elsewhere(hold_main, NULL, without_main);
}

static void
wait_in_finalizer(struct node *Py_UNUSED(self))
{
    Py_BEGIN_ALLOW_THREADS
    pthread_barrier_wait(&busy);
    pthread_barrier_wait(&busy);
    Py_END_ALLOW_THREADS
}

static void *
collect_main(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    baseline_quiet();
    when_finalized = wait_in_finalizer;
    drop_self_cycle(&F, NULL);
    EXPECT_EQ(collect(), 1);
    when_finalized = NULL;
    PyGILState_Release(state);
    return NULL;
}

/* Its lock is free, but the unfinished collection left its heap unusable. */
TEST_PY(an_interpreter_that_another_thread_was_collecting_is_lost_to_the_child,
        .no_leak_check = true)
{
    fork_elsewhere(collect_main, NULL, without_main);
}

/* ---- while objects are visited -------------------------------------------------------------- */

static int
wait_at_first_visit(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    Py_BEGIN_ALLOW_THREADS
    pthread_barrier_wait(&busy);
    pthread_barrier_wait(&busy);
    Py_END_ALLOW_THREADS
    return 0;
}

static int
visit_once_more(PyObject *op, void *arg)
{
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    PyUnstable_GC_VisitObjects(wait_at_first_visit, arg);
    return wait_at_first_visit(op, arg);
}

static void *
visit_main(void *visitor)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyUnstable_GC_VisitObjects((gcvisitobjects_t)visitor, NULL);
    PyGILState_Release(state);
    return NULL;
}

/* Automatic collections run, and empty pages are taken out of use. */
static void
expect_visits_have_ended(void)
{
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    EXPECT_EQ(ouro_current.interp->heap.hold.count, 0);
    Ouro_HeapUsage before, after;
    Ouro_HeapGetUsage(&before);
    make_garbage(5000);
    Ouro_HeapGetUsage(&after);
    EXPECT_LT(after.objects, before.objects + 4000);
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
}

TEST_PY(visits_of_a_thread_that_is_gone_have_ended, .no_leak_check = true)
{
    gcvisitobjects_t visitors[] = {wait_at_first_visit, visit_once_more};
    kept = PyList_New(0);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_barrier_init(&busy, NULL, 2);
        pthread_create(&thread, NULL, visit_main, (void *)visitors[i]);
        Py_BEGIN_ALLOW_THREADS
        pthread_barrier_wait(&busy);
        Py_END_ALLOW_THREADS
        in_child(expect_visits_have_ended);
        Py_BEGIN_ALLOW_THREADS
        pthread_barrier_wait(&busy);
        if (i == 1) { /* the outer visit */
            pthread_barrier_wait(&busy);
            pthread_barrier_wait(&busy);
        }
        pthread_join(thread, NULL);
        Py_END_ALLOW_THREADS
        expect_visits_have_ended();
    }
    Py_DECREF(kept);
}

static void
expect_visited_main(void)
{
    Py_EndInterpreter(PyThreadState_Get());
    PyGILState_STATE state = PyGILState_Ensure();
    expect_visits_have_ended();
    PyGILState_Release(state);
}

TEST_PY(visits_in_another_interpreter_have_ended_in_the_child, .no_leak_check = true)
{
    kept = PyList_New(0);
    fork_elsewhere(visit_main, (void *)wait_at_first_visit, expect_visited_main);
    expect_visits_have_ended();
    Py_DECREF(kept);
}

static int forks;

static void
expect_visit_goes_on(void)
{
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    EXPECT_EQ(ouro_current.interp->heap.hold.count, 1);
}

static int
fork_at_first_visit(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    in_child(expect_visit_goes_on);
    forks++;
    return 0;
}

TEST_PY(a_visit_that_forks_goes_on_in_the_child)
{
    kept = PyList_New(0);
    PyUnstable_GC_VisitObjects(fork_at_first_visit, NULL);
    EXPECT_EQ(forks, 1);
    expect_visits_have_ended();
    Py_DECREF(kept);
}

/* ---- a thread that imports ------------------------------------------------------------------ */

static void *
import_for_ever(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    ouro_import_lock(ouro_current.interp);
    spinning++;
    while (!stop_spinning) {
        PyErr_CheckSignals();
    }
    ouro_import_unlock(ouro_current.interp);
    PyGILState_Release(state);
    return NULL;
}

static void
import_something(void)
{
    alarm(20); /* in case a lock is never released */
    PyObject *module = PyImport_ImportModule("gc");
    EXPECT_NOT_NULL(module);
    Py_XDECREF(module);
}

TEST_PY(the_child_can_import_what_a_thread_that_is_gone_was_importing,
        .no_leak_check = true)
{
    pthread_t thread;
    REQUIRE_EQ(pthread_create(&thread, NULL, import_for_ever, NULL), 0);
    while (spinning == 0) {
        PyErr_CheckSignals();
    }
    in_child(import_something);
    stop_spinning = true;
    Py_BEGIN_ALLOW_THREADS
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
}

static void
import_once_more(void)
{
    EXPECT_EQ(ouro_current.interp->import_owner, PyThreadState_Get());
    ouro_import_unlock(ouro_current.interp);
    EXPECT_NULL(ouro_current.interp->import_owner);
    import_something();
}

TEST_PY(a_thread_that_forks_while_it_imports_goes_on_importing_in_the_child)
{
    ouro_import_lock(ouro_current.interp);
    in_child(import_once_more);
    ouro_import_unlock(ouro_current.interp);
}

static _Atomic bool mutex_is_held, mutex_was_released;

static void *
hold_mutex_for_a_while(void *mutex)
{
    pthread_mutex_lock(mutex);
    mutex_is_held = true;
    usleep(50 * 1000);
    mutex_was_released = true;
    pthread_mutex_unlock(mutex);
    return NULL;
}

/* Otherwise the child's copy of the lock would stay locked. */
TEST_PY(a_fork_waits_for_a_thread_that_is_inside_the_lock_of_an_interpreter)
{
    pthread_t thread;
    pthread_mutex_t *mutex = &ouro_current.interp->lock.mutex;
    REQUIRE_EQ(pthread_create(&thread, NULL, hold_mutex_for_a_while, mutex), 0);
    while (!mutex_is_held) {
        usleep(100);
    }
    PyOS_BeforeFork();
    EXPECT(mutex_was_released);
    PyOS_AfterFork_Parent();
    pthread_join(thread, NULL);
}
