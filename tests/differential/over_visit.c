/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int
greedy_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(NODE(op)->a);
    Py_VISIT(NODE(op)->b);
    Py_VISIT(NODE(op)->b);
    Py_VISIT(NODE(op)->b);
    return 0;
}

static PyTypeObject Greedy_Type = {NODE_SLOTS("Greedy"), .tp_clear = node_clear};

static bool y_cleared;

static void
remember(struct node *self)
{
    (void)self;
    y_cleared = true;
}

PROGRAM("visiting too often clears what is still referred to, without a crash")
{
    Greedy_Type.tp_traverse = greedy_traverse;
    ready(&Greedy_Type);
    PyObject *x = new_node(&Greedy_Type, "x"), *y = N("y");
    PyObject *second = Py_NewRef(y);
    NODE(y)->when_cleared = remember;
    set_a(y, Py_None);
    set_a(x, x);
    set_b(x, y);
    Py_DECREF(x);
    trace("found: %zd", collect());
    trace("y was cleared: %d, a is %s", y_cleared, NODE(y)->a == NULL ? "NULL" : "there");
    trace("y has %zd references, tracked %d", (Py_ssize_t)Py_REFCNT(y),
          PyObject_GC_IsTracked(y));
    trace_notes("dead");
    Py_DECREF(second);
    Py_DECREF(y);
    trace_notes("dropped");
}
