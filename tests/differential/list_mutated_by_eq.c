/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *list;
static int calls;

static PyObject *
mean_compare(PyObject *x, PyObject *y, int how)
{
    (void)x;
    (void)y;
    (void)how;
    if (++calls == 2 && list != NULL) {
        must_be_zero(PyList_SetSlice(list, 0, PyList_Size(list), NULL));
    }
    Py_RETURN_FALSE;
}

static PyTypeObject Mean_Type = {NODE_SLOTS("Mean"), .tp_clear = node_clear,
                                 .tp_richcompare = mean_compare};

static PyObject *
fill(void)
{
    PyObject *filled = must(PyList_New(0));
    for (int i = 0; i < 5; i++) {
        PyObject *item = new_node(&Mean_Type, "item");
        must_be_zero(PyList_Append(filled, item));
        Py_DECREF(item);
    }
    calls = 0;
    return filled;
}

PROGRAM("comparisons that empty the list under a search")
{
    ready(&Mean_Type);
    PyObject *name;
    list = fill();
    trace("contains %d", PySequence_Contains(list, Py_None));
    trace("calls %d, size %zd", calls, PyList_Size(list));
    Py_DECREF(list);
    trace_notes("events");
    list = fill();
    trace("index %zd", PySequence_Index(list, Py_None));
    trace_error("index");
    Py_DECREF(list);
    trace_notes("events");
    list = fill();
    trace("count %zd", PySequence_Count(list, Py_None));
    Py_DECREF(list);
    trace_notes("events");
    list = fill();
    name = text("remove");
    trace_repr("remove", PyObject_CallMethodOneArg(list, name, Py_None));
    Py_DECREF(name);
    trace("size %zd", PyList_Size(list));
    Py_DECREF(list);
    trace_notes("events");
    list = fill();
    PyObject *other = fill();
    trace("equal %d", PyObject_RichCompareBool(list, other, Py_EQ));
    trace("size %zd", PyList_Size(list));
    PyObject *mine = list;
    list = NULL;
    Py_DECREF(mine);
    Py_DECREF(other);
    trace_notes("events");
}
