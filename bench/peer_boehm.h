/* SPDX-License-Identifier: MIT */
/* Peer: the Boehm-Demers-Weiser collector with one marker. An object has the same 32 bytes,
 * which are scanned conservatively. Payload is a block of its own, which is not scanned. Objects
 * have no counts, no destructors and no generations here. The collector sweeps lazily, so the
 * time of a collection of garbage does not include the sweep. */
#ifndef BENCH_PEER_BOEHM_H
#define BENCH_PEER_BOEHM_H

#include "measure.h"

#include <gc.h>
#include <stdio.h>
#include <string.h>

typedef struct pair {
    void *head[2];
    struct pair *ref[];
} * node;

#define PEER_COLLECTS 1
#define PEER_COUNTS   0
#define PEER_MANUAL   0
#define PEER_STACK    0

static inline const char *
peer_version(void)
{
    static char text[32];
    unsigned version = GC_get_version();
    snprintf(text, sizeof text, "%u.%u.%u", version >> 16, version >> 8 & 255,
             version & 255);
    return text;
}

static inline void
peer_start(void)
{
    GC_INIT();
    GC_disable();
}

static inline node
peer_new(void)
{
    node self = GC_MALLOC(sizeof *self + 2 * sizeof(node));
    if (self == NULL) {
        bench_fail("no memory for an object");
    }
    return self;
}

static inline void
peer_link(node from, int i, node to)
{
    from->ref[i] = to;
}

static inline void
peer_drop(node n)
{
    (void)n;
}

static inline node *
peer_array(size_t count)
{
    return GC_MALLOC_UNCOLLECTABLE(count * sizeof(node) + 1);
}

static inline node
peer_new_wide(size_t width)
{
    return GC_MALLOC(sizeof(struct pair) + width * sizeof(node));
}

static inline node
peer_new_branch(size_t payload)
{
    node self = GC_MALLOC(sizeof *self + 4 * sizeof(node));
    void *load = payload > 0 ? GC_MALLOC_ATOMIC(payload) : NULL;
    if (self == NULL || (load == NULL && payload > 0)) {
        bench_fail("no memory for an object");
    }
    if (payload > 0) {
        memset(load, 1, payload);
        self->ref[3] = load;
    }
    return self;
}

static inline void
peer_link_wide(node from, size_t i, node to)
{
    from->ref[i] = to;
}

static inline long
peer_collect(void)
{
    GC_enable();
    GC_gcollect();
    GC_disable();
    return -1;
}

static inline int
peer_is_alive(node n)
{
    return GC_is_heap_ptr(n);
}

static inline long
peer_examined(void)
{
    return -1;
}

static inline void
peer_automatic(void)
{
    GC_enable();
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

#endif
