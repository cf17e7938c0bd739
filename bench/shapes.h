/* SPDX-License-Identifier: MIT */
/* The graphs that heaps are made of, as numbers. Drawing one needs no peer.
 *
 *   chain       a ring in allocation order; the second edge is random
 *   random      both edges random; objects that nothing leads to are held from outside
 *   tree        complete binary tree in address order; leaves refer to the root
 *   shuffled    the same tree, allocated in random order
 *   prepended   a list that grew at its head, held there
 *   dll-middle  a doubly linked list, held by a node in its middle
 *   dll-newest  the same, held by its newest node
 *   star        one wide object refers to all others, each refers back
 *   rings       rings of 2 to 10 objects hang on a spine
 *   mixed       objects of 32 to 1,000 bytes, chained; other edges are near or random
 *   popular     a ring; the second edge goes to one of n/1000 objects, so that about a
 *               thousand others refer to each of these */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <stdint.h>

#define NO_EDGE UINT32_MAX

struct shape {
    const char *name;
    uint32_t n;
    uint32_t *width; /* edges of each object; NULL when all have two */
    uint32_t *edge;  /* the edges of object 0, then of object 1, ... */
    uint8_t *held;   /* has a reference from outside */
};

void shape_draw(struct shape *shape, const char *name, uint32_t n);
void shape_forget(struct shape *shape);

/* How many objects are left in cycles when all references from outside are dropped and counts
 * alone have freed what they can. */
uint32_t shape_cyclic(const struct shape *shape);

#endif
