/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* A tree whose nodes refer to their children and to their parent. */
struct branch {
    PyObject_HEAD
    PyObject *parent, *children; /* children is a list */
    PyObject *weaklist;
    int depth;
};

static int alive;

static int
branch_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct branch *)op)->parent);
    Py_VISIT(((struct branch *)op)->children);
    return 0;
}

static int
branch_clear(PyObject *op)
{
    Py_CLEAR(((struct branch *)op)->parent);
    Py_CLEAR(((struct branch *)op)->children);
    return 0;
}

static void
branch_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    branch_clear(op);
    alive--;
    PyObject_GC_Del(op);
}

static PyTypeObject Branch_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tree.Branch",
    .tp_basicsize = sizeof(struct branch),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = branch_traverse,
    .tp_clear = branch_clear,
    .tp_dealloc = branch_dealloc,
    .tp_weaklistoffset = offsetof(struct branch, weaklist),
};

static PyObject *
grow(PyObject *parent, int depth)
{
    struct branch *self = PyObject_GC_New(struct branch, &Branch_Type);
    must((PyObject *)self);
    self->parent = Py_XNewRef(parent);
    self->weaklist = NULL;
    self->depth = depth;
    self->children = must(PyList_New(0));
    alive++;
    PyObject_GC_Track((PyObject *)self);
    for (int i = 0; i < 3 && depth > 0; i++) {
        PyObject *child = grow((PyObject *)self, depth - 1);
        must_be_zero(PyList_Append(self->children, child));
        Py_DECREF(child);
    }
    return (PyObject *)self;
}

PROGRAM("a tree with parents is held by any of its leaves")
{
    ready(&Branch_Type);
    PyObject *root = grow(NULL, 5);
    trace("alive %d, found %zd", alive, collect());
    struct branch *leaf = (struct branch *)root;
    while (leaf->depth > 0) {
        leaf = (struct branch *)PyList_GetItem(leaf->children, 1);
    }
    Py_INCREF(leaf);
    PyObject *weak = new_weakref(root, "root");
    Py_DECREF(root);
    trace("held by a leaf: %zd, alive %d", collect(), alive);
    Py_CLEAR(leaf->parent);
    trace("cut off: %zd, alive %d", collect(), alive);
    trace_notes("events");
    Py_DECREF(leaf);
    trace("alive %d", alive);
    Py_DECREF(weak);

    /* cutting a subtree out of a living tree */
    root = grow(NULL, 3);
    must_be_zero(PyList_SetSlice(((struct branch *)root)->children, 0, 1, NULL));
    trace("subtree: %zd, alive %d", collect(), alive);
    Py_DECREF(root);
    trace("rest: %zd, alive %d", collect(), alive);
}
