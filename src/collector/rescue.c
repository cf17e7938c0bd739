/* SPDX-License-Identifier: MIT */
/* Reachability inside the unreachable set, with exact counts.
 *
 * This is needed in two cases. First, an object of the set has so many references that its
 * residue may be misleading, and the set does not explain all of them. Second, user code ran,
 * which may have made objects of the set reachable again. Nothing outside the set is visited:
 * an object of the set is alive exactly when its count is larger than the number of references
 * from inside the set.
 *
 * The exact count needs 32 bits: 16 in the side word, 16 in the unused half of ob_gc.
 *
 * Taking an object out of the set clears its UNREACHABLE bit, and sets PENDING until its own
 * references have been followed. So when the queue is full, another walk finds what is PENDING. */
#include "collection.h"

#define HIGH_SHIFT 16
#define LOW_MASK   0xFFFFu

static uint16_t *
low_half_of(struct collection *c, const PyObject *op)
{
    return &c->keys[(size_t)((const char *)op - c->base) >> OURO_GRAIN_SHIFT];
}

static bool
is_in_set(const struct collection *c, const PyObject *op)
{
    return (size_t)((const char *)op - c->base) < c->size &&
           ouro_object_has(op, OURO_GC_UNREACHABLE);
}

/* --- taking out of the set ------------------------------------------------------------------ */

void
ouro_take_out(struct collection *c, PyObject *op, uint32_t bits)
{
    ouro_object_clear(op, OURO_GC_UNREACHABLE);
    ouro_object_set(op, OURO_GC_PENDING | bits);
    c->unreachable--;
    ouro_queue_push(&c->queue, (uint32_t)((size_t)((char *)op - c->base) >> 4));
}

static int
take_out_target(PyObject *op, void *arg)
{
    struct collection *c = arg;
    if (is_in_set(c, op)) {
        ouro_take_out(c, op, c->set.out_bits);
    }
    return 0;
}

static void
follow(struct collection *c, PyObject *op)
{
    if (ouro_object_has(op, OURO_GC_PENDING)) {
        ouro_object_clear(op, OURO_GC_PENDING);
        ouro_call_edges(op, take_out_target, c);
    }
}

OURO_BODY
pending_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if ((ouro_sanitize_peek_gc(op) & OURO_GC_PENDING) != 0) {
        follow(c, op);
    }
}

/* Everything that the removed objects refer to leaves the set too, and gets `bits`. */
void
ouro_take_out_reachable(struct collection *c, uint32_t bits)
{
    c->set.out_bits = bits;
    for (;;) {
        while (!ouro_queue_is_empty(&c->queue)) {
            follow(c, (PyObject *)(c->base + ((size_t)ouro_queue_pop(&c->queue) << 4)));
        }
        if (!c->queue.overflow) {
            return;
        }
        c->queue.overflow = false;
        ouro_each_unreachable(c, pending_body);
    }
}

/* --- exact counts -------------------------------------------------------------------------------- */

OURO_BODY
load_count_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op)) {
        *low_half_of(c, op) = (uint16_t)op->ob_refcnt;
        op->ob_gc = (op->ob_gc & LOW_MASK) | (op->ob_refcnt & ~LOW_MASK);
    }
}

static int
forget_exact_reference(PyObject *op, void *arg)
{
    struct collection *c = arg;
    if (is_in_set(c, op) && (*low_half_of(c, op))-- == 0) {
        op->ob_gc -= 1u << HIGH_SHIFT;
    }
    return 0;
}

OURO_BODY
subtract_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op)) {
        ouro_call_edges(op, forget_exact_reference, c);
    }
}

/* --- large counts alone --------------------------------------------------------------- */

static uint8_t *
large_mark_of(struct collection *c, const PyObject *op)
{
    return &c->counters[(size_t)((const char *)op - c->base) >> OURO_GRAIN_SHIFT];
}

/* The set is pinned: one reference to each object is the collection's own. */
OURO_BODY
load_large_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op) && op->ob_refcnt - 1 >= OURO_LARGE_COUNT) {
        uint32_t count = op->ob_refcnt - 1;
        ouro_queue_push(&c->queue, (uint32_t)((size_t)((char *)op - c->base) >> 4));
        *large_mark_of(c, op) = 1;
        *low_half_of(c, op) = (uint16_t)count;
        op->ob_gc = (op->ob_gc & LOW_MASK) | (count & ~LOW_MASK);
    }
}

static int
forget_large_reference(PyObject *op, void *arg)
{
    struct collection *c = arg;
    size_t offset = (size_t)((const char *)op - c->base);
    if (offset < c->size && c->counters[offset >> OURO_GRAIN_SHIFT] != 0 &&
        c->keys[offset >> OURO_GRAIN_SHIFT]-- == 0) {
        op->ob_gc -= 1u << HIGH_SHIFT;
    }
    return 0;
}

OURO_BODY
subtract_large_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op)) {
        ouro_call_edges(op, forget_large_reference, c);
    }
}

OURO_BODY
unload_large_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (*large_mark_of(c, op) != 0) {
        c->set.has_held |= *low_half_of(c, op) != 0 || (op->ob_gc & ~LOW_MASK) != 0;
        *large_mark_of(c, op) = 0;
        *low_half_of(c, op) = 0;
        op->ob_gc &= LOW_MASK;
    }
}

/* Usually the set explains its large counts, as instances explain their type's. Usually there
 * are so few that the queue has room for them. */
void
ouro_check_large_counts(struct collection *c)
{
    c->queue.head = c->queue.tail = 0;
    c->queue.overflow = false;
    ouro_each_unreachable(c, load_large_body);
    ouro_each_unreachable(c, subtract_large_body);
    while (!ouro_queue_is_empty(&c->queue)) {
        PyObject *op = (PyObject *)(c->base + ((size_t)ouro_queue_pop(&c->queue) << 4));
        unload_large_body(c, op, NULL);
    }
    if (c->queue.overflow) {
        ouro_each_unreachable(c, unload_large_body);
    }
}

/* --- the whole set --------------------------------------------------------------------- */

/* What is left after subtraction are references from outside. Both halves are zero again
 * afterwards. */
OURO_BODY
unload_count_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (!ouro_is_unreachable(op)) {
        return;
    }
    bool is_held = *low_half_of(c, op) != 0 || (op->ob_gc & ~LOW_MASK) != 0;
    *low_half_of(c, op) = 0;
    op->ob_gc &= LOW_MASK;
    if (is_held) {
        ouro_take_out(c, op, 0);
    }
}

OURO_BODY
count_left_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    c->unreachable += ouro_is_unreachable(op);
}

void
ouro_rescue_reachable(struct collection *c)
{
    c->queue.head = c->queue.tail = 0;
    c->queue.overflow = false;
    ouro_each_unreachable(c, load_count_body);
    ouro_each_unreachable(c, subtract_body);
    ouro_each_unreachable(c, unload_count_body);
    ouro_take_out_reachable(c, 0);
    c->unreachable = 0; /* some may have died while user code ran */
    ouro_each_unreachable(c, count_left_body);
}
