/* SPDX-License-Identifier: MIT */
/* Prove proposals without cutting them up: follow the references of one of them.
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
 * parent[] is 0 for a proposal that was not met, the number of the proof for a member, and one of
 * the values below for proposals that were met before. */
#include "cycle.h"

/* In parent[]: met, and not to be met again; not closed, and few enough to be met again. */
#define FOLLOW_LEFT  (UINT32_MAX - 1)
#define FOLLOW_AGAIN (UINT32_MAX - 2)

/* --- one set --------------------------------------------------------------------------------- */

/* exact[] is the part of a member's count that the references met so far do not explain. */
static inline void
follow_balance(struct cycle *cy, uint32_t position, uint32_t change)
{
    uint32_t before = cy->exact[position], after = before + change;
    cy->exact[position] = after;
    cy->follow.open += (uint32_t)(after != 0) - (uint32_t)(before != 0);
}

/* A new member is fetched now, and visited when its turn comes. */
static inline void
follow_admit(struct cycle *cy, const PyObject *op, size_t slot, uint32_t position)
{
    __builtin_prefetch(op);
    __builtin_prefetch((const char *)op + OURO_LINE);
    cy->follow.left -= cy->parent[position] == FOLLOW_AGAIN;
    cy->parent[position] = cy->proof.number;
    cy->exact[position] = 0;
    cy->order[cy->proof.last++] = (uint32_t)slot;
}

static inline bool
follow_is_new(const struct cycle *cy, uint32_t position)
{
    return cy->parent[position] == 0 || cy->parent[position] == FOLLOW_AGAIN;
}

OURO_VISITOR
follow_reference(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    size_t slot = ouro_cycle_slot(cy, op);
    if (!ouro_cycle_is_proposed(cy, slot)) {
        return 0;
    }
    uint32_t position = ouro_cycle_position(cy, slot);
    if (follow_is_new(cy, position)) {
        follow_admit(cy, op, slot, position);
    }
    if (cy->parent[position] == cy->proof.number) {
        follow_balance(cy, position, UINT32_MAX);
    }
    return 0;
}

/* The slot of a proposal may hold another object by now, which is no member. */
static void
follow_member(struct cycle *cy, uint32_t *at)
{
    size_t slot = cy->order[*at];
    uint32_t position = ouro_cycle_position(cy, slot);
    PyObject *op = ouro_cycle_object(cy, slot);
    if (op == NULL) {
        follow_balance(cy, position, 0 - cy->exact[position]);
        cy->parent[position] = FOLLOW_LEFT;
        cy->order[*at] = cy->order[--cy->proof.last];
        return;
    }
    follow_balance(cy, position, (uint32_t)op->ob_refcnt);
    ouro_note_kind(&cy->proof.kinds, op);
    ouro_call_edges(op, follow_reference, cy);
    ++*at;
}

/* The members from `start` on are not proved. If they are few, they may become part of another set,
 * such as a value that a cycle refers to and that lies before the cycle. */
static void
leave_members(struct cycle *cy, uint32_t start)
{
    uint32_t size = cy->proof.last - start;
    for (uint32_t at = start; at < cy->proof.last; at++) {
        uint32_t position = ouro_cycle_position(cy, cy->order[at]);
        cy->parent[position] = size <= OURO_FOLLOW_AGAIN ? FOLLOW_AGAIN : FOLLOW_LEFT;
    }
    cy->follow.left += size;
    cy->proof.last = start;
}

/* Follow the references of the members from `start` on. True if they close. A set larger than a
 * limit is proved in slices, under a watch. */
static bool
members_close(struct cycle *cy, uint32_t start)
{
    uint32_t most = start + OURO_WATCHED * cy->c.interp->gc.slices.batch;
    for (uint32_t at = start; at < cy->proof.last;) {
        if (cy->proof.last > most) {
            cy->follow.is_done = true;
            return false;
        }
        follow_member(cy, &at);
    }
    return cy->follow.open == 0;
}

static void
follow_from(struct cycle *cy, size_t slot)
{
    uint32_t position = ouro_cycle_position(cy, slot), start = cy->proof.last;
    const PyObject *op = follow_is_new(cy, position) ? ouro_cycle_object(cy, slot) : NULL;
    if (op == NULL) {
        return;
    }
    cy->follow.open = 0;
    follow_admit(cy, op, slot, position);
    if (!members_close(cy, start)) {
        leave_members(cy, start);
    }
}

/* --- the phase ------------------------------------------------------------------------------- */

/* The next proposal, at or behind follow.slot; false when there is none. */
static bool
next_proposal(struct cycle *cy)
{
    size_t *slot = &cy->follow.slot;
    while (*slot < cy->slots) {
        uint64_t bits = cy->proposed[*slot / 64] >> (*slot % 64);
        if (bits != 0) {
            *slot += (size_t)__builtin_ctzll(bits);
            return true;
        }
        *slot = (*slot / 64 + 1) * 64;
    }
    return false;
}

/* Gather sets that close, until they make a batch. */
static void
follow_batch(struct cycle *cy)
{
    cy->proof.number++;
    cy->proof.first = cy->proof.last = 0;
    cy->proof.kinds = (struct kinds){0};
    while (!cy->follow.is_done && cy->proof.last < cy->c.interp->gc.slices.batch) {
        uint32_t before = cy->proof.last;
        cy->follow.is_done = !next_proposal(cy);
        if (!cy->follow.is_done) {
            follow_from(cy, cy->follow.slot++);
        }
        uint32_t work = 2 * (cy->proof.last - before) + OURO_FOLLOW_AGAIN;
        if (ouro_slice_is_over(cy, work)) {
            return;
        }
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
    while (cy->follow.is_on) {
        if (cy->follow.expects_huge && ouro_confirm_must_wait(cy)) {
            return STEP_MORE;
        }
        follow_batch(cy);
        cy->follow.expects_huge = ouro_confirm_is_huge(cy);
        if (cy->proof.last != 0) {
            ouro_confirm_count(cy);
        }
        if (cy->follow.expects_huge || user_code_is_told(cy)) {
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
