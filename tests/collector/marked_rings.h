/* SPDX-License-Identifier: MIT */
/* Rings of old objects, some of whose members the test knows. */
#ifndef OURO_TESTS_COLLECTOR_MARKED_RINGS_H
#define OURO_TESTS_COLLECTOR_MARKED_RINGS_H

#include "cycles.h"

/* With batches of eight, SMALL is proved in one piece, and LARGE under a watch if there is one. */
enum { SMALL = 100, LARGE = 600, MARKED = 5 };

/* A ring of old objects; marked[i] are some of its members, borrowed. */
static PyObject *marked[MARKED];

static inline void
make_old_ring(PyTypeObject *type, int length)
{
    PyObject *first = new_node(type, NULL), *last = first;
    for (int i = 1; i < length; i++) {
        PyObject *next = new_node(type, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
        marked[i * MARKED / length] = next;
    }
    set_a(last, first);
    Ouro_GCCollect(2);
    marked[0] = first; /* holds the caller's reference */
}

static inline void
drop_ring(void)
{
    Py_DECREF(marked[0]);
}

static inline bool
reads_as_dead(PyObject *weakref)
{
    PyObject *op = NULL;
    int found = PyWeakref_GetRef(weakref, &op);
    Py_XDECREF(op);
    return found == 0;
}

#endif
