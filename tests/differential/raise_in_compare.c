/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
raise_compare(PyObject *self, PyObject *other, int op)
{
    (void)self;
    (void)other;
    (void)op;
    PyErr_SetString(PyExc_ValueError, "from tp_richcompare");
    return NULL;
}

static Py_hash_t
same_hash(PyObject *self)
{
    (void)self;
    return 7;
}

static PyTypeObject Raising_Type = {NODE_SLOTS("Raising"), .tp_clear = node_clear,
                                    .tp_richcompare = raise_compare,
                                    .tp_hash = same_hash};

PROGRAM("an exception in tp_richcompare reaches lists, tuples and dicts")
{
    ready(&Raising_Type);
    PyObject *x = new_node(&Raising_Type, "x");

    PyObject *y = new_node(&Raising_Type, "y");
    trace("equal: %d", PyObject_RichCompareBool(x, y, Py_EQ));
    trace_error("equal");
    trace("equal to itself: %d", PyObject_RichCompareBool(x, x, Py_EQ));
    trace("not equal to itself: %d", PyObject_RichCompareBool(x, x, Py_NE));
    trace("less than itself: %d", PyObject_RichCompareBool(x, x, Py_LT));
    trace_error("less than itself");
    PyObject *list = must(PyList_New(0));
    must_be_zero(PyList_Append(list, x));
    trace("list contains it: %d", PySequence_Contains(list, x));
    trace("list contains another: %d", PySequence_Contains(list, y));
    trace_error("list contains another");
    trace("index: %zd", PySequence_Index(list, y));
    trace_error("index");
    must_be_zero(PyList_Append(list, y));
    trace("sort: %d", PyList_Sort(list));
    trace_error("sort");
    trace("length: %zd", PyList_Size(list));
    PyObject *one = must(PyTuple_Pack(1, x)), *two = must(PyTuple_Pack(1, y));
    trace_repr("tuples", PyObject_RichCompare(one, two, Py_EQ));
    PyObject *dict = must(PyDict_New());
    trace("store: %d", PyDict_SetItem(dict, x, Py_None));
    trace("store the other: %d", PyDict_SetItem(dict, y, Py_None));
    trace_error("store the other");
    trace("size: %zd", PyDict_Size(dict));
    Py_DECREF(dict);
    Py_DECREF(one);
    Py_DECREF(two);
    Py_DECREF(list);
    Py_DECREF(y);
    Py_DECREF(x);
    trace_notes("events");
    trace("found %zd", collect());
}
