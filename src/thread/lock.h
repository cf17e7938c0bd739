/* SPDX-License-Identifier: MIT */
/* The lock of an interpreter: the thread that has it is attached.
 *
 * Waiting threads stand in a queue. A release wakes the first of them, but a thread that
 * comes by just then may take the lock before it; that is cheap for a thread that lets go
 * for a moment. A yield hands the lock to the first in the queue and goes to its end, so
 * that a thread that yields again and again cannot keep others out.
 *
 *   lock.inv.queue     waiting is the length of the queue
 *   lock.inv.granted   a granted waiter is out of the queue, and `held` stays true for it */
#ifndef OURO_THREAD_LOCK_H
#define OURO_THREAD_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock_waiter;

struct interpreter_lock {
    pthread_mutex_t mutex; /* protects the rest; held for a moment only */
    bool held;
    struct lock_waiter *first, *last;
    _Atomic uint32_t waiting; /* also read without the mutex */
};

void ouro_lock_init(struct interpreter_lock *lock);
/* Nobody holds it or waits for it. */
void ouro_lock_destroy(struct interpreter_lock *lock);

void ouro_lock_acquire(struct interpreter_lock *lock);
void ouro_lock_release(struct interpreter_lock *lock);

/* Held: let the thread that has waited longest have it, and wait for it again. Returns at
 * once when nobody waits. */
void ouro_lock_yield(struct interpreter_lock *lock);

/* In the child of a fork, before other threads exist: the waiting ones are gone. Held by the
 * calling thread afterwards if `held`, else free. */
void ouro_lock_forget_waiters(struct interpreter_lock *lock, bool held);

#endif
