/* SPDX-License-Identifier: MIT */
/* Objects with a tp_del in a huge component. After the proof these objects, and everything that
 * they reach, leave the component, as in every collection (legacy.c), but in slices. At the end of
 * the cycle those that still exist are counted, and added to the garbage list. */
#include "cycle.h"

#define SPLIT_OFF UINT32_MAX /* in parent[]: of no proof */

bool
ouro_cycle_is_split_off(const struct cycle *cy, size_t slot)
{
    OURO_ASSERT(ouro_cycle_is_proposed(cy, slot));
    return cy->parent[ouro_cycle_position(cy, slot)] == SPLIT_OFF;
}

static int
split_off(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    uint32_t position = ouro_cycle_position_in_proof(cy, op);
    if (position != UINT32_MAX) {
        cy->parent[position] = SPLIT_OFF;
        ouro_queue_push(&cy->c.queue, (uint32_t)ouro_cycle_slot(cy, op));
    }
    return 0;
}

/* Follow the references of an object that has left: it was in the queue, or did not fit there. */
static void
split_member(struct cycle *cy, PyObject *op)
{
    if (ouro_cycle_is_split_off(cy, ouro_cycle_slot(cy, op))) {
        ouro_call_edges(op, split_off, cy);
    } else if (Py_TYPE(op)->tp_del != NULL) {
        (void)split_off(op, cy);
    }
}

static PyObject *
next_to_split(struct cycle *cy)
{
    uint32_t slot = ouro_queue_is_empty(&cy->c.queue) ? cy->order[cy->proof.at++]
                                                      : ouro_queue_pop(&cy->c.queue);
    return ouro_heap_block_of_slot(cy->c.heap, slot);
}

/* Start again from the first member if an entry of the queue was dropped. */
static bool
has_more_to_split(struct cycle *cy)
{
    if (ouro_queue_is_empty(&cy->c.queue) && cy->proof.at == cy->proof.last &&
        cy->c.queue.overflow) {
        cy->c.queue.overflow = false;
        cy->proof.at = cy->proof.first;
    }
    return !ouro_queue_is_empty(&cy->c.queue) || cy->proof.at < cy->proof.last;
}

enum step
ouro_cycle_split(struct cycle *cy)
{
    if (ouro_confirm_at_once(cy)) {
        return STEP_ASIDE;
    }
    cy->keeps = cy->keeps || cy->proof.kinds.has_legacy;
    while (cy->proof.kinds.has_legacy && has_more_to_split(cy)) {
        split_member(cy, next_to_split(cy));
        if (ouro_slice_is_over(cy, 1)) {
            return STEP_MORE;
        }
    }
    return STEP_DONE;
}

static inline __attribute__((always_inline)) void
keep_member(struct cycle *cy, size_t slot, uint32_t position)
{
    PyObject *op = cy->parent[position] == SPLIT_OFF ? ouro_cycle_object(cy, slot) : NULL;
    if (op != NULL) {
        ouro_keep_one(&cy->c, op);
    }
}

enum step
ouro_cycle_keep(struct cycle *cy)
{
    return ouro_step_done_if(!cy->keeps || ouro_each_proposal(cy, keep_member));
}
