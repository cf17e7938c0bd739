/* SPDX-License-Identifier: MIT */
/* Memory that ouro_gc takes for itself: never from Python's allocators, so that
 * sys.getallocatedblocks() and tracemalloc do not see it. Every request can be made to fail by
 * a test; a request that fails only means that CPython collects without us. */
#ifndef OURO_GC_MEMORY_H
#define OURO_GC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An array of numbers that grows. */
struct numbers {
    uint32_t *items;
    size_t count, room;
};

/* Is there room for so many items? They keep their values. */
bool numbers_reserve(struct numbers *numbers, size_t room);
/* Give back room that is not used. */
void numbers_fit(struct numbers *numbers);
/* Give back room for so many items at the end. False when none is left. */
bool numbers_shrink(struct numbers *numbers, size_t items);
void numbers_free(struct numbers *numbers);

static inline bool
numbers_append(struct numbers *numbers, uint32_t item)
{
    if (numbers->count == numbers->room &&
        !numbers_reserve(numbers, numbers->count + 1)) {
        return false;
    }
    numbers->items[numbers->count++] = item;
    return true;
}

/* Address space that cannot be used yet, and so takes no memory even where all memory is locked;
 * NULL if there is none. */
void *memory_reserve(size_t size);
/* A part of it can be used from now on, and is zero. */
bool memory_use(void *start, size_t size);
void memory_unmap(void *start, size_t size);
/* The contents become zero, and take no memory; false if memory is locked. */
bool memory_drop(void *start, size_t size);
/* Take memory for this part now: cheaper than a fault for each OS page. */
void memory_populate(void *start, size_t size);
#define MEMORY_PAGE 4096
/* Which pages of MEMORY_PAGE bytes take memory? One byte each; false if that is unknown. */
bool memory_resident(void *start, size_t size, unsigned char *pages);

/* For tests: the n-th request from now fails (1 is the next one), then all succeed again; 0
 * switches that off. Returns how many requests there have been since the last call. */
long memory_fail(long n);

#endif
