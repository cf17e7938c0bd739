/* SPDX-License-Identifier: MIT */
/* Few candidates in many pages: count and mark in their headers.
 *
 * Side tables have 2,048 entries for each page. Where a page holds a handful of objects,
 * because they are very large or because the others died, each entry has a cache line of its
 * own. Getting the memory of the tables, 4 KiB for each page, then takes longer than everything
 * else. So this detector keeps its words in the objects, in the half of ob_gc that is unused
 * between phases (header.inv.upper).
 *
 * There is no room to keep order numbers from one collection to the next. Proofs by address
 * (count.c) need none: each object is held from outside, or by one at a lower address; or each
 * from outside, or by one at a higher address. One pass tries both. If neither succeeds, the
 * reachable objects are marked. */
#include "collection.h"

/* The upper half of ob_gc: a count modulo 256 and flags. */
#define COUNT_SHIFT_FEW 24
#define ONE_FEW         (1u << COUNT_SHIFT_FEW)
#define COUNT_FEW       (0xFFu << COUNT_SHIFT_FEW)
#define MEMBER_FEW      (1u << 16) /* a candidate */
#define BELOW_FEW       (1u << 17) /* one at a lower address refers to it */
#define ABOVE_FEW       (1u << 18)
#define UPPER_HALF      (0xFFFFu << 16)

#define FEW_IN_ALL (OURO_QUEUE_LENGTH / 2) /* each is in the queue at most twice */

bool
ouro_candidates_are_few(struct collection *c)
{
    uint32_t pages = c->heap->sets.pages[OURO_CANDIDATES];
    size_t most = (size_t)pages * OURO_FEW_IN_PAGE, blocks = 0;
    if (pages < c->interp->gc.few_pages) {
        return false; /* their tables are small */
    }
    most = most < FEW_IN_ALL ? most : FEW_IN_ALL;
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages && blocks <= most;
         n = ouro_next_page(c, n + 1)) {
        blocks += ouro_page_used(&c->heap->pages[n]);
    }
    return blocks <= most;
}

/* --- count -------------------------------------------------------------------------------- */

/* queue[0..candidates) holds the candidates; those found reachable follow. */
static inline void
append_few(struct collection *c, const PyObject *op)
{
    c->queue.entries[c->queue.tail++] =
        (uint32_t)((size_t)((const char *)op - c->base) >> 4);
}

static inline PyObject *
few_at(const struct collection *c, uint32_t i)
{
    return (PyObject *)(c->base + ((size_t)c->queue.entries[i] << 4));
}

static inline bool
is_in_page_of_candidates(const struct collection *c, const PyObject *op)
{
    size_t offset = (size_t)((const char *)op - c->base);
    return offset < c->size && c->scan[offset >> OURO_PAGE_SHIFT] != OURO_SCAN_NONE;
}

OURO_VISITOR
count_in_header(PyObject *op, void *arg)
{
    struct collection *c = arg;
    if (is_in_page_of_candidates(c, op) && ouro_is_candidate(c, op)) {
        size_t slot = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
        uint32_t below = slot > c->cursor ? BELOW_FEW : 0; /* no object supports itself */
        uint32_t above = slot < c->cursor ? ABOVE_FEW : 0;
        op->ob_gc = (op->ob_gc - ONE_FEW) | below | above;
    }
    return 0;
}

OURO_BODY
count_few_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_take_candidate(c, op)) {
        append_few(c, op);
        c->cursor = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
        op->ob_gc = (op->ob_gc + (op->ob_refcnt << COUNT_SHIFT_FEW)) | MEMBER_FEW;
        ouro_call_edges(op, count_in_header, c);
    }
}

static inline bool
is_unsupported_by(uint32_t gc, uint32_t support)
{
    return (gc & (COUNT_FEW | MEMBER_FEW | support)) == MEMBER_FEW;
}

/* Does one of the proofs succeed? */
static bool
few_are_alive(const struct collection *c)
{
    uint32_t ascending = 0, descending = 0;
    for (uint32_t i = 0; i < c->queue.tail; i++) {
        uint32_t gc = few_at(c, i)->ob_gc;
        ascending |= is_unsupported_by(gc, BELOW_FEW);
        descending |= is_unsupported_by(gc, ABOVE_FEW);
    }
    return (ascending & descending) == 0;
}

/* --- mark ----------------------------------------------------------------------------------- */

OURO_VISITOR
reach_few(PyObject *op, void *arg)
{
    struct collection *c = arg;
    if (is_in_page_of_candidates(c, op) && is_unsupported_by(op->ob_gc, 0)) {
        op->ob_gc |= ONE_FEW;
        append_few(c, op);
    }
    return 0;
}

static void
mark_few(struct collection *c, uint32_t candidates)
{
    for (uint32_t i = 0; i < candidates; i++) {
        PyObject *op = few_at(c, i);
        if (!is_unsupported_by(op->ob_gc, 0)) {
            append_few(c, op);
        }
    }
    for (uint32_t i = candidates; i < c->queue.tail; i++) {
        ouro_call_edges(few_at(c, i), reach_few, c);
    }
}

/* --- the result ------------------------------------------------------------------------------- */

static void
promote_few(struct collection *c, uint32_t candidates)
{
    for (uint32_t i = 0; i < candidates; i++) {
        PyObject *op = few_at(c, i);
        ouro_object_clear(op, UPPER_HALF);
        ouro_object_promote(op, ouro_next_generation(c));
    }
}

static void
settle_few(struct collection *c, uint32_t candidates)
{
    for (uint32_t i = 0; i < candidates; i++) {
        PyObject *op = few_at(c, i);
        if (OURO_UNLIKELY(is_unsupported_by(op->ob_gc, 0))) {
            ouro_note_unreachable(c, op, ouro_heap_page_of(c->heap, op));
        }
    }
    promote_few(c, candidates);
}

void
ouro_detect_few(struct collection *c)
{
    c->queue.tail = 0;
    ouro_each_slot(c, count_few_body);
    uint32_t candidates = c->queue.tail;
    if (few_are_alive(c)) {
        promote_few(c, candidates);
    } else {
        mark_few(c, candidates);
        settle_few(c, candidates);
    }
    c->reachable = c->candidates - c->unreachable;
}
