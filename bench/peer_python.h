/* SPDX-License-Identifier: MIT */
/* Peer: container types as CPython's page "Supporting Cyclic Garbage Collection" describes
 * them, compiled against CPython and against Ouroboros. Types and handlers are in peer_types.c,
 * calls of the collector in peer_python.c. */
#ifndef BENCH_PEER_PYTHON_H
#define BENCH_PEER_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "measure.h"

typedef struct {
    PyObject_HEAD
    PyObject *ref[2];
} Couple;

/* A wide object has ob_size references. A branch has three references and ob_size bytes of
 * payload. */
typedef struct {
    PyObject_VAR_HEAD
    PyObject *ref[1];
} Wide;

extern PyTypeObject Couple_Type;

typedef PyObject *node;

#define PEER_COLLECTS 1
#define PEER_COUNTS   1
#define PEER_MANUAL   0
/* CPython 3.13 and older recurse once per object when a chain dies. */
#define PEER_STACK ((size_t)8 << 30)

/* peer_types.c */
void peer_make_types_ready(void);
void peer_no_memory(void);
node peer_new_wide(Py_ssize_t width);
node peer_new_branch(Py_ssize_t payload);
node peer_new_finalized(void);
node peer_new_weak(node *weakref, int calls_back);
int peer_is_weak_dead(node weakref);
node peer_new_watched(void);
void peer_forget_weakrefs(void);
long peer_finalized(void);
long peer_callbacks(void);
void peer_count_deaths(void);
long peer_deaths(void);
int peer_is_alive(node n);

/* peer_python.c */
const char *peer_version(void);
void peer_start(void);
long peer_collect(void);
long peer_collect_young(int generation);
void peer_freeze(void);
long peer_objects(void);
long peer_examined(void);
void peer_automatic(void);
void peer_safe_point(void);
PyObject *peer_gc_callbacks(void);
void peer_record_pauses(void);
void peer_print_cycles(void);

static inline node
peer_new(void)
{
    Couple *self = PyObject_GC_New(Couple, &Couple_Type);
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
    ((Couple *)from)->ref[i] = to;
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
