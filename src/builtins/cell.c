/* SPDX-License-Identifier: MIT */
/* Cells: containers with room for one object. */
#include <Python.h>
#include <ouro_fields.h>

#include "arguments.h"

#define OURO_CELL(op) ((PyCellObject *)(op))

PyObject *
PyCell_New(PyObject *obj)
{
    PyCellObject *cell = PyObject_GC_New(PyCellObject, &PyCell_Type);
    if (cell == NULL) {
        return NULL;
    }
    cell->ob_ref = Py_XNewRef(obj);
    PyObject_GC_Track(cell);
    return (PyObject *)cell;
}

PyObject *
PyCell_Get(PyObject *cell)
{
    if (!PyCell_Check(cell)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return Py_XNewRef(PyCell_GET(cell));
}

int
PyCell_Set(PyObject *cell, PyObject *value)
{
    if (!PyCell_Check(cell)) {
        PyErr_BadInternalCall();
        return -1;
    }
    Py_XSETREF(OURO_CELL(cell)->ob_ref, Py_XNewRef(value));
    return 0;
}

static PyObject *
cell_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (!ouro_args_positional("cell", kwargs) ||
        !ouro_args_between("cell", given, 0, 1)) {
        return NULL;
    }
    return PyCell_New(given == 0 ? NULL : PyTuple_GET_ITEM(args, 0));
}

OURO_FIELDS(PyCellObject, ob_ref);

static PyObject *
cell_repr(PyObject *op)
{
    PyObject *inside = OURO_CELL(op)->ob_ref;
    if (inside == NULL) {
        return PyUnicode_FromFormat("<cell at %p: empty>", (void *)op);
    }
    return PyUnicode_FromFormat("<cell at %p: %.80s object at %p>", (void *)op,
                                Py_TYPE(inside)->tp_name, (void *)inside);
}

/* By what is inside; an empty cell is less than any other. */
static PyObject *
cell_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyCell_Check(a) || !PyCell_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *in_a = OURO_CELL(a)->ob_ref, *in_b = OURO_CELL(b)->ob_ref;
    if (in_a == NULL || in_b == NULL) {
        Py_RETURN_RICHCOMPARE(in_a != NULL, in_b != NULL, op);
    }
    Py_INCREF(in_a);
    Py_INCREF(in_b);
    PyObject *result = PyObject_RichCompare(in_a, in_b, op);
    Py_DECREF(in_a);
    Py_DECREF(in_b);
    return result;
}

static PyObject *
cell_get_contents(PyObject *op, void *Py_UNUSED(closure))
{
    PyObject *inside = OURO_CELL(op)->ob_ref;
    if (inside == NULL) {
        PyErr_SetString(PyExc_ValueError, "Cell is empty");
    }
    return Py_XNewRef(inside);
}

static int
cell_set_contents(PyObject *op, PyObject *value, void *Py_UNUSED(closure))
{
    return PyCell_Set(op, value);
}

static PyGetSetDef cell_getset[] = {
    {"cell_contents", cell_get_contents, cell_set_contents, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject PyCell_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "cell",
    .tp_basicsize = sizeof(PyCellObject),
    .tp_repr = cell_repr,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "cell([contents]): room for one object",
    OURO_TYPE_FIELDS(PyCellObject),
    .tp_richcompare = cell_richcompare,
    .tp_getset = cell_getset,
    .tp_new = cell_new,
};
