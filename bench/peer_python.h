/* SPDX-License-Identifier: MIT */
/* Peer: a container type written to CPython's page "Supporting Cyclic Garbage Collection",
 * compiled against CPython and against Ouroboros. The handlers are in peer_python.c. */
#ifndef BENCH_PEER_PYTHON_H
#define BENCH_PEER_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "measure.h"

typedef struct {
    PyObject_HEAD
    PyObject *ref[2];
} Pair;

typedef struct {
    PyObject_VAR_HEAD
    PyObject *ref[1];
} Wide;

extern PyTypeObject Pair_Type, Wide_Type;

typedef PyObject *node;

#define PEER_COLLECTS 1
#define PEER_COUNTS   1
/* CPython 3.13 and older recurse once per object when a chain dies. */
#define PEER_STACK ((size_t)8 << 30)

void peer_start(void);
void peer_no_memory(void);
node peer_new_wide(Py_ssize_t width);
long peer_collect(void);
long peer_collect_young(int generation);
void peer_freeze(void);
int peer_is_alive(node n);
long peer_objects(void);
long peer_examined(void);
long peer_deaths(void);
void peer_automatic(int sliced);
void peer_safe_point(void);
void peer_forget_cycles(void);
void peer_print_cycles(void);

static inline node
peer_new(void)
{
    Pair *self = PyObject_GC_New(Pair, &Pair_Type);
    if (self == NULL) {
        peer_no_memory();
    }
    self->ref[0] = NULL;
    self->ref[1] = NULL;
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

static inline void
peer_link(node from, int i, node to)
{
    Py_INCREF(to);
    ((Pair *)from)->ref[i] = to;
}

static inline void
peer_link_wide(node from, Py_ssize_t i, node to)
{
    Py_INCREF(to);
    ((Wide *)from)->ref[i] = to;
}

static inline node *
peer_array(size_t count)
{
    return bench_array(count, sizeof(node));
}

static inline void
peer_drop(node n)
{
    Py_DECREF(n);
}

#endif
