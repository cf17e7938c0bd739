/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int
raising_clear(PyObject *op)
{
    node_clear(op);
    PyErr_Format(PyExc_ValueError, "clearing %s", NODE(op)->name);
    return -1;
}

static int
failing_clear(PyObject *op)
{
    node_clear(op);
    return -1;
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = raising_clear};
static PyTypeObject Failing_Type = {NODE_SLOTS("Failing"), .tp_clear = failing_clear};

PROGRAM("tp_clear may fail or raise; every object is still collected")
{
    note_unraisable();
    ready(&Raising_Type);
    ready(&Failing_Type);
    PyObject *x = new_node(&Raising_Type, "x"), *y = N("y");
    set_a(x, x);
    set_a(y, y);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("raises: %zd", collect());
    trace_notes("events");
    trace("pending %d", PyErr_Occurred() != NULL);
    x = new_node(&Failing_Type, "x");
    set_a(x, x);
    Py_DECREF(x);
    trace("fails: %zd", collect());
    trace_notes("events");
}
