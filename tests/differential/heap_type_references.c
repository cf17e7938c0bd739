/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int
blind_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(NODE(op)->a);
    Py_VISIT(NODE(op)->b);
    return 0;
}

static PyObject *
make_type(const char *name, traverseproc traverse)
{
    PyType_Slot slots[] = {{Py_tp_dealloc, node_dealloc},
                           {Py_tp_traverse, traverse},
                           {Py_tp_clear, node_clear},
                           {0, NULL}};
    PyType_Spec spec = {name, sizeof(struct node), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    return must(PyType_FromSpec(&spec));
}

PROGRAM("instances own a reference to their heap type")
{
    PyObject *type = make_type("sample.Good", node_traverse);
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *x = new_node((PyTypeObject *)type, "x");
    trace("one more: %zd", (Py_ssize_t)Py_REFCNT(type) - before);
    PyObject *y = must(PyType_GenericAlloc((PyTypeObject *)type, 0));
    trace("another: %zd", (Py_ssize_t)Py_REFCNT(type) - before);
    Py_DECREF(x);
    Py_DECREF(y);
    trace("none: %zd", (Py_ssize_t)Py_REFCNT(type) - before);
    trace_notes("events");

    /* a type that holds its own instance */
    PyObject *weak = new_weakref(type, "type");
    x = new_node((PyTypeObject *)type, "x");
    must_be_zero(PyObject_SetAttrString(type, "instance", x));
    Py_DECREF(x);
    Py_DECREF(type);
    trace("some found: %d", collect() >= 2);
    trace("gone: %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);

    /* the same without visiting the type: a leak */
    type = make_type("sample.Blind", blind_traverse);
    weak = new_weakref(type, "type");
    x = new_node((PyTypeObject *)type, "x");
    must_be_zero(PyObject_SetAttrString(type, "instance", x));
    Py_DECREF(x);
    Py_DECREF(type);
    trace("found %zd", collect());
    trace("gone: %d", is_dead(weak));
    trace_notes("events");
    must_be_zero(PyObject_DelAttrString(type, "instance"));
    trace_notes("instance deleted");
    trace("then some: %d", collect() > 0);
    trace("gone: %d", is_dead(weak));
    trace_notes("events");
    Py_DECREF(weak);
}
