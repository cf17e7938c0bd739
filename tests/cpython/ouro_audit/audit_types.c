/* SPDX-License-Identifier: MIT */
/* A module for CPython whose types have one mistake each, and correct ones.
 *
 * All have the same structure: two owned fields, `a` and `b`, which Python code can set, a
 * borrowed one, and a list of weak references. They differ in tp_traverse alone. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *a, *b;
    PyObject *borrowed; /* set by borrow(); not owned */
    PyObject *weakrefs;
} Node;

typedef struct {
    Node node;
    PyObject *c;
} BigNode;

/* ---- what all types share ------------------------------------------------------------- */

static int
node_clear(PyObject *op)
{
    Node *self = (Node *)op;
    Py_CLEAR(self->a);
    Py_CLEAR(self->b);
    if (Py_TYPE(op)->tp_basicsize >= (Py_ssize_t)sizeof(BigNode)) {
        Py_CLEAR(((BigNode *)self)->c);
    }
    return 0;
}

static void
node_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
#if PY_VERSION_HEX >= 0x030D0000
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_MANAGED_DICT)) {
        PyObject_ClearManagedDict(op);
    }
#endif
    node_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static void
heap_node_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    node_dealloc(op);
    Py_DECREF(type);
}

static PyObject *
node_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    return type->tp_alloc(type, 0);
}

static PyObject *
node_borrow(PyObject *op, PyObject *other)
{
    ((Node *)op)->borrowed = other;
    Py_RETURN_NONE;
}

static PyMethodDef node_methods[] = {
    {"borrow", node_borrow, METH_O, "Keep the address of an object."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef node_members[] = {
    {"a", T_OBJECT, offsetof(Node, a), 0, NULL},
    {"b", T_OBJECT, offsetof(Node, b), 0, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMemberDef big_members[] = {
    {"c", T_OBJECT, offsetof(BigNode, c), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* ---- handlers -------------------------------------------------------------------------------- */

static int
visit_ab(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->a);
    Py_VISIT(((Node *)op)->b);
    return 0;
}

static int
visit_type_ab(PyObject *op, visitproc visit, void *arg)
{
#if PY_VERSION_HEX >= 0x03090000
    Py_VISIT(Py_TYPE(op));
#endif
    return visit_ab(op, visit, arg);
}

static int
visit_twice_type_ab(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(Py_TYPE(op));
    return visit_ab(op, visit, arg);
}

static int
visit_a_alone(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->a);
    return 0;
}

static int
visit_a_twice(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->a);
    return visit_ab(op, visit, arg);
}

static int
visit_borrowed(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->borrowed);
    return visit_ab(op, visit, arg);
}

static int
visit_null(PyObject *op, visitproc visit, void *arg)
{
    int result = visit_ab(op, visit, arg);
    return result != 0 ? result : visit(NULL, arg);
}

static int
visit_weakrefs(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Node *)op)->weakrefs);
    return visit_ab(op, visit, arg);
}

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
    (void)visit_ab(op, visit, arg);
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
    int result = visit_ab(op, visit, arg);
    return result != 0 ? result : 1;
}

static int
visit_c(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((BigNode *)op)->c);
    return visit_type_ab(op, visit, arg);
}

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
visit_managed(PyObject *op, visitproc visit, void *arg)
{
    int result = PyObject_VisitManagedDict(op, visit, arg);
    return result != 0 ? result : visit_type_ab(op, visit, arg);
}

static int
swallow_managed(PyObject *op, visitproc visit, void *arg)
{
    int result = visit_type_ab(op, visit, arg);
    PyObject_VisitManagedDict(op, visit, arg);
    return result;
}
#endif

/* ---- the types --------------------------------------------------------------------------------- */

struct row {
    const char *name; /* with the module's */
    traverseproc traverse;
    int is_heap;
    const char *base; /* of BigNode types */
    unsigned long flags;
};

static const struct row rows[] = {
    {"audit_types.StaticNode", visit_ab, 0, NULL, 0},
    {"audit_types.HeapNode", visit_type_ab, 1, NULL, 0},
    {"audit_types.DerivedNode", visit_c, 1, "HeapNode", 0},
    {"audit_types.T01", visit_a_alone, 0, NULL, 0},
    {"audit_types.T02", visit_a_twice, 0, NULL, 0},
    {"audit_types.T02_borrowed", visit_borrowed, 0, NULL, 0},
    {"audit_types.T03", visit_ab, 1, NULL, 0},
    {"audit_types.T04_heap", visit_twice_type_ab, 1, NULL, 0},
    {"audit_types.T04_static", visit_twice_type_ab, 0, NULL, 0},
    {"audit_types.T08_swallow", swallow, 0, NULL, 0},
    {"audit_types.T08_goes_on", go_on, 0, NULL, 0},
    {"audit_types.T08_returns", return_one, 0, NULL, 0},
    {"audit_types.T09", visit_null, 0, NULL, 0},
    {"audit_types.T10", visit_weakrefs, 0, NULL, 0},
    {"audit_types.T11", visit_by_turns, 0, NULL, 0},
    {"audit_types.T14", visit_c_alone, 1, "HeapNode", 0},
#if PY_VERSION_HEX >= 0x030D0000
    {"audit_types.ManagedNode", visit_managed, 1, NULL, Py_TPFLAGS_MANAGED_DICT},
    {"audit_types.T12", visit_type_ab, 1, NULL, Py_TPFLAGS_MANAGED_DICT},
    {"audit_types.T08_managed", swallow_managed, 1, NULL, Py_TPFLAGS_MANAGED_DICT},
#endif
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static PyObject *
make_heap_type(PyObject *module, const struct row *row)
{
    PyObject *base = row->base == NULL ? NULL : PyObject_GetAttrString(module, row->base);
    PyObject *bases =
        base == NULL ? NULL : PyTuple_Pack(1, base); /* a tuple before 3.10 */
    PyType_Slot slots[] = {
        {Py_tp_traverse, (void *)row->traverse},
        {Py_tp_clear, (void *)node_clear},
        {Py_tp_dealloc, (void *)heap_node_dealloc},
        {Py_tp_new, (void *)node_new},
        {Py_tp_methods, node_methods},
        {Py_tp_members, base == NULL ? node_members : big_members},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = row->name,
        .basicsize = base == NULL ? sizeof(Node) : sizeof(BigNode),
        .flags = (unsigned int)(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                Py_TPFLAGS_BASETYPE | row->flags),
        .slots = slots,
    };
    PyObject *type = PyType_FromSpecWithBases(&spec, bases);
    Py_XDECREF(bases);
    Py_XDECREF(base);
    return type;
}

static PyTypeObject static_types[ROWS];

static PyObject *
make_static_type(PyTypeObject *type, const struct row *row)
{
    *type = (PyTypeObject){
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = row->name,
        .tp_basicsize = sizeof(Node),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
        .tp_traverse = row->traverse,
        .tp_clear = node_clear,
        .tp_dealloc = node_dealloc,
        .tp_new = node_new,
        .tp_methods = node_methods,
        .tp_members = node_members,
        .tp_weaklistoffset = offsetof(Node, weakrefs),
    };
    Py_INCREF(type);
    return PyType_Ready(type) < 0 ? NULL : (PyObject *)type;
}

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "audit_types",
    .m_size = -1,
};

PyMODINIT_FUNC
PyInit_audit_types(void)
{
    PyObject *module = PyModule_Create(&module_def);
    for (size_t i = 0; module != NULL && i < ROWS; i++) {
        PyObject *type = rows[i].is_heap ? make_heap_type(module, &rows[i])
                                         : make_static_type(&static_types[i], &rows[i]);
        if (type == NULL ||
            PyModule_AddObject(module, strchr(rows[i].name, '.') + 1, type) < 0) {
            Py_CLEAR(module);
        }
    }
    return module;
}
