/* SPDX-License-Identifier: MIT */
/* Hooks in CPython's allocators; allocations.h says what for. They pass every call on, with one
 * exception: freeing a container as if it had no header would damage the heap, so its memory is
 * not freed. */
#include "allocations.h"

#include <string.h>

enum { DOMAINS = 3 };
enum { HEADER_ROOM = 64 }; /* more than CPython puts before an object */

static PyMemAllocatorEx previous[DOMAINS];
static struct allocations seen;
static const char *watched;
static bool is_container, is_hooked;
static void (*before_each)(void);

/* Blocks that the hook itself allocates do not count. */
static void
call_before(const PyMemAllocatorEx *allocator)
{
    void (*hook)(void) = before_each;
    if (hook != NULL && allocator == &previous[PYMEM_DOMAIN_OBJ]) {
        before_each = NULL;
        hook();
        before_each = hook;
    }
}

static void *
count_block(void *block)
{
    seen.allocated += block != NULL;
    return block;
}

static void *
hooked_malloc(void *context, size_t size)
{
    const PyMemAllocatorEx *next = context;
    call_before(next);
    return count_block(next->malloc(next->ctx, size));
}

static void *
hooked_calloc(void *context, size_t count, size_t size)
{
    const PyMemAllocatorEx *next = context;
    call_before(next);
    return count_block(next->calloc(next->ctx, count, size));
}

static void *
hooked_realloc(void *context, void *block, size_t size)
{
    const PyMemAllocatorEx *next = context;
    return count_block(next->realloc(next->ctx, block, size));
}

static void
hooked_free(void *context, void *block)
{
    const PyMemAllocatorEx *next = context;
    const char *start = block;
    if (watched != NULL && start != NULL && start <= watched &&
        watched - start < HEADER_ROOM) {
        seen.is_freed = true;
        if (is_container && start == watched) {
            seen.is_wrongly_freed = true;
            return;
        }
    }
    next->free(next->ctx, block);
}

void
allocations_watch(PyObject *object)
{
    seen = (struct allocations){0};
    watched = (const char *)object;
    is_container = object != NULL && PyObject_IS_GC(object);
    for (int i = 0; i < DOMAINS; i++) {
        PyMemAllocatorDomain domain = (PyMemAllocatorDomain)i;
        PyMem_GetAllocator(domain, &previous[i]);
        PyMemAllocatorEx hook = {&previous[i], hooked_malloc, hooked_calloc,
                                 hooked_realloc, hooked_free};
        PyMem_SetAllocator(domain, &hook);
    }
    is_hooked = true;
}

void
allocations_call(void (*hook)(void))
{
    allocations_watch(NULL);
    before_each = hook;
}

struct allocations
allocations_end(void)
{
    before_each = NULL;
    for (int i = 0; is_hooked && i < DOMAINS; i++) {
        PyMem_SetAllocator((PyMemAllocatorDomain)i, &previous[i]);
    }
    is_hooked = false;
    watched = NULL;
    return seen;
}
