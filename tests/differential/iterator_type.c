/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* A container with an iterator of its own, which holds the container. */
struct counter {
    PyObject_HEAD
    PyObject *owner;
    long at, end;
};

static int
counter_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct counter *)op)->owner);
    return 0;
}

static void
counter_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    note("iterator dealloc");
    Py_CLEAR(((struct counter *)op)->owner);
    PyObject_GC_Del(op);
}

static PyObject *
counter_next(PyObject *op)
{
    struct counter *self = (struct counter *)op;
    if (self->at >= self->end) {
        return NULL; /* without an exception: the end */
    }
    if (self->at == 7) {
        PyErr_SetString(PyExc_RuntimeError, "unlucky");
        return NULL;
    }
    return number(self->at++);
}

static PyTypeObject Counter_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sample.Counter",
    .tp_basicsize = sizeof(struct counter),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = counter_traverse,
    .tp_dealloc = counter_dealloc,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = counter_next,
};

static long end_of_range;

static PyObject *
range_iter(PyObject *op)
{
    struct counter *self = PyObject_GC_New(struct counter, &Counter_Type);
    must((PyObject *)self);
    self->owner = Py_NewRef(op);
    self->at = 0;
    self->end = end_of_range;
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

static PyTypeObject Range_Type = {NODE_SLOTS("sample.Range"), .tp_clear = node_clear,
                                  .tp_iter = range_iter};

PROGRAM("a type with an iterator, used by the protocols")
{
    ready(&Counter_Type);
    ready(&Range_Type);
    PyObject *range = new_node(&Range_Type, "range");
    end_of_range = 5;
    trace_repr("list", PySequence_List(range));
    trace_repr("tuple", PySequence_Tuple(range));
    PyObject *three = number(3), *nine = number(9);
    trace("contains 3 %d, 9 %d", PySequence_Contains(range, three),
          PySequence_Contains(range, nine));
    trace("count %zd, index %zd", PySequence_Count(range, three),
          PySequence_Index(range, three));
    trace("index %zd", PySequence_Index(range, nine));
    trace_error("index");
    trace_notes("events");
    end_of_range = 10;
    trace_repr("raises", PySequence_List(range));
    trace_notes("events");
    PyObject *iterator = must(PyObject_GetIter(range));
    for (PyObject *item; (item = PyIter_Next(iterator)) != NULL; Py_DECREF(item)) {
        trace("item %ld", PyLong_AsLong(item));
    }
    trace_error("after");
    set_a(range, iterator); /* the container holds its iterator: a cycle */
    Py_DECREF(iterator);
    Py_DECREF(range);
    trace("found %zd", collect());
    trace_notes("events");
    PyObject_GetIter(three);
    trace_error("no iterator");
    Py_DECREF(three);
    Py_DECREF(nine);
}
