/* SPDX-License-Identifier: MIT */
/* Containers with more references than a slice looks at. */
#ifndef OURO_TESTS_COLLECTOR_VECTORS_H
#define OURO_TESTS_COLLECTOR_VECTORS_H

#include "cycles.h"

#include <math.h>

#define LARGE 100000

/* Step until the cycle is over. One slice visits a bounded number of references, so there must be
 * many slices. */
static inline void
expect_many_slices(void)
{
    Py_ssize_t slices = cycle_stats().slices;
    start_cycle();
    finish_cycle();
    EXPECT_GT(cycle_stats().slices, slices + 2 * LARGE / 4096);
}

struct vector {
    PyObject_VAR_HEAD
    PyObject *items[];
};

static int vector_visits;

static inline int
vector_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct vector *self = (struct vector *)op;
    vector_visits++;
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static inline int
vector_clear(PyObject *op)
{
    struct vector *self = (struct vector *)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_CLEAR(self->items[i]);
    }
    return 0;
}

static inline void
vector_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    vector_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject vector_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "parts.Vector",
    .tp_basicsize = sizeof(struct vector),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = vector_traverse,
    .tp_clear = vector_clear,
    .tp_dealloc = vector_dealloc,
};

static inline struct vector *
new_vector(Py_ssize_t size)
{
    REQUIRE_EQ(PyType_Ready(&vector_type), 0);
    struct vector *self = PyObject_GC_NewVar(struct vector, &vector_type, size);
    REQUIRE_NOT_NULL(self);
    memset(self->items, 0, (size_t)size * sizeof *self->items);
    PyObject_GC_Track((PyObject *)self);
    return self;
}

static inline int
count_visit(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    vector_visits++;
    return 0;
}

#endif
