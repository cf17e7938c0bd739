/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int left;

static PyObject *
iterate(PyObject *self)
{
    if (left < 0) {
        PyErr_SetString(PyExc_ValueError, "from tp_iter");
        return NULL;
    }
    return Py_NewRef(self);
}

static PyObject *
next_or_raise(PyObject *self)
{
    (void)self;
    if (left-- == 0) {
        PyErr_SetString(PyExc_KeyError, "from tp_iternext");
        return NULL;
    }
    return number(left);
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_iter = iterate, .tp_iternext = next_or_raise};

PROGRAM("exceptions in tp_iter and tp_iternext end what iterates")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    left = -1;
    trace_repr("tp_iter", PySequence_List(x));
    left = 3;
    trace_repr("list", PySequence_List(x));
    left = 2;
    trace_repr("tuple", PySequence_Tuple(x));
    left = 2;
    trace_repr("set", PySet_New(x));
    PyObject *list = must(PyList_New(0));
    left = 2;
    trace_repr("extend", PyObject_CallMethod(list, "extend", "O", x));
    trace_repr("what extend did", Py_NewRef(list));
    left = 2;
    trace("contains: %d", PySequence_Contains(x, Py_None));
    trace_error("contains");
    left = 3;
    trace("contains before it raises: %d", PySequence_Contains(x, list) < 0);
    trace_error("contains before it raises");
    Py_DECREF(list);
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
