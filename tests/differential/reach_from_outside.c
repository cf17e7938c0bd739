/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *global;

struct plain {
    PyObject_HEAD
    PyObject *held;
};

static void
plain_dealloc(PyObject *op)
{
    Py_CLEAR(((struct plain *)op)->held);
    PyObject_Free(op);
}

static PyTypeObject Plain_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Plain",
    .tp_basicsize = sizeof(struct plain),
    .tp_dealloc = plain_dealloc,
};

static int
forgetful_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(NODE(op)->b); /* but not a */
    return 0;
}

static PyTypeObject Forgetful_Type = {NODE_SLOTS("Forgetful"), .tp_clear = node_clear};
static PyTypeObject ForgetfulTraverse_Type = {NODE_SLOTS("ForgetfulTraverse")};

PROGRAM("what is outside of the collector's sight keeps a cycle alive")
{
    ready(&Plain_Type);
    ready(&Forgetful_Type);
    ForgetfulTraverse_Type.tp_traverse = forgetful_traverse;
    ForgetfulTraverse_Type.tp_clear = node_clear;
    ready(&ForgetfulTraverse_Type);

    PyObject *x = N("x");
    set_a(x, x);
    global = x;
    trace("held by a global: %zd, %zd", collect(), collect());
    Py_CLEAR(global);
    trace("no longer: %zd", collect());
    trace_notes("after");

    struct plain *plain = PyObject_New(struct plain, &Plain_Type);
    plain->held = N("x");
    set_a(plain->held, plain->held);
    trace("held by an object without the protocol: %zd", collect());
    /* a cycle through such an object is a leak */
    set_b(plain->held, (PyObject *)plain);
    x = plain->held;
    Py_DECREF(plain);
    trace("a cycle through it: %zd", collect());
    set_b(x, NULL);
    trace("broken: %zd", collect());
    trace_notes("after");

    PyObject *y = new_node(&ForgetfulTraverse_Type, "y");
    x = N("x");
    set_a(y, x);
    set_a(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("a reference that is not visited: %zd", collect());
    trace_notes("a leak");
    set_a(x, NULL);
    trace_notes("broken");
}
