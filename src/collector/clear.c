/* SPDX-License-Identifier: MIT */
/* Destroy the unreachable set.
 *
 * The collection holds one reference to each object, a pin. The first walk calls tp_clear on
 * each object; the second drops the pins, last address first. While everything is pinned
 * nothing of the set can die, so every object gets its tp_clear exactly once, on fields that
 * are valid, and no destructor recurses through the set. An object that is still referenced
 * after its pin is dropped survives, tracked, in the next generation. User code: tp_clear and
 * destructors. */
#include "collection.h"

/* Detection pins what it finds, because it has the header in the cache. If finalizers, weak
 * references or exact counts come in between, the pins are dropped for them, and set again
 * here. */
OURO_BODY
lift_pin_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)c;
    (void)page;
    if ((ouro_sanitize_peek_gc(op) & OURO_GC_PINNED) != 0) {
        ouro_object_clear(op, OURO_GC_PINNED);
        op->ob_refcnt--;
    }
}

void
ouro_lift_pins(struct collection *c)
{
    c->set.lifted_pins = true;
    ouro_each_unreachable(c, lift_pin_body);
}

OURO_BODY
pin_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)c;
    (void)page;
    if (ouro_is_unreachable(op)) {
        ouro_object_set(op, OURO_GC_PINNED);
        Py_INCREF(op);
    }
}

static inline __attribute__((always_inline)) void
call_clear_handler(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    ouro_event_condemned(op);
    if (ouro_edges_clear_is_plain(type->tp_ouro_edges, type)) {
        ouro_edges_clear(type->tp_ouro_edges, op);
        return;
    }
    if (type->tp_clear == NULL) {
        return;
    }
    (void)ouro_call_clear(op);
    if (OURO_UNLIKELY(ouro_current.thread->error != NULL)) {
        ouro_seam.report_error("Exception ignored in tp_clear of %s", type->tp_name);
    }
}

void
ouro_clear_one(PyObject *op)
{
    call_clear_handler(op);
}

OURO_BODY
clear_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)c;
    (void)page;
    if ((ouro_sanitize_peek_gc(op) & OURO_GC_PINNED) != 0) {
        call_clear_handler(op);
    }
}

/* Old objects are seldom in the cache: what they refer to is fetched ahead. */
OURO_BODY
clear_old_body(struct collection *c, PyObject *op, const struct page *page)
{
    ouro_prefetch_headers(c, op);
    clear_body(c, op, page);
}

/* The pin is the last reference to `op`, and its destructor is plain: do the destructor's work. */
static inline __attribute__((always_inline)) void
destroy_plainly(struct collection *c, PyObject *op, struct page *page)
{
    PyTypeObject *type = Py_TYPE(op);
    ouro_object_clear(op, OURO_GC_PINNED | OURO_GC_UNREACHABLE | OURO_GC_TRACKED);
    ouro_edges_clear(type->tp_ouro_edges, op);
    c->heap->allocations -= c->heap->allocations != 0;
    ouro_heap_give(c->heap, page, op);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

OURO_BODY
unpin_body(struct collection *c, PyObject *op, const struct page *page)
{
    if ((ouro_sanitize_peek_gc(op) & OURO_GC_PINNED) == 0) {
        return;
    }
    const PyTypeObject *type = Py_TYPE(op);
    if (op->ob_refcnt == 1 && ouro_edges_dealloc_is_plain(type->tp_ouro_edges, type)) {
        destroy_plainly(c, op, (struct page *)page);
    } else {
        ouro_object_clear(op, OURO_GC_PINNED | OURO_GC_UNREACHABLE);
        Py_DECREF(op);
    }
}

/* DEBUG_SAVEALL: show the set instead of destroying it. */
OURO_BODY
save_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op)) {
        ouro_object_clear(op, OURO_GC_UNREACHABLE);
        ouro_seam.show_garbage(c->interp, op);
    }
}

/* Check the canaries here, because not all of these objects are freed by PyObject_GC_Del. */
OURO_BODY
look_behind_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op)) {
        ouro_canary_check(c->heap, op);
    }
}

void
ouro_destroy_unreachable(struct collection *c)
{
    c->collected += c->unreachable;
    if (c->unreachable == 0) {
        return;
    }
    if ((c->interp->gc.debug & OURO_DEBUG_SAVEALL) != 0) {
        ouro_each_unreachable(c, save_body);
        return;
    }
    if (ouro_heap_has_canaries(c->heap)) {
        ouro_each_unreachable(c, look_behind_body);
    }
    if (c->set.lifted_pins) {
        ouro_each_unreachable(c, pin_body);
    }
    if (c->generation == OURO_OLD) {
        ouro_each_unreachable(c, clear_old_body);
    } else {
        ouro_each_unreachable(c, clear_body);
    }
    ouro_each_unreachable_backwards(c, unpin_body);
}
