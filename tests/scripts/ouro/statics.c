/* SPDX-License-Identifier: MIT */
/* A correct module for tests/scripts/ouro.sh: each instance refers to 20 000 static objects. */
#include <Python.h>

enum { COUNT = 20000 };

static PyTypeObject Leaf_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "statics.Leaf",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyObject leaves[COUNT];

struct tree {
    PyObject_HEAD
    PyObject *next;
    PyObject *leaves[COUNT];
};

static int
tree_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct tree *tree = (struct tree *)op;
    Py_VISIT(tree->next);
    for (int i = 0; i < COUNT; i++) {
        Py_VISIT(tree->leaves[i]);
    }
    return 0;
}

static int
tree_clear(PyObject *op)
{
    struct tree *tree = (struct tree *)op;
    Py_CLEAR(tree->next);
    for (int i = 0; i < COUNT; i++) {
        Py_CLEAR(tree->leaves[i]);
    }
    return 0;
}

static void
tree_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    tree_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *
tree_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct tree *tree = (struct tree *)type->tp_alloc(type, 0);
    (void)args;
    (void)kwargs;
    for (int i = 0; tree != NULL && i < COUNT; i++) {
        tree->leaves[i] = Py_NewRef(&leaves[i]);
    }
    return (PyObject *)tree;
}

static PyObject *
tree_link(PyObject *op, PyObject *other)
{
    Py_XSETREF(((struct tree *)op)->next, Py_NewRef(other));
    Py_RETURN_NONE;
}

static PyMethodDef tree_methods[] = {
    {"link", tree_link, METH_O, "Refer to another object."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject Tree_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "statics.Tree",
    .tp_basicsize = sizeof(struct tree),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = tree_traverse,
    .tp_clear = tree_clear,
    .tp_dealloc = tree_dealloc,
    .tp_methods = tree_methods,
    .tp_new = tree_new,
};

static struct PyModuleDef statics_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "statics",
    .m_size = -1,
};

PyMODINIT_FUNC
PyInit_statics(void)
{
    if (PyType_Ready(&Leaf_Type) < 0) {
        return NULL;
    }
    for (int i = 0; i < COUNT; i++) {
        PyObject_Init(&leaves[i], &Leaf_Type);
    }
    PyObject *module = PyModule_Create(&statics_module);
    if (module != NULL && PyModule_AddType(module, &Tree_Type) < 0) {
        Py_CLEAR(module);
    }
    return module;
}
