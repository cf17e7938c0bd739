/* SPDX-License-Identifier: MIT */
/* Beliefs without a cycle: after a collection in one piece short cycles can follow, too.
 *
 * Such a collection has just found what is alive among the old objects. One pass notes their reference
 * counts, as a whole cycle does when it gathers (propose.c). */
#include "cycle.h"

OURO_BODY
believe_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_old(op)) {
        size_t slot = (size_t)((char *)op - c->base) >> OURO_GRAIN_SHIFT;
        c->interp->gc.slices.beliefs[slot] = ouro_doubt_belief(op);
    }
}

/* All old objects are alive. */
void
ouro_believe_survivors(struct _is *interp)
{
    struct gc_slices *slices = &interp->gc.slices;
    Py_ssize_t live = interp->gc.growth.long_lived_total;
    bool is_wanted = interp->gc.pause_budget > 0 && slices->follow_trust > 0 &&
                     slices->watch_trust <= 0 && slices->short_distrust == 0 &&
                     live >= slices->short_from;
    size_t slots = (size_t)interp->heap.touched * OURO_PAGE_GRAINS;
    slices->beliefs = NULL;
    ouro_settle_forget(interp);
    if (!is_wanted || !ouro_cycle_spare_words(interp, slots)) {
        return;
    }
    struct collection c = ouro_collection_of_old(interp);
    c.pages = c.heap->touched;
    c.first = 1;
    c.last = c.pages - 1;
    ouro_each_slot(&c, believe_body);
    slices->short_left = OURO_SHORT_MOST;
    slices->least_alive = slices->most_alive = (struct gc_level){0};
}
