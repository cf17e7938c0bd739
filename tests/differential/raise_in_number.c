/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_add(PyObject *v, PyObject *w)
{
    (void)v;
    (void)w;
    PyErr_SetString(PyExc_ValueError, "from nb_add");
    return NULL;
}

static PyObject *
not_mine(PyObject *v, PyObject *w)
{
    (void)v;
    (void)w;
    note("asked");
    return Py_NewRef(Py_NotImplemented);
}

static PyObject *
no_index(PyObject *self)
{
    (void)self;
    return text("no int");
}

static PyNumberMethods as_number = {.nb_add = raise_add,
                                    .nb_subtract = not_mine,
                                    .nb_index = no_index,
                                    .nb_int = no_index,
                                    .nb_float = no_index};
static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_as_number = &as_number};

PROGRAM("number slots that raise, and slots that do not know the operand")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    PyObject *one = number(1);
    trace_repr("x + 1", PyNumber_Add(x, one));
    trace_repr("1 + x", PyNumber_Add(one, x));
    trace_repr("x += 1", PyNumber_InPlaceAdd(x, one));
    trace_repr("x - 1", PyNumber_Subtract(x, one));
    trace_notes("asked");
    trace_repr("1 - x", PyNumber_Subtract(one, x));
    trace_notes("asked");
    trace_repr("x - x", PyNumber_Subtract(x, x));
    trace_notes("asked");
    trace_repr("x * 1", PyNumber_Multiply(x, one));
    trace_repr("index", PyNumber_Index(x));
    trace_repr("int", PyNumber_Long(x));
    trace_repr("float", PyNumber_Float(x));
    Py_DECREF(one);
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
