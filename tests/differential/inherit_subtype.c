/* SPDX-License-Identifier: MIT */
#include "differential.h"

struct extended {
    struct node node;
    PyObject *extra;
};

static int
extended_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct extended *)op)->extra);
    return node_traverse(op, visit, arg);
}

static int
extended_clear(PyObject *op)
{
    Py_CLEAR(((struct extended *)op)->extra);
    return node_clear(op);
}

static void
extended_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    note("extended");
    Py_CLEAR(((struct extended *)op)->extra);
    node_dealloc(op);
}

static PyTypeObject Base_Type = {NODE_SLOTS("Base"), .tp_clear = node_clear};
static PyTypeObject Extended_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Extended",
    .tp_basicsize = sizeof(struct extended),
    .tp_base = &Base_Type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = extended_traverse,
    .tp_clear = extended_clear,
    .tp_dealloc = extended_dealloc,
};
static PyTypeObject Plain_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Plain",
    .tp_base = &Extended_Type,
};

PROGRAM("a static type that extends another, and one that only inherits")
{
    Base_Type.tp_flags |= Py_TPFLAGS_BASETYPE;
    ready(&Base_Type);
    ready(&Extended_Type);
    ready(&Plain_Type);
    trace("sizes equal %d, weak references %d",
          Plain_Type.tp_basicsize == Extended_Type.tp_basicsize,
          Plain_Type.tp_weaklistoffset == Base_Type.tp_weaklistoffset);
    trace("same handlers %d", Plain_Type.tp_traverse == extended_traverse &&
                                  Plain_Type.tp_clear == extended_clear &&
                                  Plain_Type.tp_dealloc == extended_dealloc);
    PyTypeObject *types[] = {&Extended_Type, &Plain_Type};
    for (int i = 0; i < 2; i++) {
        PyObject *x = must(PyType_GenericAlloc(types[i], 0));
        NODE(x)->name = types[i]->tp_name;
        PyObject *weak = new_weakref(x, "x");
        ((struct extended *)x)->extra = Py_NewRef(x);
        set_a(x, x);
        trace("referents %zd", count_of(get_referents(x)));
        Py_DECREF(x);
        trace("found %zd", collect());
        trace_notes("events");
        Py_DECREF(weak);
    }
    trace("subtype %d %d", PyType_IsSubtype(&Plain_Type, &Base_Type),
          PyType_IsSubtype(&Base_Type, &Plain_Type));
}
