/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_repr(PyObject *self)
{
    (void)self;
    PyErr_SetString(PyExc_ValueError, "from tp_repr");
    return NULL;
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_repr = raise_repr};

PROGRAM("an exception in tp_repr reaches containers, and they can be printed again")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    PyObject *list = must(PyList_New(0)), *dict = must(PyDict_New());
    trace_repr("itself", PyObject_Repr(x));
    trace_str("as str", PyObject_Str(x));
    trace_str("ascii", PyObject_ASCII(x));
    must_be_zero(PyList_Append(list, x));
    must_be_zero(PyDict_SetItemString(dict, "key", list));
    trace_repr("list", PyObject_Repr(list));
    trace_repr("dict", PyObject_Repr(dict));
    trace_repr("tuple", PyUnicode_FromFormat("%R", list));
    must_be_zero(PyList_SetSlice(list, 0, 1, NULL));
    trace_repr("list without it", Py_NewRef(list));
    trace_repr("dict without it", Py_NewRef(dict));
    Py_DECREF(list);
    Py_DECREF(dict);
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
