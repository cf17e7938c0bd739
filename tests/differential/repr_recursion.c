/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
deep_repr(PyObject *op)
{
    if (Py_EnterRecursiveCall(" in deep_repr")) {
        return NULL;
    }
    PyObject *result = NODE(op)->a == NULL ? text("end") : PyObject_Repr(NODE(op)->a);
    Py_LeaveRecursiveCall();
    return result;
}

static PyTypeObject Deep_Type = {NODE_SLOTS("Deep"), .tp_clear = node_clear,
                                 .tp_repr = deep_repr};

static PyObject *
bad_repr(PyObject *op)
{
    (void)op;
    return number(3);
}

static PyTypeObject Bad_Type = {NODE_SLOTS("Bad"), .tp_clear = node_clear,
                                .tp_repr = bad_repr};

PROGRAM("representations: of what holds itself, of what is too deep, of what is wrong")
{
    ready(&Deep_Type);
    ready(&Bad_Type);
    PyObject *list = must(PyList_New(0)), *dict = must(PyDict_New());
    PyObject *tuple = must(PyTuple_Pack(2, list, dict));
    must_be_zero(PyList_Append(list, tuple));
    must_be_zero(PyDict_SetItemString(dict, "tuple", tuple));
    trace_repr("list", Py_NewRef(list));
    trace_repr("dict", Py_NewRef(dict));
    trace_repr("tuple", Py_NewRef(tuple));
    Py_DECREF(list);
    Py_DECREF(dict);
    Py_DECREF(tuple);
    trace("found %zd", collect());

    PyObject *x = new_node(&Deep_Type, NULL);
    set_a(x, x);
    PyObject *endless = PyObject_Repr(x);
    trace("endless: %d, RecursionError %d", endless != NULL,
          PyErr_ExceptionMatches(PyExc_RecursionError));
    PyErr_Clear();
    Py_DECREF(x);
    trace("found %zd", collect());

    x = new_node(&Bad_Type, NULL);
    trace_repr("not a string", Py_NewRef(x));
    trace_str("not a string", x);
    list = must(PyList_New(0));
    x = new_node(&Bad_Type, NULL);
    must_be_zero(PyList_Append(list, x));
    Py_DECREF(x);
    trace_repr("inside a list", list);
    trace_repr("NULL", NULL);
    PyObject *null = PyObject_Repr(NULL);
    trace_str("repr of NULL", null);
}
