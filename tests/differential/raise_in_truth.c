/* SPDX-License-Identifier: MIT */
#include "differential.h"

static int
raise_bool(PyObject *self)
{
    (void)self;
    PyErr_SetString(PyExc_ValueError, "from nb_bool");
    return -1;
}

static Py_ssize_t
negative_length(PyObject *self)
{
    (void)self;
    PyErr_SetString(PyExc_OverflowError, "from a length");
    return -1;
}

static PyNumberMethods as_number = {.nb_bool = raise_bool};
static PySequenceMethods as_sequence = {.sq_length = negative_length};
static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_as_number = &as_number};
static PyTypeObject Long_Type = {NODE_SLOTS("Long"), .tp_clear = node_clear,
                                 .tp_as_sequence = &as_sequence};

PROGRAM("nb_bool, sq_length and mp_length that raise or are out of range")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    ready(&Long_Type);
    PyObject *y = new_node(&Long_Type, "y");
    trace("truth: %d", PyObject_IsTrue(x));
    trace_error("truth");
    trace("not: %d", PyObject_Not(x));
    trace_error("not");
    trace("truth by length: %d", PyObject_IsTrue(y));
    trace_error("truth by length");
    trace("length: %zd", PyObject_Size(y));
    trace_error("length");
    trace("hint: %zd", PyObject_LengthHint(y, 5));
    trace_error("hint");
    Py_DECREF(y);
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
