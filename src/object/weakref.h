/* SPDX-License-Identifier: MIT */
/* The list of weak references to an object.
 *
 * Its head is in the object, where the type's tp_weaklistoffset says; the links are in the
 * weak references. The list owns nothing: a weak reference leaves it when it dies, and when
 * its referent dies. Objects that belong to the process (static types, and what hangs on
 * them) have one list per interpreter, in a table of the interpreter.
 *
 *   weakref.inv.dead     wr_object is Py_None exactly when the reference is in no list
 *   weakref.inv.order    first the shared reference without callback, then the shared proxy
 *                        without callback, if there are; then the others, newest first
 *
 * All calls need the interpreter's lock. None of them runs user code, except where the name
 * says so, and none allocates. */
#ifndef OURO_OBJECT_WEAKREF_H
#define OURO_OBJECT_WEAKREF_H

#include "../thread/interpreter.h"
#include "../thread/seam.h"
#include "header.h"

/* The types of proxies, or NULL: a program that makes no proxy does not have them. */
struct proxy_types {
    PyTypeObject *plain, *callable;
};
extern struct proxy_types ouro_proxy_types;
void ouro_proxy_types_exist(PyTypeObject *plain, PyTypeObject *callable);

static inline bool
ouro_is_proxy_type(const PyTypeObject *type)
{
    return type == __atomic_load_n(&ouro_proxy_types.plain, __ATOMIC_RELAXED) ||
           type == __atomic_load_n(&ouro_proxy_types.callable, __ATOMIC_RELAXED);
}

/* Is it a weak reference or a proxy? References have the layout of their type, which is then
 * among the bases. */
static inline bool
ouro_is_weak_type(const PyTypeObject *type)
{
    const PyTypeObject *base = type;
    while (base != NULL && base != ouro_seam.weakref_type) {
        base = base->tp_base;
    }
    return base != NULL || ouro_is_proxy_type(type);
}

/* PyWeakref_Check */
static inline bool
ouro_is_weak(const PyObject *op)
{
    return ouro_is_weak_type(op->ob_type);
}

/* The head of the list of `op`; NULL when its type does not support weak references, or when it
 * is an object of the process that has no list. */
PyWeakReference **ouro_weakref_list(PyObject *op);
/* Before the first insert: make sure that there is a list. The type supports weak references.
 * False when out of memory. */
bool ouro_weakref_prepare(PyObject *op);
/* The interpreter ends: clear the references to objects of the process. */
void ouro_weakref_release_entries(struct _is *interp);

/* Is the object about to be destroyed? Then no weak reference leads to it; if it is a weak
 * reference itself, it neither calls back nor is handed out. */
bool ouro_weakref_is_lost(const PyObject *op);
/* The object, borrowed; NULL when it is dead or doomed. */
PyObject *ouro_weakref_referent(const PyWeakReference *ref);

/* Make a new or dead reference point to `op`, whose list is prepared. Its place follows
 * from its type and callback. */
void ouro_weakref_insert(PyWeakReference *ref, PyObject *op);
/* The shared reference (or proxy) without callback, borrowed; NULL when there is none. */
PyWeakReference *ouro_weakref_shared(PyObject *op);
PyWeakReference *ouro_weakref_shared_proxy(PyObject *op);

/* Clear the reference. Its callback is kept and not called. Does nothing if it is clear
 * already. */
void ouro_weakref_clear_one(PyWeakReference *ref);
/* The same for all weak references to `op`. */
void ouro_weakref_clear_all(PyObject *op);

/* Take the callback away and call it with the cleared reference, which the caller holds. Errors
 * are reported as unraisable, and a pending exception is kept. */
void ouro_weakref_call_callback(PyWeakReference *ref);

#endif
