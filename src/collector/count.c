/* SPDX-License-Identifier: MIT */
/* Count, for each candidate, the references that come from outside. The same pass may prove
 * that every candidate is reachable.
 *
 * One pass in address order: a candidate's counter gains its reference count and loses one for
 * each edge that ends at it. Counters are 7 bits wide and wrap: a residue other than zero
 * proves an outside reference. Zero is no proof for objects with 128 references or more;
 * rescue.c counts those exactly. Narrow counters are what makes the pass fast, since edges go
 * to random places: bytes were 1.3 to 1.8 times faster than 32 bits in the prototype.
 *
 * The eighth bit says that an edge ends here, or that the pass was here. If the bit is set when
 * the pass reaches an object, an earlier object refers to it: it is *supported*. If every candidate is
 * supported or held from outside, all are reachable, by induction on the order of the pass: the
 * first must be held from outside, and each later one from outside or by an earlier one. So the
 * pass notes the objects that are not supported, and checks them at the end, when their
 * counters are complete. If all of them are held from outside, no mark is needed. A list that
 * grew at its head needs the other direction. When too many objects are unsupported, the pass
 * starts again, from the last object to the first. When a mark finds no garbage, the next pass
 * goes the other way. Where neither direction works, certificate.c uses numbers instead of
 * addresses. */
#include "collection.h"

#define UNSUPPORTED_MAX (OURO_QUEUE_LENGTH - (uint32_t)OURO_PAGE_GRAINS)

static inline __attribute__((always_inline)) void
forget_reference_to(struct collection *c, size_t slot)
{
    c->counters[slot] = (uint8_t)((c->counters[slot] - 1) | OURO_COUNTER_TOUCHED);
}

OURO_VISITOR
forget_in_range(PyObject *op, void *arg)
{
    struct collection *c = arg;
    forget_reference_to(c, ouro_candidate_offset(c, op, false) >> OURO_GRAIN_SHIFT);
    return 0;
}

OURO_VISITOR
forget_filtered(PyObject *op, void *arg)
{
    struct collection *c = arg;
    forget_reference_to(c, ouro_candidate_offset(c, op, true) >> OURO_GRAIN_SHIFT);
    return 0;
}

/* Every page is scanned: visiting a reference needs one comparison less. */
OURO_VISITOR
forget_in_heap(PyObject *op, void *arg)
{
    struct collection *c = arg;
    size_t offset = (size_t)((char *)op - c->base);
    forget_reference_to(c, (offset & -(size_t)(offset < c->size)) >> OURO_GRAIN_SHIFT);
    return 0;
}

/* Which targets have a counter. The compiler knows it for each loop. */
enum where {
    IN_HEAP,  /* a full collection of pages that are scanned whole */
    IN_RANGE, /* candidates lie side by side */
    FILTERED, /* ask the page */
};

static inline __attribute__((always_inline)) visitproc
visitor_of(enum where where)
{
    return where == IN_HEAP    ? forget_in_heap
           : where == IN_RANGE ? forget_in_range
                               : forget_filtered;
}

/* --- one object ----------------------------------------------------------------------- */

/* References that are not side by side: items, arrays. */
static __attribute__((noinline)) void
count_steps_of(struct collection *c, PyObject *op)
{
    ouro_note_tuple(c, op);
    if (c->has_range) {
        ouro_visit_edges(op, forget_in_range, c);
    } else {
        ouro_visit_edges(op, forget_filtered, c);
    }
}

/* Objects of one type, one after the other, whose references are words side by side: where the words
 * are need not be looked up again. */
struct type_run {
    PyTypeObject *type; /* NULL: the last object is not of such a type */
    int32_t offset;
    uint32_t words;
    Py_ssize_t first; /* the candidate it began with */
};

static inline __attribute__((always_inline)) void
count_words(struct collection *here, PyObject *op, int32_t offset, uint32_t words,
            enum where where)
{
    for (PyObject **word = (PyObject **)((char *)op + offset); words > 0;
         words--, word++) {
        if (*word != NULL) {
            (void)visitor_of(where)(*word, here);
        }
    }
}

/* An object of another type than the one before. */
static inline __attribute__((always_inline)) void
count_edges_and_begin_run(struct collection *here, struct collection *c, PyObject *op,
                          enum where where, struct type_run *run)
{
    const struct ouro_edges *edges = Py_TYPE(op)->tp_ouro_edges;
    run->type = NULL;
    if (OURO_CHECK || edges == NULL) {
        ouro_note_tuple(c, op);
        (void)ouro_call_traverse(op, visitor_of(where), c);
    } else if (OURO_UNLIKELY(edges->step_count != 0)) {
        count_steps_of(c, op);
    } else {
        *run =
            (struct type_run){Py_TYPE(op), edges->offset, edges->words, here->candidates};
        count_words(here, op, edges->offset, edges->words, where);
    }
}

/* Without a `run` where handlers are called: looking for one does not pay. */
static inline __attribute__((always_inline)) void
count_edges_of(struct collection *here, struct collection *c, PyObject *op,
               enum where where, struct type_run *run)
{
    struct type_run none;
    if (run == NULL) {
        count_edges_and_begin_run(here, c, op, where, &none);
    } else if (OURO_LIKELY(Py_TYPE(op) == run->type)) {
        count_words(here, op, run->offset, run->words, where);
    } else {
        count_edges_and_begin_run(here, c, op, where, run);
    }
}

/* `here` is *c or a private copy of it. The members of a copy stay in registers. Those of *c
 * must be read again after every write to a counter, because a byte may alias anything in
 * memory. */
static inline __attribute__((always_inline)) void
count_object(struct collection *here, struct collection *c, PyObject *op,
             enum where where, bool notes, struct type_run *run)
{
    if (!ouro_take_candidate_but_tuples(here, op)) {
        return;
    }
    if (where == IN_HEAP) { /* it stays a candidate */
        ouro_object_promote(op, OURO_OLD);
    }
    size_t slot = (size_t)((char *)op - here->base) >> OURO_GRAIN_SHIFT;
    uint8_t before = here->counters[slot];
    here->counters[slot] = (uint8_t)(before + op->ob_refcnt) | OURO_COUNTER_TOUCHED;
    if (OURO_UNLIKELY(before < notes)) { /* 0, and notes: one branch, which is foreseen */
        here->queue.entries[here->queue.tail++] = (uint32_t)slot;
    }
    count_edges_of(here, c, op, where, run);
}

/* A page that is scanned whole; `here` as above. */
static inline __attribute__((always_inline)) void
count_slots(struct collection *here, struct collection *c, uint32_t number,
            enum where where, bool descends, bool notes, struct type_run *run)
{
    const struct page *page = &c->heap->pages[number];
    char *start = ouro_heap_page_start(c->heap, page);
    uint32_t size = page->slot_size, lead = page->lead;
    uint32_t slots = (page->untouched - lead + size - 1) / size;
    char *at = start + lead, *end = at + (size_t)slots * size;
    ptrdiff_t step = size;
    if (descends) {
        char *first = at;
        step = -step;
        at = end + step;
        end = first + step;
    }
    for (; at != end; at += step) {
        if (where == IN_HEAP) { /* else most are young, and in the cache */
            ouro_prefetch_targets(here, (PyObject *)at, (const char *)here->counters, 0);
        }
        count_object(here, c, (PyObject *)at, where, notes, run);
    }
}

/* Note that the page is uniform if its objects are the candidates from number `first` to `last`, and
 * one run. */
static void
note_uniform(struct page *page, const struct type_run *run, Py_ssize_t first,
             Py_ssize_t last)
{
    if (run->type != NULL && run->first == first && page->noted == 0 &&
        ouro_page_used(page) == last - first + 1 &&
        ouro_edges_dealloc_is_plain(run->type->tp_ouro_edges, run->type)) {
        page->noted = OURO_NOTED_UNIFORM;
    }
}

/* The same with a copy. */
static inline __attribute__((always_inline)) void
count_in_registers(struct collection *c, uint32_t number, enum where where, bool descends,
                   bool notes)
{
    struct collection here = *c;
    struct type_run run = {0};
    count_slots(&here, c, number, where, descends, notes, &run);
    if (where == IN_RANGE) {
        note_uniform(&c->heap->pages[number], &run, c->candidates + 1, here.candidates);
    }
    c->candidates = here.candidates;
    c->queue.tail = here.queue.tail;
}

/* Will handlers be called? Then registers do not help. The first objects of the page tell. */
static bool
page_calls_handlers(const struct collection *c, const struct page *page)
{
    char *start = ouro_heap_page_start(c->heap, page);
    uint32_t at = page->lead;
    for (int i = 0; i < 8 && at < page->untouched; i++, at += page->slot_size) {
        PyObject *op = (PyObject *)(start + at);
        if (ouro_is_candidate(c, op)) {
            return Py_TYPE(op)->tp_ouro_edges == NULL;
        }
    }
    return true;
}

static void
count_whole_page(struct collection *c, uint32_t number, bool descends, bool notes)
{
    const struct page *page = &c->heap->pages[number];
    if (c->generation == OURO_OLD) {
        ouro_look_ahead(c, page, descends);
    }
    bool calls = page_calls_handlers(c, page);
    if (!c->has_range) {
        count_slots(c, c, number, FILTERED, descends, notes, NULL);
    } else if (c->filtered && calls) {
        count_slots(c, c, number, IN_RANGE, descends, notes, NULL);
    } else if (c->filtered) {
        count_in_registers(c, number, IN_RANGE, descends, notes);
    } else if (calls) {
        count_slots(c, c, number, IN_HEAP, descends, notes, NULL);
    } else {
        count_in_registers(c, number, IN_HEAP, descends, notes);
    }
}

OURO_BODY
count_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    count_object(c, c, op, FILTERED, false, NULL);
}

OURO_BODY
count_and_note_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    count_object(c, c, op, FILTERED, true, NULL);
}

/* --- all of them ---------------------------------------------------------------------- */

/* In the order of addresses, or the other way round. */
static void
count_page(struct collection *c, uint32_t number, bool descends, bool notes)
{
    if (c->scan[number] == OURO_SCAN_ALL) {
        count_whole_page(c, number, descends, notes);
    } else if (!notes) {
        ouro_each_bit_in_page(c, number, count_body);
    } else if (descends) {
        ouro_each_bit_in_page_backwards(c, number, count_and_note_body);
    } else {
        ouro_each_bit_in_page(c, number, count_and_note_body);
    }
}

/* If c->queue.overflow is set afterwards, too many objects are unsupported: this direction
 * gives no proof. */
static void
count_and_note_page(struct collection *c, uint32_t number, bool descends)
{
    count_page(c, number, descends, true);
    c->queue.overflow =
        c->queue.tail > UNSUPPORTED_MAX ||
        c->queue.tail >
            OURO_UNSUPPORTED_FREE + (size_t)c->candidates / OURO_UNSUPPORTED_SHARE;
}

/* Pages whose edges are not counted yet. */
struct left {
    uint32_t first, end;
};

/* Count while most objects are supported. */
static struct left
count_upwards(struct collection *c)
{
    uint32_t n = ouro_next_page(c, 1);
    for (; n < c->pages && !c->queue.overflow; n = ouro_next_page(c, n + 1)) {
        count_and_note_page(c, n, false);
    }
    return (struct left){n, c->pages};
}

static struct left
count_downwards(struct collection *c)
{
    uint32_t n = c->last + 1;
    for (; n > c->first && !c->queue.overflow; n--) {
        if (c->scan[n - 1] != OURO_SCAN_NONE) {
            count_and_note_page(c, n - 1, true);
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

/* No direction gives a proof. */
static void
count_rest(struct collection *c, struct left left)
{
    for (uint32_t n = ouro_next_page(c, left.first); n < left.end;
         n = ouro_next_page(c, n + 1)) {
        count_page(c, n, false, false);
    }
}

/* Is every noted object held from outside? */
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
    if (c->interp->gc.marks_always || c->queue.overflow || !noted_are_held(c)) {
        return false;
    }
    if (c->filtered) {
        ouro_each_slot(c, promote_body);
    }
    c->reachable = c->candidates;
    ouro_reset_counters(c);
    return true;
}
