/* SPDX-License-Identifier: MIT */
/* Weak references and the unreachable set.
 *
 * Before finalizers run, all weak references to objects of the set that have a callback are
 * cleared. Then the callbacks run: a callback must not see the object whose death it reports.
 * Weak references without a callback stay valid for the finalizers, and are cleared before
 * tp_clear. A weak reference that is itself unreachable never calls back. */
#include "../object/weakref.h"
#include "collection.h"

/* The cleared weak references to call. They are chained through wr_next, which no other list
 * uses now. Each owns a reference. */
struct calls {
    PyWeakReference *first;
    PyWeakReference **last;
};

static PyWeakReference *
weakrefs_of(PyObject *op)
{
    PyWeakReference **list = ouro_weakref_list(op);
    return list != NULL ? *list : NULL;
}

static void
queue_callbacks_of(struct calls *calls, PyObject *op)
{
    PyWeakReference *next;
    for (PyWeakReference *ref = weakrefs_of(op); ref != NULL; ref = next) {
        next = ref->wr_next;
        if (ref->wr_callback == NULL) {
            continue;
        }
        ouro_weakref_clear_one(ref);
        if (!ouro_object_has((PyObject *)ref, OURO_GC_UNREACHABLE) &&
            !ouro_object_is_dying((PyObject *)ref)) {
            Py_INCREF(ref);
            ref->wr_next = NULL;
            *calls->last = ref;
            calls->last = &ref->wr_next;
        }
    }
}

/* The walk ends before the first callback runs. */
OURO_BODY
queue_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op)) {
        queue_callbacks_of(c->set.calls, op);
    }
}

void
ouro_call_weakref_callbacks(struct collection *c)
{
    struct calls calls = {NULL, &calls.first};
    c->set.calls = &calls;
    ouro_each_unreachable(c, queue_body);
    c->set.calls = NULL;
    while (calls.first != NULL) {
        PyWeakReference *ref = calls.first;
        calls.first = ref->wr_next;
        ref->wr_next = NULL;
        ouro_weakref_call_callback(ref);
        c->set.ran_user_code = true;
        c->collected += Py_REFCNT(ref) == 1; /* its callback dropped the last owner */
        Py_DECREF(ref);
    }
}

void
ouro_clear_weakrefs_of(PyObject *op)
{
    if (weakrefs_of(op) != NULL) {
        ouro_weakref_clear_all(op);
    }
    if (ouro_is_weak(op)) {
        ouro_weakref_clear_one((PyWeakReference *)op);
    }
}

OURO_BODY
clear_weakrefs_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    (void)c;
    if (ouro_is_unreachable(op)) {
        ouro_clear_weakrefs_of(op);
    }
}

void
ouro_clear_weakrefs(struct collection *c)
{
    ouro_each_unreachable(c, clear_weakrefs_body);
}
