/* SPDX-License-Identifier: MIT */
/* The list of weak references to an object; see weakref.h. The weak reference types are in
 * api/weakref.c and api/weakproxy.c. */
#include "weakref.h"

#include "../thread/thread.h"

#include <stdlib.h>

#include "../base/fault.h"

/* --- heads ------------------------------------------------------------------------------- */

struct weak_entry {
    PyObject *op;
    PyWeakReference *list;
    struct weak_entry *next;
};

static bool
belongs_to_process(const PyObject *op)
{
    return _Py_IsImmortal(op) && !ouro_heap_contains(&ouro_current.interp->heap, op);
}

static struct weak_entry *
find_weak_entry(const PyObject *op)
{
    struct weak_entry *entry = ouro_current.interp->weak_entries;
    while (entry != NULL && entry->op != op) {
        entry = entry->next;
    }
    return entry;
}

PyWeakReference **
ouro_weakref_list(PyObject *op)
{
    Py_ssize_t offset = Py_TYPE(op)->tp_weaklistoffset;
    if (offset == 0) {
        return NULL;
    }
    if (OURO_UNLIKELY(belongs_to_process(op))) {
        struct weak_entry *entry = find_weak_entry(op);
        return entry != NULL ? &entry->list : NULL;
    }
    return (PyWeakReference **)((char *)op + offset);
}

bool
ouro_weakref_prepare(PyObject *op)
{
    if (!belongs_to_process(op) || find_weak_entry(op) != NULL) {
        return true;
    }
    struct weak_entry *entry = ouro_fault() ? NULL : malloc(sizeof *entry);
    if (entry == NULL) {
        return false;
    }
    *entry = (struct weak_entry){op, NULL, ouro_current.interp->weak_entries};
    ouro_current.interp->weak_entries = entry;
    return true;
}

void
ouro_weakref_release_entries(struct _is *interp)
{
    while (interp->weak_entries != NULL) {
        struct weak_entry *entry = interp->weak_entries;
        ouro_weakref_clear_all(entry->op);
        interp->weak_entries = entry->next;
        free(entry);
    }
}

/* --- referents --------------------------------------------------------------------------- */

/* NULL: an instance of a subtype that is not initialised yet. */
static bool
is_dead(const PyWeakReference *ref)
{
    return ref->wr_object == ouro_seam.none || ref->wr_object == NULL;
}

/* The object's count has reached zero. Or a cycle has proved it garbage, and the caller is not
 * the user code that the cycle runs because of that. */
bool
ouro_weakref_is_lost(const PyObject *op)
{
    return ouro_object_is_dying(op) ||
           (ouro_current.interp->gc.tells != &ouro_current && ouro_object_is_doomed(op));
}

PyObject *
ouro_weakref_referent(const PyWeakReference *ref)
{
    PyObject *op = ref->wr_object;
    return is_dead(ref) || ouro_weakref_is_lost(op) ? NULL : op;
}

/* --- places ------------------------------------------------------------------------------ */

struct proxy_types ouro_proxy_types;

void
ouro_proxy_types_exist(PyTypeObject *plain, PyTypeObject *callable)
{
    __atomic_store_n(&ouro_proxy_types.plain, plain, __ATOMIC_RELAXED);
    __atomic_store_n(&ouro_proxy_types.callable, callable, __ATOMIC_RELAXED);
}

static bool
is_shared_ref(const PyWeakReference *ref)
{
    return ref->wr_callback == NULL && Py_IS_TYPE(ref, ouro_seam.weakref_type);
}

static bool
is_shared_proxy(const PyWeakReference *ref)
{
    return ref->wr_callback == NULL && ouro_is_proxy_type(Py_TYPE(ref));
}

/* An object that is about to be destroyed cannot be handed out again. */
static PyWeakReference *
unless_lost(PyWeakReference *ref)
{
    return ouro_weakref_is_lost((PyObject *)ref) ? NULL : ref;
}

PyWeakReference *
ouro_weakref_shared(PyObject *op)
{
    PyWeakReference **list = ouro_weakref_list(op);
    PyWeakReference *first = list != NULL ? *list : NULL;
    return first != NULL && is_shared_ref(first) ? unless_lost(first) : NULL;
}

PyWeakReference *
ouro_weakref_shared_proxy(PyObject *op)
{
    PyWeakReference **list = ouro_weakref_list(op);
    PyWeakReference *ref = list != NULL ? *list : NULL;
    while (ref != NULL && is_shared_ref(ref)) {
        ref = ref->wr_next;
    }
    return ref != NULL && is_shared_proxy(ref) ? unless_lost(ref) : NULL;
}

/* The reference after which `ref` is inserted; NULL for the front. */
static PyWeakReference *
place_in_list(PyWeakReference *head, const PyWeakReference *ref)
{
    PyWeakReference *before = NULL;
    if (is_shared_ref(ref)) {
        return NULL;
    }
    while (head != NULL && is_shared_ref(head)) {
        before = head;
        head = head->wr_next;
    }
    if (is_shared_proxy(ref)) {
        return before;
    }
    while (head != NULL && is_shared_proxy(head)) {
        before = head;
        head = head->wr_next;
    }
    return before;
}

/* The list of an object that has one: ouro_weakref_prepare() said so. */
static PyWeakReference **
prepared_list(PyObject *op)
{
    PyWeakReference **list = ouro_weakref_list(op);
    OURO_ASSUME(list != NULL);
    return list;
}

void
ouro_weakref_insert(PyWeakReference *ref, PyObject *op)
{
    PyWeakReference **list = prepared_list(op);
    PyWeakReference *before = place_in_list(*list, ref);
    ref->wr_object = op;
    ref->wr_prev = before;
    ref->wr_next = before != NULL ? before->wr_next : *list;
    if (ref->wr_next != NULL) {
        ref->wr_next->wr_prev = ref;
    }
    if (before != NULL) {
        before->wr_next = ref;
    } else {
        *list = ref;
    }
}

/* --- clearing ---------------------------------------------------------------------------- */

void
ouro_weakref_clear_one(PyWeakReference *ref)
{
    if (is_dead(ref)) {
        return;
    }
    if (ref->wr_prev != NULL) {
        ref->wr_prev->wr_next = ref->wr_next;
    } else {
        *prepared_list(ref->wr_object) = ref->wr_next;
    }
    if (ref->wr_next != NULL) {
        ref->wr_next->wr_prev = ref->wr_prev;
    }
    ref->wr_prev = ref->wr_next = NULL;
    ref->wr_object = ouro_seam.none;
}

void
ouro_weakref_clear_all(PyObject *op)
{
    PyWeakReference **list = ouro_weakref_list(op);
    while (list != NULL && *list != NULL) {
        ouro_weakref_clear_one(*list);
    }
}

void
ouro_weakref_call_callback(PyWeakReference *ref)
{
    PyObject *pending = ouro_error_take();
    PyObject *callback = ref->wr_callback;
    ref->wr_callback = NULL;
    PyObject *result = ouro_seam.call(callback, (PyObject *)ref);
    if (result == NULL) {
        ouro_seam.report_error("Exception ignored on calling weakref callback %R",
                               callback);
    } else {
        Py_DECREF(result);
    }
    Py_DECREF(callback);
    ouro_error_restore(pending);
}
