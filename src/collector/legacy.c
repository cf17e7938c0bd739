/* SPDX-License-Identifier: MIT */
/* Objects with a tp_del. No order of calling them is known to be safe, so they and everything
 * they refer to are kept. Those with a tp_del are added to the garbage list. */
#include "collection.h"

OURO_BODY
seed_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_unreachable(op) && Py_TYPE(op)->tp_del != NULL) {
        ouro_take_out(c, op, OURO_GC_LEGACY);
    }
}

void
ouro_split_off_legacy(struct collection *c)
{
    c->queue.head = c->queue.tail = 0;
    c->queue.overflow = false;
    ouro_each_unreachable(c, seed_body);
    ouro_take_out_reachable(c, OURO_GC_LEGACY);
}

void
ouro_keep_one(struct collection *c, PyObject *op)
{
    struct gc_state *gc = &c->interp->gc;
    c->uncollectable++;
    if ((gc->debug & OURO_DEBUG_UNCOLLECTABLE) != 0) {
        fprintf(stderr, "gc: uncollectable <%s %p>\n", Py_TYPE(op)->tp_name, (void *)op);
    }
    if (Py_TYPE(op)->tp_del != NULL || (gc->debug & OURO_DEBUG_SAVEALL) != 0) {
        ouro_seam.show_garbage(c->interp, op);
    }
}

OURO_BODY
keep_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if ((ouro_sanitize_peek_gc(op) & OURO_GC_LEGACY) != 0) {
        ouro_object_clear(op, OURO_GC_LEGACY);
        ouro_keep_one(c, op);
    }
}

void
ouro_keep_legacy(struct collection *c)
{
    if (c->kinds.has_legacy) {
        ouro_each_unreachable(c, keep_body);
    }
}
