/* SPDX-License-Identifier: MIT */
/* The zoo: types with a mistake in tp_clear. */
#include "zoo.h"

static int
clear_leaves_pointer(PyObject *op)
{
    Node *self = (Node *)op;
    PyObject *b = self->b;
    self->b = NULL;
    zoo_clear(op);
    Py_XDECREF(b);
    self->b = b; /* released, but still in the field */
    return 0;
}

static int
clear_a_alone(PyObject *op)
{
    Py_CLEAR(((Node *)op)->a);
    return 0;
}

static int
clear_releases_type(PyObject *op)
{
    Py_DECREF(Py_TYPE(op));
    return zoo_clear(op);
}

static int
clear_untracks(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    return zoo_clear(op);
}

#if PY_VERSION_HEX >= 0x030D0000
static int
visit_managed(PyObject *op, visitproc visit, void *arg)
{
    int result = PyObject_VisitManagedDict(op, visit, arg);
    return result != 0 ? result : zoo_visit_type(op, visit, arg);
}

static void
dealloc_without_dict(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    zoo_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}
#endif

const struct row zoo_clear_rows[] = {
    {.name = "C48", .clear = clear_leaves_pointer},
    {.name = "C49_missing", .no_clear = 1},
    {.name = "C49_little", .clear = clear_a_alone},
    {.name = "C52", .clear = clear_releases_type, .is_heap = 1},
    {.name = "C53", .clear = clear_untracks},
#if PY_VERSION_HEX >= 0x030D0000
    {.name = "C56",
     .is_heap = 1,
     .traverse = visit_managed,
     .flags = Py_TPFLAGS_MANAGED_DICT,
     .dealloc = dealloc_without_dict},
#endif
    {.name = NULL},
};
