/* SPDX-License-Identifier: MIT */
/* A module with one container type. It is correct, unless a macro on the command line makes it do
 * one thing wrong:
 *   FORGETS         tp_traverse leaves out a field
 *   KEEPS           a method stores a reference in a place that is not visited
 *   NEEDS           the constructor needs a str and an int
 *   CRASHES         a method crashes
 *   FAULTS          a method reads memory that is not mapped, in an inline function
 *   HANGS           a method does not return
 *   CRASHES_EARLY, HANGS_EARLY, ENDS_EARLY, RAISES_EARLY: the init function does
 *   PLAIN           there is no type
 *   HIDES           the type is not shown by the module
 *   LACKS           the type has no Py_TPFLAGS_HAVE_GC
 *   SINGLE          static data keep an instance
 *   IMPORTS         needs a module that is not there, and a name from it
 *   DEMANDS         uses what it imports: as function, as number, and its attributes
 *   HALF_IMPORTS    ignores that a module is not there, and leaves the exception pending
 *   SIBLING         needs the module lru
 *   PACKAGED        is part of a package, and needs the module lru as another part
 *   VIEWS           a method without arguments returns a view, which cannot be called */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <signal.h>
#include <stddef.h>
#include <structmember.h>
#include <unistd.h>

struct node {
    PyObject_HEAD
    PyObject *next, *cache;
};

#ifndef LACKS
static int
node_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct node *self = (struct node *)op;
    Py_VISIT(self->next);
#ifndef FORGETS
    Py_VISIT(self->cache);
#endif
    return 0;
}
#endif

static int
node_clear(PyObject *op)
{
    struct node *self = (struct node *)op;
    Py_CLEAR(self->next);
    Py_CLEAR(self->cache);
    return 0;
}

static void
node_dealloc(PyObject *op)
{
#ifndef LACKS
    PyObject_GC_UnTrack(op);
#endif
    node_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *
node_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
#ifdef NEEDS
    const char *name;
    int number;
    if (!PyArg_ParseTuple(args, "si", &name, &number)) {
        return NULL;
    }
#else
    (void)args;
#endif
    return type->tp_alloc(type, 0);
}

static PyObject *
node_link(PyObject *op, PyObject *other)
{
#ifdef KEEPS
    Py_INCREF(other); /* lost */
#endif
#ifdef CRASHES
    raise(SIGSEGV);
#endif
#ifdef FAULTS
    if (Py_SIZE((PyObject *)(size_t)4096) == 0) { /* the place of the fault */
        Py_RETURN_NONE;
    }
#endif
#ifdef HANGS
    pause();
#endif
    Py_XSETREF(((struct node *)op)->next, Py_NewRef(other));
    Py_RETURN_NONE;
}

#ifdef VIEWS
static PyTypeObject view_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "subject.View",
    .tp_basicsize = sizeof(struct node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_dealloc = node_dealloc,
};

static PyObject *
node_view(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct node *view = PyObject_GC_New(struct node, &view_type);
    if (view != NULL) {
        view->next = Py_NewRef(op);
        view->cache = NULL;
        PyObject_GC_Track(view);
    }
    return (PyObject *)view;
}
#endif

static PyMethodDef node_methods[] = {
#ifdef VIEWS
    {"view", node_view, METH_NOARGS, "A view of the node."},
#endif
    {"link", node_link, METH_O, "Refer to another object."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef node_members[] = {
    {"cache", T_OBJECT, offsetof(struct node, cache), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "subject.Node",
    .tp_basicsize = sizeof(struct node),
#ifdef LACKS
    .tp_flags = Py_TPFLAGS_DEFAULT,
#else
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
#endif
    .tp_dealloc = node_dealloc,
    .tp_new = node_new,
    .tp_methods = node_methods,
    .tp_members = node_members,
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
#ifdef PACKAGED
    .m_name = "family.subject",
#else
    .m_name = "subject",
#endif
    .m_size = -1,
};

#ifdef DEMANDS
/* False with an exception. */
static int
use_others(void)
{
    PyObject *abc = PyImport_ImportModule("collections.abc");
    PyObject *sequence = abc == NULL ? NULL : PyObject_GetAttrString(abc, "Sequence");
    PyObject *keywords = Py_BuildValue("{s:i}", "key", 1);
    PyObject *register_it =
        sequence == NULL ? NULL : PyObject_GetAttrString(sequence, "register");
    PyObject *made = register_it == NULL || keywords == NULL
                         ? NULL
                         : PyObject_Call(register_it, PyTuple_Pack(1, Py_None), keywords);
    PyObject *value = made == NULL ? NULL : PyObject_GetAttrString(made, "value");
    PyObject *copyreg = value == NULL ? NULL : PyImport_ImportModule("copyreg");
    return copyreg != NULL && PyLong_AsLong(value) == 0 && !PyErr_Occurred() &&
           PyObject_HasAttrString(copyreg, "__newobj__") &&
           !PyObject_HasAttrString(copyreg, "__path__");
}
#endif

PyMODINIT_FUNC
PyInit_subject(void)
{
#ifdef CRASHES_EARLY
    raise(SIGSEGV);
#endif
#ifdef HANGS_EARLY
    pause();
#endif
#ifdef ENDS_EARLY
    _exit(7);
#endif
#ifdef RAISES_EARLY
    PyErr_SetString(PyExc_ValueError, "not today");
    return NULL;
#endif
#ifdef IMPORTS
    PyObject *other = PyImport_ImportModule("other.part");
    PyObject *thing = other == NULL ? NULL : PyObject_GetAttrString(other, "Thing");
    Py_XDECREF(other);
    if (thing == NULL) {
        return NULL;
    }
    Py_DECREF(thing);
#endif
#ifdef DEMANDS
    if (!use_others()) {
        return NULL;
    }
#endif
#ifdef HALF_IMPORTS
    PyObject *half = PyImport_ImportModule("other");
    Py_XDECREF(half);
#endif
#ifdef VIEWS
    if (PyType_Ready(&view_type) < 0) {
        return NULL;
    }
#endif
#ifdef PACKAGED
    PyObject *part = PyImport_ImportModule("family.store");
    PyObject *cache = part == NULL ? NULL : PyObject_GetAttrString(part, "Cache");
    Py_XDECREF(part);
    Py_XDECREF(cache);
    if (cache == NULL || PyType_GetModule((PyTypeObject *)cache) == NULL) {
        return NULL;
    }
#endif
#ifdef SIBLING
    PyObject *sibling = PyImport_ImportModule("lru");
    if (sibling == NULL) {
        return NULL;
    }
    Py_DECREF(sibling);
#endif
#ifdef PLAIN
    return PyModule_Create(&module_def);
#endif
    PyObject *module = PyType_Ready(&node_type) < 0 ? NULL : PyModule_Create(&module_def);
#ifdef SINGLE
    static PyObject *single;
    single = node_type.tp_alloc(&node_type, 0);
    if (PyErr_Occurred() || single == NULL) {
        return NULL;
    }
#endif
#ifndef HIDES
    if (module != NULL && PyModule_AddType(module, &node_type) < 0) {
        Py_CLEAR(module);
    }
#endif
    return module;
}
