/* SPDX-License-Identifier: MIT */
/* Components of the proposals, in slices: union-find, then a counting sort.
 *
 * A component is proved and destroyed by itself, so small components have short proofs.
 * Components only cut the proposals up. If references appear or vanish meanwhile, a proof may
 * fail, but it is never wrong. */
#include "cycle.h"

/* In the first round exact[] may hold values of a proof that failed. (The table is written
 * before it is read; see populate_words() in propose.c.) */
static inline __attribute__((always_inline)) void
found_body(struct cycle *cy, size_t slot, uint32_t position)
{
    (void)slot;
    cy->parent[position] = position;
    cy->exact[position] &= cy->rounds != 0 ? CYCLE_EVICTED : 0;
}

bool
ouro_component_found(struct cycle *cy)
{
    if (!cy->is_second_pass) {
        if (!ouro_each_proposal(cy, found_body)) {
            return false;
        }
        cy->is_second_pass = true;
        cy->cursor = 0;
    }
    return true;
}

static int
join_target(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    uint32_t position = ouro_cycle_position_of(cy, op);
    if (position != UINT32_MAX) {
        ouro_component_join(cy, position);
    }
    return 0;
}

static inline __attribute__((always_inline)) void
join_body(struct cycle *cy, size_t slot, uint32_t position)
{
    PyObject *op = NULL;
    if (cy->exact[position] != CYCLE_EVICTED) {
        op = ouro_cycle_object(cy, slot);
    }
    if (op != NULL) {
        cy->c.cursor = position;
        ouro_cycle_traverse(cy, op, join_target);
    }
}

enum step
ouro_cycle_join(struct cycle *cy)
{
    if (!ouro_component_found(cy) || !ouro_each_proposal(cy, join_body)) {
        return STEP_MORE;
    }
    cy->is_second_pass = false;
    return STEP_DONE;
}

/* --- sort --------------------------------------------------------------------------------- */

/* exact[root] becomes the size of its component. The counts of other members are zero. Evicted
 * proposals are in no component. */
static inline __attribute__((always_inline)) void
measure_body(struct cycle *cy, size_t slot, uint32_t position)
{
    (void)slot;
    if (cy->exact[position] != CYCLE_EVICTED) {
        cy->exact[ouro_component_root(cy->parent, position)]++;
    }
}

enum step
ouro_cycle_measure(struct cycle *cy)
{
    return ouro_step_done_if(ouro_each_proposal(cy, measure_body));
}

/* exact[root] becomes the place where its component begins. */
static inline __attribute__((always_inline)) void
place_body(struct cycle *cy, size_t slot, uint32_t position)
{
    (void)slot;
    uint32_t size = cy->exact[position];
    if (size != CYCLE_EVICTED && size != 0) {
        cy->exact[position] = cy->ordered;
        cy->ordered += size;
    }
}

enum step
ouro_cycle_place(struct cycle *cy)
{
    return ouro_step_done_if(ouro_each_proposal(cy, place_body));
}

/* exact[root] becomes the place where its component ends. */
static inline __attribute__((always_inline)) void
sort_body(struct cycle *cy, size_t slot, uint32_t position)
{
    if (cy->exact[position] != CYCLE_EVICTED) {
        uint32_t place = cy->exact[ouro_component_root(cy->parent, position)]++;
        cy->order[place] = (uint32_t)slot;
    }
}

enum step
ouro_cycle_sort(struct cycle *cy)
{
    if (!ouro_each_proposal(cy, sort_body)) {
        return STEP_MORE;
    }
    cy->proof.number = cy->proposals; /* larger than every position */
    cy->cursor = 0;                   /* the first batch */
    return STEP_DONE;
}
