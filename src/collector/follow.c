/* SPDX-License-Identifier: MIT */
/* Prove objects without cutting them up: follow the references of one of them. It is a proposal, or in a
 * short cycle an object that changed (doubt.c says which others may join it there).
 *
 * The proposals that one proposal reaches, visited in one piece, are a set. If the count of
 * each member equals the references from inside the set, the set *closes*, and is garbage
 * (confirm.c). A ring closes, and so does a tree whose nodes know their parents, whichever
 * member comes first. Each object is looked at once. Recounting, sorting and proving look at it
 * three times.
 *
 * A set does not close if it is alive, or if another proposal refers to it. Then its members
 * are *left*: they do not become members of later sets, unless they are few. Objects that are left
 * in the end are cut up after all (refine.c). If there are many, the next cycles do not follow
 * references.
 *
 * The word of a member is its *balance*: the part of its count that the references met so far do not
 * explain. It counts from FOLLOW_EVEN. */
#include "cycle.h"

#define FOLLOW_EVEN 0x6000u
#define FOLLOW_MOST 0x1FF0 /* the largest balance */
/* Not proved, and few enough to be met again; not to be met again. */
#define FOLLOW_AGAIN 0x7FFEu
#define FOLLOW_LEFT  0x7FFFu

/* --- one set --------------------------------------------------------------------------------- */

static inline bool
is_followed(uint16_t word)
{
    return word >= CYCLE_MET && word < CYCLE_PROVED;
}

/* A reference to a member was met. A set with a smaller balance is given up. */
static inline void
follow_explain(struct cycle *cy, uint16_t *word)
{
    cy->follow.is_broken |= *word == CYCLE_MET;
    *word -= *word != CYCLE_MET;
}

/* A new member is fetched now, and visited when its turn comes. */
static inline void
follow_admit(struct cycle *cy, size_t slot)
{
    const char *op = cy->c.base + (slot << OURO_GRAIN_SHIFT);
    __builtin_prefetch(op);
    __builtin_prefetch(op + OURO_LINE);
    cy->follow.left -= cy->words[slot] == FOLLOW_AGAIN;
    cy->words[slot] = FOLLOW_EVEN;
    cy->order[cy->proof.last++] = (uint32_t)slot;
}

static inline bool
follow_may_join(const struct cycle *cy, uint16_t word)
{
    return word <= CYCLE_MANY || word == cy->follow.also ||
           (uint16_t)(word - CYCLE_NEW) < cy->follow.new_words ||
           (uint16_t)(word - CYCLE_ALIVE) < cy->follow.popular;
}

OURO_VISITOR
follow_reference(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    size_t slot = ouro_cycle_slot(cy, op);
    cy->follow.references++;
    if (slot >= cy->slots) {
        return 0;
    }
    uint16_t *word = &cy->words[slot];
    if (!is_followed(*word)) {
        if (!follow_may_join(cy, *word)) {
            return 0;
        }
        if (OURO_UNLIKELY(cy->proof.last == cy->room)) {
            cy->follow.is_broken = true;
            return 0;
        }
        follow_admit(cy, slot);
    }
    follow_explain(cy, word);
    return 0;
}

/* In a short cycle most sets are alive: large containers are not visited in one piece. */
static void
follow_edges(struct cycle *cy, PyObject *op)
{
    const PyTypeObject *type = Py_TYPE(op);
    if (!cy->is_short || !ouro_cycle_takes_parts(type, op)) {
        ouro_call_edges(op, follow_reference, cy);
    } else {
        bool is_large = type->tp_ouro_traverse_part == ouro_collector_traverse_buffered ||
                        type->tp_ouro_traverse_part(op, 0, follow_reference, cy) >= 0;
        cy->follow.is_broken = cy->follow.is_broken || is_large;
    }
}

static void
begin_noting(struct cycle *cy)
{
    cy->proof.kinds = (struct kinds){0};
    cy->proof.end_count = 0;
    cy->proof.lists_ends = true;
}

/* Note what the member at order[at] needs before it can be destroyed. */
static inline void
note_member(struct cycle *cy, PyObject *op, uint32_t at)
{
    struct cycle_proof *proof = &cy->proof;
    if (!ouro_note_kind_and_ends(&proof->kinds, op)) {
        return;
    }
    if (proof->end_count < CYCLE_ENDS) {
        proof->ends[proof->end_count++] = at;
    } else {
        proof->lists_ends = false;
    }
}

/* The slot may hold an object that is no member: another one by now, or one that is not old. */
static void
follow_member(struct cycle *cy, uint32_t *at)
{
    size_t slot = cy->order[*at];
    uint16_t *word = &cy->words[slot];
    PyObject *op = ouro_cycle_object(cy, slot);
    if (op == NULL) {
        *word = FOLLOW_LEFT;
        cy->order[*at] = cy->order[--cy->proof.last];
        return;
    }
    if (op->ob_refcnt > FOLLOW_MOST || (cy->is_short && Py_TYPE(op)->tp_del != NULL)) {
        cy->follow.is_broken = true;
        return;
    }
    *word += (uint16_t)op->ob_refcnt;
    note_member(cy, op, *at);
    follow_edges(cy, op);
    ++*at;
}

/* The members from `start` on are proved. A short cycle counted those in the pages so far as alive. */
static void
keep_members(struct cycle *cy, uint32_t start)
{
    size_t seen = cy->is_short ? cy->cursor * OURO_PAGE_GRAINS : 0;
    for (uint32_t at = start; at < cy->proof.last; at++) {
        cy->words[cy->order[at]] = CYCLE_PROVED;
        cy->live -= cy->order[at] < seen;
    }
}

/* The members from `start` on are not proved. If they are few, they may become part of another set,
 * such as a value that a cycle refers to and that lies before the cycle. */
static void
leave_members(struct cycle *cy, uint32_t start)
{
    uint32_t size = cy->proof.last - start;
    for (uint32_t at = start; at < cy->proof.last; at++) {
        cy->words[cy->order[at]] = size <= OURO_FOLLOW_AGAIN ? FOLLOW_AGAIN : FOLLOW_LEFT;
    }
    cy->follow.left += size;
}

/* Is every count explained? */
static bool
is_closed(const struct cycle *cy, uint32_t start)
{
    bool is_even = !cy->follow.is_broken;
    for (uint32_t at = start; at < cy->proof.last && is_even; at++) {
        is_even = cy->words[cy->order[at]] == FOLLOW_EVEN;
    }
    return is_even;
}

/* Most sets of a short cycle are alive, and one piece is all the time that they get. */
static bool
has_many_references(const struct cycle *cy)
{
    uint32_t most = OURO_FOLLOW_EACH * OURO_WATCHED * cy->c.interp->gc.slices.batch;
    return cy->is_short && cy->follow.references > most;
}

/* By the clock of the thread: other programs on the machine say nothing about the set. It costs as much as
 * some members, so small sets do not read it. The longest step does not count: the host of a virtual machine
 * may have taken the time. */
static bool
takes_long(struct cycle *cy, uint32_t visited)
{
    struct cycle_follow *follow = &cy->follow;
    const struct gc_state *gc = &cy->c.interp->gc;
    if (!cy->is_short || gc->stress ||
        visited % OURO_FOLLOW_ASKED != OURO_FOLLOW_ASKED - 1) {
        return false;
    }
    double now = ouro_platform_thread_clock();
    double step = visited < OURO_FOLLOW_ASKED ? 0 : now - follow->asked;
    follow->asked = now;
    follow->took += step;
    follow->longest = step > follow->longest ? step : follow->longest;
    follow->took_long =
        follow->took - follow->longest > OURO_FOLLOW_BUDGETS * gc->pause_budget;
    return follow->took_long;
}

/* Follow the references of the members from order[*at] on. True if the set closes. A set larger than
 * a limit is proved in slices, under a watch. */
static bool
members_close(struct cycle *cy, uint32_t *at)
{
    uint32_t start = *at, most = start + OURO_WATCHED * cy->c.interp->gc.slices.batch;
    while (*at < cy->proof.last && !cy->follow.is_broken) {
        if (cy->proof.last > most || has_many_references(cy) ||
            takes_long(cy, *at - start)) {
            cy->follow.is_done = !cy->is_short;
            return false;
        }
        follow_member(cy, at);
    }
    return is_closed(cy, start);
}

/* Returns how many objects were visited. */
static uint32_t
follow_from(struct cycle *cy, size_t slot)
{
    uint32_t start = cy->proof.last, at = start;
    if (!follow_may_join(cy, cy->words[slot]) || ouro_member_at(&cy->c, slot) == NULL) {
        return 0;
    }
    struct kinds before = cy->proof.kinds;
    uint32_t ends_before = cy->proof.end_count;
    bool listed_before = cy->proof.lists_ends;
    cy->follow.is_broken = cy->follow.took_long = false;
    cy->follow.took = cy->follow.longest = 0;
    follow_admit(cy, slot);
    if (members_close(cy, &at)) {
        keep_members(cy, start);
        return at - start;
    }
    if (cy->is_short) {
        ouro_doubt_leave(cy, start, at);
    } else {
        leave_members(cy, start);
    }
    cy->proof.kinds = before;
    cy->proof.end_count = ends_before;
    cy->proof.lists_ends = listed_before;
    cy->proof.last = start;
    return at - start;
}

/* --- the phase ------------------------------------------------------------------------------- */

/* The next proposal, at or behind follow.slot; false when there is none. */
static bool
next_proposal(struct cycle *cy, size_t *found)
{
    size_t *slot = &cy->follow.slot;
    while (*slot < cy->slots) {
        uint64_t bits = cy->proposed[*slot / 64] >> (*slot % 64);
        if (bits != 0) {
            *slot += (size_t)__builtin_ctzll(bits);
            *found = (*slot)++;
            return true;
        }
        *slot = (*slot / 64 + 1) * 64;
    }
    cy->follow.is_done = true;
    return false;
}

/* Gather sets that close, until they make a batch. */
static void
follow_batch(struct cycle *cy)
{
    cy->proof.number++;
    cy->proof.first = cy->proof.last = 0;
    begin_noting(cy);
    while (!cy->follow.is_done && cy->proof.last < cy->c.interp->gc.slices.batch) {
        uint32_t visited = 0;
        size_t slot;
        cy->follow.references = 0;
        if (cy->is_short ? ouro_doubt_next(cy, &slot) : next_proposal(cy, &slot)) {
            visited = follow_from(cy, slot);
        }
        cy->c.candidates += cy->is_short ? visited : 0;
        cy->follow.expects_huge =
            visited > OURO_HUGE_COMPONENT * cy->c.interp->gc.slices.batch;
        uint32_t work = 2 * visited + cy->follow.references / OURO_FOLLOW_EACH;
        if (ouro_slice_is_over(cy, work + OURO_FOLLOW_AGAIN)) {
            return;
        }
    }
}

/* A member is a proposal whose entry in parent[] is the number of the proof. */
void
ouro_follow_list(struct cycle *cy, uint32_t last)
{
    if (cy->is_short) {
        ouro_propose_members(cy, last);
    }
    for (uint32_t at = cy->proof.first; at < last; at++) {
        uint32_t position = ouro_cycle_position(cy, cy->order[at]);
        cy->parent[position] = cy->proof.number;
        cy->exact[position] = 0;
    }
}

bool
ouro_follow_is_wanted(const struct cycle *cy)
{
    return cy->c.interp->gc.slices.follow_trust > 0 && cy->c.interp->gc.debug == 0;
}

/* A callback or a finalizer may take long: they are called in slices. */
static bool
user_code_is_told(const struct cycle *cy)
{
    return cy->proof.last != 0 && ouro_confirm_needs_finalizing(cy, &cy->proof.kinds);
}

enum step
ouro_cycle_follow(struct cycle *cy)
{
    cy->follow.is_on = ouro_follow_is_wanted(cy) && !cy->follow.is_done;
    cy->doubt.gives_up |= cy->is_short && !ouro_follow_is_wanted(cy);
    if (!cy->is_short) {
        cy->follow.also = FOLLOW_AGAIN;
    }
    while (cy->follow.is_on) {
        if (cy->follow.expects_huge && ouro_confirm_must_wait(cy)) {
            return STEP_MORE;
        }
        follow_batch(cy);
        if (cy->proof.last != 0) {
            ouro_confirm_count(cy);
        }
        bool is_told = user_code_is_told(cy);
        if (cy->proof.kinds.has_legacy) { /* those with tp_del leave it, by position */
            ouro_follow_list(cy, cy->proof.last);
            cy->proof.lists_ends = false;
        }
        if (ouro_confirm_is_huge(cy) || is_told) {
            (void)ouro_slice_is_over_now(cy);
            return ouro_confirm_destroy(cy) == STEP_ASIDE ? STEP_ASIDE : STEP_FAILED;
        }
        ouro_confirm_destroy_batch(cy);
        cy->follow.is_on = !cy->follow.is_done;
        if (cy->follow.is_on && ouro_slice_is_over_now(cy)) {
            return STEP_MORE;
        }
    }
    return STEP_DONE;
}

/* --- once more ----------------------------------------------------------------------------------- */

OURO_VISITOR
balance_reference(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    size_t slot = ouro_cycle_slot(cy, op);
    if (slot < cy->slots && is_followed(cy->words[slot])) {
        follow_explain(cy, &cy->words[slot]);
    }
    return 0;
}

/* A slot that holds another object by now has the word of that. */
static void
open_words(struct cycle *cy)
{
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        uint16_t *word = &cy->words[cy->order[at]];
        *word = *word == CYCLE_PROVED ? FOLLOW_EVEN : *word;
    }
}

static void
close_words(struct cycle *cy)
{
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        uint16_t *word = &cy->words[cy->order[at]];
        *word = is_followed(*word) ? CYCLE_PROVED : *word;
    }
}

/* Look at all members again; false if one is not there any more. */
static bool
balance_members(struct cycle *cy)
{
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        ouro_cycle_fetch(cy, at + OURO_NEAR_AHEAD);
        PyObject *op = ouro_cycle_object(cy, cy->order[at]);
        if (op == NULL || op->ob_refcnt > FOLLOW_MOST) {
            return false;
        }
        cy->words[cy->order[at]] += (uint16_t)op->ob_refcnt;
        note_member(cy, op, at);
        ouro_call_edges(op, balance_reference, cy);
    }
    return true;
}

/* If this fails, confirm.c proves what is left of the set, by position. */
bool
ouro_follow_proves_again(struct cycle *cy)
{
    cy->follow.is_broken = false;
    begin_noting(cy);
    open_words(cy);
    bool is_proved = balance_members(cy) && is_closed(cy, cy->proof.first);
    close_words(cy);
    if (!is_proved) {
        ouro_follow_list(cy, cy->proof.last);
    }
    return is_proved;
}

/* --- is it worth it? ------------------------------------------------------------------------- */

void
ouro_follow_learn(const struct cycle *cy)
{
    int *trust = &cy->c.interp->gc.slices.follow_trust;
    bool was_large = cy->proposals >= OURO_WATCHED * cy->c.interp->gc.slices.batch;
    if (*trust > 0) {
        *trust = cy->follow.left > cy->proposals / 16 ? -OURO_DISTRUST : *trust;
    } else {
        *trust += *trust < 0 || was_large;
    }
}
