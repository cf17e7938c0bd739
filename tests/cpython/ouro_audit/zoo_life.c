/* SPDX-License-Identifier: MIT */
/* The zoo: types with a mistake in construction or destruction, and two types that leak although
 * their handlers are correct. */
#include "zoo.h"

#include <string.h>

/* ---- construction: GC-K16, GC-K17 ---------------------------------------------------------------- */

static Node *
new_untracked(PyTypeObject *type)
{
    Node *self = PyObject_GC_New(Node, type);
    if (self != NULL) {
        memset((char *)self + sizeof(PyObject), 0,
               (size_t)type->tp_basicsize - sizeof(PyObject));
    }
    return self;
}

/* Tracks the object before a field is initialised, and then makes other objects. */
static PyObject *
new_too_early(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    Node *self = new_untracked(type);
    if (self == NULL) {
        return NULL;
    }
    self->b = (PyObject *)0x10;
    PyObject_GC_Track(self);
    PyObject *list = PySet_New(NULL);
    PyObject *other = PySet_New(NULL);
    self->a = list;
    self->b = other;
    return (PyObject *)self;
}

static PyObject *
new_never_tracked(PyTypeObject *type, PyObject *Py_UNUSED(args),
                  PyObject *Py_UNUSED(kwargs))
{
    return (PyObject *)new_untracked(type);
}

/* ---- destruction --------------------------------------------------------------------------------- */

static void
release_and_free(PyObject *op)
{
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    zoo_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static void
dealloc_without_free(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    zoo_clear(op);
}

static void
dealloc_with_wrong_free(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    zoo_clear(op);
    PyObject_Free(op);
}

static void
dealloc_type_first(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    freefunc free_object = type->tp_free;
    PyObject_GC_UnTrack(op);
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    zoo_clear(op);
    Py_DECREF(type);
    free_object(op);
}

static void
dealloc_type_twice(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    zoo_heap_dealloc(op);
    Py_DECREF(type);
}

static void
dealloc_leaks_b(PyObject *op)
{
    ((Node *)op)->b = NULL;
    zoo_dealloc(op);
}

static void
dealloc_without_weakrefs(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    zoo_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static void
dealloc_clears_error(PyObject *op)
{
    PyErr_Clear();
    zoo_dealloc(op);
}

static void
do_nothing(PyObject *Py_UNUSED(op))
{
}

/* ---- references that nobody releases: GC-L67 -------------------------------------------------------- */

static PyObject *
node_keep(PyObject *Py_UNUSED(op), PyObject *value)
{
    Py_INCREF(value);
    Py_RETURN_NONE;
}

static PyMethodDef keep_methods[] = {
    {"keep", node_keep, METH_O, "Keep an object for ever."},
    {NULL, NULL, 0, NULL},
};

const struct row zoo_life_rows[] = {
    {.name = "K16", .new = new_too_early},
    {.name = "K17", .new = new_never_tracked},
    {.name = "K22", .is_plain = 1},
    {.name = "K24",
     .traverse = zoo_visit_big,
     .is_heap = 1,
     .base = "HeapNode",
     .no_clear = 1},
    {.name = "K69", .is_plain = 1, .no_traverse = 1, .no_clear = 1},
    {.name = "K69_heap", .is_heap = 1, .is_plain = 1, .no_traverse = 1, .no_clear = 1},
    {.name = "D30", .dealloc = release_and_free},
    {.name = "D33", .dealloc = dealloc_without_free},
    {.name = "D34", .dealloc = dealloc_with_wrong_free},
    {.name = "D36", .dealloc = zoo_dealloc, .is_heap = 1},
    {.name = "D37", .dealloc = dealloc_type_first, .is_heap = 1},
    {.name = "D38", .dealloc = dealloc_type_twice, .is_heap = 1},
    {.name = "D39", .no_dealloc = 1, .is_heap = 1},
    {.name = "D39_one", .dealloc = dealloc_leaks_b},
    {.name = "D41", .dealloc = dealloc_without_weakrefs},
    {.name = "D46", .dealloc = dealloc_clears_error},
    {.name = "F59", .del = do_nothing},
    {.name = "L67", .methods = keep_methods},
    {.name = NULL},
};
