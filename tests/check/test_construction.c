/* SPDX-License-Identifier: MIT */
/* Seeded mistakes in construction, tracking and resizing. */
#include "seeds.h"

SEED(K16, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    Box *box = PyObject_GC_New(Box, type);
    seeded = (PyObject *)box;
    if (is_wrong) {
        PyObject_GC_Track(box);
    }
    box->first = box->second = box->weakrefs = NULL;
    if (!is_wrong) {
        PyObject_GC_Track(box);
    }
    Py_DECREF(box);
    Py_DECREF(type);
}

SEED(K17, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *box = raw_box(type);
    as_box(box)->first = PyList_New(0);
    if (!is_wrong) {
        PyObject_GC_Track(box);
    }
    seeded = box;
    Py_DECREF(box);
    Py_DECREF(type);
}

SEED(K18, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *box = PyType_GenericAlloc(type, 0); /* tracks */
    seeded = box;
    if (is_wrong) {
        PyObject_GC_Track(box);
    }
    Py_DECREF(box);
    Py_DECREF(type);
}

/* --- no containers --------------------------------------------------------------------------- */

static void
plain_dealloc(PyObject *self)
{
    PyObject_Free(self);
}

static PyTypeObject plain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Plain",
    .tp_basicsize = sizeof(Box),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = plain_dealloc,
};

SEED(K19, "seed.Plain")
{
    EXPECT_EQ(PyType_Ready(&plain_type), 0);
    PyObject *op = PyObject_New(PyObject, &plain_type);
    seeded = op;
    if (is_wrong) {
        PyObject_GC_Track(op);
    }
    Py_DECREF(op);
}

static void
plain_or_container_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    type->tp_free(self);
    Py_DECREF(type);
}

SEED(K20, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, plain_or_container_dealloc);
    PyObject *box = is_wrong ? (PyObject *)PyObject_New(Box, type) : raw_box(type);
    seeded = NULL;
    Py_DECREF(box);
    Py_DECREF(type);
}

SEED(K21, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, plain_or_container_dealloc);
    PyObject *box =
        is_wrong ? PyObject_Init(PyObject_Malloc(sizeof(Box)), type) : raw_box(type);
    Py_DECREF(box);
    Py_DECREF(type);
}

/* --- types -------------------------------------------------------------------------------------- */

SEED(K22, "seed.Handlers")
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Handlers",
        .tp_basicsize = sizeof(Box),
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_clear = box_clear,
    };
    type.tp_clear = is_wrong ? box_clear : NULL;
    EXPECT_EQ(PyType_Ready(&type), 0);
}

SEED(K24, "seed.Sub")
{
    PyTypeObject *base = box_type_with(NULL, NULL, NULL);
    PyTypeObject *type = new_type((struct handlers){
        .name = "seed.Sub",
        .traverse = box_traverse,
        .clear = is_wrong ? NULL : box_clear,
        .dealloc = box_dealloc,
        .base = base,
    });
    Py_DECREF(type);
    Py_DECREF(base);
}

SEED(K70, "seed.Early")
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Early",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_dealloc = (destructor)PyObject_Free,
    };
    if (!is_wrong) {
        EXPECT_EQ(PyType_Ready(&type), 0);
    }
    Py_DECREF(PyObject_New(PyObject, &type));
}

/* --- resizing ---------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_VAR_HEAD
    PyObject *items[1];
} Row;

static int
row_traverse(PyObject *self, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(((Row *)self)->items[i]);
    }
    return 0;
}

static void
row_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_XDECREF(((Row *)self)->items[i]);
    }
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject row_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Row",
    .tp_basicsize = offsetof(Row, items),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = row_traverse,
    .tp_dealloc = row_dealloc,
};

/* A row of new lists, tracked. */
static Row *
new_row(Py_ssize_t count)
{
    EXPECT_EQ(PyType_Ready(&row_type), 0);
    Row *row = PyObject_GC_NewVar(Row, &row_type, count);
    for (Py_ssize_t i = 0; i < count; i++) {
        row->items[i] = PyList_New(0);
    }
    PyObject_GC_Track(row);
    return row;
}

SEED(K26, "seed.Row")
{
    Row *row = new_row(2);
    seeded = (PyObject *)row;
    if (!is_wrong) {
        PyObject_GC_UnTrack(row);
    }
    row = PyObject_GC_Resize(Row, row, 3);
    row->items[2] = NULL;
    PyObject_GC_Track(row);
    Py_DECREF(row);
}

SEED(A27, "seed.Row")
{
    Row *old = new_row(2);
    seeded = (PyObject *)old;
    PyObject_GC_UnTrack(old);
    Row *row = PyObject_GC_Resize(Row, old, 3);
    row->items[2] = NULL;
    PyObject_GC_Track(row);
    Py_INCREF(is_wrong ? old : row);
    Py_DECREF(is_wrong ? old : row);
    Py_DECREF(row);
}

SEED(K29, "list")
{
    Row *row = new_row(3);
    PyObject *last = row->items[2];
    PyObject_GC_UnTrack(row);
    if (!is_wrong) {
        Py_CLEAR(row->items[2]);
        last = NULL;
    }
    row = PyObject_GC_Resize(Row, row, 2);
    PyObject_GC_Track(row);
    Py_DECREF(row);
    seeded = last;
}
