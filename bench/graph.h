/* SPDX-License-Identifier: MIT */
/* A shape made of a peer's objects. */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include "measure.h"
#include "peer.h"
#include "shapes.h"

struct graph {
    node *all;  /* every object, in allocation order; not owned */
    node *held; /* the references from outside; owned */
    uint32_t n, n_held;
};

/* `make` makes the objects with two references: peer_new, or another function of the peer. */
void graph_build(struct graph *graph, const struct shape *shape, node (*make)(void));
/* Drop the references from outside. Objects in cycles stay. */
void graph_drop(struct graph *graph);
/* bench_fail unless every object is alive. */
void graph_check_alive(const struct graph *graph);

/* A collection, timed into `samples`; bench_fail unless it found `expected` objects. */
void graph_collect(struct samples *samples, uint32_t expected);

#endif
