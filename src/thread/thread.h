/* SPDX-License-Identifier: MIT */
/* Thread states: making them, attaching and detaching the calling thread.
 *
 * A thread state belongs to one interpreter and to whichever thread attaches to it. The
 * lists of states and of interpreters are protected by the registry lock of
 * registry.c; what a state holds, by its interpreter's lock. */
#ifndef OURO_THREAD_THREAD_H
#define OURO_THREAD_THREAD_H

#include "interpreter.h"

/* A new state, detached; NULL when out of memory. Any thread, attached or not. */
struct _ts *ouro_thread_new(struct _is *interp);
/* Forget and free a state that no thread is attached to; it holds no objects any more. */
void ouro_thread_free(struct _ts *thread);
/* Forget a state whose thread may still come back to it, and keep its memory: attaching
 * to it blocks for ever. */
void ouro_thread_orphan(struct _ts *thread);
/* The state with this id, if it is one of `interp`'s; else NULL. */
struct _ts *ouro_thread_find(struct _is *interp, uint64_t id);

/* Wait for the lock of the state's interpreter. The calling thread is detached. Never
 * returns when the interpreter is ending in another thread. */
void ouro_thread_attach(struct _ts *thread);
/* Release the lock; returns the state that was current. */
struct _ts *ouro_thread_detach(void);

/* The state that the calling thread is attached to; fatal, naming `function`, when it is
 * attached to none. */
struct _ts *ouro_thread_required(const char *function);

/* True when less stack is left than a destructor or a recursive call may need. */
static inline bool
ouro_stack_is_low(void)
{
    return (char *)__builtin_frame_address(0) < ouro_current.stack_low;
}

/* --- the pending exception ------------------------------------------------------------ */

/* Take the pending exception away; a new reference, or NULL. The calling thread is attached. */
static inline PyObject *
ouro_error_take(void)
{
    PyObject *exc = ouro_current.thread->error;
    ouro_current.thread->error = NULL;
    return exc;
}

/* Put an exception back, or NULL for none; takes the reference over. */
static inline void
ouro_error_restore(PyObject *exc)
{
    PyObject *old = ouro_current.thread->error;
    ouro_current.thread->error = exc;
    Py_XDECREF(old);
}

#endif
