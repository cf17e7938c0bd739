/* SPDX-License-Identifier: MIT */
#include "differential.h"

static const char *const operators[] = {"<", "<=", "==", "!=", ">", ">="};

static PyObject *
declining(PyObject *x, PyObject *y, int how)
{
    note("%s asked %s about %s", NODE(x)->name, operators[how],
         Py_TYPE(y) == Py_TYPE(x) ? NODE(y)->name : "other");
    Py_RETURN_NOTIMPLEMENTED;
}

static PyTypeObject Base_Type = {NODE_SLOTS("Base"), .tp_clear = node_clear,
                                 .tp_richcompare = declining};

static PyObject *
agreeing(PyObject *x, PyObject *y, int how)
{
    (void)y;
    note("%s agrees to %s", NODE(x)->name, operators[how]);
    Py_RETURN_TRUE;
}

static PyTypeObject Sub_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Sub",
                                .tp_base = &Base_Type, .tp_richcompare = agreeing};

static PyObject *
odd_result(PyObject *x, PyObject *y, int how)
{
    (void)x;
    (void)y;
    (void)how;
    return must(PyList_New(0)); /* false, but not a bool */
}

static PyTypeObject Odd_Type = {NODE_SLOTS("Odd"), .tp_clear = node_clear,
                                .tp_richcompare = odd_result};

PROGRAM("rich comparison: who is asked, and what happens when nobody knows")
{
    Base_Type.tp_flags |= Py_TPFLAGS_BASETYPE;
    ready(&Base_Type);
    ready(&Sub_Type);
    ready(&Odd_Type);
    PyObject *x = new_node(&Base_Type, "x"), *y = new_node(&Base_Type, "y");
    PyObject *sub = new_node(&Sub_Type, "sub");
    for (int how = Py_LT; how <= Py_GE; how++) {
        trace("x %s y: %d", operators[how], PyObject_RichCompareBool(x, y, how));
        trace_error("error");
        trace_notes("asked");
        trace("x %s sub: %d", operators[how], PyObject_RichCompareBool(x, sub, how));
        trace_notes("asked");
        trace("x %s None: %d", operators[how], PyObject_RichCompareBool(x, Py_None, how));
        trace_error("error");
        trace_notes("asked");
    }
    trace("x == x: %d, x != x: %d", PyObject_RichCompareBool(x, x, Py_EQ),
          PyObject_RichCompareBool(x, x, Py_NE));
    trace_notes("asked");
    PyObject *odd = new_node(&Odd_Type, "odd");
    trace_repr("odd", PyObject_RichCompare(odd, x, Py_EQ));
    trace("odd as a bool: %d", PyObject_RichCompareBool(odd, x, Py_EQ));
    trace_repr("NULL", PyObject_RichCompare(NULL, x, Py_EQ));
    PyErr_Clear();
    Py_DECREF(odd);
    Py_DECREF(sub);
    Py_DECREF(x);
    Py_DECREF(y);
    trace_notes("events");
}
