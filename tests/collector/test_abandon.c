/* SPDX-License-Identifier: MIT */
/* A collection whose thread never continues. In the child of a fork the thread does not exist.
 * When the interpreter has ended, the thread waits forever. */
#include "nodes.h"

#include "../../src/collector/cycle.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t is_inside, may_go_on;

/* Let the other thread run, once. */
static void
stop_here(struct node *self)
{
    (void)self;
    when_finalized = when_cleared = when_deallocated = NULL;
    Py_BEGIN_ALLOW_THREADS
    sem_post(&is_inside);
    sem_wait(&may_go_on);
    Py_END_ALLOW_THREADS
}

static void *
collect_on_thread(void *arg)
{
    (void)arg;
    PyGILState_STATE state = PyGILState_Ensure();
    PyGC_Disable();
    for (int i = 0; i < 100; i++) {
        drop_self_cycle(&F, NULL);
    }
    EXPECT_EQ(Ouro_GCCollect(2), 100);
    PyGILState_Release(state);
    return NULL;
}

/* When this returns, another thread is inside a collection of 100 objects. */
static pthread_t
start_collection(void)
{
    pthread_t thread;
    sem_init(&is_inside, 0, 0);
    sem_init(&may_go_on, 0, 0);
    Py_BEGIN_ALLOW_THREADS
    pthread_create(&thread, NULL, collect_on_thread, NULL);
    sem_wait(&is_inside);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(Ouro_GCCollect(2), 0); /* one is running */
    return thread;
}

/* Every object that was found still exists or is gone, except the one that was being worked on.
 * New garbage is collected. */
static void
expect_collections_work(size_t objects_before)
{
    Ouro_HeapUsage usage;
    /* The candidates are in a generation again, where slices find them, too. */
    EXPECT_EQ(ouro_current.interp->heap.sets.pages[OURO_CANDIDATES], 0);
    PyGC_Disable();
    Ouro_GCCollect(2);
    Ouro_HeapGetUsage(&usage);
    EXPECT_LE(usage.objects, objects_before + 2);
    drop_self_cycle(&F, NULL);
    EXPECT_EQ(Ouro_GCCollect(2), 1);
}

static size_t
objects_now(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return usage.objects;
}

static void
fork_during_collection(void)
{
    size_t before = objects_now();
    pthread_t thread = start_collection();
    PyOS_BeforeFork();
    pid_t pid = fork();
    if (pid == 0) {
        PyOS_AfterFork_Child();
        expect_collections_work(before);
        EXPECT_EQ(Py_FinalizeEx(), 0);
        _exit(0);
    }
    PyOS_AfterFork_Parent();
    REQUIRE(pid > 0);
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
    sem_post(&may_go_on);
    Py_BEGIN_ALLOW_THREADS
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
}

TEST_PY(the_child_collects_when_another_thread_was_collecting, .no_leak_check = true)
{
    baseline();
    when_finalized = stop_here;
    fork_during_collection();
    when_cleared = stop_here;
    fork_during_collection();
    when_deallocated = stop_here;
    fork_during_collection();
}

TEST(an_interpreter_ends_and_starts_when_another_thread_was_collecting, .mistakes = true,
     .no_leak_check = true)
{
    node_hook *hooks[] = {&when_finalized, &when_cleared, &when_deallocated};
    Py_Initialize();
    baseline();
    size_t before = objects_now();
    for (int i = 0; i < 3; i++) {
        *hooks[i] = stop_here;
        start_collection();
        EXPECT_EQ(Py_FinalizeEx(), 0);
        sem_post(&may_go_on); /* the thread waits forever */
        Py_Initialize();
        expect_collections_work(before + 2 * (size_t)i);
    }
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* ---- by the thread itself ------------------------------------------------------------------ */

static void
fork_here(struct node *Py_UNUSED(self))
{
    when_finalized = NULL;
    PyOS_BeforeFork();
    pid_t pid = fork();
    if (pid == 0) {
        PyOS_AfterFork_Child(); /* and go on with the collection */
        note_event("child");
        return;
    }
    PyOS_AfterFork_Parent();
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_PY(a_child_forked_by_a_finalizer_finishes_the_collection)
{
    baseline_quiet();
    for (int i = 0; i < 10; i++) {
        drop_self_cycle(&F, NULL);
    }
    when_finalized = fork_here;
    EXPECT_EQ(collect(), 10);
    drop_self_cycle(&F, NULL);
    EXPECT_EQ(collect(), 1);
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    if (count_events("child") == 1) {
        _exit(test_failures() == 0 ? 0 : 1);
    }
}

/* ---- before the candidates are gathered, and in a slice ------------------------------------ */

static PyObject *
stop_in_callback(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    PyList_SetSlice(Ouro_GCCallbacks(), 0, 1, NULL);
    stop_here(NULL);
    return Py_NewRef(Py_None);
}

static PyMethodDef stop_method = {"stop", stop_in_callback, METH_VARARGS, NULL};

TEST_PY(the_child_collects_when_another_thread_was_told_of_a_collection,
        .no_leak_check = true)
{
    baseline();
    PyObject *callback = PyCFunction_New(&stop_method, NULL);
    PyList_Append(Ouro_GCCallbacks(), callback);
    Py_DECREF(callback);
    fork_during_collection();
}

/* A cycle destroys a ring of old garbage: in one piece if the ring has finalizers, otherwise in
 * slices. */
static PyTypeObject *ring_type;

static void *
run_cycle_on_thread(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyGC_Disable();
    Ouro_GCSetPauseBudget(1000);
    ouro_current.interp->gc.slices.batch = 8;
    PyObject *first = new_node(ring_type, NULL), *last = first;
    for (int i = 1; i < 100; i++) {
        PyObject *next = new_node(ring_type, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_NULL(ouro_current.interp->gc.cycle);
    PyGILState_Release(state);
    return NULL;
}

static void
fork_during_slice(node_hook *hook, PyTypeObject *type)
{
    size_t before = objects_now();
    pthread_t thread;
    sem_init(&is_inside, 0, 0);
    sem_init(&may_go_on, 0, 0);
    *hook = stop_here;
    ring_type = type;
    Py_BEGIN_ALLOW_THREADS
    pthread_create(&thread, NULL, run_cycle_on_thread, NULL);
    sem_wait(&is_inside);
    Py_END_ALLOW_THREADS
    PyOS_BeforeFork();
    pid_t pid = fork();
    if (pid == 0) {
        PyOS_AfterFork_Child();
        EXPECT_NULL(ouro_current.interp->gc.cycle);
        EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
        expect_collections_work(before + 100); /* one of the ring was held */
        _exit(0);
    }
    PyOS_AfterFork_Parent();
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
    sem_post(&may_go_on);
    Py_BEGIN_ALLOW_THREADS
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
    expect_collections_work(before);
}

TEST_PY(the_child_collects_when_another_thread_was_in_a_slice, .no_leak_check = true)
{
    baseline();
    fork_during_slice(&when_finalized, &F);
    fork_during_slice(&when_cleared, &N);
    fork_during_slice(&when_deallocated, &N);
}

/* ---- weak references that wait to be called ------------------------------------------------- */

enum { WAITING = 3 };
static PyObject *waiting[WAITING];

static void
stop_in_weakref_callback(PyObject *weakref)
{
    (void)weakref;
    when_called = NULL;
    stop_here(NULL);
}

/* A cycle on this thread stops in the first of some callbacks. */
static void *
call_back_on_thread(void *Py_UNUSED(arg))
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyGC_Disable();
    Ouro_GCSetPauseBudget(1000);
    ouro_current.interp->gc.slices.batch = 8;
    PyObject *first = new_node(&N, NULL), *last = first;
    for (int i = 1; i < 100; i++) {
        PyObject *next = new_node(&N, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    for (int i = 0; i < WAITING; i++) {
        waiting[i] = new_weakref(first, "w");
    }
    Ouro_GCCollect(2);
    Py_DECREF(first);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    when_called = stop_in_weakref_callback;
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_NULL(ouro_current.interp->gc.cycle);
    PyGILState_Release(state);
    return NULL;
}

/* One reference of each is ours. The callback that was running also holds its own. */
static void
expect_calls_are_given_up(void)
{
    EXPECT_EQ(count_events("callback w"), 1);
    int running = 0;
    for (int i = 0; i < WAITING; i++) {
        EXPECT_EQ(PyWeakref_IsDead(waiting[i]), 1);
        running += Py_REFCNT(waiting[i]) > 1;
    }
    EXPECT_EQ(running, 1);
    Ouro_GCCollect(2);
    EXPECT_EQ(count_events("callback w"), 1);
}

TEST_PY(callbacks_that_wait_when_a_slice_is_abandoned_are_not_called,
        .no_leak_check = true)
{
    pthread_t thread;
    baseline();
    size_t before = objects_now();
    sem_init(&is_inside, 0, 0);
    sem_init(&may_go_on, 0, 0);
    Py_BEGIN_ALLOW_THREADS
    pthread_create(&thread, NULL, call_back_on_thread, NULL);
    sem_wait(&is_inside);
    Py_END_ALLOW_THREADS
    PyOS_BeforeFork();
    pid_t pid = fork();
    if (pid == 0) {
        PyOS_AfterFork_Child();
        EXPECT_NULL(ouro_current.interp->gc.cycle);
        expect_calls_are_given_up();
        expect_collections_work(before + 100);
        _exit(test_failures() == 0 ? 0 : 1);
    }
    PyOS_AfterFork_Parent();
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
    sem_post(&may_go_on);
    Py_BEGIN_ALLOW_THREADS
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(count_events("callback w"), WAITING); /* the parent calls all */
    for (int i = 0; i < WAITING; i++) {
        EXPECT_EQ(Py_REFCNT(waiting[i]), 1);
        Py_CLEAR(waiting[i]);
    }
}

/* ---- when all is done -------------------------------------------------------------------------- */

/* The callback of the end of a cycle lets the other thread run. */
static PyObject *
stop_at_end(PyObject *Py_UNUSED(self), PyObject *args)
{
    const char *phase;
    PyObject *info;
    if (!PyArg_ParseTuple(args, "sO", &phase, &info)) {
        return NULL;
    }
    if (strcmp(phase, "stop") == 0 && ouro_current.interp->gc.cycle != NULL &&
        ouro_current.interp->gc.cycle->phase == CYCLE_DONE) {
        PyList_SetSlice(Ouro_GCCallbacks(), 0, 1, NULL);
        stop_here(NULL);
    }
    return Py_NewRef(Py_None);
}

static PyMethodDef stop_at_end_method = {"stop_at_end", stop_at_end, METH_VARARGS, NULL};

TEST_PY(the_child_collects_when_another_thread_was_told_of_the_end_of_a_cycle,
        .no_leak_check = true)
{
    node_hook none = NULL;
    baseline();
    PyObject *callback = PyCFunction_New(&stop_at_end_method, NULL);
    PyList_Append(Ouro_GCCallbacks(), callback);
    Py_DECREF(callback);
    fork_during_slice(&none, &N);
}

/* Otherwise the next collection that is abandoned in a slice would release pages that are not
 * held. */
TEST_PY(a_collection_that_ended_holds_no_pages)
{
    const struct _is *interp = ouro_current.interp;
    drop_self_cycle(&F, NULL);
    EXPECT_EQ(Ouro_GCCollect(2), 1);
    EXPECT(!interp->gc.running.holds);
    EXPECT_EQ(interp->heap.hold.count, 0);
}
