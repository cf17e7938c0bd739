/* SPDX-License-Identifier: MIT */
/* When to collect, and which generation.
 *
 * The heap counts allocations and compares them with one number, the alarm. This file computes
 * the alarm from everything that decides whether an allocation may collect, so the usual
 * allocation costs one comparison. A collection is also due when the heap or the memory that
 * objects reported has grown by a given number of bytes; both are off unless asked for. Nothing
 * fires while the collector is disabled or the first threshold is 0. */
#include <limits.h>

#include "../base/fault.h"
#include "cycle.h"

static bool
is_automatic(const struct gc_state *gc)
{
    return gc->enabled && !gc->running.is_collecting && gc->generations[0].threshold > 0;
}

/* A full collection is due when the memory that objects report is twice what it was after the
 * last one, plus OURO_EXTERNAL_SLACK. */
static bool
external_memory_is_due(const struct gc_state *gc)
{
    return gc->growth.external_bytes >
           2 * gc->growth.external_after_full + OURO_EXTERNAL_SLACK;
}

static bool
bytes_are_due(const struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    size_t grown = interp->heap.used_pages > gc->growth.pages_after_full
                       ? (size_t)(interp->heap.used_pages - gc->growth.pages_after_full)
                       : 0;
    bool heap_is_due =
        gc->byte_trigger != 0 && grown << OURO_PAGE_SHIFT > gc->byte_trigger;
    return heap_is_due || external_memory_is_due(gc);
}

/* When an allocation collects, the structure that is being built is reachable and grows old. At
 * a safe point it is finished. After several safe points since the last collection the next one
 * is likely to come soon, so allocations wait for it a little. */
static int64_t
patience(const struct gc_state *gc)
{
    bool is_regular = gc->growth.safe_points >= OURO_SAFE_POINTS_REGULAR;
    return is_regular ? gc->generations[0].threshold / OURO_PATIENCE_SHARE : 0;
}

void
ouro_collector_set_alarm(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    struct heap *heap = &interp->heap;
    heap->page_alarm = UINT32_MAX;
    bool is_slow = ouro_heap_has_canaries(heap) ||
                   (OURO_DEBUG && (gc->stress || ouro_fault_is_armed()));
    if (is_slow) {
        heap->alarm = -1;
    } else if (!is_automatic(gc) || gc->safe_points_only) {
        heap->alarm = INT64_MAX;
    } else {
        heap->alarm = gc->generations[0].threshold + patience(gc);
        size_t trigger_pages = gc->byte_trigger >> OURO_PAGE_SHIFT;
        if (gc->byte_trigger != 0 && trigger_pages < heap->page_count) {
            heap->page_alarm = gc->growth.pages_after_full + (uint32_t)trigger_pages;
        }
        if (gc->cycle != NULL) {
            ouro_pace_set_alarm(interp);
        }
    }
}

/* --- which generation ----------------------------------------------------------------------- */

static bool
is_over_threshold(const struct gc_state *gc, int generation)
{
    return gc->generations[generation].count > gc->generations[generation].threshold;
}

/* A full collection must be worth it: at least a quarter of the old objects is new since the
 * last one. None starts while a cycle is under way. */
static bool
old_is_worth_it(const struct gc_state *gc)
{
    return gc->cycle == NULL &&
           gc->growth.long_lived_pending >= gc->growth.long_lived_total / 4;
}

/* How many young collections' objects a heap can take in without noticing. */
static int
unseen_at_most(const struct gc_state *gc)
{
    Py_ssize_t share = gc->growth.long_lived_total / OURO_UNSEEN_SHARE;
    Py_ssize_t most = share / (gc->generations[OURO_YOUNG].threshold + 1);
    return most < INT_MAX ? (int)most : INT_MAX;
}

/* In a large heap nobody notices if the garbage among so many young objects is found later. The last
 * collection of the run looks, and tells whether this is still so. */
bool
ouro_trigger_trusts(const struct gc_state *gc)
{
    return gc->growth.direct > 1 && unseen_at_most(gc) >= gc->growth.direct;
}

/* Where a middle collection finds next to nothing, all that survives one collection survives two. So
 * objects are promoted after the first for a while, and looked at once less; or not at all,
 * see above. Then a middle collection tells again whether that is still so. */
static void
learn_to_promote(const struct collection *c)
{
    struct gc_growth *growth = &c->interp->gc.growth;
    int *direct = &growth->direct;
    int unseen = unseen_at_most(&c->interp->gc);
    Py_ssize_t garbage = c->candidates - c->reachable;
    bool is_garbage_rare = garbage * OURO_DIRECT_YIELD < c->candidates;
    if (!c->trusts) {
        growth->is_garbage_scarce = garbage * OURO_SETTLED_YIELD < c->candidates;
    }
    int next = unseen > OURO_DIRECT ? unseen : OURO_DIRECT;
    int left = *direct > 1 ? *direct - 1 : next;
    *direct = is_garbage_rare ? left : 0;
}

/* In slices a middle collection also comes when what it has to look at would take longer
 * than the budget; it is mostly counted as a young one (collect.c), so that full ones come as
 * often as in one piece. The cost of an object is what it was lately: an expensive collection raises
 * the estimate at once, cheap ones lower it gradually, and bounds keep it sensible. */
static void
learn_cost(const struct collection *c)
{
    double *cost = &c->interp->gc.growth.middle_cost;
    double now = c->duration / (double)c->candidates;
    double slowly = 0.75 * *cost + 0.25 * now;
    *cost = now > slowly ? now : slowly;
    *cost = *cost < OURO_COST_MAX ? *cost : OURO_COST_MAX;
    *cost = *cost > OURO_COST_MIN ? *cost : OURO_COST_MIN;
}

void
ouro_trigger_learn(const struct collection *c)
{
    if (c->generation == OURO_MIDDLE && c->candidates >= OURO_COST_SAMPLE) {
        if (!c->trusts) {
            learn_cost(c);
        }
        learn_to_promote(c);
    }
}

static bool
middle_is_early(const struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    double objects = (double)(gc->growth.middle_pending + interp->heap.allocations);
    bool is_full = objects * gc->growth.middle_cost > gc->pause_budget;
    return gc->pause_budget > 0 && (is_full || gc->growth.direct > 0);
}

/* The oldest generation that is due; the young one always is. */
static int
choose_generation(const struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    if (is_over_threshold(gc, OURO_OLD) && old_is_worth_it(gc)) {
        return OURO_OLD;
    }
    if (is_over_threshold(gc, OURO_MIDDLE) || middle_is_early(interp)) {
        return OURO_MIDDLE;
    }
    return OURO_YOUNG;
}

/* --- doing it ------------------------------------------------------------------------------- */

/* Collect in one piece, or in slices if there is a budget and memory for it. */
static void
collect_old(struct _is *interp)
{
    if (interp->gc.pause_budget == 0 || !ouro_cycle_start(interp)) {
        ouro_collect(interp, OURO_OLD, OURO_REASON_AUTOMATIC);
    }
}

/* Generation 0 arms the automatic trigger, so older generations are checked only then. A slice
 * does not wait for that, and never runs in the same pause. */
static void
collect_if_due(struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    if (!is_automatic(gc) || ouro_current.thread->error != NULL) {
        return;
    }
    bool is_armed = interp->heap.allocations > gc->generations[0].threshold;
    int generation = is_armed ? choose_generation(interp) : -1;
    if (generation == OURO_OLD || (bytes_are_due(interp) && gc->cycle == NULL)) {
        collect_old(interp);
    } else if (generation >= 0) {
        bool is_early = generation == OURO_MIDDLE && !is_over_threshold(gc, OURO_MIDDLE);
        ouro_collect(interp, generation,
                     is_early ? OURO_REASON_EARLY : OURO_REASON_AUTOMATIC);
    } else if (gc->cycle != NULL) {
        ouro_pace_pay(interp);
    }
}

bool
ouro_collector_cycle_is_near(const struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    Py_ssize_t grown = gc->growth.long_lived_pending + gc->growth.middle_pending +
                       (Py_ssize_t)interp->heap.allocations;
    return grown > gc->growth.long_lived_total / 10;
}

/* Test builds: a full collection, or with a budget a slice, at every allocation. */
static void
collect_under_stress(struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    if (gc->cycle != NULL) {
        ouro_pace_pay(interp);
    } else {
        collect_old(interp);
    }
}

void
ouro_collector_alarm(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    if (OURO_DEBUG && gc->stress && gc->enabled && !gc->running.is_collecting &&
        ouro_current.thread->error == NULL) {
        collect_under_stress(interp);
    } else if (!gc->safe_points_only) {
        collect_if_due(interp);
    }
}

void
ouro_collector_safe_point(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    if (gc->growth.safe_points < OURO_SAFE_POINTS_REGULAR &&
        ++gc->growth.safe_points == OURO_SAFE_POINTS_REGULAR) {
        ouro_collector_set_alarm(interp);
    }
    collect_if_due(interp);
}

bool
ouro_collector_make_room(struct _is *interp)
{
    if (!interp->gc.enabled || interp->gc.running.is_collecting) {
        return false;
    }
    ouro_collect(interp, OURO_OLD, OURO_REASON_AUTOMATIC);
    return true;
}

/* --- the life of an interpreter ---------------------------------------------------------------- */

void
ouro_collector_init(struct _is *interp)
{
    static const int thresholds[OURO_GENERATION_COUNT] = {2000, 10, 10};
    struct gc_state *gc = &interp->gc;
    memset(gc, 0, sizeof *gc);
    gc->enabled = true;
    for (int g = 0; g < OURO_GENERATION_COUNT; g++) {
        gc->generations[g].threshold = thresholds[g];
    }
    if (OURO_DEBUG) {
        const char *stress = ouro_platform_getenv("OURO_STRESS");
        gc->stress = stress != NULL && strcmp(stress, "collect") == 0;
    }
    gc->growth.middle_cost = OURO_COST_MAX;
    gc->few_pages = OURO_FEW_PAGES;
    gc->slices.batch = gc->stress ? 8 : OURO_CYCLE_BATCH;
    gc->slices.rounds = OURO_CYCLE_ROUNDS;
    gc->slices.follow_trust = 1;
    gc->slices.survey_cycles = OURO_SURVEY_CYCLES;
    gc->slices.survey_rest = OURO_SURVEY_REST;
    gc->slices.short_from = gc->stress ? 8 : OURO_SHORT_FROM;
    int64_t budget = ouro_platform_getenv_size("OURO_PAUSE_BUDGET", 0);
    ouro_collector_set_budget(interp, 1e-6 * (double)budget);
    ouro_collector_set_alarm(interp);
}

void
ouro_collector_shutdown(struct _is *interp)
{
    ouro_collector_abandon(interp);
    interp->gc.pause_budget = 0; /* no cycle from here on */
    ouro_collect(interp, OURO_OLD, OURO_REASON_SHUTDOWN);
    ouro_seam.warn_of_garbage(interp);
}

void
ouro_collector_shutdown_last(struct _is *interp)
{
    ouro_collect(interp, OURO_OLD, OURO_REASON_SHUTDOWN);
}

void
ouro_collector_release(struct _is *interp)
{
    Py_CLEAR(interp->gc.garbage);
    Py_CLEAR(interp->gc.callbacks);
    ouro_collector_free_spares(interp);
    ouro_pauses_record(interp, false);
}
