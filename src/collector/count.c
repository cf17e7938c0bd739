/* SPDX-License-Identifier: MIT */
/* Count, for each candidate, the references that come from outside; and see, on the way,
 * whether that proves all of them reachable.
 *
 * One pass in address order: a candidate's counter gains its reference count and loses one
 * for each edge that ends at it. Counters are 7 bits wide and wrap: a residue other than
 * zero proves an outside reference, while zero is settled later (rescue.c) for objects
 * with 128 references or more. Narrow counters are what makes the pass fast, since edges
 * go to random places: bytes were 1.3 to 1.8 times faster than 32 bits in the prototype.
 *
 * The eighth bit says that an edge ends here. Is it set when the pass gets to an object, then one
 * before it refers to it: it is *supported*. If every candidate is supported or held from outside,
 * all are reachable, by induction on the order of the pass: the first must be held from
 * outside, and each further one by the outside or by one before it. So the few that were
 * not supported are noted, and looked at again at the end, when their counters are known;
 * no mark is needed where all of these are held. Lists that grew at their heads need the
 * other direction: when too many are unsupported the pass begins anew, from the last to
 * the first; and when a mark finds no garbage, the next pass goes the other way. Where that
 * does not help, certificate.c has numbers instead of addresses. */
#include "collection.h"

#define UNSUPPORTED_MAX (OURO_QUEUE_LENGTH - (uint32_t)OURO_PAGE_GRAINS)

static inline __attribute__((always_inline)) void
forget_reference_to(struct collection *c, size_t slot)
{
    c->counters[slot] = (uint8_t)((c->counters[slot] - 1) | OURO_COUNTER_TOUCHED);
}

OURO_VISITOR
forget_one_reference(PyObject *op, void *arg)
{
    struct collection *c = arg;
    forget_reference_to(c, ouro_candidate_offset(c, op, false) >> OURO_GRAIN_SHIFT);
    return 0;
}

OURO_VISITOR
forget_one_reference_filtered(PyObject *op, void *arg)
{
    struct collection *c = arg;
    forget_reference_to(c, ouro_candidate_offset(c, op, true) >> OURO_GRAIN_SHIFT);
    return 0;
}

/* --- one object ----------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void
count_edges_of(struct collection *c, PyObject *op, visitproc visit, bool notes)
{
    if (!ouro_take_candidate(c, op)) {
        return;
    }
    if (visit == forget_one_reference) { /* a full collection: it stays a candidate */
        ouro_object_promote(op, OURO_OLD);
    }
    size_t slot = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
    uint8_t before = c->counters[slot];
    c->counters[slot] = (uint8_t)(before + op->ob_refcnt) & OURO_COUNTER_RESIDUE;
    if (notes && OURO_UNLIKELY(before == 0)) {
        c->queue.entries[c->queue.tail++] = (uint32_t)slot;
    }
    ouro_visit_edges(op, visit, c);
}

OURO_BODY
count_and_note_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    ouro_prefetch_targets(c, op, (const char *)c->counters, 0);
    count_edges_of(c, op, forget_one_reference, true);
}

OURO_BODY
count_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    ouro_prefetch_targets(c, op, (const char *)c->counters, 0);
    count_edges_of(c, op, forget_one_reference, false);
}

/* Without prefetching: most such collections are young, and their objects in the cache. */
OURO_BODY
count_and_note_body_filtered(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    count_edges_of(c, op, forget_one_reference_filtered, true);
}

OURO_BODY
count_body_filtered(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    count_edges_of(c, op, forget_one_reference_filtered, false);
}

/* --- all of them ---------------------------------------------------------------------- */

/* Too many are unsupported when c->queue.overflow is set: there is no proof in this direction. */
static inline __attribute__((always_inline)) void
count_page(struct collection *c, uint32_t number, bool descends)
{
    if (c->filtered) {
        descends ? ouro_each_in_page_backwards(c, number, count_and_note_body_filtered)
                 : ouro_each_in_page(c, number, count_and_note_body_filtered);
    } else {
        descends ? ouro_each_in_page_backwards(c, number, count_and_note_body)
                 : ouro_each_in_page(c, number, count_and_note_body);
    }
    c->queue.overflow =
        c->queue.tail > UNSUPPORTED_MAX ||
        c->queue.tail >
            OURO_UNSUPPORTED_FREE + (size_t)c->candidates / OURO_UNSUPPORTED_SHARE;
}

/* Pages whose edges were not counted yet. */
struct left {
    uint32_t first, end;
};

/* Count as long as most are supported. */
static struct left
count_upwards(struct collection *c)
{
    uint32_t n = ouro_next_page(c, 1);
    for (; n < c->pages && !c->queue.overflow; n = ouro_next_page(c, n + 1)) {
        count_page(c, n, false);
    }
    return (struct left){n, c->pages};
}

static struct left
count_downwards(struct collection *c)
{
    uint32_t n = c->last + 1;
    for (; n > c->first && !c->queue.overflow; n--) {
        if (c->scan[n - 1] != OURO_SCAN_NONE) {
            count_page(c, n - 1, true);
        }
    }
    return (struct left){c->first, n};
}

static struct left
count_in_direction(struct collection *c, bool descends)
{
    c->candidates = 0;
    c->queue.head = c->queue.tail = 0;
    c->queue.overflow = false;
    return descends ? count_downwards(c) : count_upwards(c);
}

/* There is no proof to be had. */
static void
count_rest(struct collection *c, struct left left)
{
    for (uint32_t n = ouro_next_page(c, left.first); n < left.end;
         n = ouro_next_page(c, n + 1)) {
        if (c->filtered) {
            ouro_each_in_page(c, n, count_body_filtered);
        } else {
            ouro_each_in_page(c, n, count_body);
        }
    }
}

/* Is every object noted held from outside? */
static bool
noted_are_held(const struct collection *c)
{
    for (uint32_t i = 0; i < c->queue.tail; i++) {
        if ((c->counters[c->queue.entries[i]] & OURO_COUNTER_RESIDUE) == 0) {
            return false;
        }
    }
    return true;
}

OURO_BODY
promote_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_candidate(c, op)) {
        ouro_object_promote(op, ouro_next_generation(c));
    }
}

bool
ouro_count_external_references(struct collection *c)
{
    struct generation *generation = &c->interp->gc.generations[c->generation];
    struct left left = count_in_direction(c, generation->descends);
    if (c->queue.overflow && left.first < left.end) {
        generation->descends = !generation->descends;
        ouro_reset_counters(c);
        left = count_in_direction(c, generation->descends);
        count_rest(c, left);
    }
    if (!c->proves || c->queue.overflow || !noted_are_held(c)) {
        return false;
    }
    if (c->filtered) {
        ouro_each_slot(c, promote_body);
    }
    c->reachable = c->candidates;
    ouro_reset_counters(c);
    return true;
}
