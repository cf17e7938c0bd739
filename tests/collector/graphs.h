/* SPDX-License-Identifier: MIT */
/* Graphs for cases that random graphs rarely contain: objects with any number of fields, stars
 * larger than the mark queue, lists of all shapes. */
#ifndef OURO_TESTS_COLLECTOR_GRAPHS_H
#define OURO_TESTS_COLLECTOR_GRAPHS_H

#include "nodes.h"

/* An object with any number of fields. Its deaths are counted. */
struct hub {
    PyObject_VAR_HEAD
    PyObject *items[];
};

static Py_ssize_t hub_deaths, node_deaths;

static inline int
hub_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct hub *self = (struct hub *)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static inline int
hub_clear(PyObject *op)
{
    struct hub *self = (struct hub *)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_CLEAR(self->items[i]);
    }
    return 0;
}

static inline void
hub_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    hub_clear(op);
    hub_deaths++;
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Hub = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Hub",
    .tp_basicsize = sizeof(struct hub),
    .tp_itemsize = sizeof(PyObject *),
    .tp_dealloc = hub_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = hub_traverse,
    .tp_clear = hub_clear,
    .tp_free = PyObject_GC_Del,
};

/* All fields refer to `target`, or are NULL. */
static inline PyObject *
new_hub(Py_ssize_t size, PyObject *target)
{
    REQUIRE_EQ(PyType_Ready(&Hub), 0);
    struct hub *self = PyObject_GC_NewVar(struct hub, &Hub, size);
    REQUIRE_NOT_NULL(self);
    for (Py_ssize_t i = 0; i < size; i++) {
        self->items[i] = Py_XNewRef(target);
    }
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

static inline void
count_death(struct node *self)
{
    (void)self;
    node_deaths++;
}

static inline void
begin_graph(void)
{
    baseline_quiet();
    ouro_current.interp->gc.few_pages = UINT32_MAX; /* test_few.c tests these */
    when_deallocated = count_death;
    node_deaths = hub_deaths = 0;
}

#define MANY 1150000 /* more than OURO_QUEUE_LENGTH, by enough to wrap */

/* `count` nodes, then a hub that refers to them all: every target lies behind it. */
static inline PyObject *
new_star(Py_ssize_t count)
{
    static_assert(MANY > OURO_QUEUE_LENGTH + 50000, "the queue cannot hold them");
    REQUIRE_EQ(PyType_Ready(&N), 0);
    PyObject **nodes = malloc((size_t)count * sizeof *nodes);
    REQUIRE_NOT_NULL(nodes);
    for (Py_ssize_t i = 0; i < count; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    PyObject *hub = new_hub(count, NULL);
    for (Py_ssize_t i = 0; i < count; i++) {
        ((struct hub *)hub)->items[i] = nodes[i]; /* steals */
    }
    free(nodes);
    return hub;
}

#define LENGTH 5000

enum shape {
    FORWARDS,
    PREPENDED,
    DOUBLY_LINKED,
    DOUBLY_LINKED_PREPENDED,
    SHUFFLED,
    SHAPES
};

/* A list of `length` nodes that `*head` holds. nodes[] are its members, borrowed. */
static inline PyObject *
make_list(enum shape shape, PyObject **nodes, int length)
{
    uint32_t random = 12345;
    for (int i = 0; i < length; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    for (int i = length - 1; i > 0 && shape == SHUFFLED; i--) {
        random = random * 1103515245 + 12345;
        int k = (int)((random >> 8) % (uint32_t)(i + 1));
        PyObject *other = nodes[k];
        nodes[k] = nodes[i];
        nodes[i] = other;
    }
    bool prepended = shape == PREPENDED || shape == DOUBLY_LINKED_PREPENDED;
    for (int i = 0; i < length / 2 && prepended; i++) {
        PyObject *other = nodes[length - 1 - i];
        nodes[length - 1 - i] = nodes[i];
        nodes[i] = other;
    }
    for (int i = 0; i + 1 < length; i++) {
        set_a(nodes[i], nodes[i + 1]);
        if (shape == DOUBLY_LINKED || shape == DOUBLY_LINKED_PREPENDED) {
            set_b(nodes[i + 1], nodes[i]);
        }
    }
    for (int i = 1; i < length; i++) {
        Py_DECREF(nodes[i]);
    }
    return nodes[0];
}

/* The state before the first full collection of a process. */
static inline void
forget_all_numbers(void)
{
    ouro_current.interp->gc.certificate.is_numbered = false;
}

/* Whether a full collection that finds nothing needs no marking. */
static inline bool
collection_is_a_proof(void)
{
    struct certificate *certificate = &ouro_current.interp->gc.certificate;
    certificate->rest = 0;
    EXPECT_EQ(collect(), 0);
    return certificate->failures == 0;
}

#endif
