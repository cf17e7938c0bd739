/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_str(PyObject *self)
{
    (void)self;
    PyErr_SetString(PyExc_ValueError, "from tp_str");
    return NULL;
}

static PyObject *
no_text(PyObject *self)
{
    (void)self;
    return number(3);
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_str = raise_str};
static PyTypeObject Wrong_Type = {NODE_SLOTS("Wrong"), .tp_clear = node_clear,
                                  .tp_str = no_text, .tp_repr = no_text};

PROGRAM("tp_str that raises, and tp_str that returns no str")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    ready(&Wrong_Type);
    PyObject *y = new_node(&Wrong_Type, "y");
    trace_str("raises", PyObject_Str(x));
    trace_str("no text", PyObject_Str(y));
    trace_str("no repr", PyObject_Repr(y));
    trace_str("formatted", PyObject_Format(x, NULL));
    Py_DECREF(y);
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
