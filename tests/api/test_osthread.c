/* SPDX-License-Identifier: MIT */
/* Threads, locks and storage of pythread.h, and PyMutex. */
#include "../protocol.h"

#include <sched.h>
#include <stdbool.h>

struct meeting {
    PyThread_type_lock done;
    unsigned long ident;
    long count;
    PyMutex mutex;
    Py_tss_t *key;
};

static void
say_who(void *op)
{
    struct meeting *m = op;
    m->ident = PyThread_get_thread_ident();
    PyThread_release_lock(m->done); /* a lock that another thread took */
}

TEST(a_new_thread_runs_and_may_release_the_lock_of_another)
{
    struct meeting m = {.done = PyThread_allocate_lock()};
    REQUIRE_EQ(PyThread_acquire_lock(m.done, WAIT_LOCK), 1);
    unsigned long started = PyThread_start_new_thread(say_who, &m);
    REQUIRE(started != PYTHREAD_INVALID_THREAD_ID);
    EXPECT_EQ(PyThread_acquire_lock(m.done, WAIT_LOCK), 1);
    EXPECT_EQ(m.ident, started);
    EXPECT_NE(m.ident, PyThread_get_thread_ident());
    EXPECT_EQ(PyThread_get_thread_native_id(), getpid()); /* the main thread's */
    PyThread_release_lock(m.done);
    PyThread_free_lock(m.done);
}

TEST(a_held_lock_is_not_taken_and_waiting_ends)
{
    PyThread_type_lock lock = PyThread_allocate_lock();
    EXPECT_EQ(PyThread_acquire_lock(lock, NOWAIT_LOCK), 1);
    EXPECT_EQ(PyThread_acquire_lock(lock, NOWAIT_LOCK), 0);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    EXPECT_EQ(PyThread_acquire_lock_timed(lock, 20000, 0), PY_LOCK_FAILURE);
    clock_gettime(CLOCK_MONOTONIC, &after);
    EXPECT_GE((after.tv_sec - before.tv_sec) * 1000000 +
                  (after.tv_nsec - before.tv_nsec) / 1000,
              20000);
    PyThread_release_lock(lock);
    EXPECT_EQ(PyThread_acquire_lock_timed(lock, PY_TIMEOUT_MAX, 1), PY_LOCK_ACQUIRED);
    PyThread_release_lock(lock);
    PyThread_free_lock(lock);
}

static void
leave_early(void *op)
{
    struct meeting *m = op;
    PyThread_release_lock(m->done);
    PyThread_exit_thread();
}

TEST(a_thread_may_end_itself_and_has_the_stack_that_was_asked_for)
{
    struct meeting m = {.done = PyThread_allocate_lock()};
    PyThread_init_thread();
    EXPECT_EQ(PyThread_get_stacksize(), 0);
    EXPECT_EQ(PyThread_set_stacksize(1), -1);
    EXPECT_EQ(PyThread_set_stacksize(1 << 20), 0);
    EXPECT_EQ(PyThread_get_stacksize(), 1 << 20);
    PyThread_acquire_lock(m.done, WAIT_LOCK);
    PyThread_start_new_thread(leave_early, &m);
    PyThread_acquire_lock(m.done, WAIT_LOCK);
    PyThread_release_lock(m.done);
    PyThread_free_lock(m.done);
    EXPECT_EQ(PyThread_set_stacksize(0), 0);
}

/* --- storage ------------------------------------------------------------------------------- */

static void
look_into_storage(void *op)
{
    struct meeting *m = op;
    m->count = PyThread_tss_get(m->key) == NULL;
    PyThread_tss_set(m->key, m);
    PyThread_release_lock(m->done);
}

TEST(each_thread_has_a_value_of_its_own)
{
    struct meeting m = {.done = PyThread_allocate_lock(), .key = PyThread_tss_alloc()};
    EXPECT(!PyThread_tss_is_created(m.key));
    EXPECT_EQ(PyThread_tss_create(m.key), 0);
    EXPECT_EQ(PyThread_tss_create(m.key), 0);
    EXPECT(PyThread_tss_is_created(m.key));
    EXPECT_NULL(PyThread_tss_get(m.key));
    EXPECT_EQ(PyThread_tss_set(m.key, &m.ident), 0);
    PyThread_acquire_lock(m.done, WAIT_LOCK);
    PyThread_start_new_thread(look_into_storage, &m);
    PyThread_acquire_lock(m.done, WAIT_LOCK);
    EXPECT_EQ(m.count, 1);
    EXPECT(PyThread_tss_get(m.key) == &m.ident);
    PyThread_tss_delete(m.key);
    PyThread_tss_delete(m.key);
    EXPECT(!PyThread_tss_is_created(m.key));
    PyThread_tss_free(m.key);
    PyThread_tss_free(NULL);
    PyThread_release_lock(m.done);
    PyThread_free_lock(m.done);
    static Py_tss_t fixed = Py_tss_NEEDS_INIT;
    EXPECT(!PyThread_tss_is_created(&fixed));
}

TEST(keys_of_the_older_form_are_numbers)
{
    int key = PyThread_create_key(), value;
    REQUIRE(key >= 0);
    EXPECT_NULL(PyThread_get_key_value(key));
    EXPECT_EQ(PyThread_set_key_value(key, &value), 0);
    PyThread_ReInitTLS();
    EXPECT(PyThread_get_key_value(key) == &value);
    PyThread_delete_key_value(key);
    EXPECT_NULL(PyThread_get_key_value(key));
    PyThread_delete_key(key);
}

/* --- PyMutex ----------------------------------------------------------------------------------- */

static struct meeting crowd;
static PyMutex finished_mutex;
static int finished_threads;

static void
count_with_mutex(void *op)
{
    bool attach = op != NULL;
    PyGILState_STATE state = attach ? PyGILState_Ensure() : PyGILState_LOCKED;
    for (int i = 0; i < 2000; i++) {
        PyMutex_Lock(&crowd.mutex);
        long seen = crowd.count;
        if (i % 64 == 0) {
            sched_yield();
        }
        crowd.count = seen + 1;
        PyMutex_Unlock(&crowd.mutex);
    }
    if (attach) {
        PyGILState_Release(state);
    }
    PyMutex_Lock(&finished_mutex);
    finished_threads++;
    PyMutex_Unlock(&finished_mutex);
}

static bool
crowd_has_finished(void)
{
    PyMutex_Lock(&finished_mutex);
    bool finished = finished_threads == 4;
    PyMutex_Unlock(&finished_mutex);
    return finished;
}

TEST_PY(one_thread_at_a_time_has_a_mutex_and_those_that_wait_are_detached)
{
    static PyMutex zeroed = {0};
    EXPECT_EQ(sizeof(PyMutex), 1);
    EXPECT(!PyMutex_IsLocked(&zeroed));
    PyMutex_Lock(&crowd.mutex);
    EXPECT(PyMutex_IsLocked(&crowd.mutex));
    for (int i = 0; i < 4; i++) {
        PyThread_start_new_thread(count_with_mutex, i % 2 ? &crowd : NULL);
    }
    PyThreadState *thread = PyEval_SaveThread();
    usleep(20000);
    PyEval_RestoreThread(thread); /* would not return if the threads waited attached */
    EXPECT_EQ(crowd.count, 0);
    PyMutex_Unlock(&crowd.mutex);
    thread = PyEval_SaveThread();
    while (!crowd_has_finished()) {
        sched_yield();
    }
    PyEval_RestoreThread(thread);
    EXPECT_EQ(crowd.count, 8000);
    EXPECT_FATAL(PyMutex_Unlock(&crowd.mutex), "the mutex is not held");
}
