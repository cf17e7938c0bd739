/* SPDX-License-Identifier: MIT */
/* Slot wrappers: slots of a type as methods, unbound (wrapper_descriptor) and bound to an
 * object (method-wrapper).
 *
 * How each slot function is called with a tuple of arguments is up to the wrapperbase; the
 * library's own are in types/slot_methods.c. */
#include "descriptor_object.h"

#define OURO_WRAPPER_DESCR(op) ((PyWrapperDescrObject *)(op))

PyObject *
PyDescr_NewWrapper(PyTypeObject *type, struct wrapperbase *base, void *wrapped)
{
    PyWrapperDescrObject *descr =
        (PyWrapperDescrObject *)ouro_descr_new(&PyWrapperDescr_Type, type, base->name);
    if (descr != NULL) {
        descr->d_base = base;
        descr->d_wrapped = wrapped;
    }
    return (PyObject *)descr;
}

static PyObject *
call_wrapped(PyWrapperDescrObject *descr, PyObject *self, PyObject *args,
             PyObject *kwargs)
{
    const struct wrapperbase *base = descr->d_base;
    if (base->flags & PyWrapperFlag_KEYWORDS) {
        wrapperfunc_kwds wrapper = (wrapperfunc_kwds)(void (*)(void))base->wrapper;
        return wrapper(self, args, descr->d_wrapped, kwargs);
    }
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        return PyErr_Format(PyExc_TypeError, "wrapper %s() takes no keyword arguments",
                            base->name);
    }
    return base->wrapper(self, args, descr->d_wrapped);
}

/* --- unbound ------------------------------------------------------------------------------ */

static PyObject *
wrapperdescr_get(PyObject *op, PyObject *obj, PyObject *Py_UNUSED(cls))
{
    if (obj == NULL) {
        return Py_NewRef(op);
    }
    if (!ouro_descr_applies_to(OURO_DESCR(op), obj, ouro_wrong_object_to_get)) {
        return NULL;
    }
    return PyWrapper_New(op, obj);
}

static PyObject *
wrapperdescr_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1) {
        return PyErr_Format(PyExc_TypeError,
                            "descriptor '%U' of '%.100s' object needs an argument",
                            PyDescr_NAME(op), PyDescr_TYPE(op)->tp_name);
    }
    PyObject *self = PyTuple_GET_ITEM(args, 0);
    if (!ouro_descr_applies_to(OURO_DESCR(op), self,
                               "descriptor '%U' requires a '%.100s' object but received "
                               "a '%.100s'")) {
        return NULL;
    }
    PyObject *rest = PyTuple_GetSlice(args, 1, count);
    if (rest == NULL) {
        return NULL;
    }
    PyObject *result = call_wrapped(OURO_WRAPPER_DESCR(op), self, rest, kwargs);
    Py_DECREF(rest);
    return result;
}

static PyObject *
wrapperdescr_repr(PyObject *op)
{
    return ouro_descr_repr(op, "slot wrapper");
}

static PyObject *
wrapperdescr_get_doc(PyObject *op, void *Py_UNUSED(closure))
{
    return ouro_doc_text(OURO_WRAPPER_DESCR(op)->d_base->doc);
}

static PyGetSetDef wrapperdescr_getset[] = {
    {"__doc__", wrapperdescr_get_doc, NULL, NULL, NULL},
    {"__qualname__", ouro_descr_get_qualname, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject PyWrapperDescr_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "wrapper_descriptor",
    .tp_basicsize = sizeof(PyWrapperDescrObject),
    .tp_dealloc = ouro_descr_dealloc,
    .tp_repr = wrapperdescr_repr,
    .tp_call = wrapperdescr_call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_METHOD_DESCRIPTOR |
                Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = ouro_descr_traverse,
    .tp_members = ouro_descr_members,
    .tp_getset = wrapperdescr_getset,
    .tp_descr_get = wrapperdescr_get,
};

/* --- bound -------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyWrapperDescrObject *descr; /* owned */
    PyObject *self;              /* owned */
} methodwrapper;

#define OURO_METHODWRAPPER(op) ((methodwrapper *)(op))

PyObject *
PyWrapper_New(PyObject *descr, PyObject *self)
{
    methodwrapper *wrapper = PyObject_GC_New(methodwrapper, &_PyMethodWrapper_Type);
    if (wrapper == NULL) {
        return NULL;
    }
    wrapper->descr = OURO_WRAPPER_DESCR(Py_NewRef(descr));
    wrapper->self = Py_NewRef(self);
    PyObject_GC_Track(wrapper);
    return (PyObject *)wrapper;
}

static int
methodwrapper_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_METHODWRAPPER(op)->descr);
    Py_VISIT(OURO_METHODWRAPPER(op)->self);
    return 0;
}

static void
methodwrapper_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_DECREF(OURO_METHODWRAPPER(op)->descr);
    Py_DECREF(OURO_METHODWRAPPER(op)->self);
    PyObject_GC_Del(op);
}

static PyObject *
methodwrapper_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    methodwrapper *wrapper = OURO_METHODWRAPPER(op);
    return call_wrapped(wrapper->descr, wrapper->self, args, kwargs);
}

static PyObject *
methodwrapper_repr(PyObject *op)
{
    methodwrapper *wrapper = OURO_METHODWRAPPER(op);
    return PyUnicode_FromFormat("<method-wrapper '%s' of %s object at %p>",
                                wrapper->descr->d_base->name,
                                Py_TYPE(wrapper->self)->tp_name, (void *)wrapper->self);
}

static PyObject *
methodwrapper_richcompare(PyObject *a, PyObject *b, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(a, &_PyMethodWrapper_Type) ||
        !Py_IS_TYPE(b, &_PyMethodWrapper_Type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    bool equal = OURO_METHODWRAPPER(a)->descr == OURO_METHODWRAPPER(b)->descr &&
                 OURO_METHODWRAPPER(a)->self == OURO_METHODWRAPPER(b)->self;
    return PyBool_FromLong(equal == (op == Py_EQ));
}

static Py_hash_t
methodwrapper_hash(PyObject *op)
{
    Py_hash_t hash = Py_HashPointer(OURO_METHODWRAPPER(op)->self) ^
                     Py_HashPointer(OURO_METHODWRAPPER(op)->descr);
    return hash == -1 ? -2 : hash;
}

static PyObject *
methodwrapper_get_objclass(PyObject *op, void *Py_UNUSED(closure))
{
    return Py_NewRef(PyDescr_TYPE(OURO_METHODWRAPPER(op)->descr));
}

/* Attributes that are those of the descriptor. */
static PyObject *
methodwrapper_get_name(PyObject *op, void *Py_UNUSED(closure))
{
    return Py_NewRef(PyDescr_NAME(OURO_METHODWRAPPER(op)->descr));
}

static PyObject *
methodwrapper_get_doc(PyObject *op, void *closure)
{
    return wrapperdescr_get_doc((PyObject *)OURO_METHODWRAPPER(op)->descr, closure);
}

static PyObject *
methodwrapper_get_qualname(PyObject *op, void *closure)
{
    return ouro_descr_get_qualname((PyObject *)OURO_METHODWRAPPER(op)->descr, closure);
}

static PyMemberDef methodwrapper_members[] = {
    {"__self__", _Py_T_OBJECT, offsetof(methodwrapper, self), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef methodwrapper_getset[] = {
    {"__objclass__", methodwrapper_get_objclass, NULL, NULL, NULL},
    {"__name__", methodwrapper_get_name, NULL, NULL, NULL},
    {"__qualname__", methodwrapper_get_qualname, NULL, NULL, NULL},
    {"__doc__", methodwrapper_get_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject _PyMethodWrapper_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "method-wrapper",
    .tp_basicsize = sizeof(methodwrapper),
    .tp_dealloc = methodwrapper_dealloc,
    .tp_repr = methodwrapper_repr,
    .tp_hash = methodwrapper_hash,
    .tp_call = methodwrapper_call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = methodwrapper_traverse,
    .tp_richcompare = methodwrapper_richcompare,
    .tp_members = methodwrapper_members,
    .tp_getset = methodwrapper_getset,
};
