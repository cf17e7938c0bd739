/* SPDX-License-Identifier: MIT */
/* malloc and mmap, and the switch that makes them fail; memory.h says why. */
#include "memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Thread_local long requests, failing;

static bool
may_take_memory(void)
{
    requests++;
    return failing == 0 || --failing != 0;
}

long
memory_fail(long n)
{
    long since = requests;
    requests = 0;
    failing = n;
    return since;
}

bool
numbers_reserve(struct numbers *numbers, size_t room)
{
    if (room <= numbers->room) {
        return true;
    }
    size_t larger = room + room / 4 + 1024;
    uint32_t *items =
        may_take_memory() ? realloc(numbers->items, larger * sizeof(*items)) : NULL;
    if (items == NULL) {
        return false;
    }
    numbers->items = items;
    numbers->room = larger;
    return true;
}

void
numbers_fit(struct numbers *numbers)
{
    size_t room = numbers->count + numbers->count / 16;
    if (room + room / 4 < numbers->room) {
        uint32_t *items = realloc(numbers->items, (room + 1) * sizeof(*items));
        numbers->items = items != NULL ? items : numbers->items;
        numbers->room = items != NULL ? room + 1 : numbers->room;
    }
}

bool
numbers_shrink(struct numbers *numbers, size_t items)
{
    uint32_t *kept =
        numbers->room > items
            ? realloc(numbers->items, (numbers->room - items) * sizeof(*kept))
            : NULL;
    if (kept == NULL) {
        numbers_free(numbers);
        return false;
    }
    numbers->items = kept;
    numbers->room -= items;
    return true;
}

void
numbers_free(struct numbers *numbers)
{
    free(numbers->items);
    *numbers = (struct numbers){0};
}

void *
memory_reserve(size_t size)
{
    if (!may_take_memory()) {
        return NULL;
    }
    void *start =
        mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    /* A huge OS page for a few bytes would waste memory. Core files need no shadow. */
    madvise(start, size, MADV_NOHUGEPAGE);
    madvise(start, size, MADV_DONTDUMP);
    return start;
}

bool
memory_use(void *start, size_t size)
{
    return may_take_memory() && mprotect(start, size, PROT_READ | PROT_WRITE) == 0;
}

void
memory_unmap(void *start, size_t size)
{
    if (start != NULL) {
        munmap(start, size);
    }
}

bool
memory_drop(void *start, size_t size)
{
    return madvise(start, size, MADV_DONTNEED) == 0;
}

/* Since Linux 5.14. Without it each page costs a fault. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void
memory_populate(void *start, size_t size)
{
    madvise(start, size, MADV_POPULATE_WRITE);
}

bool
memory_resident(void *start, size_t size, unsigned char *pages)
{
    return sysconf(_SC_PAGESIZE) == MEMORY_PAGE && mincore(start, size, pages) == 0;
}
