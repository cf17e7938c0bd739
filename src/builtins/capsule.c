/* SPDX-License-Identifier: MIT */
/* Capsules: a C pointer as an object. */
#include <Python.h>

#include <stdbool.h>

struct capsule {
    PyObject_HEAD
    void *pointer; /* never NULL */
    const char *name;
    void *context;
    PyCapsule_Destructor destructor;
};

PyObject *
PyCapsule_New(void *pointer, const char *name, PyCapsule_Destructor destructor)
{
    if (pointer == NULL) {
        PyErr_SetString(PyExc_ValueError, "PyCapsule_New called with null pointer");
        return NULL;
    }
    struct capsule *capsule = PyObject_New(struct capsule, &PyCapsule_Type);
    if (capsule == NULL) {
        return NULL;
    }
    capsule->pointer = pointer;
    capsule->name = name;
    capsule->context = NULL;
    capsule->destructor = destructor;
    return (PyObject *)capsule;
}

static bool
names_match(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int
PyCapsule_IsValid(PyObject *op, const char *name)
{
    return op != NULL && PyCapsule_CheckExact(op) &&
           names_match(((struct capsule *)op)->name, name);
}

/* `op` as a capsule; NULL with ValueError, which names the function that was called. */
static struct capsule *
require_capsule(PyObject *op, const char *function)
{
    if (op == NULL || !PyCapsule_CheckExact(op)) {
        PyErr_Format(PyExc_ValueError, "%s called with invalid PyCapsule object",
                     function);
        return NULL;
    }
    return (struct capsule *)op;
}

void *
PyCapsule_GetPointer(PyObject *capsule, const char *name)
{
    const struct capsule *c = require_capsule(capsule, "PyCapsule_GetPointer");
    if (c == NULL) {
        return NULL;
    }
    if (!names_match(c->name, name)) {
        PyErr_SetString(PyExc_ValueError,
                        "PyCapsule_GetPointer called with incorrect name");
        return NULL;
    }
    return c->pointer;
}

const char *
PyCapsule_GetName(PyObject *capsule)
{
    const struct capsule *c = require_capsule(capsule, "PyCapsule_GetName");
    return c == NULL ? NULL : c->name;
}

PyCapsule_Destructor
PyCapsule_GetDestructor(PyObject *capsule)
{
    const struct capsule *c = require_capsule(capsule, "PyCapsule_GetDestructor");
    return c == NULL ? NULL : c->destructor;
}

void *
PyCapsule_GetContext(PyObject *capsule)
{
    const struct capsule *c = require_capsule(capsule, "PyCapsule_GetContext");
    return c == NULL ? NULL : c->context;
}

int
PyCapsule_SetPointer(PyObject *capsule, void *pointer)
{
    struct capsule *c = require_capsule(capsule, "PyCapsule_SetPointer");
    if (c == NULL) {
        return -1;
    }
    if (pointer == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "PyCapsule_SetPointer called with null pointer");
        return -1;
    }
    c->pointer = pointer;
    return 0;
}

int
PyCapsule_SetName(PyObject *capsule, const char *name)
{
    struct capsule *c = require_capsule(capsule, "PyCapsule_SetName");
    if (c == NULL) {
        return -1;
    }
    c->name = name;
    return 0;
}

int
PyCapsule_SetDestructor(PyObject *capsule, PyCapsule_Destructor destructor)
{
    struct capsule *c = require_capsule(capsule, "PyCapsule_SetDestructor");
    if (c == NULL) {
        return -1;
    }
    c->destructor = destructor;
    return 0;
}

int
PyCapsule_SetContext(PyObject *capsule, void *context)
{
    struct capsule *c = require_capsule(capsule, "PyCapsule_SetContext");
    if (c == NULL) {
        return -1;
    }
    c->context = context;
    return 0;
}

static void
capsule_dealloc(PyObject *op)
{
    const struct capsule *c = (struct capsule *)op;
    if (c->destructor != NULL) {
        c->destructor(op);
    }
    PyObject_Free(op);
}

static PyObject *
capsule_repr(PyObject *op)
{
    const char *name = ((struct capsule *)op)->name;
    const char *quote = name == NULL ? "" : "\"";
    return PyUnicode_FromFormat("<capsule object %s%s%s at %p>", quote,
                                name == NULL ? "NULL" : name, quote, (void *)op);
}

PyTypeObject PyCapsule_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "PyCapsule",
    .tp_basicsize = sizeof(struct capsule),
    .tp_dealloc = capsule_dealloc,
    .tp_repr = capsule_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A C pointer as an object; the name says what it points to.",
};
