/* SPDX-License-Identifier: MIT */
/* Objects that become old while a cycle runs or left words for a short one: note that they are new.
 *
 * A short cycle follows the references of new objects (doubt.c), and most of these are alive. This
 * file spares most of that work, and believes that they are alive. An object that becomes old gets a
 * word with its reference count. From then on it is doubted only if it has fewer references than that,
 * as any old object is.
 *
 * A structure that is being built still gets references from inside, and these would hide the loss of the
 * one from outside. So what became old waits in a ring, as ranges of addresses, and when enough other
 * objects became old, its counts are read again, and *settled*. An object that has lost references
 * meanwhile keeps its first count, so the next short cycle follows it.
 *
 * Garbage would be believed alive as well. So this is done only if a collection looked at the objects
 * before they became old, or if such looks found next to no garbage lately (trigger.c). What is missed
 * all the same, the next whole cycle finds. */
#include <stdlib.h>

#include "../base/fault.h"
#include "cycle.h"

/* Objects that became old in one page, from the first to the last. Others may lie between them. */
struct settling {
    uint32_t page;
    uint32_t first, last; /* bytes from the start of the page */
    uint32_t count;
};

enum { RANGES = 1024 };

struct gc_ring {
    struct settling ranges[RANGES];
    uint32_t oldest, count;
    uint32_t objects; /* in all of them */
};

bool
ouro_settle_begin(struct _is *interp)
{
    struct gc_ring **ring = &interp->gc.slices.ring;
    if (*ring == NULL) {
        *ring = ouro_fault() ? NULL : calloc(1, sizeof **ring);
    }
    return *ring != NULL;
}

void
ouro_settle_end(struct _is *interp)
{
    free(interp->gc.slices.ring);
    interp->gc.slices.ring = NULL;
    ouro_survey_end(interp);
}

void
ouro_settle_forget(struct _is *interp)
{
    struct gc_ring *ring = interp->gc.slices.ring;
    if (ring != NULL) {
        ring->count = ring->objects = 0;
    }
    ouro_survey_forget(interp);
}

/* The slot may hold another object by now, or none. An object with fewer references than noted keeps its
 * word: a short cycle will see that it lost some. A candidate was noted by this collection, and so many others
 * after it that it need not wait. */
static inline void
settle_one(const struct collection *c, const PyObject *op, uint16_t *word)
{
    bool is_there = ouro_is_old(op) || ouro_is_candidate(c, op);
    if (ouro_is_new_word(*word) && is_there && ouro_settle_word(op) >= *word) {
        *word = ouro_doubt_belief(op);
    }
}

/* The page may be cut differently by now. Then its words stay as they are: a count of another object
 * only makes a short cycle look at an object, or not look. */
static void
settle_range(struct collection *c, const struct settling *range)
{
    const struct gc_promoted *promoted = &c->interp->gc.slices.promoted;
    const struct page *page = &c->heap->pages[range->page];
    size_t start = (size_t)range->page << OURO_PAGE_SHIFT;
    bool is_same = page->state == OURO_PAGE_SLOTS && range->last < page->untouched &&
                   (range->first - page->lead) % page->slot_size == 0;
    if (!is_same || (start + range->last) >> OURO_GRAIN_SHIFT >= promoted->slots) {
        return;
    }
    for (size_t at = start + range->first; at <= start + range->last;
         at += page->slot_size) {
        __builtin_prefetch(c->base + at + OURO_HEADERS_AHEAD * page->slot_size);
        settle_one(c, (const PyObject *)(c->base + at),
                   &promoted->words[at >> OURO_GRAIN_SHIFT]);
    }
}

static void
settle_oldest(struct collection *c, struct gc_ring *ring)
{
    const struct settling *range = &ring->ranges[ring->oldest];
    settle_range(c, range);
    ring->oldest = (ring->oldest + 1) % RANGES;
    ring->count--;
    ring->objects -= range->count;
}

/* --- candidates ------------------------------------------------------------------------------------- */

/* The objects of a page that were noted, in address order. */
static void
keep_range(struct collection *c, const struct gc_promoted *promoted)
{
    struct gc_ring *ring = c->interp->gc.slices.ring;
    while (ring->count == RANGES || (ring->count != 0 && ring->objects > OURO_SETTLING)) {
        settle_oldest(c, ring);
    }
    size_t first = (size_t)((const char *)promoted->first - c->base);
    size_t last = (size_t)((const char *)promoted->last - c->base);
    ring->ranges[(ring->oldest + ring->count++) % RANGES] = (struct settling){
        .page = (uint32_t)(first >> OURO_PAGE_SHIFT),
        .first = (uint32_t)(first & (OURO_PAGE_SIZE - 1)),
        .last = (uint32_t)(last & (OURO_PAGE_SIZE - 1)),
        .count = promoted->in_page,
    };
    ring->objects += promoted->in_page;
}

static inline __attribute__((always_inline)) void
note_candidate(const struct collection *c, struct gc_promoted *promoted, PyObject *op)
{
    size_t slot = (size_t)((const char *)op - c->base) >> OURO_GRAIN_SHIFT;
    if (slot < promoted->slots) {
        promoted->words[slot] = promoted->settles ? ouro_settle_word(op) : promoted->word;
        promoted->first = promoted->in_page == 0 ? op : promoted->first;
        promoted->last = op;
        promoted->in_page++;
    }
    if (promoted->surveyed != NULL && slot < promoted->surveyed_slots) {
        promoted->surveyed[slot] = CYCLE_LATE;
    }
}

/* Where nothing else looks at the candidates, they are promoted in the same pass: unseen.c. */
OURO_BODY
note_body(struct collection *c, PyObject *op, const struct page *page)
{
    __builtin_prefetch((const char *)op + OURO_HEADERS_AHEAD * page->slot_size);
    if (ouro_is_candidate(c, op)) {
        note_candidate(c, &c->interp->gc.slices.promoted, op);
    }
    if (c->trusts) {
        ouro_trust_candidate(c, op);
    }
}

/* In a whole cycle an object that is late stays so (cycle.inv.late). */
static bool
candidates_can_settle(const struct collection *c)
{
    const struct gc_state *gc = &c->interp->gc;
    bool are_alive = !c->trusts || gc->growth.is_garbage_scarce;
    return are_alive && gc->slices.ring != NULL &&
           (gc->cycle == NULL || gc->cycle->is_short);
}

/* Will the cycle count the objects in the page as alive, although they are growth? */
static bool
are_counted_twice(const struct cycle *cy, bool settles, uint32_t page)
{
    if (cy == NULL || !cy->is_short) {
        return cy != NULL && cy->phase < CYCLE_GATHER;
    }
    return settles && page >= cy->cursor;
}

/* Does a cycle that runs, or one that comes, look at the words of objects that become old now? */
static bool
words_are_read(const struct gc_slices *slices, const struct cycle *cy)
{
    bool keeps_words = slices->short_left > 0;
    return cy == NULL ? slices->beliefs != NULL
                      : cy->phase < CYCLE_RELEASE || keeps_words;
}

static void
note_page(struct collection *c, uint32_t page)
{
    struct gc_promoted *promoted = &c->interp->gc.slices.promoted;
    struct cycle *cy = c->interp->gc.cycle;
    promoted->in_page = 0;
    ouro_each_in_page(c, page, note_body);
    if (promoted->settles && promoted->in_page != 0) {
        keep_range(c, promoted);
    }
    if (are_counted_twice(cy, promoted->settles, page)) {
        cy->late += promoted->in_page;
    }
}

bool
ouro_settle_candidates(struct collection *c)
{
    struct gc_slices *slices = &c->interp->gc.slices;
    const struct cycle *cy = c->interp->gc.cycle;
    if (!words_are_read(slices, cy)) {
        ouro_survey_forget(c->interp);
        return false;
    }
    slices->promoted = (struct gc_promoted){
        .words = cy == NULL ? slices->beliefs : cy->words,
        .slots = cy == NULL ? slices->believed_slots : ouro_cycle_word_count(cy),
        .word = cy == NULL ? 0 : cy->late_word,
        .settles = candidates_can_settle(c),
    };
    slices->promoted.surveyed_slots =
        ouro_survey_words(c->interp, &slices->promoted.surveyed);
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        note_page(c, n);
    }
    return true;
}
