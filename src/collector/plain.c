/* SPDX-License-Identifier: MIT */
/* Destroy an unreachable set of plain objects: without flags, pins, or calls.
 *
 * An object is plain if its type declares its fields, and its tp_clear and tp_dealloc do no
 * more than release these and free memory (object/edges.h): no finalizer, no weak references,
 * no code of the program. If the whole set is plain, references inside the set need not be
 * released one by one, because both ends are freed. These steps remain:
 *
 *   1  release   references that lead outside
 *   2  free      every block
 *
 * Only members refer to members. So the sum of the members' counts is the number of references
 * inside the set. If the members have no more references than that, none leads outside, and
 * step 2 has nothing to release. Most young garbage refers to something older, so that the sum is not
 * worth its time there: nothing is to be released if all candidates are members, and the
 * counters know no reference from a candidate to something else.
 *
 * Destroying something outside may run code of the program, which may look at objects of the
 * set and keep them. So if the set holds the last reference to an outside object that is no
 * atom, its members get flags and pins after all, and clear.c destroys them like any others.
 * The same happens if a large count (rescue.c) is not explained by the set.
 *
 *   plain.inv.members   until the set is freed, the counter of a member is OURO_COUNTER_PLAIN, or
 *                       OURO_COUNTER_LARGE; counters of others are zero */
#include "collection.h"

static inline __attribute__((always_inline)) bool
is_plain_member(const struct collection *c, size_t slot)
{
    return c->counters[slot] != 0;
}

static inline __attribute__((always_inline)) size_t
slot_of(const struct collection *c, const PyObject *op)
{
    return (size_t)((const char *)op - c->base) >> OURO_GRAIN_SHIFT;
}

/* --- release ----------------------------------------------------------------------------------- */

/* Is it a str, an int or bytes, and not of a subtype? Releasing the last reference to it runs
 * no code of the program. */
static bool
is_atom(const PyObject *op)
{
    const PyTypeObject *type = Py_TYPE(op);
    const unsigned long kinds = Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_LONG_SUBCLASS |
                                Py_TPFLAGS_BYTES_SUBCLASS;
    return (type->tp_flags & kinds) != 0 && type->tp_base->tp_base == NULL;
}

/* References of members that lead outside. Their targets are scattered in memory. Each target is
 * prefetched while the walk looks for more references. Then a short loop releases many of them
 * at once. */
struct outward {
    struct collection *c;
    const char *range; /* pages with candidates; most others are outside of these */
    size_t size;
    const uint8_t *counters; /* of the range */
    PyObject ***places;
    uint32_t count;
};

/* Release the last reference to an outside object, or one to an immortal; false if that is unsafe. */
static bool
release_rare(PyObject **place)
{
    bool ends = _Py_IsImmortal(*place) || is_atom(*place);
    if (ends) {
        Py_CLEAR(*place);
    }
    return ends;
}

static __attribute__((noinline)) void
release_places(struct collection *c, PyObject ***places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        PyObject **place = places[i], *target = *place;
        if (OURO_UNLIKELY((int32_t)target->ob_refcnt <=
                          1)) { /* immortal ones are negative */
            c->set.holds_last |= !release_rare(place);
        } else {
            *place = NULL;
            target->ob_refcnt--;
        }
    }
}

static inline __attribute__((always_inline)) void
note_outward(PyObject **place, void *arg)
{
    struct outward *outward = arg;
    PyObject *target = *place;
    size_t offset = (uintptr_t)target - (uintptr_t)outward->range;
    if ((offset < outward->size && outward->counters[offset >> OURO_GRAIN_SHIFT] != 0) ||
        target == NULL) {
        return;
    }
    __builtin_prefetch(target, 1);
    outward->places[outward->count++] = place;
    if (OURO_UNLIKELY(outward->count == OURO_OUTWARD)) {
        release_places(outward->c, outward->places, OURO_OUTWARD);
        outward->count = 0;
    }
}

static inline __attribute__((always_inline)) void
note_outward_words(PyObject **word, uint32_t words, struct outward *outward)
{
    for (; words > 0; words--, word++) {
        note_outward(word, outward);
    }
}

static void
release_in_page(struct collection *c, uint32_t number, PyObject ***places)
{
    const struct page *page = &c->heap->pages[number];
    char *start = ouro_heap_page_start(c->heap, page);
    uint32_t end = page->untouched, step = page->slot_size;
    struct outward outward = {.c = c,
                              .range = c->base + ((size_t)c->first << OURO_PAGE_SHIFT),
                              .size = (size_t)(c->last - c->first + 1) << OURO_PAGE_SHIFT,
                              .counters =
                                  c->counters + (size_t)c->first * OURO_PAGE_GRAINS,
                              .places = places};
    const uint8_t *counters = c->counters + (size_t)number * OURO_PAGE_GRAINS;
    uint32_t at = page->lead;
    if ((page->noted & OURO_NOTED_UNIFORM) != 0) {
        const struct ouro_edges *edges = ouro_uniform_type(c, number)->tp_ouro_edges;
        char *fields = start + edges->own_offset;
        uint32_t words = edges->own_words;
        for (; at < end; at += step) {
            if (counters[at >> OURO_GRAIN_SHIFT] != 0) {
                note_outward_words((PyObject **)(fields + at), words, &outward);
            }
        }
    }
    /* Up to the first object with other references than words all is in registers. */
    for (; at < end; at += step) {
        if (counters[at >> OURO_GRAIN_SHIFT] != 0) {
            const struct ouro_edges *edges =
                Py_TYPE((PyObject *)(start + at))->tp_ouro_edges;
            PyObject **word = (PyObject **)(start + at + edges->own_offset);
            if (OURO_UNLIKELY(edges->step_count != 0)) {
                break;
            }
            note_outward_words(word, edges->own_words, &outward);
        }
    }
    for (; at < end; at += step) {
        if (counters[at >> OURO_GRAIN_SHIFT] != 0) {
            PyObject *op = (PyObject *)(start + at);
            ouro_edges_each_own(Py_TYPE(op)->tp_ouro_edges, op, note_outward, &outward);
        }
    }
    release_places(c, places, outward.count);
}

static void
release_members(struct collection *c)
{
    PyObject **places[OURO_OUTWARD];
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        if (ouro_page_has_unreachable(&c->heap->pages[n])) {
            release_in_page(c, n, places);
        }
    }
}

/* --- free -------------------------------------------------------------------------------------- */

/* Free the arrays, and release the reference to a heap type. */
OURO_BODY
free_parts_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (is_plain_member(c, slot_of(c, op))) {
        PyTypeObject *type = Py_TYPE(op);
        const struct ouro_edges *edges = type->tp_ouro_edges;
        for (uint32_t i = 0; i < edges->step_count; i++) {
            ouro_edges_free_array(op, &edges->steps[i]);
        }
        if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
            Py_DECREF(type);
        }
    }
}

OURO_BODY
check_canary_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (is_plain_member(c, slot_of(c, op))) {
        ouro_canary_check(c->heap, op);
    }
}

/* Free the members in a page, last address first. The counters say which blocks are members, so the
 * blocks are only written, not read. */
static void
free_in_page(struct collection *c, uint32_t number)
{
    struct page *page = &c->heap->pages[number];
    char *start = ouro_heap_page_start(c->heap, page);
    uint8_t *counters = c->counters + (size_t)number * OURO_PAGE_GRAINS;
    uint32_t step = page->slot_size, freed = 0;
    uint32_t slots = (page->untouched - page->lead + step - 1) / step;
    PyObject *next = page->free;
    for (uint32_t at = page->lead + slots * step; at > page->lead;) {
        at -= step;
        if (counters[at >> OURO_GRAIN_SHIFT] != 0) {
            PyObject *block = (PyObject *)(start + at);
            ouro_block_set_free(block, next);
            ouro_sanitize_dead(block, page->front, step);
            next = block;
            freed++;
        }
    }
    page->free = next;
    /* A large page is no longer one when the other counters are reset, so its counter is reset now. */
    if (page->state == OURO_PAGE_LARGE) {
        counters[page->lead >> OURO_GRAIN_SHIFT] = 0;
    }
    ouro_heap_gave(c->heap, page, freed);
}

static void
free_members(struct collection *c)
{
    uint64_t allocations = c->heap->allocations, freed = (uint64_t)c->set.plain;
    if (ouro_heap_has_canaries(c->heap)) {
        ouro_each_unreachable(c, check_canary_body);
    }
    if (c->kinds.has_parts) {
        ouro_each_unreachable(c, free_parts_body);
    }
    for (uint32_t n = c->last; n >= c->first; n--) {
        if (c->scan[n] != OURO_SCAN_NONE &&
            ouro_page_has_unreachable(&c->heap->pages[n])) {
            free_in_page(c, n);
        }
    }
    c->heap->allocations = allocations > freed ? allocations - freed : 0;
}

/* --- the other way ------------------------------------------------------------------------------- */

OURO_BODY
flag_body(struct collection *c, PyObject *op, const struct page *page)
{
    if (!is_plain_member(c, slot_of(c, op))) {
        return;
    }
    ouro_flag_unreachable(c, op, (struct page *)page);
    ouro_object_promote(op, ouro_next_generation(c));
}

/* Give plain members what other members have: flag, pin, generation. */
void
ouro_plain_flag(struct collection *c)
{
    c->unreachable -= c->set.plain;
    c->set.plain = 0;
    ouro_each_unreachable(c, flag_body);
    ouro_reset_counters(c);
}

bool
ouro_plain_destroy(struct collection *c)
{
    /* Whether references inside the set explain all large counts. No count is smaller than the
     * number of references from inside. So if the sums are equal, each count is explained. */
    bool is_explained = c->set.large_edges == c->set.large_counts;
    if (is_explained && c->set.leads_out) {
        release_members(c);
    }
    if (!is_explained || c->set.holds_last) {
        ouro_plain_flag(c);
        return false;
    }
    free_members(c);
    c->collected += c->unreachable;
    ouro_reset_counters(c);
    return true;
}
