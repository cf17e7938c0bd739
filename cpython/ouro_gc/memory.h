/* SPDX-License-Identifier: MIT */
/* Memory that ouro_gc takes for itself. It never comes from Python's allocators, so that
 * sys.getallocatedblocks() and tracemalloc do not see it. A test can make every request fail. A
 * request that fails only means that CPython collects without us. */
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

/* Make room for this many items, which keep their values; false if there is no memory. */
bool numbers_reserve(struct numbers *numbers, size_t room);
/* Give back room that is not used. */
void numbers_fit(struct numbers *numbers);
/* Give back room for this many items at the end. False when none is left. */
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

/* Address space that cannot be used yet. So it takes no memory, even if all memory is locked. NULL
 * if there is none. */
void *memory_reserve(size_t size);
/* A part of this address space can be used from now on, and is zero. */
bool memory_use(void *start, size_t size);
void memory_unmap(void *start, size_t size);
/* The contents become zero, and take no memory; false if memory is locked. */
bool memory_drop(void *start, size_t size);
/* Get memory for this part now, which is cheaper than a fault for each OS page. */
void memory_populate(void *start, size_t size);
#define MEMORY_PAGE 4096
/* Which pages of MEMORY_PAGE bytes take memory: one byte each. False if that is unknown. */
bool memory_resident(void *start, size_t size, unsigned char *pages);

/* For tests: the n-th request from now fails (1 is the next one), then all succeed again; 0
 * switches that off. Returns how many requests there have been since the last call. */
long memory_fail(long n);

#endif
