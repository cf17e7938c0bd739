/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *list;
static int deaths;

static void
meddle(struct node *self)
{
    (void)self;
    deaths++;
    trace("size seen by a destructor: %zd", PyList_Size(list));
    if (deaths < 3) {
        must_be_zero(PyList_Append(list, Py_None));
    }
}

static void
add(int count)
{
    for (int i = 0; i < count; i++) {
        PyObject *item = N("item");
        NODE(item)->when_deallocated = meddle;
        must_be_zero(PyList_Append(list, item));
        Py_DECREF(item);
    }
    deaths = 0;
}

PROGRAM("items whose destructors change the list that lets them go")
{
    list = must(PyList_New(0));
    add(3);
    must_be_zero(PyList_SetSlice(list, 0, 3, NULL));
    trace("slice deleted: size %zd", PyList_Size(list));
    must_be_zero(PyList_SetSlice(list, 0, PyList_Size(list), NULL));
    add(2);
    must_be_zero(PyList_SetItem(list, 0, Py_NewRef(Py_None)));
    trace("item replaced: size %zd", PyList_Size(list));
    must_be_zero(PySequence_DelItem(list, 1));
    trace("item deleted: size %zd", PyList_Size(list));
    must_be_zero(PyList_SetSlice(list, 0, PyList_Size(list), NULL));
    add(2);
    PyObject *name = text("clear");
    Py_DECREF(must(PyObject_CallMethodNoArgs(list, name)));
    trace("cleared: size %zd", PyList_Size(list));
    Py_DECREF(name);
    Py_DECREF(list);
    trace_notes("events");
}
