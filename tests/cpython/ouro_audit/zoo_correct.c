/* SPDX-License-Identifier: MIT */
/* The zoo: correct types. Most do something that a tool could take for a mistake. */
#include "zoo.h"

#include <string.h>

/* ---- plain correct ones ------------------------------------------------------------------------ */

int
zoo_visit_big(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((BigNode *)op)->c);
    return zoo_visit_type(op, visit, arg);
}

static PyMethodDef block_methods[] = {
    {"append", zoo_append, METH_O, "Store an object in the C block."},
    {"tag", zoo_tag, METH_O, "Store an object by a tagged pointer."},
    {NULL, NULL, 0, NULL},
};

#if PY_VERSION_HEX >= 0x030D0000
static int
visit_managed(PyObject *op, visitproc visit, void *arg)
{
    int result = PyObject_VisitManagedDict(op, visit, arg);
    return result != 0 ? result : zoo_visit_type(op, visit, arg);
}

static int
clear_managed(PyObject *op)
{
    PyObject_ClearManagedDict(op);
    return zoo_clear(op);
}
#endif

/* ---- dead objects that are used again ------------------------------------------------------------ */

static PyObject *free_nodes[4];
static int free_count;

static PyObject *
new_from_list(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (free_count == 0 || Py_TYPE(free_nodes[free_count - 1]) != type) {
        return zoo_new(type, args, kwargs);
    }
    PyObject *op = PyObject_Init(free_nodes[--free_count], type);
    memset((char *)op + sizeof(PyObject), 0, sizeof(Node) - sizeof(PyObject));
    PyObject_GC_Track(op);
    return op;
}

static void
dealloc_to_list(PyObject *op)
{
    if (free_count == 4 || Py_TYPE(op)->tp_basicsize != (Py_ssize_t)sizeof(Node) ||
        PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_HEAPTYPE)) {
        zoo_dealloc(op);
        return;
    }
    PyObject_GC_UnTrack(op);
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    zoo_clear(op);
    free_nodes[free_count++] = op;
}

/* ---- immutable: no tp_clear, as for tuples ------------------------------------------------------- */

static PyObject *
new_pair(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "OO:Pair", &a, &b)) {
        return NULL;
    }
    Node *self = (Node *)type->tp_alloc(type, 0);
    if (self != NULL) {
        Py_INCREF(a);
        Py_INCREF(b);
        self->a = a;
        self->b = b;
    }
    return (PyObject *)self;
}

static PyMemberDef read_only_members[] = {
    {"a", T_OBJECT, offsetof(Node, a), READONLY, NULL},
    {"b", T_OBJECT, offsetof(Node, b), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* ---- tracked only when it owns something --------------------------------------------------------- */

/* The dict of an instance of a derived class may hold something from the beginning. */
static int
is_derived(PyTypeObject *type)
{
    return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE);
}

static PyObject *
new_lazy(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    Node *self = PyObject_GC_New(Node, type);
    if (self != NULL) {
        memset((char *)self + sizeof(PyObject), 0,
               (size_t)type->tp_basicsize - sizeof(PyObject));
        if (is_derived(type)) {
            PyObject_GC_Track(self);
        }
    }
    return (PyObject *)self;
}

static PyObject *
lazy_put(PyObject *op, PyObject *value)
{
    Node *self = (Node *)op;
    int is_new = self->a == NULL && !is_derived(Py_TYPE(op));
    Py_INCREF(value);
    Py_XSETREF(self->a, value);
    if (is_new) {
        PyObject_GC_Track(op);
    }
    Py_RETURN_NONE;
}

static PyMethodDef lazy_methods[] = {
    {"put", lazy_put, METH_O, "Store an object."},
    {NULL, NULL, 0, NULL},
};

/* ---- pointers that own nothing ------------------------------------------------------------------- */

/* C code owns the parent of all nodes; each node has a borrowed pointer to it. */
static PyObject *
child_adopt(PyObject *op, PyObject *parent)
{
    static PyObject *parent_of_all;
    Py_INCREF(parent);
    Py_XSETREF(parent_of_all, parent);
    ((Node *)op)->borrowed = parent;
    Py_RETURN_NONE;
}

static PyMethodDef child_methods[] = {
    {"adopt", child_adopt, METH_O, "Borrow the parent of all nodes."},
    {NULL, NULL, 0, NULL},
};

/* The address of a dead object stays in a field that is not in use. */
static PyObject *
stale_forget(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    PyObject *dict = PyDict_New();
    ((Node *)op)->borrowed = dict;
    Py_XDECREF(dict);
    Py_RETURN_NONE;
}

static PyMethodDef stale_methods[] = {
    {"forget", stale_forget, METH_NOARGS, "Leave the address of a dead dict."},
    {NULL, NULL, 0, NULL},
};

/* Registered objects stay in a C array forever. */
static PyObject *registered[2000];
static int registered_count;

static PyObject *
registry_add(PyObject *Py_UNUSED(op), PyObject *value)
{
    if (registered_count < 2000) {
        Py_INCREF(value);
        registered[registered_count++] = value;
    }
    Py_RETURN_NONE;
}

static PyObject *
registry_last(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(ignored))
{
    PyObject *last = registered_count > 0 ? registered[registered_count - 1] : Py_None;
    Py_INCREF(last);
    return last;
}

static PyMethodDef registry_methods[] = {
    {"add", registry_add, METH_O, "Register an object."},
    {"last", registry_last, METH_NOARGS, "What was registered last."},
    {NULL, NULL, 0, NULL},
};

/* The object has nothing but a weak reference. */
static PyObject *
watcher_watch(PyObject *op, PyObject *value)
{
    PyObject *weak = PyWeakref_NewRef(value, NULL);
    if (weak == NULL) {
        return NULL;
    }
    Py_XSETREF(((Node *)op)->a, weak);
    Py_RETURN_NONE;
}

static PyMethodDef watcher_methods[] = {
    {"watch", watcher_watch, METH_O, "Keep a weak reference."},
    {NULL, NULL, 0, NULL},
};

/* ---- no container, and owns nothing but a str ---------------------------------------------------- */

static PyObject *
new_named(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *name;
    if (!PyArg_ParseTuple(args, "O:Name", &name)) {
        return NULL;
    }
    if (!PyUnicode_CheckExact(name)) {
        PyErr_SetString(PyExc_TypeError, "a Name needs a str");
        return NULL;
    }
    Node *self = (Node *)type->tp_alloc(type, 0);
    if (self != NULL) {
        Py_INCREF(name);
        self->a = name;
    }
    return (PyObject *)self;
}

/* ---- finalizers ---------------------------------------------------------------------------------- */

static int finalized;

static void
count_finalized(PyObject *Py_UNUSED(op))
{
    finalized++;
}

static void
dealloc_with_finalizer(PyObject *op)
{
    if (PyObject_CallFinalizerFromDealloc(op) == 0) {
        zoo_dealloc(op);
    }
}

static void
heap_dealloc_with_finalizer(PyObject *op)
{
    if (PyObject_CallFinalizerFromDealloc(op) == 0) {
        zoo_heap_dealloc(op);
    }
}

/* The finalizer keeps every object, once. */
static PyObject *rescued;

static void
rescue(PyObject *op)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (rescued == NULL) {
        rescued = PyList_New(0);
    }
    if (rescued == NULL || PyList_Append(rescued, op) < 0) {
        PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
}

/* ---- objects with items -------------------------------------------------------------------------- */

typedef struct {
    PyObject_VAR_HEAD
    PyObject *items[1];
} Row;

static int
visit_row(PyObject *op, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_VISIT(((Row *)op)->items[i]);
    }
    return 0;
}

static int
clear_row(PyObject *op)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_CLEAR(((Row *)op)->items[i]);
    }
    return 0;
}

static void
dealloc_row(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    clear_row(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *
new_row(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    Py_ssize_t count = PyTuple_Size(args);
    Row *self = (Row *)type->tp_alloc(type, count);
    for (Py_ssize_t i = 0; self != NULL && i < count; i++) {
        PyObject *item = PyTuple_GetItem(args, i);
        Py_INCREF(item);
        self->items[i] = item;
    }
    return (PyObject *)self;
}

static PyMethodDef row_methods[] = {{NULL, NULL, 0, NULL}};
static PyMemberDef row_members[] = {{NULL, 0, 0, 0, NULL}};

/* ---- a metatype, and its one instance, which is static ------------------------------------------- */

static PyTypeObject Meta_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Meta",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
};

static PyTypeObject MetaMade_Type = {
    PyVarObject_HEAD_INIT(&Meta_Type, 0).tp_name = "zoo.MetaMade",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = zoo_visit_fields,
    .tp_clear = zoo_clear,
    .tp_dealloc = zoo_dealloc,
    .tp_new = zoo_new,
    .tp_methods = block_methods,
    .tp_weaklistoffset = offsetof(Node, weakrefs),
};

int
zoo_add_others(PyObject *module)
{
    Meta_Type.tp_base = &PyType_Type;
    if (PyType_Ready(&Meta_Type) < 0 || PyType_Ready(&MetaMade_Type) < 0) {
        return 0;
    }
    Py_INCREF(&Meta_Type);
    Py_INCREF(&MetaMade_Type);
    return PyModule_AddObject(module, "Meta", (PyObject *)&Meta_Type) == 0 &&
           PyModule_AddObject(module, "MetaMade", (PyObject *)&MetaMade_Type) == 0;
}

const struct row zoo_correct_rows[] = {
    {.name = "StaticNode"},
    {.name = "HeapNode", .is_heap = 1},
    {.name = "DerivedNode", .traverse = zoo_visit_big, .is_heap = 1, .base = "HeapNode"},
    {.name = "BlockNode", .methods = block_methods},
    {.name = "FreeListNode", .new = new_from_list, .dealloc = dealloc_to_list},
    {.name = "Pair", .new = new_pair, .members = read_only_members, .no_clear = 1},
    {.name = "LazyNode",
     .new = new_lazy,
     .methods = lazy_methods,
     .members = read_only_members},
    {.name = "Child", .methods = child_methods},
    {.name = "Stale", .methods = stale_methods},
    {.name = "Registry", .methods = registry_methods},
    {.name = "Watcher", .methods = watcher_methods, .members = read_only_members},
    {.name = "Name",
     .new = new_named,
     .is_plain = 1,
     .no_traverse = 1,
     .no_clear = 1,
     .members = read_only_members},
    {.name = "Finalized", .finalize = count_finalized, .dealloc = dealloc_with_finalizer},
    {.name = "FinalizedHeap",
     .finalize = count_finalized,
     .dealloc = heap_dealloc_with_finalizer,
     .is_heap = 1},
    {.name = "Phoenix", .finalize = rescue, .dealloc = dealloc_with_finalizer},
    {.name = "Row",
     .traverse = visit_row,
     .clear = clear_row,
     .dealloc = dealloc_row,
     .new = new_row,
     .methods = row_methods,
     .members = row_members,
     .size = offsetof(Row, items),
     .itemsize = sizeof(PyObject *),
     .no_weakrefs = 1},
#if PY_VERSION_HEX >= 0x030D0000
    {.name = "ManagedNode",
     .traverse = visit_managed,
     .clear = clear_managed,
     .is_heap = 1,
     .flags = Py_TPFLAGS_MANAGED_DICT},
#endif
    {.name = NULL},
};
