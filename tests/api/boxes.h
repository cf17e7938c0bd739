/* SPDX-License-Identifier: MIT */
/* Containers for the tests of py/gcsupport.h: a box with one reference, a row with any number of
 * references. Also a plain object. */
#ifndef OURO_TESTS_API_BOXES_H
#define OURO_TESTS_API_BOXES_H

#include <ouroboros.h>

#include "../protocol.h"

/* A container with one reference. */
struct box {
    PyObject_HEAD
    PyObject *ref;
};

static inline int
box_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct box *)self)->ref);
    return 0;
}

static inline int
box_clear(PyObject *self)
{
    Py_CLEAR(((struct box *)self)->ref);
    return 0;
}

static int boxes_destroyed;

static inline void
box_dealloc(PyObject *self)
{
    boxes_destroyed++;
    PyObject_GC_UnTrack(self);
    box_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject box_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Box",
    .tp_basicsize = sizeof(struct box),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_dealloc = box_dealloc,
    .tp_traverse = box_traverse,
    .tp_clear = box_clear,
};

/* A container with any number of references. */
struct row {
    PyObject_VAR_HEAD
    PyObject *items[1];
};

static inline int
row_traverse(PyObject *self, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(((struct row *)self)->items[i]);
    }
    return 0;
}

static inline void
row_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_XDECREF(((struct row *)self)->items[i]);
    }
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject row_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Row",
    .tp_basicsize = offsetof(struct row, items),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = row_dealloc,
    .tp_traverse = row_traverse,
};

/* Not a container. */
static PyTypeObject plain_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Plain",
    .tp_basicsize = sizeof(struct box),
};

static inline void
ready_types(void)
{
    REQUIRE_EQ(PyType_Ready(&box_type), 0);
    REQUIRE_EQ(PyType_Ready(&row_type), 0);
    REQUIRE_EQ(PyType_Ready(&plain_type), 0);
}

static inline struct box *
new_box(void)
{
    ready_types();
    struct box *box = PyObject_GC_New(struct box, &box_type);
    REQUIRE_NOT_NULL(box);
    box->ref = NULL;
    return box;
}

static inline struct row *
new_row(Py_ssize_t size)
{
    ready_types();
    struct row *row = PyObject_GC_NewVar(struct row, &row_type, size);
    REQUIRE_NOT_NULL(row);
    for (Py_ssize_t i = 0; i < size; i++) {
        row->items[i] = Py_NewRef(Py_None);
    }
    return row;
}

/* As tp_finalize. */
static inline void
do_nothing(PyObject *Py_UNUSED(self))
{
}

static inline int
heap_box_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static inline PyTypeObject *
new_heap_type(unsigned flags)
{
    PyType_Slot slots[] = {{Py_tp_traverse, (void *)heap_box_traverse}, {0, NULL}};
    PyType_Spec spec = {"test.HeapBox", sizeof(struct box), 0, flags | Py_TPFLAGS_HAVE_GC,
                        slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return type;
}

/* A container with items, a managed dict and managed weak references. */
static inline PyTypeObject *
new_managed_row_type(void)
{
    PyType_Slot slots[] = {{Py_tp_traverse, (void *)heap_box_traverse}, {0, NULL}};
    PyType_Spec spec = {"test.ManagedRow", offsetof(struct row, items),
                        sizeof(PyObject *),
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                            Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF,
                        slots};
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
}

static inline int
young_count(void)
{
    int counts[3];
    Ouro_GCGetCounts(counts);
    return counts[0];
}

static inline size_t
block_count(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return usage.objects;
}

#endif
