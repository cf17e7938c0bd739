/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* A type that keeps dead objects for later, as many extension types do. */
enum { ROOM = 3 };
static struct node *spare[ROOM];
static int spares, reused;

static void
thrifty_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (NODE(op)->weaklist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    Py_CLEAR(NODE(op)->a);
    Py_CLEAR(NODE(op)->b);
    if (spares < ROOM) {
        spare[spares++] = NODE(op);
    } else {
        PyObject_GC_Del(op);
    }
}

static PyTypeObject Thrifty_Type = {NODE_SLOTS("Thrifty"), .tp_clear = node_clear};

static PyObject *
new_thrifty(void)
{
    if (spares == 0) {
        return new_node(&Thrifty_Type, NULL);
    }
    PyObject *op = (PyObject *)spare[--spares];
    reused++;
    PyObject_Init(op, &Thrifty_Type);
    NODE(op)->weaklist = NULL;
    PyObject_GC_Track(op);
    return op;
}

PROGRAM("a type with a free list of its own")
{
    Thrifty_Type.tp_dealloc = thrifty_dealloc;
    ready(&Thrifty_Type);
    for (int round = 0; round < 4; round++) {
        PyObject *nodes[5];
        for (int i = 0; i < 5; i++) {
            nodes[i] = new_thrifty();
            set_a(nodes[i], nodes[i > 0 ? i - 1 : 0]);
        }
        PyObject *weak = new_weakref(nodes[2], "2");
        trace("tracked %d, references %zd", PyObject_GC_IsTracked(nodes[4]),
              (Py_ssize_t)Py_REFCNT(nodes[4]));
        for (int i = 0; i < 5; i++) {
            Py_DECREF(nodes[i]);
        }
        trace("found %zd, reused %d, spare %d", collect(), reused, spares);
        trace_notes("events");
        Py_DECREF(weak);
    }
    while (spares > 0) {
        PyObject_GC_Del(spare[--spares]);
    }
}
