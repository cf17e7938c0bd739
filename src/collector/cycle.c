/* SPDX-License-Identifier: MIT */
/* READ THIS FIRST about bounded pauses: one full collection in slices, top to bottom.
 *
 *   1  start      collect the young and make all survivors old: the objects of the cycle
 *   2  propose    count and mark them in slices, while the program goes on (propose.c)
 *   3  follow     prove the set that one proposal reaches, if this worked for most proposals
 *                 of the last cycle (follow.c). The other proposals go on:
 *      refine     recount among the proposals, evict those that are held after all (refine.c).
 *                 If the last cycle had huge components, go to 5 with all proposals (watch.c)
 *   4  cut up     the proposals into components (component.c)
 *   5  confirm    prove one batch after the other, each in one piece, and destroy it with
 *                 the phases of every collection (confirm.c). For huge components these
 *                 phases are sliced, too (watch.c, farewell.c)
 *   6  release    give the tables back
 *
 * A short cycle has one step instead of 2 to 5: it follows the references of objects that changed
 * since the last cycle (doubt.c). Then it does a part of a survey, which looks for what short cycles
 * miss (survey.c).
 *
 * phases.c has the phases as a table that says which phase follows which. docs/pauses.md says why
 * this is right. pace.c decides when slices run, trigger.c decides when a cycle starts. Young
 * collections run in between and use their own counters.
 *
 * A cycle ends early for a full collection, freeze and unfreeze, the end of the mode, fork in
 * the child, shutdown, and lack of memory. Proved objects are destroyed then. The others are as if
 * nothing had happened, because a cycle leaves no mark on an object that is not proved. */
#include "cycle.h"

#include <math.h>
#include <stdlib.h>

#include "../base/fault.h"

/* --- collecting -------------------------------------------------------------------------- */

void
ouro_collecting_begin(struct _is *interp)
{
    interp->gc.running.is_collecting = true;
    interp->gc.running.thread = &ouro_current;
    if (interp->gc.cycle != NULL) {
        ouro_pace_pause(interp->gc.cycle);
    }
    ouro_collector_set_alarm(interp);
}

void
ouro_collecting_end(struct _is *interp)
{
    interp->gc.running.is_collecting = false;
    if (interp->gc.cycle != NULL) {
        ouro_pace_rest(interp->gc.cycle);
    }
    ouro_collector_set_alarm(interp);
}

/* --- start ------------------------------------------------------------------------------- */

struct collection
ouro_collection_of_old(struct _is *interp)
{
    struct collection c = ouro_collection_of(interp, OURO_OLD);
    c.scan = c.heap->sets.scan[OURO_OLD];
    c.bits = c.heap->sets.bits[OURO_OLD];
    c.words = c.heap->sets.words[OURO_OLD];
    return c;
}

/* The tables whose size is known from the start. */
static bool
make_first_tables(struct cycle *cy)
{
    size_t words = cy->slots / 64;
    cy->words = ouro_cycle_table(cy, TABLE_WORDS, cy->slots, sizeof *cy->words);
    cy->c.queue.entries =
        ouro_cycle_table(cy, TABLE_QUEUE, OURO_QUEUE_LENGTH, sizeof *cy->c.queue.entries);
    cy->proposed = ouro_cycle_table(cy, TABLE_PROPOSED, words, sizeof *cy->proposed);
    cy->rank = ouro_cycle_table(cy, TABLE_RANK, words, sizeof *cy->rank);
    cy->base = ouro_cycle_table(cy, TABLE_BASE, (size_t)cy->pages + 1, sizeof *cy->base);
    uint32_t room = cy->is_short ? ouro_doubt_room(cy) : 0;
    return cy->words != NULL && cy->c.queue.entries != NULL && cy->proposed != NULL &&
           cy->rank != NULL && cy->base != NULL &&
           (room == 0 || ouro_propose_tables(cy, room));
}

static struct cycle *
make_cycle(struct _is *interp)
{
    struct heap *heap = &interp->heap;
    struct cycle *cy = ouro_fault() ? NULL : calloc(1, sizeof *cy);
    if (cy == NULL) {
        return NULL;
    }
    cy->c = ouro_collection_of_old(interp);
    cy->pages = heap->touched;
    cy->slots = (size_t)cy->pages * OURO_PAGE_GRAINS;
    cy->cursor = 1; /* there is no page 0 */
    cy->watch.handles = OURO_NO_WATCH;
    cy->is_short = ouro_doubt_is_wanted(interp);
    cy->doubt.has_unmarked = interp->gc.slices.has_unmarked;
    cy->late_word = cy->is_short ? interp->gc.slices.late_word ^ 1 : CYCLE_LATE;
    if (!ouro_settle_begin(interp) || !make_first_tables(cy)) {
        interp->gc.slices.beliefs = NULL;
        ouro_cycle_free_tables(cy);
        free(cy);
        return NULL;
    }
    ouro_phases_begin(cy);
    return cy;
}

/* Objects that are old after this, in pages that the tables cover, are of the cycle. */
static void
promote_everything(struct cycle *cy)
{
    struct collection young = ouro_collection_of(cy->c.interp, OURO_MIDDLE);
    ouro_collection_run(&young, OURO_REASON_PART);
    cy->c.collected += young.collected;
    cy->c.uncollectable += young.uncollectable;
    cy->c.duration += young.duration;
    cy->c.interp->gc.generations[OURO_OLD].count = 0;
}

static void
tell_of_start(struct cycle *cy)
{
    cy->event.generation = OURO_OLD;
    OURO_TELL(cycle_begins, cy->c.heap, &cy->event);
}

bool
ouro_cycle_start(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    OURO_ASSERT(gc->cycle == NULL && !gc->running.is_collecting);
    struct cycle *cy = make_cycle(interp);
    if (cy == NULL) {
        gc->slices.stats.out_of_memory++;
        return false;
    }
    ouro_pause_begin(interp);
    tell_of_start(cy);
    ouro_collecting_begin(interp);
    ouro_call_gc_callbacks(&cy->c, "start");
    ouro_report_start(&cy->c);
    ouro_collecting_end(interp);
    promote_everything(cy);
    ouro_pace_begin(cy);
    gc->cycle = cy;
    gc->slices.beliefs = NULL;
    gc->slices.has_unmarked = false;
    gc->slices.late_word = cy->late_word;
    if (!cy->is_short) {
        ouro_settle_forget(interp);
    }
    gc->slices.stats.cycles++;
    ouro_collector_set_alarm(interp);
    ouro_pause_end(interp);
    return true;
}

/* --- a slice ------------------------------------------------------------------------------ */

static void
begin_slice(struct cycle *cy, double deadline)
{
    cy->slice.begun = ouro_pause_begun(cy->c.interp);
    cy->slice.deadline = deadline;
    cy->slice.work = 0;
    cy->slice.worked_in = cy->phase;
    cy->slice.work_step = cy->c.interp->gc.stress ? 1 : OURO_WORK_STEP;
    cy->slice.is_over = false;
    cy->slice.is_fresh = true;
    cy->slice.ran_handlers = false;
}

/* The objects of the cycle that survived are the old generation now. Objects that were promoted
 * meanwhile are growth since then. */
static void
count_old_objects(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    if (cy->doubt.gives_up) { /* a full collection is as due as before */
        Py_ssize_t destroyed = cy->c.collected - cy->pace.start_collected;
        Py_ssize_t *total = &gc->growth.long_lived_total;
        *total = *total > destroyed ? *total - destroyed : 0;
        gc->generations[OURO_OLD].count = gc->generations[OURO_OLD].threshold + 1;
        return;
    }
    gc->growth.long_lived_total = cy->live > cy->late ? cy->live - cy->late : 0;
    gc->growth.long_lived_pending -= cy->pace.start_pending;
    gc->growth.pages_after_full = cy->c.heap->used_pages;
    gc->growth.external_after_full = gc->growth.external_bytes;
    ouro_pace_learn(cy);
    if (!cy->is_short) {
        ouro_watch_learn(cy);
        ouro_follow_learn(cy);
    }
}

static void
note_results(struct cycle *cy)
{
    Ouro_GCCycleStats *stats = &cy->c.interp->gc.slices.stats;
    stats->most_garbage =
        cy->c.collected > stats->most_garbage ? cy->c.collected : stats->most_garbage;
}

static void
tell_of_end(struct cycle *cy)
{
    cy->event.is_dropped = cy->c.is_dropped;
    cy->event.candidates = cy->c.candidates;
    cy->event.collected = cy->c.collected;
    cy->event.uncollectable = cy->c.uncollectable;
    OURO_TELL(cycle_ends, cy->c.heap, &cy->event);
}

/* Report the end, and free the cycle. */
static void
end_cycle(struct _is *interp, enum ouro_reason reason)
{
    struct cycle *cy = interp->gc.cycle;
    note_results(cy);
    tell_of_end(cy);
    ouro_report_done(&cy->c);
    if (reason != OURO_REASON_SHUTDOWN) {
        ouro_call_gc_callbacks(&cy->c, "stop");
    }
    interp->gc.cycle = NULL;
    ouro_watch_end(cy);
    ouro_cycle_free_buffer(cy);
    ouro_cycle_free_tables(cy);
    free(cy);
}

/* One slice, with the collector marked as running. False when memory was missing. */
static bool
run_slice(struct _is *interp, double deadline)
{
    struct cycle *cy = interp->gc.cycle;
    double begun = ouro_platform_clock();
    int64_t allocations = interp->heap.allocations;
    Ouro_Event event = {.generation = OURO_OLD,
                        .first_phase = ouro_phase_name(cy->phase)};
    OURO_TELL(slice_begins, cy->c.heap, &event);
    OURO_VERIFY(ouro_cycle_verify(cy));
    begin_slice(cy, deadline);
    interp->gc.running.survivors = OURO_OLD;
    interp->gc.slices.stats.slices++;
    bool has_memory = ouro_phases_run(cy, CYCLE_DONE);
    OURO_VERIFY(!has_memory || ouro_cycle_verify(cy));
    cy->c.duration += ouro_platform_clock() - begun;
    event.collected = cy->c.collected;
    event.uncollectable = cy->c.uncollectable;
    event.last_phase = ouro_phase_name(cy->slice.worked_in);
    OURO_TELL(slice_ends, cy->c.heap, &event);
    if (interp->heap.allocations < allocations) {
        /* A slice frees old objects. So the number of young objects stays the same, and so does
         * the time of the next young collection. */
        interp->heap.allocations = allocations;
    }
    if (cy->slice.ran_handlers) {
        ouro_report_leftover_exception(OURO_REASON_AUTOMATIC);
    }
    return has_memory;
}

void
ouro_cycle_run(struct _is *interp, double deadline)
{
    struct gc_state *gc = &interp->gc;
    struct cycle *cy = gc->cycle;
    PyObject *pending = ouro_error_take();
    ouro_collecting_begin(interp);
    bool has_memory = run_slice(interp, deadline);
    if (cy->phase == CYCLE_DONE) {
        count_old_objects(cy);
        end_cycle(interp, OURO_REASON_AUTOMATIC);
        if (gc->pause_budget == 0) { /* a handler ended the mode */
            ouro_collector_free_spares(interp);
        }
    }
    ouro_collecting_end(interp);
    ouro_error_restore(pending);
    if (!has_memory) { /* collect at once: that needs none */
        gc->slices.stats.out_of_memory++;
        ouro_collect(interp, OURO_OLD, OURO_REASON_AUTOMATIC);
    } else if (gc->cycle != NULL && (cy->drops || gc->pause_budget == 0)) {
        ouro_cycle_drop(interp, OURO_REASON_AUTOMATIC);
        if (gc->pause_budget == 0) {
            ouro_collector_free_spares(interp);
        }
    }
}

enum cycle_phase
ouro_cycle_home(const struct cycle *cy)
{
    return !cy->follow.is_on ? CYCLE_CONFIRM : cy->is_short ? CYCLE_DOUBT : CYCLE_FOLLOW;
}

/* --- the end before its time --------------------------------------------------------------- */

/* Destroy what is proved, in one piece; handlers may end the mode. */
static void
finish_destroying(struct cycle *cy)
{
    while (ouro_cycle_is_destroying(cy)) {
        begin_slice(cy, HUGE_VAL);
        (void)ouro_phases_run(cy, ouro_cycle_home(cy));
    }
}

void
ouro_cycle_drop(struct _is *interp, enum ouro_reason reason)
{
    struct cycle *cy = interp->gc.cycle;
    if (cy == NULL) {
        return;
    }
    PyObject *pending = ouro_error_take();
    ouro_collecting_begin(interp);
    if (ouro_cycle_is_destroying(cy)) {
        finish_destroying(cy);
        ouro_report_leftover_exception(reason);
    }
    interp->gc.slices.stats.dropped++;
    cy->c.is_dropped = true;
    end_cycle(interp, reason);
    ouro_collecting_end(interp);
    ouro_error_restore(pending);
}

void
ouro_cycle_drop_soon(struct _is *interp)
{
    if (!interp->gc.running.is_collecting) {
        ouro_cycle_drop(interp, OURO_REASON_AUTOMATIC);
    } else if (interp->gc.cycle != NULL) {
        interp->gc.cycle->drops = interp->gc.cycle->slice.is_over = true;
    }
}

void
ouro_cycle_forget_proved(struct _is *interp)
{
    if (interp->gc.cycle != NULL) {
        ouro_farewell_end(interp->gc.cycle);
        ouro_phases_skip_to_release(interp->gc.cycle);
    }
}

/* The child has the tables, but need not finish its parent's cycle. */
void
ouro_collector_after_fork(struct _is *interp)
{
    ouro_collector_abandon(interp);
    ouro_cycle_drop_soon(interp);
}
