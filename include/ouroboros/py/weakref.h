/* SPDX-License-Identifier: MIT */
/* Weak references, and the calls that finalize objects. */
#ifndef OURO_PY_WEAKREF_H
#define OURO_PY_WEAKREF_H

#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct _PyWeakReference PyWeakReference;
struct _PyWeakReference {
    PyObject_HEAD
    PyObject *wr_object;   /* borrowed; Py_None once dead */
    PyObject *wr_callback; /* owned; or NULL */
    Py_hash_t hash;
    PyWeakReference *wr_prev, *wr_next; /* the list of the referent */
    vectorcallfunc vectorcall;
};

PyAPI_DATA(PyTypeObject) _PyWeakref_RefType;
PyAPI_DATA(PyTypeObject) _PyWeakref_ProxyType;
PyAPI_DATA(PyTypeObject) _PyWeakref_CallableProxyType;

#define PyWeakref_CheckRef(op)      PyObject_TypeCheck((op), &_PyWeakref_RefType)
#define PyWeakref_CheckRefExact(op) Py_IS_TYPE((op), &_PyWeakref_RefType)
#define PyWeakref_CheckProxy(op)                                                         \
    (Py_IS_TYPE((op), &_PyWeakref_ProxyType) ||                                          \
     Py_IS_TYPE((op), &_PyWeakref_CallableProxyType))
#define PyWeakref_Check(op) (PyWeakref_CheckRef(op) || PyWeakref_CheckProxy(op))

/* A weak reference to `ob`; `callback` (NULL or None: none) is called with the dead weak
 * reference when `ob` dies. Without callback the one shared reference of `ob` is returned.
 * A new reference; NULL with TypeError when the type does not support it. */
PyAPI_FUNC(PyObject *) PyWeakref_NewRef(PyObject *ob, PyObject *callback);
PyAPI_FUNC(PyObject *) PyWeakref_NewProxy(PyObject *ob, PyObject *callback);
/* 1 and a new reference to the object; 0 and NULL when it is dead; -1, NULL and an
 * exception when `ref` is not a weak reference. */
PyAPI_FUNC(int) PyWeakref_GetRef(PyObject *ref, PyObject **pobj);
/* 1 if dead, 0 if alive, -1 with an exception. */
PyAPI_FUNC(int) PyWeakref_IsDead(PyObject *ref);
/* Borrowed; None when dead. Prefer PyWeakref_GetRef. */
PyAPI_FUNC(PyObject *) PyWeakref_GetObject(PyObject *ref);
#define PyWeakref_GET_OBJECT(ref) PyWeakref_GetObject(_PyObject_CAST(ref))

/* In tp_dealloc, after untracking and before fields die: kill all weak references to `o`
 * and call their callbacks, newest first. SystemError unless the count is 0. */
PyAPI_FUNC(void) PyObject_ClearWeakRefs(PyObject *o);
PyAPI_FUNC(void) PyUnstable_Object_ClearWeakRefsNoCallbacks(PyObject *o);

/* Call tp_finalize unless the object is marked finalized, then mark it (GC types). */
PyAPI_FUNC(void) PyObject_CallFinalizer(PyObject *self);
/* The same from tp_dealloc. 0: go on destroying; -1: the finalizer made the object live
 * again, return at once. Fatal unless the count is 0. */
PyAPI_FUNC(int) PyObject_CallFinalizerFromDealloc(PyObject *self);

OURO_END_DECLS

#endif
