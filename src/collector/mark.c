/* SPDX-License-Identifier: MIT */
/* Mark what is reachable: a candidate whose residue is not zero, and what it refers to.
 *
 * One sweep in address order handles every residue that is not zero when the sweep gets there.
 * A target ahead of the sweep is marked by making its residue non-zero. A target behind the
 * sweep goes to the queue, which is emptied when it is half full and at the end. So each object
 * is handled once. The queue has a fixed size. When it is full nevertheless, the entry is
 * dropped, and the sweep is repeated until nothing was dropped. Handling an object twice is
 * harmless.
 *
 * Afterwards the unreachable candidates have their bit, all candidates their next generation,
 * and counters are zero again. */
#include "../object/weakref.h"
#include "collection.h"

#include <string.h>

static inline __attribute__((always_inline)) int
reach(struct collection *c, PyObject *op, bool filtered)
{
    size_t offset = ouro_candidate_offset(c, op, filtered);
    uint8_t *counter = &c->counters[offset >> OURO_GRAIN_SHIFT];
    bool is_new = (*counter & OURO_COUNTER_RESIDUE) == 0;
    *counter |= is_new;
    if (is_new & (offset < c->horizon)) {
        ouro_queue_push(&c->queue, (uint32_t)(offset >> 4));
    }
    return 0;
}

OURO_VISITOR
reach_any(PyObject *op, void *arg)
{
    return reach(arg, op, false);
}

OURO_VISITOR
reach_filtered(PyObject *op, void *arg)
{
    return reach(arg, op, true);
}

static inline __attribute__((always_inline)) void
sweep_one(struct collection *c, PyObject *op, visitproc visit)
{
    size_t offset = (size_t)((char *)op - c->base);
    if ((c->counters[offset >> OURO_GRAIN_SHIFT] & OURO_COUNTER_RESIDUE) == 0 ||
        !ouro_is_candidate(c, op)) {
        return;
    }
    c->horizon = offset;
    ouro_visit_edges(op, visit, c);
}

OURO_BODY
sweep_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    ouro_prefetch_targets(c, op, (const char *)c->counters, 0);
    sweep_one(c, op, reach_any);
}

OURO_BODY
sweep_body_filtered(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    sweep_one(c, op, reach_filtered);
}

static bool
counters_are_zero(const struct collection *c, uint32_t number)
{
    const uint8_t *counters = c->counters + (size_t)number * OURO_PAGE_GRAINS;
    uint8_t any = 0;
    if (c->scan[number] != OURO_SCAN_ALL ||
        ouro_page_has_few_slots(&c->heap->pages[number])) {
        return false; /* looking at the slots is as fast */
    }
    for (size_t i = 0; i < OURO_PAGE_GRAINS; i++) {
        any |= counters[i];
    }
    return (any & OURO_COUNTER_RESIDUE) == 0;
}

static inline __attribute__((always_inline)) void
reach_from_queue(struct collection *c, visitproc visit)
{
    while (!ouro_queue_is_empty(&c->queue)) {
        ouro_prefetch_queue(c, (const char *)c->counters, 0);
        PyObject *op = (PyObject *)(c->base + ((size_t)ouro_queue_pop(&c->queue) << 4));
        if (ouro_is_candidate(c, op)) {
            ouro_visit_edges(op, visit, c);
        }
    }
}

static void
reach_from_queue_any(struct collection *c)
{
    reach_from_queue(c, reach_any);
}

static void
reach_from_queue_filtered(struct collection *c)
{
    reach_from_queue(c, reach_filtered);
}

/* --- what is left is unreachable ------------------------------------------------------------ */

/* What follows from the type alone: found once for a run of objects of the same type. */
void
ouro_note_type(struct kinds *kinds, PyTypeObject *type)
{
    kinds->type = type;
    kinds->weak_offset = type->tp_weaklistoffset;
    bool is_weak = ouro_is_weak_type(type);
    kinds->finalizes = is_weak || type->tp_finalize != NULL;
    kinds->has_weakrefs |= is_weak;
    kinds->has_finalizers |= type->tp_finalize != NULL;
    kinds->has_legacy |= type->tp_del != NULL;
    kinds->is_plain = ouro_edges_are_plain(type->tp_ouro_edges, type);
    kinds->has_parts |=
        kinds->is_plain &&
        (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || type->tp_ouro_edges->has_arrays);
}

/* How much is counted of the references of plain members. */
enum tally {
    NO_EDGES,    /* no full collection: the counters tell enough */
    EDGES,       /* how many there are */
    LARGE_EDGES, /* the same, and how many end at members with large counts */
};

/* The references of a plain member. */
struct settled {
    const struct collection *c;
    int64_t edges, large;
};

static inline __attribute__((always_inline)) void
count_place(PyObject **place, void *arg)
{
    ((struct settled *)arg)->edges += *place != NULL;
}

static inline __attribute__((always_inline)) void
count_place_and_large(PyObject **place, void *arg)
{
    struct settled *settled = arg;
    const struct collection *c = settled->c;
    size_t offset = (size_t)((char *)*place - c->base);
    settled->edges += *place != NULL;
    settled->large +=
        offset < c->size && c->counters[offset >> OURO_GRAIN_SHIFT] == OURO_COUNTER_LARGE;
}

static inline __attribute__((always_inline)) void
settle_plain(struct collection *c, PyObject *op, enum tally tally)
{
    struct settled settled = {.c = c};
    if (tally == LARGE_EDGES && op->ob_refcnt >= OURO_LARGE_COUNT) {
        c->set.large_counts += op->ob_refcnt;
    }
    if (tally != NO_EDGES) {
        c->set.plain_counts += op->ob_refcnt;
        ouro_edges_each_own(Py_TYPE(op)->tp_ouro_edges, op,
                            tally == EDGES ? count_place : count_place_and_large,
                            &settled);
        c->set.plain_edges += settled.edges;
        c->set.large_edges += settled.large;
    }
}

/* A member of the unreachable set. plain.c flags plain ones later. */
static inline __attribute__((always_inline)) void
settle_unreachable(struct collection *c, PyObject *op, size_t slot, struct page *page,
                   enum tally tally)
{
    ouro_note_kind(&c->kinds, op);
    if (c->kinds.is_plain) {
        settle_plain(c, op, tally);
        page->noted = OURO_NOTED_UNREACHABLE;
    } else {
        c->counters[slot] = 0;
        ouro_flag_unreachable(c, op, page);
        ouro_object_promote(op, ouro_next_generation(c));
    }
}

static inline __attribute__((always_inline)) void
settle(struct collection *c, PyObject *op, const struct page *page, enum tally tally)
{
    size_t slot = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
    uint8_t counter = c->counters[slot];
    if (!ouro_is_candidate(c, op)) {
        c->set.leads_out |= counter != 0;
        c->counters[slot] = 0;
        return;
    }
    if (counter == OURO_COUNTER_TOUCHED ||
        (tally == LARGE_EDGES && counter == OURO_COUNTER_LARGE)) {
        settle_unreachable(c, op, slot, (struct page *)page, tally);
    } else {
        c->counters[slot] = 0;
        c->reachable++;
        ouro_object_promote(op, ouro_next_generation(c));
    }
}

OURO_BODY
settle_body(struct collection *c, PyObject *op, const struct page *page)
{
    settle(c, op, page, EDGES);
}

OURO_BODY
settle_young_body(struct collection *c, PyObject *op, const struct page *page)
{
    settle(c, op, page, NO_EDGES);
}

OURO_BODY
settle_with_large_body(struct collection *c, PyObject *op, const struct page *page)
{
    settle(c, op, page, LARGE_EDGES);
}

OURO_BODY
note_large_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    uint8_t *counter = &c->counters[(size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT];
    if (*counter == OURO_COUNTER_TOUCHED && ouro_is_candidate(c, op) &&
        op->ob_refcnt >= OURO_LARGE_COUNT &&
        ouro_edges_are_plain(Py_TYPE(op)->tp_ouro_edges, Py_TYPE(op))) {
        *counter = OURO_COUNTER_LARGE;
        c->set.has_plain_large = true;
    }
}

/* Which plain members have large counts? It has to be known before references are counted. */
static void
note_large(struct collection *c)
{
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        if ((c->heap->pages[n].noted & OURO_NOTED_LARGE) != 0) {
            ouro_each_in_page(c, n, note_large_body);
        }
    }
}

/* If all objects of a uniform page are unreachable, their counters say so already. */
static void
settle_young(struct collection *c)
{
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        struct page *page = &c->heap->pages[n];
        if (page->noted == OURO_NOTED_UNIFORM && counters_are_zero(c, n)) {
            ouro_note_type(&c->kinds, ouro_uniform_type(c, n));
            page->noted |= OURO_NOTED_UNREACHABLE;
        } else {
            ouro_each_in_page(c, n, settle_young_body);
        }
    }
}

static void
settle_all(struct collection *c)
{
    note_large(c);
    bool is_tallied = c->set.has_plain_large || c->generation == OURO_OLD;
    if (c->set.has_plain_large) {
        ouro_each_slot(c, settle_with_large_body);
    } else if (is_tallied) {
        ouro_each_slot(c, settle_body);
    } else {
        settle_young(c);
    }
    c->set.leads_out = is_tallied ? c->set.plain_edges != c->set.plain_counts
                                  : c->set.leads_out || c->reachable != 0;
    c->set.plain = c->candidates - c->reachable - c->unreachable; /* these have flags */
}

/* Only the counters of slots where a block begins can have been touched. If the page has few
 * such slots, only these are reset, else all counters of the page. */
static void
reset_counters_in_page(struct collection *c, uint32_t number)
{
    const struct page *page = &c->heap->pages[number];
    uint8_t *counters = c->counters + (size_t)number * OURO_PAGE_GRAINS;
    if (page->state != OURO_PAGE_SLOTS && page->state != OURO_PAGE_LARGE) {
        return;
    }
    if (!ouro_page_has_few_slots(page)) {
        memset(counters, 0, OURO_PAGE_GRAINS);
        return;
    }
    for (uint32_t i = 0; i < page->capacity; i++) {
        counters[(page->lead + (size_t)i * page->slot_size) >> OURO_GRAIN_SHIFT] = 0;
    }
}

/* A filtered walk touched only the counters that the page's scan names. A walk is filtered when
 * a page is scanned by bits. */
void
ouro_reset_counters(struct collection *c)
{
    uint8_t *counters = c->counters;
    uint32_t n = c->filtered ? ouro_next_page(c, 1) : 1;
    while (n < c->pages) {
        size_t first = (size_t)n * OURO_PAGE_GRAINS;
        if (c->scan[n] == OURO_SCAN_BITS) {
            for (uint32_t words = c->words[n]; words != 0; words &= words - 1) {
                size_t word = (size_t)__builtin_ctz(words);
                memset(counters + first + word * 64, 0, 64);
            }
        } else {
            reset_counters_in_page(c, n);
        }
        n = c->filtered ? ouro_next_page(c, n + 1) : n + 1;
    }
    counters[0] = 0;
}

void
ouro_mark_reachable(struct collection *c)
{
    c->set.leads_out |= c->counters[0] != 0;
    c->counters[0] = 1; /* offset 0 is never new */
    if (c->has_range) {
        ouro_sweep(c, counters_are_zero, sweep_body, reach_from_queue_any);
    } else {
        ouro_sweep(c, counters_are_zero, sweep_body_filtered, reach_from_queue_filtered);
    }
    settle_all(c);
    bool is_plain =
        c->unreachable == 0 && !c->kinds.has_weakrefs && c->interp->gc.debug == 0;
    c->unreachable += c->set.plain;
    if (c->set.plain != 0 && !is_plain) {
        ouro_plain_flag(c);
    } else if (c->set.plain == 0) {
        ouro_reset_counters(c);
    }
    if (c->unreachable == 0) { /* so there may be a proof in the other direction */
        struct generation *generation = &c->interp->gc.generations[c->generation];
        generation->descends = !generation->descends;
    }
}
