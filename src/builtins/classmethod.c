/* SPDX-License-Identifier: MIT */
/* staticmethod and classmethod: wrappers that change what attribute lookup binds. */
#include <Python.h>

#include "abstract.h"
#include "arguments.h"

/* Both are the same structure; they differ in tp_descr_get. */
typedef struct {
    PyObject_HEAD
    PyObject *callable; /* owned */
    PyObject *dict;     /* owned; attributes that the program sets; or NULL */
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

/* Take over the names and the doc string of the callable, as far as it has them. */
static int
take_attributes(PyObject *op, PyObject *callable)
{
    static const char *const names[] = {"__module__", "__name__", "__qualname__",
                                        "__doc__"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(names); i++) {
        PyObject *value;
        int found = _PyObject_FindAttrString(callable, names[i], &value);
        if (found > 0) {
            found = PyObject_SetAttrString(op, names[i], value);
            Py_DECREF(value);
        }
        if (found < 0) {
            return -1;
        }
    }
    return 0;
}

static int
wrapper_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    bool is_static = PyObject_TypeCheck(op, &PyStaticMethod_Type);
    const char *name = is_static ? "staticmethod" : "classmethod";
    if (!ouro_args_positional(name, kwargs) ||
        !ouro_args_between(name, PyTuple_GET_SIZE(args), 1, 1)) {
        return -1;
    }
    PyObject *callable = PyTuple_GET_ITEM(args, 0);
    Py_XSETREF(OURO_WRAPPER(op)->callable, Py_NewRef(callable));
    return take_attributes(op, callable);
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

/* The callable; RuntimeError when the collector has cleared it. Borrowed. */
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

static PyObject *
wrapper_is_abstract(PyObject *op, void *Py_UNUSED(closure))
{
    int abstract = ouro_is_abstract(OURO_WRAPPER(op)->callable);
    return abstract < 0 ? NULL : PyBool_FromLong(abstract);
}

static PyGetSetDef wrapper_getset[] = {
    {"__isabstractmethod__", wrapper_is_abstract, NULL, NULL, NULL},
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
    .tp_new = PyType_GenericNew,
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
    .tp_new = PyType_GenericNew,
    .tp_free = PyObject_GC_Del,
};
