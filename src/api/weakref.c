/* SPDX-License-Identifier: MIT */
/* Weak references: making them, asking them, and what a dying object does to them. The
 * lists are kept by object/weakref.c; proxies are in weakproxy.c. */
#include "weakref.h"

#include <ouroboros.h>

#include "../base/events.h"
#include "../thread/thread.h"

/* --- making ------------------------------------------------------------------------------ */

PyObject *
ouro_weakref_make(PyTypeObject *type, PyObject *ob, PyObject *callback,
                  PyWeakReference *(*find_shared)(PyObject *))
{
    if (!PyType_SUPPORTS_WEAKREFS(Py_TYPE(ob))) {
        return PyErr_Format(PyExc_TypeError,
                            "cannot create weak reference to '%s' object",
                            Py_TYPE(ob)->tp_name);
    }
    if (callback == Py_None) {
        callback = NULL;
    }
    bool may_share = callback == NULL && find_shared != NULL;
    if (may_share && find_shared(ob) != NULL) {
        return Py_NewRef(find_shared(ob));
    }
    if (!ouro_weakref_prepare(ob)) {
        return PyErr_NoMemory();
    }
    PyWeakReference *ref = (PyWeakReference *)type->tp_alloc(type, 0);
    if (ref == NULL) {
        return NULL;
    }
    ref->wr_object = Py_None;
    ref->hash = -1;
    /* The allocation may have run a collection, which may have run any code. */
    if (may_share && find_shared(ob) != NULL) {
        Py_DECREF(ref);
        return Py_NewRef(find_shared(ob));
    }
    ref->wr_callback = Py_XNewRef(callback);
    ouro_weakref_insert(ref, ob);
    return (PyObject *)ref;
}

PyObject *
PyWeakref_NewRef(PyObject *ob, PyObject *callback)
{
    return ouro_weakref_make(&_PyWeakref_RefType, ob, callback, ouro_weakref_shared);
}

/* --- asking ------------------------------------------------------------------------------ */

int
PyWeakref_GetRef(PyObject *ref, PyObject **pobj)
{
    *pobj = NULL;
    if (ref == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!ouro_is_weak(ref)) {
        PyErr_SetString(PyExc_TypeError, "expected a weakref");
        return -1;
    }
    *pobj = Py_XNewRef(ouro_weakref_referent((PyWeakReference *)ref));
    return *pobj != NULL;
}

int
PyWeakref_IsDead(PyObject *ref)
{
    if (ref == NULL) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!ouro_is_weak(ref)) {
        PyErr_Format(PyExc_TypeError, "expected a weakref, got %s",
                     Py_TYPE(ref)->tp_name);
        return -1;
    }
    return ouro_weakref_referent((PyWeakReference *)ref) == NULL;
}

PyObject *
PyWeakref_GetObject(PyObject *ref)
{
    if (ref == NULL || !ouro_is_weak(ref)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    PyObject *op = ouro_weakref_referent((PyWeakReference *)ref);
    return op != NULL ? op : Py_None;
}

PyObject *
Ouro_WeakrefsList(PyObject *ob)
{
    PyObject *list = PyList_New(0);
    PyWeakReference **first = list == NULL ? NULL : ouro_weakref_list(ob);
    PyWeakReference *ref = first == NULL ? NULL : *first;
    for (; ref != NULL; ref = ref->wr_next) {
        /* A reference that is about to be destroyed is still in the list. Appending runs no
         * code. */
        if (!ouro_weakref_is_lost((PyObject *)ref) &&
            PyList_Append(list, (PyObject *)ref) < 0) {
            Py_CLEAR(list);
            break;
        }
    }
    return list;
}

/* --- the referent dies --------------------------------------------------------------------- */

static bool
may_clear_weakrefs(PyObject *o)
{
    if (o == NULL || !PyType_SUPPORTS_WEAKREFS(Py_TYPE(o)) || Py_REFCNT(o) != 0) {
        PyErr_BadInternalCall();
        return false;
    }
    return true;
}

/* Clear all references, and chain those with a callback to call through wr_next, each with a
 * reference of our own. A cleared reference is in no list, so its links are free. */
static PyWeakReference *
kill_weakrefs(PyWeakReference **list)
{
    PyWeakReference *first = NULL;
    PyWeakReference **end = &first;
    while (*list != NULL) {
        PyWeakReference *ref = *list;
        ouro_weakref_clear_one(ref);
        if (ref->wr_callback != NULL && !ouro_weakref_is_lost((PyObject *)ref)) {
            Py_INCREF(ref);
            *end = ref;
            end = &ref->wr_next;
        }
    }
    return first;
}

void
PyObject_ClearWeakRefs(PyObject *o)
{
    if (!may_clear_weakrefs(o)) {
        return;
    }
    ouro_event_clears_weakrefs(o);
    PyWeakReference *ref = kill_weakrefs(ouro_weakref_list(o));
    while (ref != NULL) {
        PyWeakReference *next = ref->wr_next;
        ref->wr_next = NULL;
        ouro_weakref_call_callback(ref);
        Py_DECREF(ref);
        ref = next;
    }
}

void
PyUnstable_Object_ClearWeakRefsNoCallbacks(PyObject *o)
{
    if (PyType_SUPPORTS_WEAKREFS(Py_TYPE(o))) {
        ouro_weakref_clear_all(o);
    }
}

/* --- the type ------------------------------------------------------------------------------ */

void
ouro_weakref_dealloc(PyObject *self)
{
    PyWeakReference *ref = (PyWeakReference *)self;
    PyObject_GC_UnTrack(self);
    ouro_weakref_clear_one(ref);
    Py_CLEAR(ref->wr_callback);
    Py_TYPE(self)->tp_free(self);
}

/* The referent is not owned, so it is not visited. */
int
ouro_weakref_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((PyWeakReference *)self)->wr_callback);
    return 0;
}

int
ouro_weakref_clear(PyObject *self)
{
    ouro_weakref_clear_one((PyWeakReference *)self);
    Py_CLEAR(((PyWeakReference *)self)->wr_callback);
    return 0;
}

static PyObject *
weakref_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1 || count > 2) {
        return PyErr_Format(PyExc_TypeError, "__new__ expected 1 or 2 arguments, got %zd",
                            count);
    }
    PyObject *callback = count == 2 ? PyTuple_GET_ITEM(args, 1) : NULL;
    return ouro_weakref_make(type, PyTuple_GET_ITEM(args, 0), callback,
                             type == &_PyWeakref_RefType ? ouro_weakref_shared : NULL);
}

/* weakref_new() did all the work; here the arguments are only checked. */
static int
weakref_init(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args), PyObject *kwargs)
{
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "ref() takes no keyword arguments");
        return -1;
    }
    return 0;
}

static PyObject *
weakref_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) != 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        return PyErr_Format(PyExc_TypeError, "weakref() takes no arguments");
    }
    PyObject *op = ouro_weakref_referent((PyWeakReference *)self);
    return Py_NewRef(op != NULL ? op : Py_None);
}

static PyObject *
weakref_repr(PyObject *self)
{
    PyObject *op = ouro_weakref_referent((PyWeakReference *)self);
    if (op == NULL) {
        return PyUnicode_FromFormat("<weakref at %p; dead>", self);
    }
    return PyUnicode_FromFormat("<weakref at %p; to '%s' at %p>", self,
                                Py_TYPE(op)->tp_name, op);
}

/* The hash of the referent, kept for the time after its death. */
static Py_hash_t
weakref_hash(PyObject *self)
{
    PyWeakReference *ref = (PyWeakReference *)self;
    if (ref->hash == -1) {
        PyObject *op = Py_XNewRef(ouro_weakref_referent(ref));
        if (op == NULL) {
            PyErr_SetString(PyExc_TypeError, "weak object has gone away");
            return -1;
        }
        ref->hash = PyObject_Hash(op);
        Py_DECREF(op);
    }
    return ref->hash;
}

/* Living references compare as their referents, dead ones by identity. */
static PyObject *
weakref_richcompare(PyObject *self, PyObject *other, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !PyWeakref_CheckRef(self) ||
        !PyWeakref_CheckRef(other)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *a = Py_XNewRef(ouro_weakref_referent((PyWeakReference *)self));
    PyObject *b = Py_XNewRef(ouro_weakref_referent((PyWeakReference *)other));
    PyObject *result;
    if (a == NULL || b == NULL) {
        result = Py_NewRef((self == other) == (op == Py_EQ) ? Py_True : Py_False);
    } else {
        result = PyObject_RichCompare(a, b, op);
    }
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

static PyObject *
weakref_get_callback(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *callback = ((PyWeakReference *)self)->wr_callback;
    return Py_NewRef(callback != NULL ? callback : Py_None);
}

static PyGetSetDef weakref_getset[] = {
    {"__callback__", weakref_get_callback, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Added late: methods.h. */
PyMethodDef ouro_weakref_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "Return the type with its parameters filled in."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject _PyWeakref_RefType = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "weakref.ReferenceType",
    .tp_basicsize = sizeof(PyWeakReference),
    .tp_dealloc = ouro_weakref_dealloc,
    .tp_repr = weakref_repr,
    .tp_hash = weakref_hash,
    .tp_call = weakref_call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = ouro_weakref_traverse,
    .tp_clear = ouro_weakref_clear,
    .tp_richcompare = weakref_richcompare,
    .tp_getset = weakref_getset,
    .tp_init = weakref_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = weakref_new,
    .tp_free = PyObject_GC_Del,
};
