/* SPDX-License-Identifier: MIT */
/* The lock of an interpreter: the thread that has it is attached.
 *
 * Waiting threads stand in a queue. A release wakes the first of them, but a running thread may
 * take the lock before it. That makes it cheap to release the lock for a moment. A yield hands
 * the lock to the first thread in the queue, and the yielding thread goes to the end of the
 * queue. So a thread that yields again and again cannot starve others.
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
/* No thread holds the lock or waits for it. */
void ouro_lock_destroy(struct interpreter_lock *lock);

void ouro_lock_acquire(struct interpreter_lock *lock);
void ouro_lock_release(struct interpreter_lock *lock);

/* The caller holds the lock: hand it to the thread that has waited longest, and wait for it
 * again. Returns at once when no thread waits. */
void ouro_lock_yield(struct interpreter_lock *lock);

/* In the child of a fork, before other threads exist: the waiting threads are gone. Afterwards
 * the calling thread holds the lock if `held`, else it is free. */
void ouro_lock_forget_waiters(struct interpreter_lock *lock, bool held);

#endif
