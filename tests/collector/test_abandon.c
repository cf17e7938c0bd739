/* SPDX-License-Identifier: MIT */
/* A collection whose thread does not come back: it does not exist in the child of a fork,
 * and waits for ever when the interpreter has ended. */
#include "nodes.h"

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

/* Returns while another thread is inside a collection of 100 objects. */
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

/* What was found is still there or gone, but for the object that was being worked on; and
 * new garbage is collected. */
static void
expect_collections_work(size_t objects_before)
{
    Ouro_HeapUsage usage;
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

TEST(an_interpreter_ends_and_starts_when_another_thread_was_collecting,
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
        sem_post(&may_go_on); /* it waits for ever */
        Py_Initialize();
        expect_collections_work(before + 2 * (size_t)i);
    }
    EXPECT_EQ(Py_FinalizeEx(), 0);
}
