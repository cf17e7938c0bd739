/* SPDX-License-Identifier: MIT */
#include "differential.h"

struct thing {
    PyObject_HEAD
    PyObject *dict, *weaklist;
};

static int
thing_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct thing *)op)->dict);
    return 0;
}

static int
thing_clear(PyObject *op)
{
    Py_CLEAR(((struct thing *)op)->dict);
    return 0;
}

static void
thing_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (((struct thing *)op)->weaklist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    note("thing dealloc");
    thing_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyGetSetDef thing_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyTypeObject Thing_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sample.Thing",
    .tp_basicsize = sizeof(struct thing),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = thing_traverse,
    .tp_clear = thing_clear,
    .tp_dealloc = thing_dealloc,
    .tp_getset = thing_getset,
    .tp_dictoffset = offsetof(struct thing, dict),
    .tp_weaklistoffset = offsetof(struct thing, weaklist),
};

PROGRAM("objects with an instance dict")
{
    ready(&Thing_Type);
    PyObject *x = must(PyType_GenericAlloc(&Thing_Type, 0));
    trace_repr("missing", PyObject_GetAttrString(x, "a"));
    must_be_zero(PyObject_SetAttrString(x, "a", Py_True));
    trace_repr("a", PyObject_GetAttrString(x, "a"));
    PyObject *dict = must(PyObject_GetAttrString(x, "__dict__"));
    trace_repr("dict", Py_NewRef(dict));
    trace("the field is the dict: %d", ((struct thing *)x)->dict == dict);
    Py_DECREF(dict);
    must_be_zero(PyObject_DelAttrString(x, "a"));
    trace("delete again: %d", PyObject_DelAttrString(x, "a"));
    trace_error("delete again");
    trace("dict must be a dict: %d", PyObject_SetAttrString(x, "__dict__", Py_None));
    trace_error("dict must be a dict");
    trace("has a %d, has __dict__ %d", PyObject_HasAttrString(x, "a"),
          PyObject_HasAttrString(x, "__dict__"));

    PyObject *weak = new_weakref(x, "x");
    must_be_zero(PyObject_SetAttrString(x, "me", x));
    Py_DECREF(x);
    trace_notes("a cycle through the dict");
    trace("found %zd", collect());
    trace_notes("events");
    Py_DECREF(weak);

    /* the dict outlives the object */
    x = must(PyType_GenericAlloc(&Thing_Type, 0));
    must_be_zero(PyObject_SetAttrString(x, "kept", Py_True));
    dict = must(PyObject_GetAttrString(x, "__dict__"));
    Py_DECREF(x);
    trace_notes("events");
    trace_repr("the dict lives on", dict);
}
