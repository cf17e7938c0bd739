/* SPDX-License-Identifier: MIT */
/* Threads and locks of the operating system, thread-specific storage, and PyMutex.
 *
 * These functions need no attached thread, unless they say so. */
#ifndef OURO_PY_THREAD_H
#define OURO_PY_THREAD_H

#include "lifecycle.h"

#include <pthread.h>

OURO_BEGIN_DECLS

/* --- threads ------------------------------------------------------------------------- */

#define PYTHREAD_INVALID_THREAD_ID ((unsigned long)-1)
#define PY_HAVE_THREAD_NATIVE_ID   1
#define PYTHREAD_NAME              "pthread"

/* Call func(arg) in a new thread, which is detached from everything: it needs
 * PyGILState_Ensure. Its number; or PYTHREAD_INVALID_THREAD_ID. */
PyAPI_FUNC(unsigned long) PyThread_start_new_thread(void (*func)(void *), void *arg);
/* A struct sequence as sys.thread_info has it; a new reference, or NULL with an exception. */
PyAPI_FUNC(PyObject *) PyThread_GetInfo(void);
PyAPI_FUNC(void) Py_NO_RETURN PyThread_exit_thread(void);
/* The number of the calling thread, and the number that the kernel shows. */
PyAPI_FUNC(unsigned long) PyThread_get_thread_ident(void);
PyAPI_FUNC(unsigned long) PyThread_get_thread_native_id(void);
/* Bytes of stack for new threads; 0: the system's choice. Set returns 0, or -1 when the
 * system refuses that size. */
PyAPI_FUNC(size_t) PyThread_get_stacksize(void);
PyAPI_FUNC(int) PyThread_set_stacksize(size_t size);
/* Nothing: threads need no preparation. */
PyAPI_FUNC(void) PyThread_init_thread(void);

/* --- locks ----------------------------------------------------------------------------- */

/* A lock that any thread may release. */
typedef void *PyThread_type_lock;
typedef enum PyLockStatus {
    PY_LOCK_FAILURE = 0,
    PY_LOCK_ACQUIRED = 1,
    PY_LOCK_INTR,
} PyLockStatus;
#define PY_TIMEOUT_T   long long
#define PY_TIMEOUT_MAX (LLONG_MAX / 1000)
#define WAIT_LOCK      1
#define NOWAIT_LOCK    0

/* A free lock; NULL without an exception when out of memory. */
PyAPI_FUNC(PyThread_type_lock) PyThread_allocate_lock(void);
PyAPI_FUNC(void) PyThread_free_lock(PyThread_type_lock lock);
/* 1 when the lock was taken; 0 when it is held and `waitflag` is 0. An attached thread stays
 * attached while it waits: detach first. */
PyAPI_FUNC(int) PyThread_acquire_lock(PyThread_type_lock lock, int waitflag);
/* Wait at most this many microseconds; for ever when negative. Signals do not interrupt. */
PyAPI_FUNC(PyLockStatus) PyThread_acquire_lock_timed(PyThread_type_lock lock,
                                                     PY_TIMEOUT_T microseconds,
                                                     int intr_flag);
PyAPI_FUNC(void) PyThread_release_lock(PyThread_type_lock lock);

/* --- PyMutex ------------------------------------------------------------------------------ */

/* One byte, {0} when free. A thread that has to wait is detached meanwhile. */
typedef struct PyMutex {
    uint8_t _bits; /* 1: held; 2: threads wait */
} PyMutex;

/* Wait until the mutex is free, and take it. */
PyAPI_FUNC(void) PyMutex_Lock(PyMutex *mutex);
/* Fatal when the mutex is not held. */
PyAPI_FUNC(void) PyMutex_Unlock(PyMutex *mutex);
PyAPI_FUNC(int) PyMutex_IsLocked(PyMutex *mutex);

/* --- thread-specific storage ---------------------------------------------------------------- */

typedef struct Py_tss_t {
    int _is_initialized;
    pthread_key_t _key;
} Py_tss_t;
/* clang-format off */
#define Py_tss_NEEDS_INIT {0, 0}
/* clang-format on */

/* A key on the heap, not created yet, and its end. NULL when out of memory. */
PyAPI_FUNC(Py_tss_t *) PyThread_tss_alloc(void);
PyAPI_FUNC(void) PyThread_tss_free(Py_tss_t *key);
/* 0, also when it was created already; -1 when the system has no more. Delete may be
 * repeated. */
PyAPI_FUNC(int) PyThread_tss_create(Py_tss_t *key);
PyAPI_FUNC(void) PyThread_tss_delete(Py_tss_t *key);
PyAPI_FUNC(int) PyThread_tss_is_created(Py_tss_t *key);
/* The value of the calling thread, NULL at first. Set returns 0 or -1. */
PyAPI_FUNC(int) PyThread_tss_set(Py_tss_t *key, void *value);
PyAPI_FUNC(void *) PyThread_tss_get(Py_tss_t *key);
/* The form that was used up to 3.6: keys are ints, -1 when there are no more. */
PyAPI_FUNC(int) PyThread_create_key(void);
PyAPI_FUNC(void) PyThread_delete_key(int key);
PyAPI_FUNC(int) PyThread_set_key_value(int key, void *value);
PyAPI_FUNC(void *) PyThread_get_key_value(int key);
PyAPI_FUNC(void) PyThread_delete_key_value(int key);
/* After fork: nothing to do. */
PyAPI_FUNC(void) PyThread_ReInitTLS(void);

OURO_END_DECLS

#endif
