/* SPDX-License-Identifier: MIT */
/* READ THIS FIRST about bounded pauses: one full collection in slices, top to bottom.
 *
 *   1  start      collect the young and make all survivors old: the objects of the cycle
 *   2  propose    count and mark them in slices, while the program goes on (propose.c)
 *   3  refine     recount among the proposals, evict what is held after all (refine.c); or,
 *                 where the last cycle's were huge, go to 5 with all of them (watch.c)
 *   4  cut up     into components (component.c)
 *   5  confirm    prove one batch after the other, each in one piece, and destroy it with
 *                 the phases of every collection (confirm.c)
 *   6  release    give the tables back
 *
 * docs/pauses.md has the argument. pace.c decides when slices run, trigger.c when a cycle
 * starts. Young collections run in between and keep to their own counters.
 *
 * What ends a cycle early: a full collection, freeze and unfreeze, the end of the mode, fork
 * in the child, shutdown, and lack of memory. What is proved is destroyed then, and the rest
 * is as if nothing had happened: a cycle leaves no mark on an object that is not proved. */
#include "cycle.h"

#include <math.h>
#include <stdlib.h>

#include "../base/fault.h"

/* --- collecting -------------------------------------------------------------------------- */

void
ouro_collecting_begin(struct _is *interp)
{
    interp->gc.collecting = true;
    interp->gc.collects = &ouro_current;
    ouro_collector_set_alarm(interp);
}

void
ouro_collecting_end(struct _is *interp)
{
    interp->gc.collecting = false;
    if (interp->gc.cycle != NULL) {
        ouro_pace_rest(interp->gc.cycle);
    }
    ouro_collector_set_alarm(interp);
}

/* --- start ------------------------------------------------------------------------------- */

/* The tables whose size is known from the start. */
static bool
make_first_tables(struct cycle *cy)
{
    size_t words = cy->slots / 64;
    cy->words = ouro_cycle_words(cy);
    cy->c.queue = ouro_cycle_table(cy, OURO_QUEUE_LENGTH, sizeof *cy->c.queue);
    cy->proposed = ouro_cycle_table(cy, words, sizeof *cy->proposed);
    cy->rank = ouro_cycle_table(cy, words, sizeof *cy->rank);
    cy->base = ouro_cycle_table(cy, (size_t)cy->pages + 1, sizeof *cy->base);
    return cy->words != NULL && cy->c.queue != NULL && cy->proposed != NULL &&
           cy->rank != NULL && cy->base != NULL;
}

static struct cycle *
make_cycle(struct _is *interp)
{
    struct heap *heap = &interp->heap;
    struct cycle *cy = ouro_fault() ? NULL : calloc(1, sizeof *cy);
    if (cy == NULL) {
        return NULL;
    }
    cy->c = ouro_collection_of(interp, OURO_OLD);
    cy->c.scan = heap->scan[OURO_OLD];
    cy->c.bits = heap->bits[OURO_OLD];
    cy->c.words = heap->words[OURO_OLD];
    cy->pages = heap->touched;
    cy->slots = (size_t)cy->pages * OURO_PAGE_GRAINS;
    cy->cursor = 1;
    cy->watch.handles = OURO_NO_WATCH;
    if (!make_first_tables(cy)) {
        ouro_cycle_free_tables(cy);
        free(cy);
        return NULL;
    }
    return cy;
}

/* Whoever is old after this, in pages that the tables cover, is of the cycle. */
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

bool
ouro_cycle_start(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    OURO_ASSERT(gc->cycle == NULL && !gc->collecting);
    struct cycle *cy = make_cycle(interp);
    if (cy == NULL) {
        gc->cycle_stats.out_of_memory++;
        return false;
    }
    ouro_pause_begin(interp);
    ouro_collecting_begin(interp);
    ouro_call_gc_callbacks(&cy->c, "start");
    ouro_report_start(&cy->c);
    ouro_collecting_end(interp);
    promote_everything(cy);
    ouro_pace_begin(cy);
    gc->cycle = cy;
    gc->cycle_stats.cycles++;
    ouro_collector_set_alarm(interp);
    ouro_pause_end(interp);
    return true;
}

OURO_BODY
late_body(struct collection *c, PyObject *op, const struct page *page)
{
    const struct cycle *cy = c->interp->gc.cycle;
    (void)page;
    size_t slot = ouro_cycle_slot(cy, op);
    if (slot < cy->slots && ouro_is_candidate(c, op)) {
        cy->words[slot] = CYCLE_LIVE;
    }
}

void
ouro_cycle_note_late(struct collection *c)
{
    if (c->interp->gc.cycle->phase < CYCLE_RELEASE) { /* else nobody asks any more */
        ouro_each_slot(c, late_body);
    }
}

/* --- from phase to phase ----------------------------------------------------------------- */

/* Per proposal, as many as there are. */
static bool
make_proposal_tables(struct cycle *cy)
{
    cy->exact = ouro_cycle_table(cy, cy->proposals, sizeof *cy->exact);
    cy->parent = ouro_cycle_table(cy, cy->proposals, sizeof *cy->parent);
    cy->order = ouro_cycle_table(cy, cy->proposals, sizeof *cy->order);
    return cy->exact != NULL && cy->parent != NULL && cy->order != NULL;
}

static enum cycle_phase
first_of_cutting_up(const struct cycle *cy)
{
    return cy->c.interp->gc.cycle_rounds != 0 ? CYCLE_RECOUNT : CYCLE_JOIN;
}

void
ouro_cycle_cut_up(struct cycle *cy)
{
    cy->phase = first_of_cutting_up(cy);
    cy->cursor = cy->ordered = 0;
}

/* The phase is done: which is next? False when there is no memory for it. */
static bool
enter_next_phase(struct cycle *cy)
{
    enum cycle_phase next = cy->phase + 1;
    bool has_memory = true;
    switch (cy->phase) {
    case CYCLE_COUNT:
        cy->cursor = 1;
        break;
    case CYCLE_GATHER:
        next = cy->proposals == 0          ? CYCLE_RELEASE
               : ouro_watch_is_for_all(cy) ? CYCLE_LIST
                                           : first_of_cutting_up(cy);
        has_memory = make_proposal_tables(cy);
        cy->cursor = 0;
        break;
    case CYCLE_EVICT:
        next = cy->evicted != 0 ? CYCLE_JOIN : CYCLE_MEASURE;
        cy->cursor = 0;
        break;
    case CYCLE_SORT:
        cy->proof = cy->proposals; /* larger than every position */
        cy->cursor = 0;
        break;
    case CYCLE_CONFIRM:
        next = CYCLE_RELEASE;
        break;
    case CYCLE_WATCH:
    case CYCLE_TALLY:
    case CYCLE_CONDEMN:
        cy->at = cy->first;
        break;
    case CYCLE_CLEAR:
        break;
    case CYCLE_UNPIN:
        next = CYCLE_CONFIRM;
        break;
    default:
        cy->cursor = 0;
    }
    if (next == CYCLE_RELEASE) {
        ouro_heap_expect(cy->c.heap, false);
    }
    cy->phase = next;
    return has_memory;
}

static bool
run_phase(struct cycle *cy)
{
    static bool (*const steps[])(struct cycle *) = {
        [CYCLE_COUNT] = ouro_cycle_count,     [CYCLE_MARK] = ouro_cycle_mark,
        [CYCLE_GATHER] = ouro_cycle_gather,   [CYCLE_LIST] = ouro_cycle_list,
        [CYCLE_RECOUNT] = ouro_cycle_recount, [CYCLE_EVICT] = ouro_cycle_evict,
        [CYCLE_JOIN] = ouro_cycle_join,       [CYCLE_MEASURE] = ouro_cycle_measure,
        [CYCLE_PLACE] = ouro_cycle_place,     [CYCLE_SORT] = ouro_cycle_sort,
        [CYCLE_CONFIRM] = ouro_cycle_confirm, [CYCLE_WATCH] = ouro_cycle_watch,
        [CYCLE_TALLY] = ouro_cycle_tally,     [CYCLE_REVIEW] = ouro_cycle_review,
        [CYCLE_CONDEMN] = ouro_cycle_condemn, [CYCLE_CLEAR] = ouro_cycle_clear,
        [CYCLE_UNPIN] = ouro_cycle_unpin,     [CYCLE_RELEASE] = ouro_cycle_release,
    };
    return steps[cy->phase](cy);
}

/* Run until the slice is over or the phase is `end`; false when memory was missing. */
static bool
run_phases(struct cycle *cy, enum cycle_phase end)
{
    double begun = ouro_platform_thread_clock();
    while (cy->phase != end && !cy->is_over) {
        enum cycle_phase phase = cy->phase;
        bool is_done = run_phase(cy);
        double now = ouro_platform_thread_clock();
        cy->phase_seconds[phase] += now - begun;
        begun = now;
        if (is_done && !enter_next_phase(cy)) {
            return false;
        }
    }
    return true;
}

/* --- a slice ------------------------------------------------------------------------------ */

#define WORK_STEP 256 /* objects between two looks at the clock */

static void
begin_slice(struct cycle *cy, double deadline)
{
    cy->deadline = deadline;
    cy->work = 0;
    cy->work_step = cy->c.interp->gc.stress ? 1 : WORK_STEP;
    cy->is_over = false;
    cy->ran_handlers = false;
}

/* The objects of the cycle that lived through it are the old generation now, and what was
 * promoted meanwhile is what came since. */
static void
count_old_objects(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    Py_ssize_t late = gc->long_lived_pending - cy->start_pending;
    gc->long_lived_total = cy->live > late ? cy->live - late : 0;
    gc->long_lived_pending = late;
    gc->pages_after_full = cy->c.heap->used_pages;
    gc->external_after_full = gc->external_bytes;
    ouro_pace_learn(cy);
    ouro_watch_learn(cy);
}

static void
note_results(struct cycle *cy)
{
    struct cycle_stats *stats = &cy->c.interp->gc.cycle_stats;
    stats->most_garbage =
        cy->c.collected > stats->most_garbage ? cy->c.collected : stats->most_garbage;
}

/* Tell of the end, and free the cycle. */
static void
end_cycle(struct _is *interp, enum ouro_reason reason)
{
    struct cycle *cy = interp->gc.cycle;
    note_results(cy);
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
    OURO_VERIFY(ouro_cycle_verify(cy));
    begin_slice(cy, deadline);
    interp->gc.survivors = OURO_OLD;
    interp->gc.cycle_stats.slices++;
    bool has_memory = run_phases(cy, CYCLE_DONE);
    OURO_VERIFY(!has_memory || ouro_cycle_verify(cy));
    cy->c.duration += ouro_platform_clock() - begun;
    if (interp->heap.allocations < allocations) {
        /* What a slice frees is old: the young are as many as before, and due as soon. */
        interp->heap.allocations = allocations;
    }
    if (cy->ran_handlers) {
        ouro_report_leftover_exception(OURO_REASON_AUTOMATIC);
    }
    return has_memory;
}

void
ouro_cycle_run(struct _is *interp, double deadline)
{
    struct gc_state *gc = &interp->gc;
    struct cycle *cy = gc->cycle;
    PyObject *pending = PyErr_GetRaisedException();
    ouro_collecting_begin(interp);
    bool has_memory = run_slice(interp, deadline);
    if (cy->phase == CYCLE_DONE) {
        count_old_objects(cy);
        end_cycle(interp, OURO_REASON_AUTOMATIC);
    }
    ouro_collecting_end(interp);
    PyErr_SetRaisedException(pending);
    if (!has_memory) { /* collect at once: that needs none */
        gc->cycle_stats.out_of_memory++;
        ouro_collect(interp, OURO_OLD, OURO_REASON_AUTOMATIC);
    } else if (gc->cycle != NULL && (cy->drops || gc->pause_budget == 0)) {
        ouro_cycle_drop(interp, OURO_REASON_AUTOMATIC);
    }
}

/* --- the end before its time --------------------------------------------------------------- */

/* What is proved is destroyed, in one piece. */
static void
finish_destroying(struct cycle *cy)
{
    begin_slice(cy, HUGE_VAL);
    (void)run_phases(cy, CYCLE_CONFIRM);
}

void
ouro_cycle_drop(struct _is *interp, enum ouro_reason reason)
{
    struct cycle *cy = interp->gc.cycle;
    if (cy == NULL) {
        return;
    }
    PyObject *pending = PyErr_GetRaisedException();
    ouro_collecting_begin(interp);
    if (ouro_cycle_is_destroying(cy)) {
        finish_destroying(cy);
        ouro_report_leftover_exception(reason);
    }
    interp->gc.cycle_stats.dropped++;
    cy->c.is_dropped = true;
    end_cycle(interp, reason);
    ouro_collecting_end(interp);
    PyErr_SetRaisedException(pending);
}

void
ouro_cycle_drop_soon(struct _is *interp)
{
    if (!interp->gc.collecting) {
        ouro_cycle_drop(interp, OURO_REASON_AUTOMATIC);
    } else if (interp->gc.cycle != NULL) {
        interp->gc.cycle->drops = interp->gc.cycle->is_over = true;
    }
}

void
ouro_cycle_forget_proved(struct _is *interp)
{
    if (interp->gc.cycle != NULL) {
        interp->gc.cycle->phase = CYCLE_RELEASE;
    }
}

void
ouro_collector_hide_garbage(struct _is *interp)
{
    struct cycle *cy = interp->gc.cycle;
    if (cy != NULL && cy->phase == CYCLE_CONDEMN) {
        begin_slice(cy, HUGE_VAL);
        (void)run_phases(cy, CYCLE_CLEAR);
    }
}

/* The child has the tables, but need not finish what its parent finishes. */
void
ouro_collector_after_fork(struct _is *interp)
{
    ouro_collector_abandon(interp);
    ouro_cycle_drop_soon(interp);
}
