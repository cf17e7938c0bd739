/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* A graph: nodes with a growing vector of edges, kept in plain memory. */
struct vertex {
    PyObject_HEAD
    int id;
    Py_ssize_t count, room;
    PyObject **edges;
};

static int alive;

static int
vertex_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct vertex *self = (struct vertex *)op;
    for (Py_ssize_t i = 0; i < self->count; i++) {
        Py_VISIT(self->edges[i]);
    }
    return 0;
}

static int
vertex_clear(PyObject *op)
{
    struct vertex *self = (struct vertex *)op;
    PyObject **edges = self->edges;
    Py_ssize_t count = self->count;
    self->edges = NULL;
    self->count = self->room = 0;
    while (count > 0) {
        Py_DECREF(edges[--count]);
    }
    PyMem_Free(edges);
    return 0;
}

static void
vertex_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    vertex_clear(op);
    alive--;
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Vertex_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "graph.Vertex",
    .tp_basicsize = sizeof(struct vertex),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = vertex_traverse,
    .tp_clear = vertex_clear,
    .tp_dealloc = vertex_dealloc,
};

static PyObject *
new_vertex(int id)
{
    struct vertex *self = (struct vertex *)must(PyType_GenericAlloc(&Vertex_Type, 0));
    self->id = id;
    alive++;
    return (PyObject *)self;
}

static void
add_edge(PyObject *from, PyObject *to)
{
    struct vertex *self = (struct vertex *)from;
    if (self->count == self->room) {
        self->room = self->room * 2 + 2;
        PyMem_Resize(self->edges, PyObject *, (size_t)self->room);
        if (self->edges == NULL) {
            must(PyErr_NoMemory());
        }
    }
    self->edges[self->count++] = Py_NewRef(to);
}

PROGRAM("a random graph loses exactly what cannot be reached")
{
    enum { SIZE = 2000 };
    static PyObject *vertices[SIZE];
    unsigned state = 12345;
    ready(&Vertex_Type);
    for (int i = 0; i < SIZE; i++) {
        vertices[i] = new_vertex(i);
    }
    for (int i = 0; i < SIZE * 11 / 10; i++) {
        state = state * 1103515245u + 12345u;
        unsigned from = (state >> 8) % SIZE;
        state = state * 1103515245u + 12345u;
        add_edge(vertices[from], vertices[(state >> 8) % SIZE]);
    }
    trace("all held: %zd, alive %d", collect(), alive);
    for (int i = 3; i < SIZE; i++) {
        Py_CLEAR(vertices[i]);
    }
    trace("dead by count: %d", SIZE - alive);
    trace("found %zd, alive %d", collect(), alive);
    for (int i = 0; i < 3; i++) {
        Py_CLEAR(vertices[i]);
        trace("found %zd, alive %d", collect(), alive);
    }
}
