/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_get(PyObject *self, PyObject *key)
{
    (void)self;
    (void)key;
    PyErr_SetString(PyExc_ValueError, "from mp_subscript");
    return NULL;
}

static int
raise_set(PyObject *self, PyObject *key, PyObject *value)
{
    (void)self;
    (void)key;
    (void)value;
    PyErr_SetString(PyExc_ValueError, "from mp_ass_subscript");
    return -1;
}

static int
raise_contains(PyObject *self, PyObject *value)
{
    (void)self;
    (void)value;
    PyErr_SetString(PyExc_IndexError, "from sq_contains");
    return -1;
}

static PyMappingMethods as_mapping = {.mp_subscript = raise_get,
                                      .mp_ass_subscript = raise_set};
static PySequenceMethods as_sequence = {.sq_contains = raise_contains};
static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_as_mapping = &as_mapping,
                                    .tp_as_sequence = &as_sequence};

PROGRAM("exceptions in subscripts, assignments and deletions")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    trace_repr("get", PyObject_GetItem(x, Py_None));
    trace_repr("get by text", PyMapping_GetItemString(x, "key"));
    trace("set: %d", PyObject_SetItem(x, Py_None, x));
    trace_error("set");
    trace("delete: %d", PyObject_DelItem(x, Py_None));
    trace_error("delete");
    trace("delete by text: %d", PyObject_DelItemString(x, "key"));
    trace_error("delete by text");
    trace("contains: %d", PySequence_Contains(x, Py_None));
    trace_error("contains");
    trace("is a mapping: %d, a sequence: %d", PyMapping_Check(x), PySequence_Check(x));
    trace("length: %zd", PyMapping_Size(x));
    trace_error("length");
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
