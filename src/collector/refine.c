/* SPDX-License-Identifier: MIT */
/* Evict the proposals that are alive, in slices.
 *
 * The references between proposals are counted again, exactly. A proposal with more references
 * than that is evicted, with everything it refers to. After a few rounds few proofs fail. All
 * garbage of the start stays, because only proposals refer to it.
 *
 * exact[] begins a round with zeros. It gains one for each reference, and loses the proposal's
 * reference count. A value below zero means references from elsewhere. While nothing has been
 * evicted, the same pass finds the components. */
#include "cycle.h"

OURO_VISITOR
recount_reference(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    uint32_t position = ouro_cycle_position_of(cy, op);
    if (position != UINT32_MAX) {
        cy->exact[position]++;
        ouro_component_join(cy, position);
    }
    return 0;
}

static inline __attribute__((always_inline)) void
recount_body(struct cycle *cy, size_t slot, uint32_t position)
{
    if (cy->exact[position] == CYCLE_EVICTED) {
        return;
    }
    PyObject *op = ouro_cycle_object(cy, slot);
    if (op == NULL || _Py_IsImmortal(op)) { /* it died, or will live for ever */
        cy->exact[position] = CYCLE_EVICTED;
        cy->evicted += op != NULL;
        return;
    }
    cy->exact[position] -= op->ob_refcnt;
    cy->c.cursor = position;
    ouro_cycle_traverse(cy, op, recount_reference);
}

enum step
ouro_cycle_recount(struct cycle *cy)
{
    if (ouro_follow_is_wanted(cy) && cy->follow.slot >= cy->slots &&
        cy->follow.left == 0) {
        return STEP_FAILED;
    }
    if (cy->c.interp->gc.slices.rounds == 0) {
        return STEP_ASIDE;
    }
    if (!ouro_component_found(cy) || !ouro_each_proposal(cy, recount_body)) {
        return STEP_MORE;
    }
    cy->is_second_pass = false;
    return STEP_DONE;
}

/* --- evict ------------------------------------------------------------------------------- */

static void
evict(struct cycle *cy, size_t slot, uint32_t position)
{
    cy->exact[position] = CYCLE_EVICTED;
    cy->evicted++;
    cy->live++;
    ouro_queue_push(&cy->c.queue, (uint32_t)slot);
}

static int
evict_target(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    uint32_t position = ouro_cycle_position_of(cy, op);
    if (position != UINT32_MAX) {
        evict(cy, ouro_cycle_slot(cy, op), position);
    }
    return 0;
}

/* When the queue is full, an evicted object was not followed. The next round, or a proof, sees
 * that its targets have references from outside. */
static bool
drain_evicted(struct cycle *cy)
{
    while (ouro_cycle_finish_parts(cy) && !ouro_queue_is_empty(&cy->c.queue)) {
        PyObject *op = ouro_cycle_object(cy, ouro_queue_pop(&cy->c.queue));
        if (op != NULL) {
            ouro_cycle_traverse(cy, op, evict_target);
        }
        if (!ouro_cycle_finish_parts(cy) || ouro_slice_is_over(cy, 1)) {
            return ouro_queue_is_empty(&cy->c.queue) && cy->parts.count == 0;
        }
    }
    return cy->parts.count == 0;
}

/* Reset the counts of the proposals that stay to zero. */
static inline __attribute__((always_inline)) void
evict_body(struct cycle *cy, size_t slot, uint32_t position)
{
    uint32_t balance = cy->exact[position];
    if (balance == CYCLE_EVICTED) {
        return;
    }
    cy->exact[position] = 0;
    if ((int32_t)balance < 0) {
        evict(cy, slot, position);
    }
}

enum step
ouro_cycle_evict(struct cycle *cy)
{
    if (!ouro_each_proposal(cy, evict_body) || !drain_evicted(cy)) {
        return STEP_MORE;
    }
    cy->rounds++;
    bool is_worth_more = cy->evicted > OURO_ROUND_AGAIN || cy->c.queue.overflow;
    if (is_worth_more && cy->rounds < cy->c.interp->gc.slices.rounds) {
        return STEP_ASIDE;
    }
    return cy->evicted != 0 ? STEP_FAILED : STEP_DONE;
}
