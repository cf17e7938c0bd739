/* SPDX-License-Identifier: MIT */
/* The permanent generation: objects that collections pass over, and pay nothing for. */
#include "collection.h"

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
    if (ouro_object_is_tracked(op) && is_permanent == move->from_permanent) {
        ouro_object_set_generation(op, move->to);
    }
    return true;
}

void
ouro_collector_freeze(struct _is *interp)
{
    struct heap *heap = &interp->heap;
    struct move move = {OURO_PERMANENT, false};
    ouro_heap_each(heap, move_object_between, &move);
    for (uint32_t n = 1; n < heap->touched; n++) {
        for (int g = OURO_YOUNG; g <= OURO_OLD; g++) {
            ouro_scan_merge(heap, n, g, OURO_PERMANENT);
        }
    }
    for (int g = 0; g < OURO_GENERATION_COUNT; g++) {
        interp->gc.generations[g].count = 0;
    }
    heap->allocations = 0;
}

void
ouro_collector_unfreeze(struct _is *interp)
{
    struct heap *heap = &interp->heap;
    struct move move = {OURO_OLD, true};
    ouro_heap_each(heap, move_object_between, &move);
    for (uint32_t n = 1; n < heap->touched; n++) {
        ouro_scan_merge(heap, n, OURO_PERMANENT, OURO_OLD);
    }
}
