/* SPDX-License-Identifier: MIT */
/* instancemethod: any callable as a method. Looked up on an instance it is a bound method;
 * built-in functions, which bind to nothing themselves, become methods of classes so. */
#include <Python.h>

#include "arguments.h"

typedef struct {
    PyObject_HEAD
    PyObject *func; /* owned */
} instancemethod;

#define OURO_INSTANCEMETHOD(op) ((instancemethod *)(op))

PyObject *
PyInstanceMethod_New(PyObject *func)
{
    instancemethod *method = PyObject_GC_New(instancemethod, &PyInstanceMethod_Type);
    if (method == NULL) {
        return NULL;
    }
    method->func = Py_NewRef(func);
    PyObject_GC_Track(method);
    return (PyObject *)method;
}

PyObject *
PyInstanceMethod_Function(PyObject *op)
{
    if (!PyInstanceMethod_Check(op)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return OURO_INSTANCEMETHOD(op)->func;
}

static PyObject *
instancemethod_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional("instancemethod", kwargs) ||
        !ouro_args_between("instancemethod", PyTuple_GET_SIZE(args), 1, 1)) {
        return NULL;
    }
    PyObject *func = PyTuple_GET_ITEM(args, 0);
    if (!PyCallable_Check(func)) {
        PyErr_SetString(PyExc_TypeError, "first argument must be callable");
        return NULL;
    }
    return PyInstanceMethod_New(func);
}

static int
instancemethod_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_INSTANCEMETHOD(op)->func);
    return 0;
}

static void
instancemethod_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_DECREF(OURO_INSTANCEMETHOD(op)->func);
    PyObject_GC_Del(op);
}

static PyObject *
instancemethod_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    return PyObject_Call(OURO_INSTANCEMETHOD(op)->func, args, kwargs);
}

static PyObject *
instancemethod_get(PyObject *op, PyObject *obj, PyObject *Py_UNUSED(cls))
{
    PyObject *func = OURO_INSTANCEMETHOD(op)->func;
    return obj == NULL ? Py_NewRef(func) : PyMethod_New(func, obj);
}

/* Its own attributes, then those of the callable. */
static PyObject *
instancemethod_getattro(PyObject *op, PyObject *name)
{
    if (_PyType_Lookup(Py_TYPE(op), name) != NULL) {
        return PyObject_GenericGetAttr(op, name);
    }
    return PyObject_GetAttr(OURO_INSTANCEMETHOD(op)->func, name);
}

static PyObject *
instancemethod_get_doc(PyObject *op, void *Py_UNUSED(closure))
{
    return PyObject_GetAttrString(OURO_INSTANCEMETHOD(op)->func, "__doc__");
}

static PyObject *
instancemethod_repr(PyObject *op)
{
    PyObject *name;
    PyObject *func = OURO_INSTANCEMETHOD(op)->func;
    if (PyObject_GetOptionalAttrString(func, "__name__", &name) < 0) {
        return NULL;
    }
    if (name != NULL && !PyUnicode_Check(name)) {
        Py_CLEAR(name);
    }
    PyObject *text =
        PyUnicode_FromFormat("<instancemethod %V at %p>", name, "?", (void *)op);
    Py_XDECREF(name);
    return text;
}

static PyObject *
instancemethod_richcompare(PyObject *a, PyObject *b, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !PyInstanceMethod_Check(a) ||
        !PyInstanceMethod_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal = PyObject_RichCompareBool(OURO_INSTANCEMETHOD(a)->func,
                                         OURO_INSTANCEMETHOD(b)->func, Py_EQ);
    return equal < 0 ? NULL : PyBool_FromLong(equal == (op == Py_EQ));
}

static PyMemberDef instancemethod_members[] = {
    {"__func__", _Py_T_OBJECT, offsetof(instancemethod, func), Py_READONLY,
     "the callable that becomes a method"},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef instancemethod_getset[] = {
    {"__doc__", instancemethod_get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject PyInstanceMethod_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "instancemethod",
    .tp_basicsize = sizeof(instancemethod),
    .tp_dealloc = instancemethod_dealloc,
    .tp_repr = instancemethod_repr,
    .tp_call = instancemethod_call,
    .tp_getattro = instancemethod_getattro,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "instancemethod(callable): a callable that binds to instances",
    .tp_traverse = instancemethod_traverse,
    .tp_richcompare = instancemethod_richcompare,
    .tp_members = instancemethod_members,
    .tp_getset = instancemethod_getset,
    .tp_descr_get = instancemethod_get,
    .tp_new = instancemethod_new,
};
