/* SPDX-License-Identifier: MIT */
/* Locks that any thread may release (pythread.h), and PyMutex, a lock of one byte.
 *
 * A mutex has no room for a queue: threads that wait for any of them share one condition,
 * and look again when it is signalled. Waiting is rare, as a mutex is held for a moment. */
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "../base/check.h"
#include "../thread/thread.h"

/* --- locks --------------------------------------------------------------------------------- */

struct os_lock {
    pthread_mutex_t mutex; /* protects the rest; held for a moment only */
    pthread_cond_t freed;
    bool held;
};

/* Condition variables that measure time as PyThread_acquire_lock_timed does. */
static bool
init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
    bool done = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return done;
}

PyThread_type_lock
PyThread_allocate_lock(void)
{
    struct os_lock *lock = PyMem_RawCalloc(1, sizeof *lock);
    if (lock == NULL || !init_condition(&lock->freed)) {
        PyMem_RawFree(lock);
        return NULL;
    }
    pthread_mutex_init(&lock->mutex, NULL);
    return lock;
}

void
PyThread_free_lock(PyThread_type_lock op)
{
    struct os_lock *lock = op;
    if (lock != NULL) {
        pthread_cond_destroy(&lock->freed);
        pthread_mutex_destroy(&lock->mutex);
        PyMem_RawFree(lock);
    }
}

/* The time that is this many microseconds away; a distant one if that is beyond any clock. */
static struct timespec
moment_in(PY_TIMEOUT_T microseconds)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    PY_TIMEOUT_T nanoseconds = moment.tv_nsec + microseconds % 1000000 * 1000;
    moment.tv_sec += (time_t)(microseconds / 1000000 + nanoseconds / 1000000000);
    moment.tv_nsec = (long)(nanoseconds % 1000000000);
    return moment;
}

/* Wait until the lock is free; its mutex is held. False when time is up. */
static bool
wait_until_freed(struct os_lock *lock, PY_TIMEOUT_T microseconds)
{
    struct timespec end = moment_in(microseconds < 0 ? 0 : microseconds);
    int status = 0;
    while (lock->held && status == 0) {
        status = microseconds < 0
                     ? pthread_cond_wait(&lock->freed, &lock->mutex)
                     : pthread_cond_timedwait(&lock->freed, &lock->mutex, &end);
    }
    return !lock->held;
}

PyLockStatus
PyThread_acquire_lock_timed(PyThread_type_lock op, PY_TIMEOUT_T microseconds,
                            int Py_UNUSED(intr_flag))
{
    struct os_lock *lock = op;
    pthread_mutex_lock(&lock->mutex);
    bool taken =
        !lock->held || (microseconds != 0 && wait_until_freed(lock, microseconds));
    if (taken) {
        lock->held = true;
    }
    pthread_mutex_unlock(&lock->mutex);
    return taken ? PY_LOCK_ACQUIRED : PY_LOCK_FAILURE;
}

int
PyThread_acquire_lock(PyThread_type_lock lock, int waitflag)
{
    return PyThread_acquire_lock_timed(lock, waitflag ? -1 : 0, 0) == PY_LOCK_ACQUIRED;
}

void
PyThread_release_lock(PyThread_type_lock op)
{
    struct os_lock *lock = op;
    pthread_mutex_lock(&lock->mutex);
    lock->held = false;
    pthread_cond_signal(&lock->freed);
    pthread_mutex_unlock(&lock->mutex);
}

/* --- PyMutex --------------------------------------------------------------------------------- */

enum { MUTEX_HELD = 1, MUTEX_WAITED_FOR = 2 };

static pthread_mutex_t parking =
    PTHREAD_MUTEX_INITIALIZER; /* around waiting and waking */
static pthread_cond_t parked = PTHREAD_COND_INITIALIZER;

static bool
take_mutex(uint8_t *bits, uint8_t expected, uint8_t wanted)
{
    return __atomic_compare_exchange_n(bits, &expected, wanted, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* A thread that waited leaves the waiting mark set: others may be waiting. */
static void
wait_for_mutex(uint8_t *bits)
{
    pthread_mutex_lock(&parking);
    for (;;) {
        uint8_t seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
        if (!(seen & MUTEX_HELD)) {
            if (take_mutex(bits, seen, MUTEX_HELD | MUTEX_WAITED_FOR)) {
                break;
            }
        } else if (seen & MUTEX_WAITED_FOR ||
                   take_mutex(bits, seen, seen | MUTEX_WAITED_FOR)) {
            pthread_cond_wait(&parked, &parking);
        }
    }
    pthread_mutex_unlock(&parking);
}

void
PyMutex_Lock(PyMutex *mutex)
{
    if (take_mutex(&mutex->_bits, 0, MUTEX_HELD)) {
        return;
    }
    struct _ts *thread = ouro_is_attached() ? ouro_thread_detach() : NULL;
    wait_for_mutex(&mutex->_bits);
    if (thread != NULL) {
        ouro_thread_attach(thread);
    }
}

void
PyMutex_Unlock(PyMutex *mutex)
{
    uint8_t seen = __atomic_exchange_n(&mutex->_bits, 0, __ATOMIC_RELEASE);
    OURO_REQUIRE(seen & MUTEX_HELD, "PyMutex_Unlock: the mutex is not held");
    if (seen & MUTEX_WAITED_FOR) {
        pthread_mutex_lock(&parking);
        pthread_cond_broadcast(&parked);
        pthread_mutex_unlock(&parking);
    }
}

int
PyMutex_IsLocked(PyMutex *mutex)
{
    return __atomic_load_n(&mutex->_bits, __ATOMIC_RELAXED) & MUTEX_HELD;
}
