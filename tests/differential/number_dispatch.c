/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
base_add(PyObject *x, PyObject *y)
{
    note("base add, %s first", Py_TYPE(x)->tp_name);
    (void)y;
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *
sub_add(PyObject *x, PyObject *y)
{
    (void)y;
    note("sub add, %s first", Py_TYPE(x)->tp_name);
    return number(7);
}

static PyObject *
base_inplace(PyObject *x, PyObject *y)
{
    (void)y;
    note("in place");
    return Py_NewRef(x);
}

static PyObject *
bad_index(PyObject *op)
{
    (void)op;
    return text("five");
}

static PyNumberMethods base_number = {
    .nb_add = base_add, .nb_inplace_subtract = base_inplace, .nb_index = bad_index};
static PyNumberMethods sub_number = {.nb_add = sub_add};
static PyTypeObject Base_Type = {NODE_SLOTS("Base"), .tp_clear = node_clear,
                                 .tp_as_number = &base_number};
static PyTypeObject Sub_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Sub",
                                .tp_base = &Base_Type, .tp_as_number = &sub_number};

PROGRAM("arithmetic on types of one's own: who is asked, and errors")
{
    Base_Type.tp_flags |= Py_TPFLAGS_BASETYPE;
    ready(&Base_Type);
    ready(&Sub_Type);
    PyObject *base = new_node(&Base_Type, "base"), *sub = new_node(&Sub_Type, "sub");
    PyObject *one = number(1);
    trace_repr("base + sub", PyNumber_Add(base, sub));
    trace_notes("asked");
    trace_repr("sub + base", PyNumber_Add(sub, base));
    trace_notes("asked");
    trace_repr("base + 1", PyNumber_Add(base, one));
    trace_notes("asked");
    trace_repr("1 + base", PyNumber_Add(one, base));
    trace_notes("asked");
    trace_repr("1 + sub", PyNumber_Add(one, sub));
    trace_notes("asked");
    trace_repr("base - 1", PyNumber_Subtract(base, one));
    PyObject *same = PyNumber_InPlaceSubtract(base, one);
    trace("base -= 1: itself %d", same == base);
    Py_XDECREF(same);
    trace_notes("asked");
    trace_repr("base += sub", PyNumber_InPlaceAdd(base, sub));
    trace_notes("asked");
    trace_repr("1 / base", PyNumber_TrueDivide(one, base));
    trace_repr("-base", PyNumber_Negative(base));
    trace_repr("index", PyNumber_Index(base));
    trace_repr("int", PyNumber_Long(base));
    trace_repr("float", PyNumber_Float(base));
    trace_repr("base ** 1 % None", PyNumber_Power(base, one, Py_None));
    trace_repr("1 ** 1 % 0", PyNumber_Power(one, one, PyBool_FromLong(0)));
    trace_repr("list[base]", PyObject_GetItem(PyList_New(0), base));
    trace("as ssize_t %zd", PyNumber_AsSsize_t(one, PyExc_IndexError));
    PyObject *zero = number(0);
    trace_repr("1 / 0", PyNumber_TrueDivide(one, zero));
    trace_repr("1 // 0", PyNumber_FloorDivide(one, zero));
    trace_repr("1 % 0", PyNumber_Remainder(one, zero));
    PyObject *big = must(PyNumber_Lshift(one, PyLong_FromLong(100)));
    trace_repr("1 << 100", Py_NewRef(big));
    trace("as long %ld", PyLong_AsLong(big));
    trace_error("as long");
    trace("as ssize_t, clipped %d", PyNumber_AsSsize_t(big, NULL) == PY_SSIZE_T_MAX);
    trace("as ssize_t %zd", PyNumber_AsSsize_t(big, PyExc_IndexError));
    trace_error("as ssize_t");
    Py_DECREF(big);
    Py_DECREF(zero);
    Py_DECREF(one);
    Py_DECREF(base);
    Py_DECREF(sub);
    trace_notes("events");
}
