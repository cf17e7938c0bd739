/* SPDX-License-Identifier: MIT */
/* Everything one collection knows, and how its phases walk over the objects.
 *
 * Words: a *candidate* is a tracked object of the generations being collected; an object is
 * *unreachable* when neither anything outside the candidates nor a reachable candidate refers
 * to it. The unreachable set is a bit in the header, never a list of addresses: while
 * finalizers run, objects die and their slots are used again.
 *
 *   collection.inv.counters  heap->slots.bytes is all zero between collections
 *   collection.inv.keys      heap->slots.words holds nothing but order numbers between collections
 *   collection.inv.found     every candidate is found by the page's OURO_CANDIDATES scan
 *   collection.inv.held      no page changes its slot size during a collection
 *
 * The phases run in the order in which collect.c calls them. The lock is held throughout; user
 * code runs only where a phase says so. */
#ifndef OURO_COLLECTOR_COLLECTION_H
#define OURO_COLLECTOR_COLLECTION_H

#include <ouroboros.h>

#include "../base/events.h"
#include "../heap/listeners.h"
#include "../object/edges.h"
#include "../object/header.h"
#include "../thread/seam.h"
#include "../thread/thread.h"
#include "collector.h"
#include "tuning.h"

/* The queue of blocks to visit, a ring. count.c, mark.c, rescue.c and other code that follows
 * references use it. */
struct queue {
    uint32_t head, tail;
    bool overflow; /* an entry did not fit: another walk must find it */
    uint32_t *entries;
};

/* How far ahead a walk over a page fetches: ahead.c. */
struct ahead {
    size_t bytes;  /* from an object to the body of a later one in its page */
    size_t offset; /* from an object to that body, within the range that is prefetched */
    size_t size;   /* of that range, in bytes */
};

/* certificate.c: the number of the object that is being traversed. */
struct numbering {
    uint64_t key;
    uint32_t order;
    uint32_t flip;       /* how the object compares slots */
    uint16_t reached[2]; /* new side words of targets ahead of it, and behind it */
};

/* What later phases will have to do for the objects of a set: ouro_note_kind(). */
struct kinds {
    PyTypeObject *type;     /* the one that was noted last */
    Py_ssize_t weak_offset; /* its tp_weaklistoffset */
    bool is_plain;          /* are its instances plain? */
    bool finalizes;         /* are they finalized, or weak references? */
    bool has_weakrefs;      /* somewhere in the set */
    bool has_finalizers;
    bool has_legacy;
    bool has_parts; /* plain members have arrays to free, or a heap type to release */
};

/* The unreachable set, on its way from detection to destruction. */
struct unreachable_set {
    /* Slot numbers, when it is a batch of a sliced cycle (confirm.c); NULL when the set is found
     * page by page. */
    const uint32_t *members;
    uint32_t member_count;
    bool has_large_count; /* a count of OURO_LARGE_COUNT or more */
    bool has_held;        /* the set does not explain such a count */
    bool lifted_pins;     /* the set is not pinned at the moment; see clear.c */
    bool ran_user_code;   /* since it was found */
    bool holds_last;  /* a plain member holds the last reference to an outside object */
    Py_ssize_t plain; /* members that plain.c may destroy; no flag, no pin yet */
    bool leads_out;   /* members may refer to others */
    int64_t plain_counts; /* references to these */
    int64_t plain_edges;  /* references that these have */
    bool has_plain_large; /* a plain member has a count of OURO_LARGE_COUNT or more */
    int64_t
        large_counts; /* references to those with a count of OURO_LARGE_COUNT or more */
    int64_t large_edges; /* how many of these references members hold */
    uint32_t out_bits;   /* bits that objects get when they leave the set; see rescue.c */
    struct calls *calls; /* weak references to call; see weak.c */
};

struct collection {
    /* The walk. The members that visit functions read stand together. The first of them are copies
     * of members of the heap. candidates.c writes them; the bodies of walks write the position. */
    char *base;
    size_t size;
    size_t range_start;  /* all candidates are in this range of offsets ... */
    size_t range_size;   /* ... if each of its pages is scanned whole; else 0 */
    const uint8_t *scan; /* == heap->sets.scan[OURO_CANDIDATES] */
    uint8_t *counters;
    uint16_t *keys;
    size_t cursor;  /* slot of the object being traversed */
    size_t horizon; /* targets at lower offsets are behind the sweep */
    struct numbering number;
    struct ahead ahead;
    struct queue queue;

    const uint64_t *bits;  /* == heap->sets.bits[OURO_CANDIDATES] */
    const uint32_t *words; /* == heap->sets.words[OURO_CANDIDATES] */
    struct _is *interp;
    struct heap *heap;
    uint32_t pages;       /* pages that existed at the start */
    uint32_t first, last; /* all candidates are in these pages and between */
    int generation;
    bool trusts;    /* all candidates are taken for reachable: unseen.c */
    bool filtered;  /* some pages hold objects that are no candidates */
    bool has_range; /* range_size is not 0: visit functions need not ask for the page */

    struct kinds kinds;
    struct unreachable_set set;

    /* Results. */
    Py_ssize_t candidates;
    Py_ssize_t reachable;
    Py_ssize_t unreachable;
    Py_ssize_t collected, uncollectable;
    bool has_tuples; /* a candidate is an exact tuple of atoms */
    bool is_dropped; /* a cycle that ended early: not counted as a collection */
    double duration; /* seconds, without the collector's own callbacks */
};

/* A counter of count.c: a residue, and a bit that says that the pass was at the object, or at a
 * reference to it. If a count is at least OURO_LARGE_COUNT, its residue may be misleading. */
#define OURO_COUNTER_TOUCHED 0x80u
#define OURO_COUNTER_RESIDUE 0x7Fu
#define OURO_LARGE_COUNT     128u
/* After the mark, in sets that hold only plain objects: a member; a member with a large count. A
 * member's counter has this value anyway. */
#define OURO_COUNTER_PLAIN OURO_COUNTER_TOUCHED
#define OURO_COUNTER_LARGE 0x40u

/* Notes about a page. The count notes that the page has objects with large counts, or that it is
 * uniform: all its objects are candidates, and of one type, for which ouro_edges_dealloc_is_plain.
 * The mark, which comes later, notes that it has unreachable objects. In a uniform page all are
 * unreachable then. */
#define OURO_NOTED_UNREACHABLE 1u
#define OURO_NOTED_LARGE       2u
#define OURO_NOTED_UNIFORM     4u

/* --- walking ------------------------------------------------------------------------- */

bool ouro_tuple_needs_no_tracking(PyObject *op); /* untrack.c */

typedef void (*ouro_body)(struct collection *c, PyObject *op, const struct page *page);

/* Declares a body, which is inlined into the loop. */
#define OURO_BODY static inline __attribute__((always_inline)) void

/* ahead.c: prepare to look ahead in a page, if that is worth it; see ouro_body_ahead. */
void ouro_look_ahead(struct collection *c, const struct page *page, bool backwards);

/* Call `body` for every slot of page `number` whose bit says that it may hold a candidate. */
static inline __attribute__((always_inline)) void
ouro_each_bit_in_page(struct collection *c, uint32_t number, ouro_body body)
{
    const struct page *page = &c->heap->pages[number];
    size_t first = (size_t)number * OURO_PAGE_BIT_WORDS;
    for (uint32_t words = c->words[number]; words != 0; words &= words - 1) {
        size_t i = first + (size_t)__builtin_ctz(words);
        for (uint64_t word = c->bits[i]; word != 0; word &= word - 1) {
            size_t slot = i * 64 + (size_t)__builtin_ctzll(word);
            body(c, ouro_heap_block_of_slot(c->heap, slot), page);
        }
    }
}

/* The same from the last slot to the first. */
static inline __attribute__((always_inline)) void
ouro_each_bit_in_page_backwards(struct collection *c, uint32_t number, ouro_body body)
{
    const struct page *page = &c->heap->pages[number];
    size_t first = (size_t)number * OURO_PAGE_BIT_WORDS;
    for (uint32_t words = c->words[number]; words != 0;) {
        uint32_t top = 31 - (uint32_t)__builtin_clz(words);
        words &= ~(1u << top);
        for (uint64_t word = c->bits[first + top]; word != 0;) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(word);
            word &= ~((uint64_t)1 << bit);
            size_t slot = (first + top) * 64 + bit;
            body(c, ouro_heap_block_of_slot(c->heap, slot), page);
        }
    }
}

/* Call `body` for every slot of page `number` that may hold a candidate. */
static inline __attribute__((always_inline)) void
ouro_each_in_page(struct collection *c, uint32_t number, ouro_body body)
{
    const struct page *page = &c->heap->pages[number];
    OURO_ASSERT(page->state == OURO_PAGE_SLOTS || page->state == OURO_PAGE_LARGE);
    char *start = c->base + ((size_t)number << OURO_PAGE_SHIFT);
    if (c->generation == OURO_OLD) {
        ouro_look_ahead(c, page, false);
    }
    if (c->scan[number] == OURO_SCAN_ALL) {
        uint32_t end = page->untouched, step = page->slot_size;
        for (uint32_t at = page->lead; at < end; at += step) {
            body(c, (PyObject *)(start + at), page);
        }
    } else {
        ouro_each_bit_in_page(c, number, body);
    }
}

/* The same from the last slot to the first. */
static inline __attribute__((always_inline)) void
ouro_each_in_page_backwards(struct collection *c, uint32_t number, ouro_body body)
{
    const struct page *page = &c->heap->pages[number];
    char *start = c->base + ((size_t)number << OURO_PAGE_SHIFT);
    if (c->generation == OURO_OLD) {
        ouro_look_ahead(c, page, true);
    }
    if (c->scan[number] == OURO_SCAN_ALL) {
        uint32_t lead = page->lead, step = page->slot_size;
        uint32_t slots = (page->untouched - lead + step - 1) / step;
        for (uint32_t at = lead + slots * step; at > lead;) {
            at -= step;
            body(c, (PyObject *)(start + at), page);
        }
    } else {
        ouro_each_bit_in_page_backwards(c, number, body);
    }
}

/* The first page from `number` on that holds candidates; c->pages when there is none. */
static inline uint32_t
ouro_next_page(const struct collection *c, uint32_t number)
{
    number = number < c->first ? c->first : number;
    number = ouro_scan_next(c->scan, number, c->last + 1);
    return number <= c->last ? number : c->pages;
}

/* Call `body` for every slot of the heap that may hold a candidate, in address order. */
static inline __attribute__((always_inline)) void
ouro_each_slot(struct collection *c, ouro_body body)
{
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        ouro_each_in_page(c, n, body);
    }
}

/* The block in a slot, free or not; NULL when no block of the page begins at this slot now. */
static inline PyObject *
ouro_member_at(const struct collection *c, size_t slot)
{
    const struct page *page = &c->heap->pages[slot / OURO_PAGE_GRAINS];
    if (page->state != OURO_PAGE_SLOTS && page->state != OURO_PAGE_LARGE) {
        return NULL;
    }
    PyObject *op = ouro_heap_block_of_slot(c->heap, slot);
    size_t offset = (size_t)((char *)op - c->base);
    bool is_block = offset >> OURO_GRAIN_SHIFT == slot &&
                    (offset & (OURO_PAGE_SIZE - 1)) < page->untouched;
    return is_block ? op : NULL;
}

static inline __attribute__((always_inline)) void
ouro_visit_member(struct collection *c, uint32_t slot, ouro_body body)
{
    PyObject *op = ouro_member_at(c, slot);
    if (op != NULL) {
        body(c, op, &c->heap->pages[slot / OURO_PAGE_GRAINS]);
    }
}

static inline bool
ouro_page_has_unreachable(const struct page *page)
{
    return (page->noted & OURO_NOTED_UNREACHABLE) != 0;
}

/* The same for slots that may hold unreachable objects: the members of a batch, or the slots of
 * pages in which unreachable objects were found. The body must look at the header, because members
 * may have died meanwhile. */
static inline __attribute__((always_inline)) void
ouro_each_unreachable(struct collection *c, ouro_body body)
{
    for (uint32_t i = 0; i < c->set.member_count; i++) {
        ouro_visit_member(c, c->set.members[i], body);
    }
    if (c->set.members != NULL) {
        return;
    }
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        if (ouro_page_has_unreachable(&c->heap->pages[n])) {
            ouro_each_in_page(c, n, body);
        }
    }
}

/* The same from the last slot to the first. Blocks freed in this order are handed out in
 * address order again, so new structures are built in the order in which sweeps go. */
static inline __attribute__((always_inline)) void
ouro_each_unreachable_backwards(struct collection *c, ouro_body body)
{
    for (uint32_t i = c->set.member_count; i > 0; i--) {
        ouro_visit_member(c, c->set.members[i - 1], body);
    }
    if (c->set.members != NULL) {
        return;
    }
    for (uint32_t n = c->last; n >= c->first; n--) {
        if (c->scan[n] != OURO_SCAN_NONE &&
            ouro_page_has_unreachable(&c->heap->pages[n])) {
            ouro_each_in_page_backwards(c, n, body);
        }
    }
}

/* Is this slot a candidate? Valid only before the survivors are promoted. */
static inline bool
ouro_is_candidate(const struct collection *c, const PyObject *op)
{
    uint32_t gc = ouro_sanitize_peek_gc(op);
    return (gc & OURO_GC_TRACKED) != 0 &&
           (gc & OURO_GC_GENERATION) <= (uint32_t)c->generation
                                            << OURO_GC_GENERATION_SHIFT;
}

/* A candidate with many references. An immortal object is no candidate; what it refers to is held
 * from outside. */
static inline bool
ouro_take_large_candidate(struct collection *c, PyObject *op)
{
    if (_Py_IsImmortal(op)) {
        ouro_object_clear(op, OURO_GC_TRACKED);
        return false;
    }
    ouro_heap_page_of(c->heap, op)->noted |= OURO_NOTED_LARGE;
    return true;
}

/* The first look at a slot: whether it holds a candidate. If so, the candidate is counted. */
static inline __attribute__((always_inline)) bool
ouro_take_candidate_but_tuples(struct collection *c, PyObject *op)
{
    if (!ouro_is_candidate(c, op)) {
        ouro_block_age(op, ouro_sanitize_peek_gc(op));
        return false;
    }
    if (OURO_UNLIKELY(op->ob_refcnt >= OURO_LARGE_COUNT) &&
        !ouro_take_large_candidate(c, op)) {
        return false;
    }
    c->candidates++;
    return true;
}

static inline __attribute__((always_inline)) void
ouro_note_tuple(struct collection *c, PyObject *op)
{
    if (OURO_UNLIKELY(Py_TYPE(op) == ouro_seam.tuple_type) &&
        ouro_tuple_needs_no_tracking(op)) {
        c->has_tuples = true;
    }
}

static inline __attribute__((always_inline)) bool
ouro_take_candidate(struct collection *c, PyObject *op)
{
    if (!ouro_take_candidate_but_tuples(c, op)) {
        return false;
    }
    ouro_note_tuple(c, op);
    return true;
}

static inline bool
ouro_is_unreachable(const PyObject *op)
{
    return (ouro_sanitize_peek_gc(op) & OURO_GC_UNREACHABLE) != 0;
}

/* The offset of `op` in the heap if its slot may hold a candidate. Otherwise 0, where no block is.
 * `filtered`: there is no range, so the page's scan has to be read. The usual cases have no
 * branch, because NULL, foreign and old objects are not predictable. */
static inline __attribute__((always_inline)) size_t
ouro_candidate_offset(const struct collection *c, const PyObject *op, bool filtered)
{
    size_t offset = (size_t)((const char *)op - c->base);
    if (!filtered) {
        return offset & -(size_t)(offset - c->range_start < c->range_size);
    }
    offset &= -(size_t)(offset < c->size);
    uint8_t mode = c->scan[offset >> OURO_PAGE_SHIFT];
    if (OURO_UNLIKELY(mode == OURO_SCAN_BITS)) {
        size_t slot = offset >> OURO_GRAIN_SHIFT;
        return offset & -(size_t)((c->bits[slot / 64] >> (slot % 64)) & 1);
    }
    return offset & -(size_t)(mode == OURO_SCAN_ALL);
}

/* The count pass reads the side words of targets in random order. The first two words of the body
 * of a later object are a guess at the targets it will need. A wrong guess is harmless: a prefetch
 * never faults, and the words read are in slots that were handed out before. */
static inline const char *
ouro_body_ahead(const struct collection *c, const PyObject *op)
{
    bool is_inside = (uintptr_t)op + c->ahead.offset < c->ahead.size;
    return is_inside ? (const char *)op + c->ahead.bytes : NULL;
}

static inline __attribute__((always_inline)) void
ouro_prefetch_targets(const struct collection *c, const PyObject *op, const char *table,
                      int width_shift)
{
    const char *ahead = ouro_body_ahead(c, op);
    if (ahead != NULL) {
        uintptr_t words[2];
        memcpy(words, ahead, sizeof words);
        for (int i = 0; i < 2; i++) {
            size_t slot = (words[i] - (uintptr_t)c->base) >> OURO_GRAIN_SHIFT;
            __builtin_prefetch(table + (slot << width_shift), 1);
        }
    }
}

/* The same for walks that touch the targets' headers. */
static inline __attribute__((always_inline)) void
ouro_prefetch_headers(const struct collection *c, const PyObject *op)
{
    const char *ahead = ouro_body_ahead(c, op);
    if (ahead != NULL) {
        const char *words[2];
        memcpy(words, ahead, sizeof words);
        __builtin_prefetch(words[0], 1);
        __builtin_prefetch(words[1], 1);
    }
}

/* --- collect.c ---------------------------------------------------------------------------- */

/* A collection of generations 0..g that has not begun. */
struct collection ouro_collection_of(struct _is *interp, int generation);
/* Run the collection. No other collection is running. */
void ouro_collection_run(struct collection *c, enum ouro_reason reason);
/* The second half of a collection, for a known unreachable set: finalize, destroy. */
void ouro_finalize_and_destroy(struct collection *c);
/* Report an exception that user code left pending. */
void ouro_report_leftover_exception(enum ouro_reason reason);

/* trigger.c: may an early middle collection do without looking at objects? Learn what such a
 * collection costs, so that the next one fits the pause budget. */
bool ouro_trigger_trusts(const struct gc_state *gc);
void ouro_trigger_learn(const struct collection *c);

/* --- the phases, in order ----------------------------------------------------------------- */

/* The generation that survivors join. */
static inline int
ouro_next_generation(const struct collection *c)
{
    return c->generation < OURO_OLD ? c->generation + 1 : OURO_OLD;
}

/* candidates.c: gather generations 0..g, false when they are empty; end the collection. */
bool ouro_gather_candidates(struct collection *c);
void ouro_release_candidates(struct collection *c);

/* A way to find the unreachable set. Afterwards every member has its UNREACHABLE bit and is
 * pinned: the collection owns one reference to it. A set that is plain (plain.c) has neither.
 * Every other candidate is in its next generation, and counters are zero. User code:
 * tp_traverse only. */
struct detector {
    const char *name;
    bool (*applies)(struct collection *c);
    void (*detect)(struct collection *c);
};

/* detect.c */
const struct detector *ouro_detector_for(struct collection *c);

/* count.c, mark.c: the ordinary way. Counting returns true if it proves that nothing is
 * unreachable. */
bool ouro_count_external_references(struct collection *c);
void ouro_mark_reachable(struct collection *c);

/* unseen.c */
bool ouro_unseen_applies(struct collection *c);
void ouro_promote_unseen(struct collection *c);

/* few.c */
bool ouro_candidates_are_few(struct collection *c);
void ouro_detect_few(struct collection *c);

/* certificate.c: detect by numbers; mark and number, false when that is not worth it; learn
 * from a collection by count and mark. */
bool ouro_certificate_applies(struct collection *c);
void ouro_detect_by_certificate(struct collection *c);
bool ouro_number_reachable(struct collection *c);
void ouro_certificate_learn(const struct collection *c, bool is_proved);

void ouro_reset_counters(struct collection *c);
void ouro_note_type(struct kinds *kinds, PyTypeObject *type);

/* Note what later phases will have to do for an object of the set. */
static inline void
ouro_note_kind(struct kinds *kinds, PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    if (OURO_UNLIKELY(type != kinds->type)) {
        ouro_note_type(kinds, type);
    }
    if (kinds->weak_offset != 0) {
        kinds->has_weakrefs |= *(PyObject **)((char *)op + kinds->weak_offset) != NULL;
    }
}

/* The same; true if the object has a finalizer or weak references, or is a weak reference. */
static inline bool
ouro_note_kind_and_ends(struct kinds *kinds, PyObject *op)
{
    ouro_note_kind(kinds, op);
    return kinds->finalizes || (kinds->weak_offset != 0 &&
                                *(PyObject **)((char *)op + kinds->weak_offset) != NULL);
}

/* plain.c: destroy a set of plain objects, false when clear.c has to do it; prepare the set for
 * clear.c. */
bool ouro_plain_destroy(struct collection *c);
void ouro_plain_flag(struct collection *c);

/* The type of the objects in a uniform page that has unreachable ones. */
static inline PyTypeObject *
ouro_uniform_type(const struct collection *c, uint32_t number)
{
    const uint8_t *counters = c->counters + (size_t)number * OURO_PAGE_GRAINS;
    const uint8_t *first = memchr(counters, OURO_COUNTER_PLAIN, OURO_PAGE_GRAINS);
    return Py_TYPE(ouro_heap_block_of_slot(c->heap, (size_t)(first - c->counters)));
}

/* Flag and pin one object. */
static inline void
ouro_flag_unreachable(struct collection *c, PyObject *op, struct page *page)
{
    c->set.has_large_count |= op->ob_refcnt >= OURO_LARGE_COUNT;
    op->ob_header += ((uint64_t)(OURO_GC_UNREACHABLE | OURO_GC_PINNED) << 32) + 1;
    page->noted = OURO_NOTED_UNREACHABLE;
    c->unreachable++;
}

/* The same, and note its kind. */
static inline void
ouro_note_unreachable(struct collection *c, PyObject *op, struct page *page)
{
    ouro_flag_unreachable(c, op, page);
    ouro_note_kind(&c->kinds, op);
}

/* rescue.c: look for large counts that the set does not explain; recompute reachability inside
 * the set with exact counts; take one object out of the set; take out everything that the
 * removed objects refer to. */
void ouro_check_large_counts(struct collection *c);
void ouro_rescue_reachable(struct collection *c);
void ouro_take_out(struct collection *c, PyObject *op, uint32_t bits);
void ouro_take_out_reachable(struct collection *c, uint32_t bits);

/* untrack.c */
void ouro_untrack_tuples(struct collection *c);

/* legacy.c */
void ouro_split_off_legacy(struct collection *c);
void ouro_keep_legacy(struct collection *c);
/* The same for one object that has a tp_del, or that such an object refers to. */
void ouro_keep_one(struct collection *c, PyObject *op);

/* weak.c */
void ouro_call_weakref_callbacks(struct collection *c);
void ouro_clear_weakrefs(struct collection *c);
/* The same for one member: clear the weak references to it, and the member if it is one itself. */
void ouro_clear_weakrefs_of(PyObject *op);

/* finalize.c */
void ouro_call_finalizers(struct collection *c);

/* clear.c: drop the pins of detection, because exact counts are needed; destroy the set. */
void ouro_lift_pins(struct collection *c);
void ouro_destroy_unreachable(struct collection *c);
/* A step of that, for one pinned object. */
void ouro_clear_one(PyObject *op);

/* report.c: debug output, statistics, callbacks. */
void ouro_report_start(struct collection *c);
void ouro_report_collectable(struct collection *c);
void ouro_report_done(struct collection *c);
void ouro_call_gc_callbacks(struct collection *c, const char *phase);

/* --- the queue ----------------------------------------------------------------------------- */

static inline bool
ouro_queue_is_empty(const struct queue *queue)
{
    return queue->head == queue->tail;
}

static inline void
ouro_queue_push(struct queue *queue, uint32_t value)
{
    uint32_t next = (queue->tail + 1) & (OURO_QUEUE_LENGTH - 1);
    if (OURO_UNLIKELY(next == queue->head)) {
        queue->overflow = true;
        return;
    }
    queue->entries[queue->tail] = value;
    queue->tail = next;
}

static inline uint32_t
ouro_queue_pop(struct queue *queue)
{
    uint32_t value = queue->entries[queue->head];
    queue->head = (queue->head + 1) & (OURO_QUEUE_LENGTH - 1);
    return value;
}

/* Fetch the object of an entry far ahead, and the side words that the object of a nearer entry
 * seems to need. Entries beyond the tail are stale but harmless: nothing is read through them. */
static inline __attribute__((always_inline)) void
ouro_prefetch_queue(const struct collection *c, const char *table, int width_shift)
{
    uint32_t mask = OURO_QUEUE_LENGTH - 1;
    uint32_t far_entry = c->queue.entries[(c->queue.head + OURO_FAR_AHEAD) & mask];
    __builtin_prefetch(c->base + ((size_t)far_entry << 4));
    if (((c->queue.tail - c->queue.head) & mask) > OURO_NEAR_AHEAD && !OURO_ASAN) {
        uint32_t near_entry = c->queue.entries[(c->queue.head + OURO_NEAR_AHEAD) & mask];
        uintptr_t words[2];
        memcpy(words, c->base + ((size_t)near_entry << 4) + 16, sizeof words);
        for (int i = 0; i < 2; i++) {
            size_t slot = (words[i] - (uintptr_t)c->base) >> OURO_GRAIN_SHIFT;
            __builtin_prefetch(table + (slot << width_shift), 1);
        }
    }
}

/* Call `body` for every slot in address order, except in pages where `is_blank` says that
 * nothing is reached. The body queues targets below c->horizon, which the sweep has passed;
 * `drain` handles the queue. Repeat until no entry was dropped. */
static inline __attribute__((always_inline)) void
ouro_sweep(struct collection *c, bool (*is_blank)(const struct collection *, uint32_t),
           ouro_body body, void (*drain)(struct collection *c))
{
    c->queue.head = c->queue.tail = 0;
    do {
        c->queue.overflow = false;
        for (uint32_t n = ouro_next_page(c, 1); n < c->pages;
             n = ouro_next_page(c, n + 1)) {
            if (is_blank(c, n)) {
                continue;
            }
            ouro_each_in_page(c, n, body);
            if (((c->queue.tail - c->queue.head) & (OURO_QUEUE_LENGTH - 1)) >
                OURO_QUEUE_LENGTH / 2) {
                c->horizon = (size_t)(n + 1) << OURO_PAGE_SHIFT;
                drain(c);
            }
        }
        c->horizon = SIZE_MAX;
        drain(c);
    } while (c->queue.overflow);
}

#endif
