/* SPDX-License-Identifier: MIT */
/* READ THIS FIRST: one collection, from top to bottom.
 *
 * A cycle of references keeps its members' counts above zero for ever, so counting alone
 * never frees it. A collection finds the objects whose counts are explained by each other
 * alone, and breaks their references.
 *
 *   1  gather     the candidates: tracked objects of the generations collected
 *   2  detect     which of them nothing outside refers to, directly or through others
 *   3  finalize   weak reference callbacks, then finalizers; look again who is alive
 *   4  destroy    clear the fields of what is left, and let reference counts do the rest
 *
 * docs/collection.md follows three objects through it. Each phase is a file of its own and
 * is declared in collection.h. */
#include "../platform/platform.h"
#include "collection.h"

/* Will anything look at the counts of unreachable objects before they are destroyed? */
static bool
counts_matter(const struct collection *c)
{
    return c->has_held || c->has_legacy || c->has_weakrefs || c->has_finalizers ||
           (c->interp->gc.debug & OURO_DEBUG_SAVEALL) != 0;
}

/* Find the unreachable set: every member has its UNREACHABLE bit afterwards, and every
 * candidate is in its next generation. User code: tp_traverse only. */
static void
detect(struct collection *c)
{
    if (!ouro_certify_reachable(c)) {
        ouro_count_external_references(c);
        ouro_mark_reachable(c);
    }
    if (c->has_large_count) {
        ouro_check_large_counts(c);
    }
    if (counts_matter(c)) {
        ouro_lift_pins(c);
    }
    if (c->has_held) {
        ouro_rescue_reachable(c);
        c->reachable = c->candidates - c->unreachable;
    }
    if (c->has_tuples) {
        ouro_untrack_tuples(c);
    }
}

/* Tell those who asked to be told, and find out what they did. */
static void
finalize(struct collection *c)
{
    if (c->has_legacy) {
        ouro_split_off_legacy(c);
    }
    ouro_report_collectable(c);
    if (c->has_weakrefs) {
        ouro_call_weakref_callbacks(c);
    }
    if (c->has_finalizers) {
        ouro_call_finalizers(c);
    }
    if (c->ran_user_code) {
        ouro_rescue_reachable(c);
    }
    if (c->has_weakrefs || c->ran_user_code) {
        ouro_clear_weakrefs(c);
    }
}

static void
count_generations(struct collection *c)
{
    struct gc_state *gc = &c->interp->gc;
    if (c->generation < OURO_OLD) {
        gc->generations[c->generation + 1].count++;
    }
    for (int g = 0; g <= c->generation; g++) {
        gc->generations[g].count = 0;
    }
    c->heap->allocations = 0;
}

static void
count_survivors(struct collection *c)
{
    struct gc_state *gc = &c->interp->gc;
    if (c->generation == OURO_MIDDLE) {
        gc->long_lived_pending += c->reachable;
    } else if (c->generation == OURO_OLD) {
        gc->long_lived_pending = 0;
        gc->long_lived_total = c->reachable;
    }
}

/* An exception that user code left behind belongs to nobody. */
static void
report_leftover_exception(enum ouro_reason reason)
{
    if (ouro_current.thread->error == NULL) {
        return;
    }
    if (reason == OURO_REASON_SHUTDOWN) {
        PyErr_Clear();
    } else {
        PyErr_FormatUnraisable("Exception ignored in garbage collection");
    }
}

/* There are candidates: look at them. */
static void
collect_candidates(struct collection *c)
{
    c->started = ouro_platform_clock();
    detect(c);
    if (c->unreachable != 0) {
        finalize(c);
        ouro_destroy_unreachable(c);
        ouro_keep_legacy(c);
    }
    ouro_release_candidates(c);
}

static void
run(struct collection *c, enum ouro_reason reason)
{
    bool calls_back = reason != OURO_REASON_SHUTDOWN;
    if (calls_back) {
        ouro_call_gc_callbacks(c, "start");
    }
    ouro_report_start(c);
    count_generations(c);
    OURO_VERIFY(ouro_heap_verify(c->heap));
    ouro_heap_hold(c->heap);
    c->interp->gc.holds = true;
    if (ouro_gather_candidates(c)) {
        collect_candidates(c);
    }
    c->interp->gc.holds = false;
    ouro_heap_unhold(c->heap);
    OURO_VERIFY(ouro_heap_verify(c->heap));
    count_survivors(c);
    if (c->generation == OURO_OLD &&
        (c->candidates != 0 || c->heap->resident_unused != 0)) {
        ouro_heap_trim(c->heap);
    }
    report_leftover_exception(reason);
    ouro_report_done(c);
    if (calls_back) {
        ouro_call_gc_callbacks(c, "stop");
    }
}

Py_ssize_t
ouro_collect(struct _is *interp, int generation, enum ouro_reason reason)
{
    struct gc_state *gc = &interp->gc;
    if (gc->collecting) {
        return 0;
    }
    struct collection c = {
        .interp = interp,
        .heap = &interp->heap,
        .base = interp->heap.base,
        .size = interp->heap.size,
        .scan = interp->heap.scan[OURO_CANDIDATES],
        .bits = interp->heap.bits[OURO_CANDIDATES],
        .words = interp->heap.words[OURO_CANDIDATES],
        .counters = interp->heap.counters,
        .keys = interp->heap.keys,
        .queue = interp->heap.queue,
        .generation = generation,
    };
    PyObject *pending = PyErr_GetRaisedException();
    gc->collecting = true;
    gc->collects = &ouro_current;
    gc->survivors = ouro_next_generation(&c);
    ouro_collector_set_alarm(interp);
    run(&c, reason);
    gc->collecting = false;
    gc->pages_after_full =
        generation == OURO_OLD ? c.heap->used_pages : gc->pages_after_full;
    gc->external_after_full =
        generation == OURO_OLD ? gc->external_bytes : gc->external_after_full;
    ouro_collector_set_alarm(interp);
    PyErr_SetRaisedException(pending);
    return c.collected + c.uncollectable;
}
