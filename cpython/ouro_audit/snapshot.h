/* SPDX-License-Identifier: MIT */
/* The tracked objects of a CPython interpreter at one moment, and the visits each gets from
 * all of them together.
 *
 * A snapshot holds addresses, not references: it is true as long as no object is made or
 * destroyed. Whoever uses one keeps the collector disabled and runs no Python code
 * meanwhile but functions written in C that make no containers. */
#ifndef OURO_AUDIT_SNAPSHOT_H
#define OURO_AUDIT_SNAPSHOT_H

#include "inspect/graph.h"

struct snapshot {
    struct ouro_graph graph;
    uint32_t *visits; /* by all tracked objects; by node */
    uint32_t *held;   /* at most so often by running Python functions; by node */
};

/* Fill an empty snapshot. False with an exception. */
bool snapshot_take(struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);

/* The node of an object; OURO_NO_NODE when it is not tracked, or the address is none. */
uint32_t snapshot_find(const struct snapshot *snapshot, const void *address);

#endif
