/* SPDX-License-Identifier: MIT */
/* READ THIS FIRST: one collection, from top to bottom.
 *
 * A cycle of references keeps its members' counts above zero for ever, so counting alone never
 * frees it. A collection finds the objects whose counts are explained by each other alone, and
 * breaks their references.
 *
 *   1  gather     the candidates: tracked objects of the generations collected
 *   2  detect     which of them nothing outside refers to, directly or through others
 *   3  finalize   weak reference callbacks, then finalizers; find out what they rescued
 *   4  destroy    clear the fields of what is left, and let reference counts do the rest
 *
 * docs/collection.md follows three objects through it. Each phase is a file of its own and is
 * declared in collection.h. */
#include "../platform/platform.h"
#include "cycle.h"

/* Will anything look at the counts of unreachable objects before they are destroyed? */
static bool
counts_matter(const struct collection *c)
{
    return c->set.has_held || c->kinds.has_legacy || c->kinds.has_weakrefs ||
           c->kinds.has_finalizers || (c->interp->gc.debug & OURO_DEBUG_SAVEALL) != 0;
}

/* Replace residues by exact counts where a count is large, or where later code reads counts. */
static void
settle_counts(struct collection *c)
{
    if (c->set.has_large_count) {
        ouro_check_large_counts(c);
    }
    if (counts_matter(c)) {
        ouro_lift_pins(c);
    }
    if (c->set.has_held) {
        ouro_rescue_reachable(c);
        c->reachable = c->candidates - c->unreachable;
    }
}

/* Run the callbacks and finalizers of the set, then find out which objects they rescued. */
static void
finalize(struct collection *c)
{
    if (c->kinds.has_legacy) {
        ouro_split_off_legacy(c);
    }
    ouro_report_collectable(c);
    if (c->kinds.has_weakrefs) {
        ouro_call_weakref_callbacks(c);
    }
    if (c->kinds.has_finalizers) {
        ouro_call_finalizers(c);
    }
    if (c->set.ran_user_code) {
        ouro_rescue_reachable(c);
    }
    if (c->kinds.has_weakrefs || c->set.ran_user_code) {
        ouro_clear_weakrefs(c);
    }
}

void
ouro_finalize_and_destroy(struct collection *c)
{
    finalize(c);
    ouro_destroy_unreachable(c);
    ouro_keep_legacy(c);
}

/* An early middle collection counts as the young collection it replaces; but see count_early(). */
static void
count_generations(struct collection *c, enum ouro_reason reason)
{
    struct gc_state *gc = &c->interp->gc;
    int counted = reason == OURO_REASON_EARLY ? OURO_YOUNG : c->generation;
    if (counted < OURO_OLD) {
        gc->generations[counted + 1].count++;
    }
    for (int g = 0; g <= counted; g++) {
        gc->generations[g].count = 0;
    }
    c->heap->allocations = 0;
    gc->growth.safe_points = 0;
}

/* When most candidates are garbage, the survivors are mostly new objects, about the same number
 * each time, and soon garbage themselves. A collection of any size then promotes about as many
 * objects. So an early collection brings the next full one as much closer as any other does. */
static void
count_early(const struct collection *c)
{
    struct generation *generations = c->interp->gc.generations;
    if (2 * c->reachable < c->candidates) {
        generations[OURO_MIDDLE].count = 0;
        generations[OURO_OLD].count++;
    }
}

static void
count_survivors(struct collection *c)
{
    struct gc_state *gc = &c->interp->gc;
    if (c->generation == OURO_YOUNG) {
        gc->growth.middle_pending += c->reachable;
        return;
    }
    gc->growth.middle_pending = 0;
    if (c->generation == OURO_MIDDLE) {
        gc->growth.long_lived_pending += c->reachable;
    } else {
        gc->growth.long_lived_pending = 0;
        gc->growth.long_lived_total = c->reachable;
        gc->slices.follows_cycle = false;
        gc->slices.alive = 0;
    }
}

void
ouro_report_leftover_exception(enum ouro_reason reason)
{
    if (ouro_current.thread->error == NULL) {
        return;
    }
    if (reason == OURO_REASON_SHUTDOWN) {
        ouro_error_restore(NULL);
    } else {
        ouro_seam.report_error("Exception ignored in garbage collection");
    }
}

/* There are candidates: look at them. */
static void
collect_candidates(struct collection *c)
{
    double started = ouro_platform_clock();
    if (c->generation == OURO_MIDDLE && !c->trusts) {
        ouro_settle_candidates(c);
    }
    ouro_detector_for(c)->detect(c);
    bool is_done = c->set.plain != 0 && ouro_plain_destroy(c);
    if (!is_done) {
        settle_counts(c);
    }
    if (c->has_tuples) {
        ouro_untrack_tuples(c);
    }
    if (c->unreachable != 0 && !is_done) {
        ouro_finalize_and_destroy(c);
    }
    ouro_release_candidates(c);
    c->duration = ouro_platform_clock() - started;
    ouro_trigger_learn(c);
}

/* Collect, and call the callbacks before and after. A part of a cycle calls none: the cycle
 * reports itself once. */
static void
collect_and_tell(struct collection *c, enum ouro_reason reason)
{
    bool calls_back = reason != OURO_REASON_SHUTDOWN && reason != OURO_REASON_PART;
    if (calls_back) {
        ouro_call_gc_callbacks(c, "start");
    }
    if (reason != OURO_REASON_PART) {
        ouro_report_start(c);
    }
    count_generations(c, reason);
    ouro_event_collection_begins(c->interp, c->generation);
    if (c->generation == OURO_OLD) {
        ouro_heap_expect(c->heap, reason != OURO_REASON_AUTOMATIC);
    }
    OURO_VERIFY(ouro_heap_verify(c->heap));
    ouro_heap_hold(c->heap);
    c->interp->gc.running.holds = true;
    if (ouro_gather_candidates(c)) {
        collect_candidates(c);
    }
    c->interp->gc.running.holds = false;
    ouro_heap_unhold(c->heap);
    OURO_VERIFY(ouro_heap_verify(c->heap));
    ouro_event_collection_ends(c->interp);
    count_survivors(c);
    if (reason == OURO_REASON_EARLY) {
        count_early(c);
    }
    if (c->generation == OURO_OLD &&
        (c->candidates != 0 || c->heap->trim.resident_unused != 0)) {
        ouro_heap_trim(c->heap, UINT32_MAX);
    }
    ouro_report_leftover_exception(reason);
    if (reason != OURO_REASON_PART) {
        ouro_report_done(c);
    }
    if (calls_back) {
        ouro_call_gc_callbacks(c, "stop");
    }
}

struct collection
ouro_collection_of(struct _is *interp, int generation)
{
    struct heap *heap = &interp->heap;
    return (struct collection){
        .interp = interp,
        .heap = heap,
        .base = heap->base,
        .size = heap->size,
        .counters = heap->slots.bytes,
        .keys = heap->slots.words,
        .queue.entries = heap->slots.queue,
        .generation = generation,
    };
}

void
ouro_collection_run(struct collection *c, enum ouro_reason reason)
{
    struct gc_state *gc = &c->interp->gc;
    PyObject *pending = ouro_error_take();
    bool is_full = c->generation == OURO_OLD;
    gc->running.survivors = ouro_next_generation(c);
    ouro_collecting_begin(c->interp);
    collect_and_tell(c, reason);
    gc->growth.pages_after_full =
        is_full ? c->heap->used_pages : gc->growth.pages_after_full;
    gc->growth.external_after_full =
        is_full ? gc->growth.external_bytes : gc->growth.external_after_full;
    ouro_collecting_end(c->interp);
    ouro_error_restore(pending);
}

Py_ssize_t
ouro_collect(struct _is *interp, int generation, enum ouro_reason reason)
{
    if (interp->gc.running.is_collecting) {
        return 0;
    }
    struct collection c = ouro_collection_of(interp, generation);
    c.trusts = reason == OURO_REASON_EARLY && ouro_trigger_trusts(&interp->gc);
    Ouro_Event event = {.generation = generation};
    ouro_pause_begin(interp);
    OURO_TELL(collection_begins, c.heap, &event);
    if (generation == OURO_OLD) {
        ouro_cycle_drop(interp, reason);
    }
    ouro_collection_run(&c, reason);
    if (generation == OURO_OLD && reason != OURO_REASON_SHUTDOWN) {
        ouro_believe_survivors(interp);
    }
    event.candidates = c.candidates;
    event.collected = c.collected;
    event.uncollectable = c.uncollectable;
    OURO_TELL(collection_ends, c.heap, &event);
    ouro_pause_end(interp);
    return c.collected + c.uncollectable;
}
