/* SPDX-License-Identifier: MIT */
/* The module zoo: what its types share, and the types themselves; see zoo.h. */
#include "zoo.h"

/* ---- a correct node ------------------------------------------------------------------------ */

int
zoo_visit_fields(PyObject *op, visitproc visit, void *arg)
{
    Node *self = (Node *)op;
    Py_VISIT(self->a);
    Py_VISIT(self->b);
    for (Py_ssize_t i = 0; i < self->count; i++) {
        Py_VISIT(self->items[i]);
    }
    if (self->tagged != 0) {
        PyObject *value = (PyObject *)(self->tagged & ~(uintptr_t)1);
        Py_VISIT(value);
    }
    return 0;
}

int
zoo_visit_type(PyObject *op, visitproc visit, void *arg)
{
#if PY_VERSION_HEX >= 0x03090000
    Py_VISIT(Py_TYPE(op));
#endif
    return zoo_visit_fields(op, visit, arg);
}

int
zoo_clear(PyObject *op)
{
    Node *self = (Node *)op;
    PyObject *value = (PyObject *)(self->tagged & ~(uintptr_t)1);
    Py_CLEAR(self->a);
    Py_CLEAR(self->b);
    while (self->count > 0) {
        Py_DECREF(self->items[--self->count]);
    }
    PyMem_Free(self->items);
    self->items = NULL;
    self->tagged = 0;
    Py_XDECREF(value);
    if (Py_TYPE(op)->tp_basicsize == (Py_ssize_t)sizeof(BigNode)) {
        Py_CLEAR(((BigNode *)self)->c);
    }
    return 0;
}

void
zoo_dealloc(PyObject *op)
{
    if (PyType_IS_GC(Py_TYPE(op))) {
        PyObject_GC_UnTrack(op);
    }
    if (((Node *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
#if PY_VERSION_HEX >= 0x030D0000
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_MANAGED_DICT)) {
        PyObject_ClearManagedDict(op);
    }
#endif
    zoo_clear(op);
    Py_TYPE(op)->tp_free(op);
}

void
zoo_heap_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    zoo_dealloc(op);
    Py_DECREF(type);
}

PyObject *
zoo_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    return type->tp_alloc(type, 0);
}

/* ---- methods and members ------------------------------------------------------------------- */

static PyObject *
node_borrow(PyObject *op, PyObject *other)
{
    ((Node *)op)->borrowed = other;
    Py_RETURN_NONE;
}

PyObject *
zoo_append(PyObject *op, PyObject *value)
{
    Node *self = (Node *)op;
    size_t size = (size_t)(self->count + 1) * sizeof(PyObject *);
    PyObject **items = PyMem_Realloc(self->items, size);
    if (items == NULL) {
        return PyErr_NoMemory();
    }
    Py_INCREF(value);
    items[self->count] = value;
    self->items = items;
    self->count++;
    Py_RETURN_NONE;
}

PyObject *
zoo_tag(PyObject *op, PyObject *value)
{
    Node *self = (Node *)op;
    PyObject *old = (PyObject *)(self->tagged & ~(uintptr_t)1);
    Py_INCREF(value);
    self->tagged = (uintptr_t)value | 1;
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

PyMethodDef zoo_methods[] = {
    {"borrow", node_borrow, METH_O, "Keep the address of an object."},
    {NULL, NULL, 0, NULL},
};

PyMemberDef zoo_members[] = {
    {"a", T_OBJECT, offsetof(Node, a), 0, NULL},
    {"b", T_OBJECT, offsetof(Node, b), 0, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyMemberDef zoo_big_members[] = {
    {"c", T_OBJECT, offsetof(BigNode, c), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* ---- types from rows --------------------------------------------------------------------------- */

static unsigned long
flags_of(const struct row *row)
{
    return Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | row->flags |
           (row->is_plain ? 0 : Py_TPFLAGS_HAVE_GC);
}

/* The member of the row, or a default if the row has none. */
#define ROW_OR(member, otherwise) (row->member != NULL ? row->member : (otherwise))

static PyObject *
make_heap_type(PyObject *module, const struct row *row, const char *name)
{
    PyObject *base = row->base == NULL ? NULL : PyObject_GetAttrString(module, row->base);
    PyObject *bases =
        base == NULL ? NULL : PyTuple_Pack(1, base); /* a tuple before 3.10 */
    PyMemberDef *members = base == NULL ? zoo_members : zoo_big_members;
    Py_ssize_t size =
        base == NULL ? (Py_ssize_t)sizeof(Node) : (Py_ssize_t)sizeof(BigNode);
    PyType_Slot slots[12] = {{0, NULL}};
    int used = 0;
    if (!row->no_traverse) {
        slots[used++] =
            (PyType_Slot){Py_tp_traverse, (void *)ROW_OR(traverse, zoo_visit_type)};
    }
    if (!row->no_clear) {
        slots[used++] = (PyType_Slot){Py_tp_clear, (void *)ROW_OR(clear, zoo_clear)};
    }
    if (!row->no_dealloc) {
        slots[used++] =
            (PyType_Slot){Py_tp_dealloc, (void *)ROW_OR(dealloc, zoo_heap_dealloc)};
    }
    if (row->finalize != NULL) {
        slots[used++] = (PyType_Slot){Py_tp_finalize, (void *)row->finalize};
    }
    slots[used++] = (PyType_Slot){Py_tp_new, (void *)ROW_OR(new, zoo_new)};
    slots[used++] = (PyType_Slot){Py_tp_methods, ROW_OR(methods, zoo_methods)};
    slots[used++] = (PyType_Slot){Py_tp_members, ROW_OR(members, members)};
    PyType_Spec spec = {
        .name = name,
        .basicsize = (int)(row->size != 0 ? row->size : size),
        .itemsize = (int)row->itemsize,
        .flags = (unsigned int)flags_of(row),
        .slots = slots,
    };
    PyObject *type = PyType_FromSpecWithBases(&spec, bases);
    Py_XDECREF(bases);
    Py_XDECREF(base);
    return type;
}

static PyObject *
make_static_type(PyTypeObject *type, const struct row *row, const char *name)
{
    *type = (PyTypeObject){
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = name,
        .tp_basicsize = row->size != 0 ? row->size : (Py_ssize_t)sizeof(Node),
        .tp_itemsize = row->itemsize,
        .tp_flags = flags_of(row),
        .tp_traverse = row->no_traverse ? NULL : ROW_OR(traverse, zoo_visit_fields),
        .tp_clear = row->no_clear ? NULL : ROW_OR(clear, zoo_clear),
        .tp_dealloc = ROW_OR(dealloc, zoo_dealloc),
        .tp_finalize = row->finalize,
        .tp_del = row->del,
        .tp_free = row->free,
        .tp_new = row->no_new ? NULL : ROW_OR(new, zoo_new),
        .tp_methods = ROW_OR(methods, zoo_methods),
        .tp_members = ROW_OR(members, zoo_members),
        .tp_weaklistoffset = row->no_weakrefs ? 0 : (Py_ssize_t)offsetof(Node, weakrefs),
    };
    Py_INCREF(type);
    return PyType_Ready(type) < 0 ? NULL : (PyObject *)type;
}

enum { MOST_TYPES = 100 };

static int
add_types(PyObject *module, const struct row *rows)
{
    static PyTypeObject types[MOST_TYPES];
    static char names[MOST_TYPES][60]; /* a spec of 3.8 keeps the pointer */
    static int count;
    for (const struct row *row = rows; row->name != NULL; row++, count++) {
        snprintf(names[count], sizeof(names[count]), "zoo.%s", row->name);
        PyObject *type = row->is_heap
                             ? make_heap_type(module, row, names[count])
                             : make_static_type(&types[count], row, names[count]);
        if (type == NULL || PyModule_AddObject(module, row->name, type) < 0) {
            return 0;
        }
    }
    return 1;
}

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC
PyInit_zoo(void)
{
    PyObject *module = PyModule_Create(&module_def);
    if (module != NULL &&
        (!add_types(module, zoo_correct_rows) || !zoo_add_others(module) ||
         !add_types(module, zoo_traverse_rows) || !add_types(module, zoo_life_rows) ||
         !add_types(module, zoo_clear_rows))) {
        Py_CLEAR(module);
    }
    return module;
}
