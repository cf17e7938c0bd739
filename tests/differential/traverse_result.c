/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int
three_traverse(PyObject *op, visitproc visit, void *arg)
{
    int result = node_traverse(op, visit, arg);
    return result != 0 ? result : 3;
}

static PyTypeObject Three_Type = {NODE_SLOTS("Three"), .tp_clear = node_clear};

static int
stop_at_second(PyObject *object, void *arg)
{
    (void)object;
    return ++*(int *)arg == 2 ? 77 : 0;
}

PROGRAM(
    "a traverse handler's own result does not matter to a collection, a visitor's does")
{
    Three_Type.tp_traverse = three_traverse;
    ready(&Three_Type);
    PyObject *x = new_node(&Three_Type, "x"), *y = N("y");
    set_a(x, y);
    set_a(y, x);
    Py_DECREF(y);
    trace("held: %zd", collect());
    Py_DECREF(x);
    trace("dropped: %zd", collect());
    trace_notes("after");

    x = N("x");
    set_a(x, Py_None);
    set_b(x, Py_True);
    int visits = 0;
    trace("stopped by the visitor: %d", N_Type.tp_traverse(x, stop_at_second, &visits));
    trace("visits: %d", visits);
    visits = 10;
    trace("not stopped: %d", N_Type.tp_traverse(x, stop_at_second, &visits));
    trace("visits: %d", visits);
    Py_DECREF(x);
    trace_notes("after");
}
