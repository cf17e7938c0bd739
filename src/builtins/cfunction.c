/* SPDX-License-Identifier: MIT */
/* Built-in functions: one entry of a method table together with its self.
 *
 * Functions that take a tuple are reached through tp_call, so that a tuple that exists
 * already is passed on; the others have a vectorcall function. A METH_METHOD function also
 * remembers the class that defines it and is then a builtin_method, a subtype. */
#include "methoddef.h"

#define OURO_CFUNCTION(op) ((PyCFunctionObject *)(op))

static PyObject *cfunction_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                                      PyObject *kwnames);

/* --- making ------------------------------------------------------------------------------ */

static bool
class_fits_flags(PyMethodDef *ml, PyTypeObject *cls)
{
    bool wants_class = (ml->ml_flags & METH_METHOD) != 0;
    if (wants_class == (cls != NULL)) {
        return true;
    }
    PyErr_SetString(PyExc_SystemError,
                    wants_class
                        ? "attempting to create PyCMethod with a METH_METHOD flag "
                          "but no class"
                        : "attempting to create PyCFunction with class but no "
                          "METH_METHOD flag");
    return false;
}

PyObject *
PyCMethod_New(PyMethodDef *ml, PyObject *self, PyObject *module, PyTypeObject *cls)
{
    if (!ouro_methoddef_is_valid(ml) || !class_fits_flags(ml, cls)) {
        return NULL;
    }
    PyTypeObject *type = cls != NULL ? &PyCMethod_Type : &PyCFunction_Type;
    PyCFunctionObject *op = PyObject_GC_New(PyCFunctionObject, type);
    if (op == NULL) {
        return NULL;
    }
    op->m_ml = ml;
    op->m_self = Py_XNewRef(self);
    op->m_module = Py_XNewRef(module);
    op->m_weakreflist = NULL;
    op->vectorcall = (ml->ml_flags & METH_VARARGS) ? NULL : cfunction_vectorcall;
    if (cls != NULL) {
        ((PyCMethodObject *)op)->mm_class = (PyTypeObject *)Py_NewRef(cls);
    }
    PyObject_GC_Track(op);
    return (PyObject *)op;
}

PyObject *(PyCFunction_New)(PyMethodDef *ml, PyObject *self)
{
    return PyCMethod_New(ml, self, NULL, NULL);
}

PyObject *(PyCFunction_NewEx)(PyMethodDef *ml, PyObject *self, PyObject *module)
{
    return PyCMethod_New(ml, self, module, NULL);
}

/* --- looking inside ----------------------------------------------------------------------- */

PyCFunction
PyCFunction_GetFunction(PyObject *op)
{
    if (!PyCFunction_Check(op)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return PyCFunction_GET_FUNCTION(op);
}

PyObject *
PyCFunction_GetSelf(PyObject *op)
{
    if (!PyCFunction_Check(op)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return PyCFunction_GET_SELF(op);
}

int
PyCFunction_GetFlags(PyObject *op)
{
    if (!PyCFunction_Check(op)) {
        PyErr_BadInternalCall();
        return -1;
    }
    return PyCFunction_GET_FLAGS(op);
}

/* --- calling ------------------------------------------------------------------------------- */

static PyObject *
cfunction_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                     PyObject *kwnames)
{
    return ouro_methoddef_vectorcall(OURO_CFUNCTION(op)->m_ml, op,
                                     PyCFunction_GET_SELF(op), args,
                                     PyVectorcall_NARGS(nargsf), kwnames);
}

static PyObject *
cfunction_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    PyMethodDef *ml = OURO_CFUNCTION(op)->m_ml;
    if (ml->ml_flags & METH_VARARGS) {
        return ouro_methoddef_call(ml, op, PyCFunction_GET_SELF(op), args, kwargs);
    }
    return PyVectorcall_Call(op, args, kwargs);
}

/* --- life ------------------------------------------------------------------------------------ */

static int
cfunction_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_CFUNCTION(op)->m_self);
    Py_VISIT(OURO_CFUNCTION(op)->m_module);
    Py_VISIT(PyCFunction_GET_CLASS(op));
    return 0;
}

static void
cfunction_dealloc(PyObject *op)
{
    PyCFunctionObject *function = OURO_CFUNCTION(op);
    PyObject_GC_UnTrack(op);
    if (function->m_weakreflist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    /* First the class: the entry that tells whether there is one may belong to it. */
    Py_XDECREF(PyCFunction_GET_CLASS(op));
    Py_XDECREF(function->m_self);
    Py_XDECREF(function->m_module);
    PyObject_GC_Del(op);
}

/* --- attributes -------------------------------------------------------------------------------- */

/* A function of a module has a module name; without one it is a method of its self. */
static bool
is_plain_function(PyCFunctionObject *op)
{
    return op->m_self == NULL || op->m_module != NULL;
}

static PyObject *
cfunction_repr(PyObject *op)
{
    PyCFunctionObject *function = OURO_CFUNCTION(op);
    if (is_plain_function(function)) {
        return PyUnicode_FromFormat("<built-in function %s>", function->m_ml->ml_name);
    }
    return PyUnicode_FromFormat(
        "<built-in method %s of %s object at %p>", function->m_ml->ml_name,
        Py_TYPE(function->m_self)->tp_name, (void *)function->m_self);
}

static PyObject *
cfunction_richcompare(PyObject *self, PyObject *other, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !PyCFunction_Check(self) ||
        !PyCFunction_Check(other)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    bool equal = OURO_CFUNCTION(self)->m_self == OURO_CFUNCTION(other)->m_self &&
                 PyCFunction_GET_FUNCTION(self) == PyCFunction_GET_FUNCTION(other);
    return PyBool_FromLong(equal == (op == Py_EQ));
}

static Py_hash_t
cfunction_hash(PyObject *op)
{
    PyCFunction function = PyCFunction_GET_FUNCTION(op);
    void *address;
    memcpy(&address, &function, sizeof(address));
    Py_hash_t hash = Py_HashPointer(OURO_CFUNCTION(op)->m_self) ^ Py_HashPointer(address);
    return hash == -1 ? -2 : hash;
}

static PyObject *
cfunction_get_name(PyObject *op, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(OURO_CFUNCTION(op)->m_ml->ml_name);
}

static PyObject *
cfunction_get_qualname(PyObject *op, void *closure)
{
    PyCFunctionObject *function = OURO_CFUNCTION(op);
    if (is_plain_function(function)) {
        return cfunction_get_name(op, closure);
    }
    PyObject *self = function->m_self;
    PyTypeObject *type = PyType_Check(self) ? (PyTypeObject *)self : Py_TYPE(self);
    PyObject *type_name = PyType_GetQualName(type);
    if (type_name == NULL) {
        return NULL;
    }
    PyObject *qualname =
        PyUnicode_FromFormat("%U.%s", type_name, function->m_ml->ml_name);
    Py_DECREF(type_name);
    return qualname;
}

static PyObject *
cfunction_get_doc(PyObject *op, void *Py_UNUSED(closure))
{
    const char *doc = OURO_CFUNCTION(op)->m_ml->ml_doc;
    return doc == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(doc);
}

static PyObject *
cfunction_get_self(PyObject *op, void *Py_UNUSED(closure))
{
    PyObject *self = PyCFunction_GET_SELF(op);
    return Py_NewRef(self == NULL ? Py_None : self);
}

static PyGetSetDef cfunction_getset[] = {
    {"__doc__", cfunction_get_doc, NULL, NULL, NULL},
    {"__name__", cfunction_get_name, NULL, NULL, NULL},
    {"__qualname__", cfunction_get_qualname, NULL, NULL, NULL},
    {"__self__", cfunction_get_self, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef cfunction_members[] = {
    {"__module__", _Py_T_OBJECT, offsetof(PyCFunctionObject, m_module), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PyCFunction_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "builtin_function_or_method",
    .tp_basicsize = sizeof(PyCFunctionObject),
    .tp_dealloc = cfunction_dealloc,
    .tp_vectorcall_offset = offsetof(PyCFunctionObject, vectorcall),
    .tp_repr = cfunction_repr,
    .tp_hash = cfunction_hash,
    .tp_call = cfunction_call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = cfunction_traverse,
    .tp_richcompare = cfunction_richcompare,
    .tp_weaklistoffset = offsetof(PyCFunctionObject, m_weakreflist),
    .tp_members = cfunction_members,
    .tp_getset = cfunction_getset,
};

PyTypeObject PyCMethod_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "builtin_method",
    .tp_basicsize = sizeof(PyCMethodObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_base = &PyCFunction_Type,
};
