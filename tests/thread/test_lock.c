/* SPDX-License-Identifier: MIT */
/* The queue of an interpreter's lock. */
#include "../harness.h"

#include <pthread.h>
#include <unistd.h>

#include "../../src/thread/lock.h"

static struct interpreter_lock lock;
static int order[8];
static int order_count;

static void
wait_until_waiting(uint32_t count)
{
    while (atomic_load(&lock.waiting) != count) {
        usleep(1000);
    }
}

static void *
acquire_once(void *arg)
{
    ouro_lock_acquire(&lock);
    order[order_count++] = *(int *)arg;
    ouro_lock_release(&lock);
    return NULL;
}

static int numbers[4] = {0, 1, 2, 3};

static void
start_waiters(pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++) {
        pthread_create(&threads[i], NULL, acquire_once, &numbers[i]);
        wait_until_waiting((uint32_t)i + 1);
    }
}

static void
join_all(pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

TEST(a_free_lock_is_taken_and_released)
{
    ouro_lock_init(&lock);
    ouro_lock_acquire(&lock);
    EXPECT(lock.held);
    ouro_lock_yield(&lock); /* no thread waits */
    EXPECT(lock.held);
    ouro_lock_release(&lock);
    EXPECT(!lock.held);
    ouro_lock_destroy(&lock);
}

TEST(waiting_threads_are_served_in_order)
{
    pthread_t threads[4];
    ouro_lock_init(&lock);
    ouro_lock_acquire(&lock);
    start_waiters(threads, 4);
    ouro_lock_release(&lock);
    join_all(threads, 4);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(order[i], i);
    }
    EXPECT_EQ(atomic_load(&lock.waiting), 0);
    ouro_lock_destroy(&lock);
}

/* The waiting threads are gone, and so are their places in the queue. */
TEST(a_queue_that_was_empty_again_is_joined_at_its_front)
{
    pthread_t thread;
    ouro_lock_init(&lock);
    for (int round = 0; round < 3; round++) {
        ouro_lock_acquire(&lock);
        REQUIRE(lock.first == NULL && lock.last == NULL);
        start_waiters(&thread, 1);
        ouro_lock_release(&lock);
        pthread_join(thread, NULL);
    }
    EXPECT_EQ(order_count, 3);
    ouro_lock_destroy(&lock);
}

TEST(a_yield_returns_after_the_first_in_the_queue_had_the_lock)
{
    pthread_t threads[2];
    ouro_lock_init(&lock);
    ouro_lock_acquire(&lock);
    start_waiters(threads, 2);
    ouro_lock_yield(&lock);
    EXPECT(lock.held);
    EXPECT_EQ(order_count, 2); /* both were ahead of us in the queue */
    ouro_lock_release(&lock);
    join_all(threads, 2);
    ouro_lock_destroy(&lock);
}

TEST(after_a_fork_nobody_waits)
{
    pthread_t threads[1];
    ouro_lock_init(&lock);
    ouro_lock_acquire(&lock);
    start_waiters(threads, 1);
    pthread_mutex_lock(&lock.mutex);
    EXPECT_SURVIVES({
        pthread_mutex_unlock(&lock.mutex);
        ouro_lock_forget_waiters(&lock, true);
        EXPECT(lock.held);
        EXPECT_EQ(atomic_load(&lock.waiting), 0);
        ouro_lock_yield(&lock);
        ouro_lock_release(&lock);
        ouro_lock_destroy(&lock);
    });
    pthread_mutex_unlock(&lock.mutex);
    ouro_lock_release(&lock);
    join_all(threads, 1);
}
