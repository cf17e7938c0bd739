/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *saved;
static int rescues;

static void
stubborn_dealloc(PyObject *op)
{
    if (rescues++ < 2) { /* without a finalizer: by hand */
        saved = op;
        Py_SET_REFCNT(op, 1);
        note("rescued");
        return;
    }
    PyObject_GC_UnTrack(op);
    note("dead at last");
    Py_CLEAR(NODE(op)->a);
    PyObject_GC_Del(op);
}

static PyTypeObject Stubborn_Type = {NODE_SLOTS("Stubborn"), .tp_clear = node_clear};

PROGRAM("a destructor that puts the reference back")
{
    Stubborn_Type.tp_dealloc = stubborn_dealloc;
    ready(&Stubborn_Type);
    PyObject *x = new_node(&Stubborn_Type, "x");
    Py_DECREF(x);
    trace("references %zd, tracked %d", (Py_ssize_t)Py_REFCNT(saved),
          PyObject_GC_IsTracked(saved));
    Py_DECREF(saved);
    trace("references %zd", (Py_ssize_t)Py_REFCNT(saved));
    trace("found %zd", collect());
    Py_DECREF(saved);
    trace_notes("events");
}
