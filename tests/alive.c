/* SPDX-License-Identifier: MIT */
/* Looking for objects that outlive the interpreter, at the end of every TEST_PY.
 *
 * Py_FinalizeEx drops everything that the interpreter holds, and collects. An object that is
 * left after it has a reference too many, because of a mistake of the library or of the test.
 * Containers are found in the heap, which stays where it was, and are listed by type. Plain
 * objects are counted by the allocator of the object domain. Those of static types, which the
 * process keeps, do not count. Under tools that watch malloc themselves, only containers are
 * counted. */
#include "alive.h"

#include "harness.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../src/heap/heap.h"
#include "../src/thread/interpreter.h"

/* ---- plain objects ------------------------------------------------------------------------- */

/* Stands in front of each block; as long as malloc's alignment. */
struct __attribute__((aligned(16))) prefix {
    long counts; /* 1, or 0 for a block that the process keeps */
};

static const PyMemAllocatorDomain domains[] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM,
                                               PYMEM_DOMAIN_OBJ};
static PyMemAllocatorEx inner; /* the object domain's; all three domains use malloc */
static _Atomic long plain_blocks;

static void *
count_block(struct prefix *block)
{
    if (block == NULL) {
        return NULL;
    }
    block->counts = ouro_current.interp != &ouro_shared;
    atomic_fetch_add(&plain_blocks, block->counts);
    return block + 1;
}

static struct prefix *
uncount_block(void *memory)
{
    if (memory == NULL) {
        return NULL;
    }
    struct prefix *block = (struct prefix *)memory - 1;
    atomic_fetch_sub(&plain_blocks, block->counts);
    return block;
}

static void *
counting_malloc(void *ctx, size_t size)
{
    return count_block(inner.malloc(ctx, size + sizeof(struct prefix)));
}

static void *
counting_calloc(void *ctx, size_t count, size_t size)
{
    return count_block(inner.calloc(ctx, 1, count * size + sizeof(struct prefix)));
}

static void
counting_free(void *ctx, void *memory)
{
    inner.free(ctx, uncount_block(memory));
}

static void *
counting_realloc(void *ctx, void *memory, size_t size)
{
    if (memory == NULL) {
        return counting_malloc(ctx, size);
    }
    struct prefix *block = (struct prefix *)memory - 1;
    block = inner.realloc(ctx, block, size + sizeof(struct prefix));
    return block == NULL ? NULL : block + 1;
}

/* ---- containers ------------------------------------------------------------------------------ */

#define KINDS 16

static struct _is *interpreter;

struct survivors {
    size_t count, kinds;
    struct {
        const char *name;
        size_t count;
    } by_type[KINDS];
};

static void
count_survivor(struct survivors *survivors, const char *name)
{
    size_t i = 0;
    while (i < survivors->kinds && strcmp(survivors->by_type[i].name, name) != 0) {
        i++;
    }
    if (i < KINDS) {
        survivors->kinds = i == survivors->kinds ? i + 1 : survivors->kinds;
        survivors->by_type[i].name = name;
        survivors->by_type[i].count++;
    }
    survivors->count++;
}

static bool
look_at_block(PyObject *block, void *arg)
{
    if (block != interpreter->memory_error) {
        count_survivor(arg, Py_TYPE(block) != NULL ? Py_TYPE(block)->tp_name : "?");
    }
    return true;
}

/* ---- from beginning to end --------------------------------------------------------------------- */

void
alive_begin(void)
{
    if (UNDER_ASAN || UNDER_TSAN || OURO_CHECK || under_valgrind()) {
        return;
    }
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &inner);
    PyMemAllocatorEx counting = {inner.ctx, counting_malloc, counting_calloc,
                                 counting_realloc, counting_free};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(domains); i++) {
        PyMem_SetAllocator(domains[i], &counting);
    }
}

void
alive_note_heap(void)
{
    interpreter = ouro_current.interp;
}

size_t
alive_report(void)
{
    struct survivors survivors = {0};
    long plain = atomic_load(&plain_blocks);
    ouro_heap_each(&interpreter->heap, look_at_block, &survivors);
    for (size_t i = 0; i < survivors.kinds; i++) {
        fprintf(stderr, "alive at the end: %zu of type '%s'\n",
                survivors.by_type[i].count, survivors.by_type[i].name);
    }
    if (plain != 0) {
        fprintf(stderr, "alive at the end: %ld plain objects\n", plain);
    }
    return survivors.count + (size_t)(plain != 0);
}
