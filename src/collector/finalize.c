/* SPDX-License-Identifier: MIT */
/* Call tp_finalize of every unreachable object that has one and was not finalized before.
 *
 * The whole set is intact and tracked meanwhile. User code runs: objects of the set may die,
 * become reachable, or be linked anew; rescue.c finds that out afterwards. */
#include "../object/finalize.h"
#include "collection.h"

OURO_BODY
finalize_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    uint32_t gc = ouro_sanitize_peek_gc(op);
    if ((gc & (OURO_GC_UNREACHABLE | OURO_GC_FINALIZED)) == OURO_GC_UNREACHABLE &&
        Py_TYPE(op)->tp_finalize != NULL && !ouro_event_finalizes_later(op)) {
        ouro_object_set(op, OURO_GC_FINALIZED);
        c->set.ran_user_code = true;
        Py_INCREF(op);
        ouro_call_finalizer(op);
        Py_DECREF(op);
    }
}

void
ouro_call_finalizers(struct collection *c)
{
    do {
        ouro_each_unreachable(c, finalize_body);
    } while (ouro_event_finalizes_more());
}
