/* SPDX-License-Identifier: MIT */
/* The tracked objects of a CPython interpreter at one moment, and how often all of them together
 * visit each.
 *
 * A snapshot holds addresses, not references. It is valid as long as no object is made or
 * destroyed. So the caller keeps the collector disabled, and meanwhile calls only functions
 * written in C that make no containers. */
#ifndef OURO_AUDIT_SNAPSHOT_H
#define OURO_AUDIT_SNAPSHOT_H

#include "inspect/graph.h"

struct snapshot {
    struct ouro_graph graph;
    uint32_t *visits; /* by all tracked objects, for each node */
    uint32_t *held;   /* at most, by running Python functions, for each node */
};

/* Fill an empty snapshot. False with an exception. */
bool snapshot_take(struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);

/* The node of an object; OURO_NO_NODE if it is not tracked, or no object is at the address. */
uint32_t snapshot_find(const struct snapshot *snapshot, const void *address);

#endif
