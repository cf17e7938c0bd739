/* SPDX-License-Identifier: MIT */
/* The permanent generation: objects that collections skip, at no cost. A finalizer may freeze
 * while a collection runs: the survivors are frozen, what is being destroyed is not. */
#include "cycle.h"

struct move {
    int to;
    bool from_permanent;
};

static bool
move_object_between(PyObject *op, void *arg)
{
    struct move *move = arg;
    ouro_block_age(op, op->ob_gc);
    bool is_permanent = ouro_object_generation(op) == OURO_PERMANENT;
    bool stays = ouro_object_has(op, OURO_GC_UNREACHABLE | OURO_GC_LEGACY);
    if (ouro_object_is_tracked(op) && is_permanent == move->from_permanent && !stays) {
        ouro_object_set_generation(op, move->to);
    }
    return true;
}

/* Until the running collection ends, its survivors are in the set of candidates. */
static void
find_candidates_as_frozen(struct heap *heap, uint32_t number)
{
    if (heap->sets.scan[OURO_CANDIDATES][number] != OURO_SCAN_NONE) {
        ouro_scan_forget(heap, number, OURO_PERMANENT);
        ouro_scan_set(heap, number, OURO_PERMANENT, OURO_SCAN_ALL);
    }
}

void
ouro_collector_freeze(struct _is *interp)
{
    struct heap *heap = &interp->heap;
    struct move move = {OURO_PERMANENT, false};
    ouro_cycle_drop_soon(interp);
    ouro_heap_each(heap, move_object_between, &move);
    for (uint32_t n = 1; n < heap->touched; n++) {
        for (int g = OURO_YOUNG; g <= OURO_OLD; g++) {
            ouro_scan_merge(heap, n, g, OURO_PERMANENT);
        }
        find_candidates_as_frozen(heap, n);
    }
    for (int g = 0; g < OURO_GENERATION_COUNT; g++) {
        interp->gc.generations[g].count = 0;
    }
    heap->allocations = 0;
    interp->gc.growth.middle_pending = 0;
}

void
ouro_collector_unfreeze(struct _is *interp)
{
    struct heap *heap = &interp->heap;
    struct move move = {OURO_OLD, true};
    ouro_cycle_drop_soon(interp);
    interp->gc.slices.beliefs = NULL; /* what becomes old here is not noted as new */
    ouro_survey_forget(interp);
    ouro_heap_each(heap, move_object_between, &move);
    for (uint32_t n = 1; n < heap->touched; n++) {
        ouro_scan_merge(heap, n, OURO_PERMANENT, OURO_OLD);
    }
}
