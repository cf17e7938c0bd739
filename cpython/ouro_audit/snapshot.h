/* SPDX-License-Identifier: MIT */
/* The tracked objects of a CPython interpreter at one moment, and the visits each gets from
 * all of them together.
 *
 * A snapshot holds addresses, not references: it is true as long as no object is made or
 * destroyed. Whoever uses one keeps the collector disabled and runs no Python code
 * meanwhile but functions written in C that make no containers. */
#ifndef OURO_AUDIT_SNAPSHOT_H
#define OURO_AUDIT_SNAPSHOT_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

struct place {
    PyObject *object;  /* or NULL: empty */
    Py_ssize_t visits; /* by all tracked objects */
    Py_ssize_t held;   /* at most so often by running Python functions */
};

struct snapshot {
    struct place *places; /* a hash table; its size is a power of two */
    size_t count, size;
    bool no_memory;
};

/* Fill an empty snapshot. False with an exception. */
bool snapshot_take(struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot);

/* The place of an object, or NULL: it is not tracked, or the address is none. */
struct place *snapshot_find(const struct snapshot *snapshot, const void *address);

#endif
