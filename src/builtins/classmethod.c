/* SPDX-License-Identifier: MIT */
/* staticmethod and classmethod: wrappers that change what attribute lookup binds. */
#include <Python.h>

#include "arguments.h"

/* Both are the same structure; they differ in tp_descr_get. */
typedef struct {
    PyObject_HEAD
    PyObject *callable; /* owned */
    PyObject *dict;     /* owned; attributes that somebody sets; or NULL */
} wrapperobject;

#define OURO_WRAPPER(op) ((wrapperobject *)(op))

static PyObject *
new_wrapper(PyTypeObject *type, PyObject *callable)
{
    wrapperobject *wrapper = (wrapperobject *)type->tp_alloc(type, 0);
    if (wrapper != NULL) {
        wrapper->callable = Py_NewRef(callable);
    }
    return (PyObject *)wrapper;
}

PyObject *
PyStaticMethod_New(PyObject *callable)
{
    return new_wrapper(&PyStaticMethod_Type, callable);
}

PyObject *
PyClassMethod_New(PyObject *callable)
{
    return new_wrapper(&PyClassMethod_Type, callable);
}

static PyObject *
wrapper_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional(type->tp_name, kwargs) ||
        !ouro_args_between(type->tp_name, PyTuple_GET_SIZE(args), 1, 1)) {
        return NULL;
    }
    return new_wrapper(type, PyTuple_GET_ITEM(args, 0));
}

/* wrapper_new has used the arguments. */
static int
wrapper_init(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(args),
             PyObject *Py_UNUSED(kwargs))
{
    return 0;
}

static int
wrapper_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_WRAPPER(op)->callable);
    Py_VISIT(OURO_WRAPPER(op)->dict);
    return 0;
}

static int
wrapper_clear(PyObject *op)
{
    Py_CLEAR(OURO_WRAPPER(op)->callable);
    Py_CLEAR(OURO_WRAPPER(op)->dict);
    return 0;
}

static void
wrapper_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    wrapper_clear(op);
    Py_TYPE(op)->tp_free(op);
}

/* The callable; RuntimeError when the collector has taken it away. Borrowed. */
static PyObject *
wrapped_callable(PyObject *op)
{
    if (OURO_WRAPPER(op)->callable == NULL) {
        PyErr_Format(PyExc_RuntimeError, "uninitialized %s object", Py_TYPE(op)->tp_name);
    }
    return OURO_WRAPPER(op)->callable;
}

static PyObject *
staticmethod_get(PyObject *op, PyObject *Py_UNUSED(obj), PyObject *Py_UNUSED(cls))
{
    return Py_XNewRef(wrapped_callable(op));
}

static PyObject *
classmethod_get(PyObject *op, PyObject *obj, PyObject *cls)
{
    PyObject *callable = wrapped_callable(op);
    if (callable == NULL) {
        return NULL;
    }
    if (cls == NULL && obj != NULL) {
        cls = (PyObject *)Py_TYPE(obj);
    }
    return PyMethod_New(callable, cls);
}

static PyObject *
staticmethod_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    PyObject *callable = wrapped_callable(op);
    return callable == NULL ? NULL : PyObject_Call(callable, args, kwargs);
}

static PyObject *
wrapper_repr(PyObject *op)
{
    return PyUnicode_FromFormat("<%s(%R)>", Py_TYPE(op)->tp_name,
                                OURO_WRAPPER(op)->callable);
}

static PyMemberDef wrapper_members[] = {
    {"__func__", _Py_T_OBJECT, offsetof(wrapperobject, callable), Py_READONLY, NULL},
    {"__wrapped__", _Py_T_OBJECT, offsetof(wrapperobject, callable), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef wrapper_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject PyStaticMethod_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "staticmethod",
    .tp_basicsize = sizeof(wrapperobject),
    .tp_dealloc = wrapper_dealloc,
    .tp_repr = wrapper_repr,
    .tp_call = staticmethod_call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "staticmethod(function): an attribute that is not bound to anything",
    .tp_traverse = wrapper_traverse,
    .tp_clear = wrapper_clear,
    .tp_members = wrapper_members,
    .tp_getset = wrapper_getset,
    .tp_descr_get = staticmethod_get,
    .tp_dictoffset = offsetof(wrapperobject, dict),
    .tp_init = wrapper_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = wrapper_new,
    .tp_free = PyObject_GC_Del,
};

PyTypeObject PyClassMethod_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "classmethod",
    .tp_basicsize = sizeof(wrapperobject),
    .tp_dealloc = wrapper_dealloc,
    .tp_repr = wrapper_repr,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "classmethod(function): an attribute that is bound to the class",
    .tp_traverse = wrapper_traverse,
    .tp_clear = wrapper_clear,
    .tp_members = wrapper_members,
    .tp_getset = wrapper_getset,
    .tp_descr_get = classmethod_get,
    .tp_dictoffset = offsetof(wrapperobject, dict),
    .tp_init = wrapper_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = wrapper_new,
    .tp_free = PyObject_GC_Del,
};
