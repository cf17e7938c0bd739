/* SPDX-License-Identifier: MIT */
/* Peer: a plain allocator, glibc's or (BENCH_MIMALLOC) mimalloc. An object has a count, a type
 * and its references; with two references it takes 32 bytes. It is initialised as the
 * constructor of a container type does, and freed when its count becomes 0. Nothing finds
 * cycles: workloads that make cycles know which objects are dead, and free them. */
#ifndef BENCH_PEER_MALLOC_H
#define BENCH_PEER_MALLOC_H

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_MIMALLOC
#include <mimalloc.h>
#define PEER_ALLOCATE mi_malloc
#define PEER_FREE     mi_free
#else
#include <gnu/libc-version.h>
#define PEER_ALLOCATE malloc
#define PEER_FREE     free
#endif

typedef struct pair {
    uint64_t count;
    const void *type;
    struct pair *ref[];
} * node;

#define PEER_COLLECTS 0
#define PEER_COUNTS   0
#define PEER_MANUAL   1
#define PEER_STACK    0

static inline const char *
peer_version(void)
{
#ifdef BENCH_MIMALLOC
    static char text[32];
    int version = mi_version();
    snprintf(text, sizeof text, "%d.%d.%d", version / 100, version / 10 % 10,
             version % 10);
    return text;
#else
    return gnu_get_libc_version();
#endif
}

static inline void
peer_start(void)
{
}

static inline node
peer_new_bytes(size_t size)
{
    node self = PEER_ALLOCATE(size);
    if (self == NULL) {
        bench_fail("no memory for an object");
    }
    self->count = 1;
    self->type = "pair";
    return self;
}

static inline node
peer_new(void)
{
    node self = peer_new_bytes(sizeof *self + 2 * sizeof(node));
    self->ref[0] = NULL;
    self->ref[1] = NULL;
    return self;
}

static inline node
peer_new_branch(size_t payload)
{
    node self = peer_new_bytes(sizeof *self + 3 * sizeof(node) + payload);
    self->ref[0] = self->ref[1] = self->ref[2] = NULL;
    memset(self->ref + 3, 1, payload);
    return self;
}

static inline node
peer_new_wide(size_t width)
{
    node self = peer_new_bytes(sizeof *self + width * sizeof(node));
    memset(self->ref, 0, width * sizeof(node));
    return self;
}

static inline void
peer_link(node from, int i, node to)
{
    to->count++;
    from->ref[i] = to;
}

static inline void
peer_link_wide(node from, size_t i, node to)
{
    peer_link(from, (int)i, to);
}

static inline node
peer_ref(node n, int i)
{
    return n->ref[i];
}

static inline void
peer_free(node n)
{
    PEER_FREE(n);
}

static inline void
peer_drop(node n)
{
    if (--n->count == 0) {
        PEER_FREE(n);
    }
}

static inline node *
peer_array(size_t count)
{
    return bench_array(count, sizeof(node));
}

static inline long
peer_collect(void)
{
    return -1;
}

static inline void
peer_automatic(void)
{
}

static inline void
peer_safe_point(void)
{
}

static inline void
peer_count_deaths(void)
{
}

static inline long
peer_deaths(void)
{
    return 0;
}

static inline int
peer_is_alive(node n)
{
    return n->count > 0;
}

#endif
