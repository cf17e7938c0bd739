/* SPDX-License-Identifier: MIT */
/* The queue behind an interpreter's lock; see lock.h. */
#include "lock.h"

#include "../base/check.h"

/* Lives on the stack of the thread that waits. */
struct lock_waiter {
    pthread_cond_t wake;
    bool granted; /* the lock was handed to this thread */
    struct lock_waiter *next;
};

void
ouro_lock_init(struct interpreter_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
    lock->held = false;
    lock->first = lock->last = NULL;
    atomic_init(&lock->waiting, 0);
}

void
ouro_lock_destroy(struct interpreter_lock *lock)
{
    OURO_ASSERT(!lock->held && lock->first == NULL);
    pthread_mutex_destroy(&lock->mutex);
}

static void
enter_queue(struct interpreter_lock *lock, struct lock_waiter *waiter)
{
    waiter->next = NULL;
    if (lock->last != NULL) {
        lock->last->next = waiter;
    } else {
        lock->first = waiter;
    }
    lock->last = waiter;
    atomic_fetch_add_explicit(&lock->waiting, 1, memory_order_relaxed);
}

static struct lock_waiter *
leave_queue(struct interpreter_lock *lock)
{
    struct lock_waiter *waiter = lock->first;
    lock->first = waiter->next;
    if (lock->first == NULL) {
        lock->last = NULL;
    }
    atomic_fetch_sub_explicit(&lock->waiting, 1, memory_order_relaxed);
    return waiter;
}

/* Wait at the end of the queue; lock->mutex is held. Afterwards the lock is ours. */
static void
wait_in_queue(struct interpreter_lock *lock)
{
    struct lock_waiter self = {.granted = false};
    pthread_cond_init(&self.wake, NULL);
    enter_queue(lock, &self);
    while (!self.granted && (lock->held || lock->first != &self)) {
        pthread_cond_wait(&self.wake, &lock->mutex);
    }
    if (!self.granted) {
        leave_queue(lock);
        lock->held = true;
    }
    pthread_cond_destroy(&self.wake);
}

void
ouro_lock_acquire(struct interpreter_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    if (lock->held) {
        wait_in_queue(lock);
    } else {
        lock->held = true;
    }
    pthread_mutex_unlock(&lock->mutex);
}

void
ouro_lock_release(struct interpreter_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    OURO_ASSERT(lock->held);
    lock->held = false;
    if (lock->first != NULL) {
        pthread_cond_signal(&lock->first->wake);
    }
    pthread_mutex_unlock(&lock->mutex);
}

void
ouro_lock_yield(struct interpreter_lock *lock)
{
    if (atomic_load_explicit(&lock->waiting, memory_order_relaxed) == 0) {
        return;
    }
    pthread_mutex_lock(&lock->mutex);
    OURO_ASSERT(lock->held);
    if (lock->first != NULL) {
        struct lock_waiter *next = leave_queue(lock);
        next->granted = true;
        pthread_cond_signal(&next->wake);
        wait_in_queue(lock);
    }
    pthread_mutex_unlock(&lock->mutex);
}

void
ouro_lock_forget_waiters(struct interpreter_lock *lock, bool held)
{
    lock->held = held;
    lock->first = lock->last = NULL;
    atomic_store_explicit(&lock->waiting, 0, memory_order_relaxed);
}
