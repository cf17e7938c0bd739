/* SPDX-License-Identifier: MIT */
/* A short cycle: find garbage by what has changed since the last cycle.
 *
 * When a cycle ends, the side word of each survivor has its reference count. A structure that was alive
 * then and is garbage now has lost its last reference from outside: with few exceptions, a member
 * has fewer references than it had. So a short cycle compares counts, page by page, and follows the
 * references of two kinds of objects (follow.c):
 *
 *   lost   an object that lost references. What it reaches may be garbage, whatever its age
 *   new    an object that became old since. Other new objects that it reaches may be garbage with it
 *
 * A set that does not close is alive: its members are believed to be alive from then on. Objects whose
 * counts are as before are not looked at: neither what they refer to, nor what refers to them. This is
 * most of the heap.
 *
 * A short cycle may miss garbage: a structure in which references from inside replaced the one from
 * outside, one with very popular members, one larger than a proof in one piece. A survey finds most of
 * it, a little in each short cycle (survey.c). A whole cycle comes when the heap has grown since the
 * last survey, or if what the survey found cannot be proved. If many objects that lost references turn
 * out to be alive, a short cycle gives up, and a whole one starts at once. */
#include "cycle.h"

/* --- whether the next cycle is short -------------------------------------------------------------- */

bool
ouro_doubt_is_wanted(const struct _is *interp)
{
    const struct gc_slices *slices = &interp->gc.slices;
    size_t words = (size_t)interp->heap.touched * OURO_PAGE_GRAINS * sizeof(uint16_t);
    return slices->beliefs != NULL && interp->gc.debug == 0 &&
           slices->spares[TABLE_WORDS].size >= words;
}

bool
ouro_doubt_is_next(const struct cycle *cy)
{
    const struct gc_slices *slices = &cy->c.interp->gc.slices;
    bool is_likely = ouro_follow_is_wanted(cy) && slices->watch_trust <= 0 &&
                     slices->short_distrust == 0 &&
                     cy->pace.start_objects >= slices->short_from;
    return cy->is_short ? slices->short_left > 1 : is_likely;
}

/* Old objects that the cycle left, of those that it began with. If the program drops as many as it makes, more
 * than these are alive now: some of those that became old meanwhile are, too. */
static Py_ssize_t
left_by(const struct cycle *cy)
{
    return cy->pace.start_objects - (cy->c.collected - cy->pace.start_collected);
}

static Py_ssize_t
late_in(const struct cycle *cy)
{
    return cy->c.interp->gc.growth.long_lived_pending - cy->pace.start_pending;
}

/* If short cycles fail again soon after they were tried again, more time passes before the next try. */
void
ouro_doubt_distrust(struct gc_slices *slices)
{
    slices->short_distrust = OURO_DISTRUST << slices->short_failures;
    slices->short_failures += slices->short_failures < OURO_FAILURES_MOST;
}

static void
learn_level(struct gc_level *level, Py_ssize_t now)
{
    Py_ssize_t before = level->usual != 0 ? level->usual : level->base;
    level->usual = before == 0 ? now : before + (now - before) / 4;
    bool is_least = level->base == 0 || level->usual < level->base;
    level->base = is_least ? level->usual : level->base;
}

/* By how much have both levels risen, where one is `least` now, and the other `most`? */
static Py_ssize_t
both_risen(const struct gc_slices *slices, Py_ssize_t least, Py_ssize_t most)
{
    Py_ssize_t a = least - slices->least_alive.base, b = most - slices->most_alive.base;
    return a < b ? a : b;
}

/* What short cycles miss adds up, and then the heap grows. A survey that is under way hurries; if the heap
 * grows on, a whole cycle comes: then this is true.
 *
 * A cycle cannot tell how many of the objects that became old while it ran stand for others that it found: all of
 * them if the oldest objects are dropped, and about half of them if any are. So there are two levels, without
 * them and with them. From a longer cycle to a shorter one, one of the two rises and the other does not. What was
 * missed raises both. */
static bool
learn_growth(const struct cycle *cy, struct gc_slices *slices)
{
    struct gc_level *least = &slices->least_alive, *most = &slices->most_alive;
    Py_ssize_t left = left_by(cy), all = left + late_in(cy);
    learn_level(least, left);
    learn_level(most, all);
    Py_ssize_t grown = both_risen(slices, least->usual, most->usual);
    Py_ssize_t may_grow = most->base / OURO_GROWN_SHARE;
    slices->survey_hurries = grown > most->base / OURO_MISSED_SHARE;
    return grown > may_grow || both_risen(slices, left, all) > 2 * may_grow;
}

static void
learn_from_short(const struct cycle *cy, struct gc_slices *slices)
{
    bool needs_whole = learn_growth(cy, slices) || cy->doubt.gives_up;
    if (cy->doubt.has_unmarked) {
        slices->left_unmarked = cy->doubt.left_unmarked ? slices->left_unmarked + 1 : 0;
        needs_whole |= slices->left_unmarked == OURO_LEFT_SURVEYS;
    }
    slices->short_left = needs_whole ? 0 : slices->short_left - 1;
    slices->short_distrust = 0;
    if (cy->doubt.gives_up) {
        ouro_doubt_distrust(slices);
    }
}

/* If it was short cycles that made it grow, cycles are whole for a while. */
static void
learn_from_whole(const struct cycle *cy, struct gc_slices *slices)
{
    bool were_short = slices->most_alive.usual != 0;
    bool missed_much = were_short && cy->proposals > 2 * cy->pace.start_pending;
    bool closes = cy->follow.slot >= cy->slots && cy->follow.left <= cy->proposals / 16;
    slices->short_distrust = missed_much
                                 ? OURO_DISTRUST
                                 : slices->short_distrust - (slices->short_distrust > 0);
    bool is_wanted =
        slices->short_distrust == 0 && closes && cy->live >= slices->short_from;
    slices->short_left = is_wanted ? OURO_SHORT_MOST : 0;
    Py_ssize_t left = is_wanted ? left_by(cy) : 0, late = is_wanted ? late_in(cy) : 0;
    slices->least_alive = (struct gc_level){.base = left};
    slices->most_alive = (struct gc_level){.base = left + late};
    slices->left_unmarked = 0;
}

void
ouro_doubt_learn(const struct cycle *cy)
{
    struct gc_slices *slices = &cy->c.interp->gc.slices;
    if (cy->is_short) {
        learn_from_short(cy, slices);
    } else {
        learn_from_whole(cy, slices);
    }
}

/* --- the scan --------------------------------------------------------------------------------------- */

static inline bool
is_belief(uint16_t word)
{
    return word >= CYCLE_ALIVE && word <= CYCLE_ALIVE_MOST;
}

/* The word of an object that is as it was: it has at least as many references as its word says. */
static inline uint16_t
word_of_unchanged(const PyObject *op, uint16_t word)
{
    return ouro_is_new_word(word) ? ouro_settle_word(op) : ouro_doubt_belief(op);
}

/* Did it lose references, or become old since the last cycle? */
static inline bool
is_doubtful(const struct cycle *cy, const PyObject *op, uint16_t word)
{
    bool has_count = is_belief(word) || ouro_is_new_word(word);
    return word != cy->late_word && (!has_count || word > word_of_unchanged(op, word));
}

OURO_BODY
doubt_body(struct collection *c, PyObject *op, const struct page *page)
{
    struct cycle *cy = ouro_cycle_of(c);
    __builtin_prefetch((const char *)op + OURO_HEADERS_AHEAD * page->slot_size);
    if (!ouro_is_old(op)) {
        return;
    }
    size_t slot = ouro_cycle_slot(cy, op);
    uint16_t word = cy->words[slot];
    cy->live += word != cy->late_word;
    if (OURO_LIKELY(word == ouro_doubt_belief(op)) || word == cy->late_word) {
        return;
    }
    if (is_doubtful(cy, op, word)) {
        cy->doubt.grains[cy->doubt.count++] = (uint16_t)(slot % OURO_PAGE_GRAINS);
    } else {
        cy->words[slot] = word_of_unchanged(op, word);
    }
}

/* May objects that are believed to be alive join the set? Where an unmarked object was left, the next ones probably
 * lead to the same objects. To follow these again for each of them would take quadratic time. */
static bool
joins_believed(const struct cycle *cy)
{
    bool is_again = cy->doubt.is_unmarked && cy->doubt.left_unmarked;
    return cy->doubt.is_wide && !is_again;
}

/* Is the object in the slot still to be doubted? By now it may be another one. Then decide what may join
 * its set. */
static bool
begins_set(struct cycle *cy, size_t slot)
{
    const PyObject *op = ouro_member_at(&cy->c, slot);
    uint16_t word = cy->words[slot];
    if (op == NULL || !ouro_is_old(op) || word == CYCLE_PROVED ||
        !is_doubtful(cy, op, word)) {
        return false;
    }
    cy->doubt.is_unmarked = word == CYCLE_UNMARKED;
    cy->doubt.is_wide =
        is_belief(word) || ouro_is_new_word(word) || cy->doubt.is_unmarked;
    cy->words[slot] = 0;
    cy->follow.popular = joins_believed(cy) ? OURO_POPULAR : 0;
    cy->follow.also = cy->late_word ^ 1;
    cy->follow.new_words = OURO_POPULAR;
    return true;
}

bool
ouro_doubt_next(struct cycle *cy, size_t *slot)
{
    for (;;) {
        if (cy->doubt.wasted > cy->pace.start_objects / OURO_WASTED_SHARE) {
            cy->doubt.gives_up = cy->follow.is_done = true;
            return false;
        }
        while (cy->doubt.count != 0) {
            size_t first = (size_t)(cy->cursor - 1) * OURO_PAGE_GRAINS;
            *slot = first + cy->doubt.grains[--cy->doubt.count];
            if (begins_set(cy, *slot)) {
                return true;
            }
        }
        uint32_t page;
        if (!ouro_propose_next_page(cy, &page)) {
            cy->follow.is_done = true;
            return false;
        }
        ouro_each_in_page(&cy->c, page, doubt_body);
        if (ouro_slice_is_over(cy, ouro_propose_work(cy, page) / 4)) {
            return false;
        }
    }
}

/* --- a set that is alive --------------------------------------------------------------------------- */

void
ouro_doubt_leave(struct cycle *cy, uint32_t start, uint32_t visited)
{
    for (uint32_t at = start; at < cy->proof.last; at++) {
        size_t slot = cy->order[at];
        const PyObject *op = ouro_cycle_object(cy, slot);
        bool is_believed = op != NULL && (at < visited || cy->doubt.is_wide);
        cy->words[slot] = is_believed ? ouro_doubt_belief(op) : 0;
    }
    if (visited == start) { /* the set began with an object that cannot be proved */
        const PyObject *op = ouro_member_at(&cy->c, cy->order[start]);
        cy->words[cy->order[start]] = ouro_doubt_belief(op);
    }
    cy->doubt.left_unmarked |= cy->doubt.is_unmarked;
    uint32_t work = visited - start + cy->follow.references / OURO_FOLLOW_EACH;
    cy->doubt.wasted += cy->doubt.is_wide && !cy->doubt.is_unmarked ? work : 0;
    cy->doubt.wasted +=
        cy->follow.took_long ? cy->pace.start_objects / OURO_LONG_SHARE : 0;
}
