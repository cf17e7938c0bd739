/* SPDX-License-Identifier: MIT */
/* Threads of the operating system, as pythread.h has them: starting, numbering, storage. */
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "../base/fault.h"
#include "../platform/platform.h"

/* --- threads ------------------------------------------------------------------------------ */

struct thread_start {
    void (*func)(void *);
    void *arg;
};

static _Atomic size_t stack_size; /* of new threads; 0: the system's choice */

static void *
run_thread(void *op)
{
    struct thread_start start = *(struct thread_start *)op;
    free(op);
    start.func(start.arg);
    return NULL;
}

static bool
prepare_thread(pthread_attr_t *attributes)
{
    return pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED) == 0 &&
           (stack_size == 0 || pthread_attr_setstacksize(attributes, stack_size) == 0);
}

unsigned long
PyThread_start_new_thread(void (*func)(void *), void *arg)
{
    pthread_attr_t attributes;
    pthread_t thread;
    struct thread_start *start = ouro_fault() ? NULL : malloc(sizeof *start);
    if (start == NULL || pthread_attr_init(&attributes) != 0) {
        free(start);
        return PYTHREAD_INVALID_THREAD_ID;
    }
    start->func = func;
    start->arg = arg;
    bool started = prepare_thread(&attributes) &&
                   pthread_create(&thread, &attributes, run_thread, start) == 0;
    pthread_attr_destroy(&attributes);
    if (!started) {
        free(start);
        return PYTHREAD_INVALID_THREAD_ID;
    }
    return (unsigned long)thread;
}

void
PyThread_exit_thread(void)
{
    pthread_exit(NULL);
}

unsigned long
PyThread_get_thread_ident(void)
{
    return (unsigned long)pthread_self();
}

unsigned long
PyThread_get_thread_native_id(void)
{
    return ouro_platform_thread_number();
}

size_t
PyThread_get_stacksize(void)
{
    return stack_size;
}

int
PyThread_set_stacksize(size_t size)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return -1;
    }
    bool accepted = size == 0 || pthread_attr_setstacksize(&attributes, size) == 0;
    pthread_attr_destroy(&attributes);
    if (accepted) {
        stack_size = size;
    }
    return accepted ? 0 : -1;
}

void
PyThread_init_thread(void)
{
}

/* --- storage -------------------------------------------------------------------------------- */

Py_tss_t *
PyThread_tss_alloc(void)
{
    return PyMem_RawCalloc(1, sizeof(Py_tss_t));
}

void
PyThread_tss_free(Py_tss_t *key)
{
    if (key != NULL) {
        PyThread_tss_delete(key);
        PyMem_RawFree(key);
    }
}

int
PyThread_tss_create(Py_tss_t *key)
{
    if (!key->_is_initialized) {
        key->_is_initialized = pthread_key_create(&key->_key, NULL) == 0;
    }
    return key->_is_initialized ? 0 : -1;
}

void
PyThread_tss_delete(Py_tss_t *key)
{
    if (key->_is_initialized) {
        pthread_key_delete(key->_key);
        key->_is_initialized = 0;
    }
}

int
PyThread_tss_is_created(Py_tss_t *key)
{
    return key->_is_initialized;
}

int
PyThread_tss_set(Py_tss_t *key, void *value)
{
    return pthread_setspecific(key->_key, value) == 0 ? 0 : -1;
}

void *
PyThread_tss_get(Py_tss_t *key)
{
    return pthread_getspecific(key->_key);
}

int
PyThread_create_key(void)
{
    pthread_key_t key;
    return pthread_key_create(&key, NULL) == 0 ? (int)key : -1;
}

void
PyThread_delete_key(int key)
{
    pthread_key_delete((pthread_key_t)key);
}

int
PyThread_set_key_value(int key, void *value)
{
    return pthread_setspecific((pthread_key_t)key, value) == 0 ? 0 : -1;
}

void *
PyThread_get_key_value(int key)
{
    return pthread_getspecific((pthread_key_t)key);
}

void
PyThread_delete_key_value(int key)
{
    PyThread_set_key_value(key, NULL);
}

void
PyThread_ReInitTLS(void)
{
}
