/* SPDX-License-Identifier: MIT */
/* The zoo: types with a mistake in tp_traverse. */
#include "zoo.h"

/* ---- visits that are missing: GC-T01 ---------------------------------------------------------- */

static int
visit_a_alone(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->a);
    return 0;
}

static int
visit_ab(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->a);
    Py_VISIT(((Node *)op)->b);
    return 0;
}

/* One object is in two fields: the visit of one field hides that the other is not visited. */
static PyObject *
node_put_twice(PyObject *op, PyObject *value)
{
    Node *self = (Node *)op;
    Py_INCREF(value);
    Py_XSETREF(self->a, value);
    Py_INCREF(value);
    Py_XSETREF(self->b, value);
    Py_RETURN_NONE;
}

static PyMethodDef twice_methods[] = {
    {"put", node_put_twice, METH_O, "Store an object in both fields."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef block_methods[] = {
    {"append", zoo_append, METH_O, "Store an object in the C block."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef tag_methods[] = {
    {"tag", zoo_tag, METH_O, "Store an object by a tagged pointer."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef no_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* ---- visits that are too many: GC-T02, GC-T04, GC-T09, GC-T10 --------------------------------- */

static int
visit_a_twice(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->a);
    return zoo_visit_fields(op, visit, arg);
}

static int
visit_borrowed(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->borrowed);
    return zoo_visit_fields(op, visit, arg);
}

static int
visit_type_twice(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(Py_TYPE(op));
    return zoo_visit_fields(op, visit, arg);
}

static int
visit_null(PyObject *op, visitproc visit, void *arg)
{
    int result = zoo_visit_fields(op, visit, arg);
    return result != 0 ? result : visit(NULL, arg);
}

static int
visit_weakrefs(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->weakrefs);
    return zoo_visit_fields(op, visit, arg);
}

/* ---- what tp_traverse must not do: GC-T05, GC-T06, GC-T07 ------------------------------------- */

static int
keep_what_is_visited(PyObject *op, visitproc visit, void *arg)
{
    Py_XINCREF(((Node *)op)->a);
    return zoo_visit_fields(op, visit, arg);
}

static int
allocate(PyObject *op, visitproc visit, void *arg)
{
    PyObject *tuple = PyTuple_New(50);
    Py_XDECREF(tuple);
    return zoo_visit_fields(op, visit, arg);
}

static int
raise(PyObject *op, visitproc visit, void *arg)
{
    PyErr_SetString(PyExc_RuntimeError, "raised in tp_traverse");
    return zoo_visit_fields(op, visit, arg);
}

/* ---- results: GC-T08, GC-T11 ------------------------------------------------------------------- */

static int
visit_by_turns(PyObject *op, visitproc visit, void *arg)
{
    static int turn;
    Py_VISIT(((Node *)op)->a);
    if (++turn % 2 != 0) {
        Py_VISIT(((Node *)op)->b);
    }
    return 0;
}

static int
swallow(PyObject *op, visitproc visit, void *arg)
{
    (void)zoo_visit_fields(op, visit, arg);
    return 0;
}

static int
go_on(PyObject *op, visitproc visit, void *arg)
{
    int result = ((Node *)op)->a == NULL ? 0 : visit(((Node *)op)->a, arg);
    int other = ((Node *)op)->b == NULL ? 0 : visit(((Node *)op)->b, arg);
    return result != 0 ? result : other;
}

static int
return_one(PyObject *op, visitproc visit, void *arg)
{
    int result = zoo_visit_fields(op, visit, arg);
    return result != 0 ? result : 1;
}

/* ---- bases and managed dicts: GC-T12, GC-T14 ---------------------------------------------------- */

static int
visit_c_alone(PyObject *op, visitproc visit, void *arg)
{
#if PY_VERSION_HEX >= 0x03090000
    Py_VISIT(Py_TYPE(op));
#endif
    Py_VISIT(((BigNode *)op)->c);
    return 0;
}

#if PY_VERSION_HEX >= 0x030D0000
static int
swallow_managed(PyObject *op, visitproc visit, void *arg)
{
    int result = zoo_visit_type(op, visit, arg);
    PyObject_VisitManagedDict(op, visit, arg);
    return result;
}

static int
clear_managed(PyObject *op)
{
    PyObject_ClearManagedDict(op);
    return zoo_clear(op);
}
#endif

const struct row zoo_traverse_rows[] = {
    {.name = "T01", .traverse = visit_a_alone},
    {.name = "T01_twice",
     .traverse = visit_a_alone,
     .methods = twice_methods,
     .members = no_members},
    {.name = "T01_block",
     .traverse = visit_ab,
     .methods = block_methods,
     .members = no_members},
    {.name = "T01_tagged",
     .traverse = visit_ab,
     .methods = tag_methods,
     .members = no_members},
    {.name = "T02", .traverse = visit_a_twice},
    {.name = "T02_borrowed", .traverse = visit_borrowed},
    {.name = "T03", .traverse = zoo_visit_fields, .is_heap = 1},
    {.name = "T04_heap", .traverse = visit_type_twice, .is_heap = 1},
    {.name = "T04_static", .traverse = visit_type_twice},
    {.name = "T05", .traverse = keep_what_is_visited},
    {.name = "T06", .traverse = allocate},
    {.name = "T07", .traverse = raise},
    {.name = "T08_swallow", .traverse = swallow},
    {.name = "T08_goes_on", .traverse = go_on},
    {.name = "T08_returns", .traverse = return_one},
    {.name = "T09", .traverse = visit_null},
    {.name = "T10", .traverse = visit_weakrefs},
    {.name = "T11", .traverse = visit_by_turns},
    {.name = "T14", .traverse = visit_c_alone, .is_heap = 1, .base = "HeapNode"},
#if PY_VERSION_HEX >= 0x030D0000
    {.name = "T12",
     .is_heap = 1,
     .flags = Py_TPFLAGS_MANAGED_DICT,
     .clear = clear_managed},
    {.name = "T08_managed",
     .traverse = swallow_managed,
     .is_heap = 1,
     .flags = Py_TPFLAGS_MANAGED_DICT,
     .clear = clear_managed},
#endif
    {.name = NULL},
};
