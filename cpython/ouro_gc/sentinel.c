/* SPDX-License-Identifier: MIT */
/* The type of the sentinel; collect.h says what it is for. */
#include "sentinel.h"

#include <stddef.h>
#include <structmember.h>

struct sentinel {
    PyObject_HEAD
    PyObject *self; /* owned */
    PyObject *weak_references;
};

static int
sentinel_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(((struct sentinel *)object)->self);
    Py_VISIT(Py_TYPE(object));
    return 0;
}

/* CPython never calls this: at that time the sentinel is no longer in its list. */
static int
sentinel_clear(PyObject *object)
{
    Py_CLEAR(((struct sentinel *)object)->self);
    return 0;
}

static void
sentinel_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    PyObject_ClearWeakRefs(object);
    sentinel_clear(object);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static PyMemberDef sentinel_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct sentinel, weak_references),
     READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot sentinel_slots[] = {
    {Py_tp_traverse, sentinel_traverse},
    {Py_tp_clear, sentinel_clear},
    {Py_tp_dealloc, sentinel_dealloc},
    {Py_tp_members, sentinel_members},
    {0, NULL},
};

PyType_Spec sentinel_spec = {
    .name = "_ouro_gc.sentinel",
    .basicsize = sizeof(struct sentinel),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = sentinel_slots,
};

PyObject *
sentinel_new(PyTypeObject *type)
{
    struct sentinel *sentinel = PyObject_GC_New(struct sentinel, type);
    if (sentinel != NULL) {
        sentinel->weak_references = NULL;
        sentinel->self = (PyObject *)sentinel;
    }
    return (PyObject *)sentinel;
}

void
sentinel_free(PyObject *sentinel)
{
    if (sentinel != NULL) {
        Py_CLEAR(((struct sentinel *)sentinel)->self);
    }
}
