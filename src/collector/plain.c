/* SPDX-License-Identifier: MIT */
/* Destroy an unreachable set of plain objects: without flags, pins, or calls.
 *
 * An object is plain if its type declares its fields, and its tp_clear and tp_dealloc do no more
 * than release words of the object and free it (object/edges.h): no finalizer, no weak
 * references, no code of the program. If the whole set is plain, references inside of it need
 * not be released one by one: both ends are freed. What is left is
 *
 *   1  count     references inside the set, if it has large counts
 *   2  release   references that lead outside
 *   3  free      every block
 *
 * Destroying something outside may run code of the program, which may look at objects of the
 * set and keep them. So if the set holds the last reference to an outside object, other than an
 * atom, it gets its flags and pins after all and is destroyed as any other (clear.c). The same
 * happens if a large count (rescue.c) is not explained by the set.
 *
 *   plain.inv.members   until the set is freed, the counter of a member is OURO_COUNTER_PLAIN, or
 *                       OURO_COUNTER_LARGE; counters of others are neither */
#include "collection.h"

static inline __attribute__((always_inline)) bool
is_plain_member(const struct collection *c, size_t slot)
{
    return c->counters[slot] >= OURO_COUNTER_LARGE;
}

static inline __attribute__((always_inline)) size_t
slot_of(const struct collection *c, const PyObject *op)
{
    return (size_t)((const char *)op - c->base) >> OURO_GRAIN_SHIFT;
}

/* Is `op`, or whatever the word is, a member? Most that are none lie outside the pages with
 * candidates, so that their counters need not be fetched. */
static inline __attribute__((always_inline)) bool
is_inside(const struct collection *c, const PyObject *op)
{
    size_t offset = (size_t)((const char *)op - c->base);
    size_t start = (size_t)c->first << OURO_PAGE_SHIFT;
    size_t end = ((size_t)c->last + 1) << OURO_PAGE_SHIFT;
    return offset - start < end - start && is_plain_member(c, offset >> OURO_GRAIN_SHIFT);
}

/* --- count ------------------------------------------------------------------------------------- */

/* The exact count of an object with many references: 16 bits in the side word, 16 in ob_gc. */
void
ouro_plain_note_large(struct collection *c, PyObject *op)
{
    size_t slot = slot_of(c, op);
    ouro_queue_push(&c->queue, (uint32_t)slot);
    c->counters[slot] = OURO_COUNTER_LARGE;
    c->keys[slot] = (uint16_t)op->ob_refcnt;
    op->ob_gc = (op->ob_gc & 0xFFFFu) | (op->ob_refcnt & ~0xFFFFu);
}

static void
forget_exact_count(struct collection *c, PyObject *op, size_t slot)
{
    c->keys[slot] = 0;
    op->ob_gc &= 0xFFFFu;
}

static inline __attribute__((always_inline)) void
count_reference(struct collection *c, PyObject *target)
{
    size_t offset = (size_t)((const char *)target - c->base);
    uint8_t counter = offset < c->size ? c->counters[offset >> OURO_GRAIN_SHIFT] : 0;
    if (counter == OURO_COUNTER_LARGE && c->keys[offset >> OURO_GRAIN_SHIFT]-- == 0) {
        target->ob_gc -= 1u << 16;
    }
}

OURO_BODY
count_large_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (is_plain_member(c, slot_of(c, op))) {
        const struct ouro_edges *edges = Py_TYPE(op)->tp_ouro_edges;
        PyObject **word = (PyObject **)((char *)op + edges->own_offset);
        for (uint32_t words = edges->own_words; words > 0; words--, word++) {
            count_reference(c, *word);
        }
    }
}

/* Are all large counts explained? The halves are zero again afterwards. */
static bool
large_counts_are_explained(struct collection *c)
{
    uint32_t left = 0;
    while (!ouro_queue_is_empty(&c->queue)) {
        size_t slot = ouro_queue_pop(&c->queue);
        PyObject *op = ouro_heap_block_of_slot(c->heap, slot);
        left |= c->keys[slot] | (op->ob_gc & ~0xFFFFu);
        forget_exact_count(c, op, slot);
    }
    return left == 0;
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

OURO_BODY
release_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (!is_plain_member(c, slot_of(c, op))) {
        return;
    }
    const struct ouro_edges *edges = Py_TYPE(op)->tp_ouro_edges;
    PyObject **word = (PyObject **)((char *)op + edges->own_offset);
    for (uint32_t words = edges->own_words; words > 0; words--, word++) {
        PyObject *target = *word;
        if (target == NULL || is_inside(c, target)) {
            continue;
        }
        if (_Py_IsImmortal(target) || target->ob_refcnt > 1 || is_atom(target)) {
            Py_CLEAR(*word);
        } else {
            c->set.holds_last = true;
        }
    }
}

/* --- free -------------------------------------------------------------------------------------- */

/* Instances of heap types: each releases its type. */
OURO_BODY
release_type_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (is_plain_member(c, slot_of(c, op)) &&
        PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(Py_TYPE(op));
    }
}

/* Free the members in a page, last address first. Their counters say which they are: the
 * blocks are only written. */
static void
free_in_page(struct collection *c, uint32_t number)
{
    struct page *page = &c->heap->pages[number];
    char *start = ouro_heap_page_start(c->heap, page);
    const uint8_t *counters = c->counters + (size_t)number * OURO_PAGE_GRAINS;
    uint32_t step = page->slot_size, freed = 0;
    uint32_t slots = (page->untouched - page->lead + step - 1) / step;
    PyObject *next = page->free;
    for (uint32_t at = page->lead + slots * step; at > page->lead;) {
        at -= step;
        if (counters[at >> OURO_GRAIN_SHIFT] >= OURO_COUNTER_LARGE) {
            PyObject *block = (PyObject *)(start + at);
            ouro_block_set_free(block, next);
            ouro_sanitize_dead(block, page->front, step);
            next = block;
            freed++;
        }
    }
    page->free = next;
    ouro_heap_gave(c->heap, page, freed);
}

static void
free_members(struct collection *c)
{
    uint64_t allocations = c->heap->allocations, freed = (uint64_t)c->set.plain;
    if (c->kinds.has_heap_types) {
        ouro_each_unreachable(c, release_type_body);
    }
    for (uint32_t n = c->last; n >= c->first; n--) {
        if (c->scan[n] != OURO_SCAN_NONE && c->heap->pages[n].noted) {
            free_in_page(c, n);
        }
    }
    c->heap->allocations = allocations > freed ? allocations - freed : 0;
}

/* --- the other way ------------------------------------------------------------------------------- */

OURO_BODY
flag_body(struct collection *c, PyObject *op, const struct page *page)
{
    size_t slot = slot_of(c, op);
    if (!is_plain_member(c, slot)) {
        return;
    }
    if (c->counters[slot] ==
        OURO_COUNTER_LARGE) { /* the queue may have had no room for it */
        forget_exact_count(c, op, slot);
    }
    ouro_flag_unreachable(c, op, (struct page *)page);
    ouro_object_promote(op, ouro_next_generation(c));
}

/* Give plain members what others have: flag, pin, generation. */
void
ouro_plain_flag(struct collection *c)
{
    c->queue.head = c->queue.tail = 0;
    c->unreachable -= c->set.plain;
    c->set.plain = 0;
    ouro_each_unreachable(c, flag_body);
    ouro_reset_counters(c);
}

bool
ouro_plain_destroy(struct collection *c)
{
    if (!ouro_queue_is_empty(&c->queue)) {
        ouro_each_unreachable(c, count_large_body);
    }
    bool is_explained = large_counts_are_explained(c);
    if (is_explained) {
        ouro_each_unreachable(c, release_body);
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
