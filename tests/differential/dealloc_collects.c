/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* Destructors that collect, allocate and destroy others while a collection clears. */
static PyObject *bystander;

static void
busy(struct node *self)
{
    (void)self;
    PyObject *list = must(PyList_New(10));
    must_be_zero(PyList_Append(list, list));
    Py_DECREF(list);
    Py_CLEAR(bystander);
    PyGC_Collect();
}

PROGRAM("destructors that allocate, collect and drop others during a collection")
{
    PyObject *nodes[5];
    for (int i = 0; i < 5; i++) {
        nodes[i] = F("node");
        NODE(nodes[i])->when_deallocated = busy;
    }
    for (int i = 0; i < 5; i++) {
        set_a(nodes[i], nodes[(i + 1) % 5]);
        set_b(nodes[i], nodes[(i + 2) % 5]);
    }
    bystander = N("bystander");
    set_a(bystander, Py_None);
    for (int i = 0; i < 5; i++) {
        Py_DECREF(nodes[i]);
    }
    trace("found %zd", collect());
    trace_notes("events");
    trace("left behind: %zd", collect());
    trace_notes("events");
}
