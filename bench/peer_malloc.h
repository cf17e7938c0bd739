/* SPDX-License-Identifier: MIT */
/* Peer: a plain allocator, glibc's or (BENCH_MIMALLOC) mimalloc. An object is 32 bytes: a
 * count, a type and two references, initialised as a container type's constructor does;
 * the count's end frees it. Nobody finds cycles. */
#ifndef BENCH_PEER_MALLOC_H
#define BENCH_PEER_MALLOC_H

#include "measure.h"

#include <stdlib.h>

#ifdef BENCH_MIMALLOC
#include <mimalloc.h>
#define PEER_ALLOCATE mi_malloc
#define PEER_FREE     mi_free
#else
#define PEER_ALLOCATE malloc
#define PEER_FREE     free
#endif

typedef struct pair {
    uint64_t count;
    const void *type;
    struct pair *ref[2];
} * node;

#define PEER_COLLECTS 0
#define PEER_COUNTS   0
#define PEER_STACK    0

static inline void
peer_start(void)
{
}

static inline node
peer_new(void)
{
    node self = PEER_ALLOCATE(sizeof *self);
    if (self == NULL) {
        bench_fail("no memory for an object");
    }
    self->count = 1;
    self->type = "pair";
    self->ref[0] = NULL;
    self->ref[1] = NULL;
    return self;
}

static inline void
peer_link(node from, int i, node to)
{
    to->count++;
    from->ref[i] = to;
}

static inline void
peer_drop(node n)
{
    if (--n->count == 0) {
        PEER_FREE(n);
    }
}

#endif
