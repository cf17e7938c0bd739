/* SPDX-License-Identifier: MIT */
/* Bound methods: a callable and the object it is called with. */
#include <Python.h>
#include <ouro_fields.h>

#include "arguments.h"

#define OURO_METHOD(op) ((PyMethodObject *)(op))

/* At most this many arguments are moved on the stack. */
#define OURO_METHOD_STACK 8

/* --- calling ------------------------------------------------------------------------------- */

/* The caller did not lend the place before the arguments: copy them. */
static PyObject *
call_with_copied_arguments(PyMethodObject *method, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames)
{
    Py_ssize_t total = nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));
    PyObject *on_stack[OURO_METHOD_STACK];
    PyObject **space = on_stack;
    if (total + 1 > OURO_METHOD_STACK) {
        space = PyMem_New(PyObject *, (size_t)(total + 1));
        if (space == NULL) {
            return PyErr_NoMemory();
        }
    }
    space[0] = method->im_self;
    if (total > 0) {
        memcpy(space + 1, args, (size_t)total * sizeof(PyObject *));
    }
    PyObject *result =
        PyObject_Vectorcall(method->im_func, space, (size_t)(nargs + 1), kwnames);
    if (space != on_stack) {
        PyMem_Free(space);
    }
    return result;
}

static PyObject *
method_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    PyMethodObject *method = OURO_METHOD(op);
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (!(nargsf & PY_VECTORCALL_ARGUMENTS_OFFSET)) {
        return call_with_copied_arguments(method, args, nargs, kwnames);
    }
    PyObject **from_self = (PyObject **)args - 1;
    PyObject *lent = from_self[0];
    from_self[0] = method->im_self;
    PyObject *result =
        PyObject_Vectorcall(method->im_func, from_self, (size_t)(nargs + 1), kwnames);
    from_self[0] = lent;
    return result;
}

/* --- making ---------------------------------------------------------------------------------- */

PyObject *
PyMethod_New(PyObject *func, PyObject *self)
{
    if (func == NULL || self == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    PyMethodObject *method = PyObject_GC_New(PyMethodObject, &PyMethod_Type);
    if (method == NULL) {
        return NULL;
    }
    method->im_func = Py_NewRef(func);
    method->im_self = Py_NewRef(self);
    method->im_weakreflist = NULL;
    method->vectorcall = method_vectorcall;
    PyObject_GC_Track(method);
    return (PyObject *)method;
}

static PyObject *
method_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional("method", kwargs) ||
        !ouro_args_between("method", PyTuple_GET_SIZE(args), 2, 2)) {
        return NULL;
    }
    PyObject *func = PyTuple_GET_ITEM(args, 0), *self = PyTuple_GET_ITEM(args, 1);
    if (!PyCallable_Check(func)) {
        PyErr_SetString(PyExc_TypeError, "first argument must be callable");
        return NULL;
    }
    if (self == Py_None) {
        PyErr_SetString(PyExc_TypeError, "instance must not be None");
        return NULL;
    }
    return PyMethod_New(func, self);
}

PyObject *
PyMethod_Function(PyObject *op)
{
    if (!PyMethod_Check(op)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return PyMethod_GET_FUNCTION(op);
}

PyObject *
PyMethod_Self(PyObject *op)
{
    if (!PyMethod_Check(op)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return PyMethod_GET_SELF(op);
}

/* --- life --------------------------------------------------------------------------------------- */

static int
method_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_METHOD(op)->im_func);
    Py_VISIT(OURO_METHOD(op)->im_self);
    return 0;
}

static void
method_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (OURO_METHOD(op)->im_weakreflist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    Py_DECREF(OURO_METHOD(op)->im_func);
    Py_DECREF(OURO_METHOD(op)->im_self);
    PyObject_GC_Del(op);
}

/* For the collector. There is no tp_clear: a method always has both. */
OURO_F_LIST(PyMethodObject, im_func, im_self, OURO_WEAKREFS(im_weakreflist));
static const Ouro_Fields method_fields = {.list = PyMethodObject_ouro_list,
                                          .dealloc = method_dealloc};

/* --- attributes: its own few, then those of the function ---------------------------------------- */

static PyObject *
method_getattro(PyObject *op, PyObject *name)
{
    PyObject *found = _PyType_Lookup(Py_TYPE(op), name);
    if (found == NULL) {
        return PyObject_GetAttr(OURO_METHOD(op)->im_func, name);
    }
    return PyObject_GenericGetAttr(op, name);
}

static PyObject *
method_get_doc(PyObject *op, void *Py_UNUSED(closure))
{
    return PyObject_GetAttrString(OURO_METHOD(op)->im_func, "__doc__");
}

static PyObject *
method_repr(PyObject *op)
{
    PyObject *name;
    PyObject *func = OURO_METHOD(op)->im_func;
    int found = PyObject_GetOptionalAttrString(func, "__qualname__", &name);
    if (found == 0) {
        found = PyObject_GetOptionalAttrString(func, "__name__", &name);
    }
    if (found < 0) {
        return NULL;
    }
    if (name != NULL && !PyUnicode_Check(name)) {
        Py_CLEAR(name);
    }
    PyObject *text = PyUnicode_FromFormat("<bound method %V of %R>", name, "?",
                                          OURO_METHOD(op)->im_self);
    Py_XDECREF(name);
    return text;
}

static PyObject *
method_richcompare(PyObject *self, PyObject *other, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !PyMethod_Check(self) || !PyMethod_Check(other)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal = PyObject_RichCompareBool(OURO_METHOD(self)->im_func,
                                         OURO_METHOD(other)->im_func, Py_EQ);
    if (equal < 0) {
        return NULL;
    }
    equal = equal && OURO_METHOD(self)->im_self == OURO_METHOD(other)->im_self;
    return PyBool_FromLong(equal == (op == Py_EQ));
}

static Py_hash_t
method_hash(PyObject *op)
{
    Py_hash_t of_func = PyObject_Hash(OURO_METHOD(op)->im_func);
    if (of_func == -1) {
        return -1;
    }
    Py_hash_t hash = Py_HashPointer(OURO_METHOD(op)->im_self) ^ of_func;
    return hash == -1 ? -2 : hash;
}

static PyObject *
method_descr_get(PyObject *op, PyObject *Py_UNUSED(obj), PyObject *Py_UNUSED(cls))
{
    return Py_NewRef(op); /* bound already */
}

static PyMemberDef method_members[] = {
    {"__func__", _Py_T_OBJECT, offsetof(PyMethodObject, im_func), Py_READONLY,
     "the function that the method calls"},
    {"__self__", _Py_T_OBJECT, offsetof(PyMethodObject, im_self), Py_READONLY,
     "the object it is called with"},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef method_getset[] = {
    {"__doc__", method_get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject PyMethod_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "method",
    .tp_basicsize = sizeof(PyMethodObject),
    .tp_dealloc = method_dealloc,
    .tp_vectorcall_offset = offsetof(PyMethodObject, vectorcall),
    .tp_repr = method_repr,
    .tp_hash = method_hash,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = method_getattro,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc = "method(function, instance): call the function with the instance in front",
    .tp_traverse = method_traverse,
    .tp_ouro_fields = &method_fields,
    .tp_richcompare = method_richcompare,
    .tp_weaklistoffset = offsetof(PyMethodObject, im_weakreflist),
    .tp_members = method_members,
    .tp_getset = method_getset,
    .tp_descr_get = method_descr_get,
    .tp_new = method_new,
};
