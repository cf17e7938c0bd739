/* SPDX-License-Identifier: MIT */
/* Observes what is allocated and freed through CPython's allocators, between two calls. For a
 * forked child. */
#ifndef OURO_AUDIT_ALLOCATIONS_H
#define OURO_AUDIT_ALLOCATIONS_H

#include <Python.h>

#include <stdbool.h>

struct allocations {
    Py_ssize_t allocated; /* blocks */
    bool is_freed;        /* the memory of the watched object */
    bool
        is_wrongly_freed; /* by a function for objects without a header; it was not freed */
};

/* Begin to watch. `object` is the object whose end is watched, or NULL. */
void allocations_watch(PyObject *object);
/* Begin to watch, and call `hook` before memory for an object is allocated. */
void allocations_call(void (*hook)(void));
struct allocations allocations_end(void);

#endif
