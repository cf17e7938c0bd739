/* SPDX-License-Identifier: MIT */
/* A collection whose thread does not come back.
 *
 * User code that a collection calls may let other threads run. When one of them forks, the
 * collecting thread does not exist in the child; when one of them ends the interpreter, it
 * waits for ever. The objects that it had found then stay alive, and the next collection finds
 * them again. The callbacks of weak references that it was about to run do not run. */
#include "cycle.h"

static bool
leave_set(PyObject *op, void *arg)
{
    (void)arg;
    bool is_pinned = ouro_object_has(op, OURO_GC_PINNED | OURO_GC_CONDEMNED);
    ouro_object_clear(op, OURO_GC_UNREACHABLE | OURO_GC_PINNED | OURO_GC_CONDEMNED |
                              OURO_GC_LEGACY);
    if (is_pinned) {
        Py_DECREF(op);
    }
    return true;
}

void
ouro_collector_abandon(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    struct heap *heap = &interp->heap;
    if (!gc->running.is_collecting || gc->running.thread == &ouro_current) {
        return;
    }
    ouro_heap_each(heap, leave_set, NULL);
    for (uint32_t n = 1; n < heap->touched; n++) {
        heap->pages[n].noted = 0;
        ouro_scan_merge(heap, n, OURO_CANDIDATES, gc->running.survivors);
    }
    if (gc->running.holds) {
        ouro_heap_unhold(heap);
    }
    gc->running.holds = false;
    ouro_cycle_forget_proved(interp);
    ouro_collecting_end(interp);
}
