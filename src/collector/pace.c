/* SPDX-License-Identifier: MIT */
/* How fast a cycle runs: as fast as the program allocates.
 *
 * A cycle starts when four fifths came of what makes a stop-the-world collection due (trigger.c),
 * and is to be done when the last fifth did, so that both need the same memory. What the program
 * may allocate meanwhile is the *room*: a quarter of what came since the last cycle. Where the
 * size of the heap rules, that is a 24th of what there was at the start, since 1.25 / 1.20 is
 * 1 + 1/24; it is never less. Room is measured in objects and in pages, and the larger share
 * counts.
 *
 * After a slice that did a share of the work left, the next one is owed when the program has
 * used the same share of the room left. So slices come evenly, whatever the estimate of the
 * work was at first, and no credit accumulates: what the program frees does not make room,
 * and donated time puts slices off by no more than the work done. Pauses of all kinds are
 * followed by a rest of some allocations, so that two of them are not one to the program. When
 * the room is used up, slices come after each rest, and when twice the room is, every allocation
 * pays.
 *
 * When the heap is 1.25 times as large as a stop-the-world collection would have let it become,
 * the cycle is finished at once: the bound on memory is stronger than that on pauses. */
#include "cycle.h"

#include <math.h>

/* Objects that were born since the start and not seen dead. */
static double
grown_objects(const struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    return (double)(gc->growth.long_lived_pending - gc->cycle->pace.start_pending) +
           (double)gc->growth.middle_pending + (double)interp->heap.allocations;
}

static double
grown_pages(const struct _is *interp)
{
    return (double)interp->heap.used_pages - (double)interp->gc.cycle->pace.start_pages;
}

static double
room_for(double start, double came, double least)
{
    double share = start / OURO_ROOM_SHARE, quarter = came / 4;
    double room = share > quarter ? share : quarter;
    return room > least ? room : least;
}

static double
room_objects(const struct cycle *cy)
{
    return room_for((double)cy->pace.start_objects, (double)cy->pace.start_pending,
                    OURO_ROOM_OBJECTS);
}

static double
room_pages(const struct cycle *cy)
{
    double came =
        (double)cy->pace.start_pages - (double)cy->c.interp->gc.growth.pages_after_full;
    return room_for((double)cy->pace.start_pages, came, OURO_ROOM_PAGES);
}

double
ouro_pace_need(const struct _is *interp)
{
    double objects = grown_objects(interp) / room_objects(interp->gc.cycle);
    double pages = grown_pages(interp) / room_pages(interp->gc.cycle);
    return objects > pages ? objects : pages;
}

/* Of so many, and some more for small heaps. */
static double
most_growth(double start, double room, double slack)
{
    return 1.25 * (start + room) - start + slack;
}

bool
ouro_pace_is_exceeded(const struct _is *interp)
{
    const struct cycle *cy = interp->gc.cycle;
    double most_objects = most_growth((double)cy->pace.start_objects, room_objects(cy),
                                      10 * OURO_ROOM_OBJECTS);
    double most_pages =
        most_growth(cy->pace.start_pages, room_pages(cy), 4 * OURO_ROOM_PAGES);
    double most_external =
        1.25 * (double)cy->pace.start_external + (double)((size_t)64 << 20);
    return grown_objects(interp) > most_objects || grown_pages(interp) > most_pages ||
           (double)interp->gc.growth.external_bytes > most_external;
}

/* --- the work that is left --------------------------------------------------------------- */

/* Nanoseconds per unit, which is an object of the cycle up to gather and a proposal after
 * it: as in the last cycle; before that, as measured. */
static const float first_costs[CYCLE_DONE] = {
    [CYCLE_COUNT] = 9, [CYCLE_MARK] = 9,     [CYCLE_GATHER] = 5,  [CYCLE_RECOUNT] = 45,
    [CYCLE_EVICT] = 5, [CYCLE_JOIN] = 0,     [CYCLE_MEASURE] = 4, [CYCLE_PLACE] = 2,
    [CYCLE_SORT] = 5,  [CYCLE_CONFIRM] = 80, [CYCLE_RELEASE] = 3,
};

static_assert(sizeof(((struct gc_slices *)0)->phase_costs) / sizeof(float) >= CYCLE_DONE,
              "the interpreter remembers a cost for every phase");

static bool
is_confirming(enum cycle_phase phase)
{
    return phase >= CYCLE_CONFIRM && phase <= CYCLE_UNPIN;
}

/* Until they are counted, as many proposals are expected as came since the last cycle. */
static double
units_of(const struct cycle *cy, int phase)
{
    if (phase <= CYCLE_GATHER) {
        return (double)cy->pace.start_objects + 1;
    }
    bool is_known = cy->phase > CYCLE_GATHER;
    return (is_known ? (double)cy->proposals : (double)cy->pace.start_pending) + 1;
}

void
ouro_pace_begin(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    cy->pace.start_pages = cy->c.heap->used_pages;
    cy->pace.start_objects = gc->growth.long_lived_total + gc->growth.long_lived_pending;
    cy->pace.start_pending = gc->growth.long_lived_pending;
    cy->pace.start_external = gc->growth.external_bytes;
    for (int phase = 0; phase < CYCLE_DONE; phase++) {
        if (gc->slices.phase_costs[phase] == 0) {
            gc->slices.phase_costs[phase] = first_costs[phase];
        }
    }
}

/* All that is done for a huge component counts as confirming. */
void
ouro_pace_learn(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    for (int phase = CYCLE_CONFIRM + 1; phase <= CYCLE_UNPIN; phase++) {
        cy->pace.phase_seconds[CYCLE_CONFIRM] += cy->pace.phase_seconds[phase];
        cy->pace.phase_seconds[phase] = 0;
    }
    for (int phase = 0; phase < CYCLE_DONE; phase++) {
        double units = units_of(cy, phase), seconds = cy->pace.phase_seconds[phase];
        if (units > OURO_UNITS_MIN && seconds > 0) {
            gc->slices.phase_costs[phase] = (float)(seconds * 1e9 / units);
        }
    }
}

static double
share_done(const struct cycle *cy)
{
    if (is_confirming(cy->phase)) {
        return ((double)cy->cursor - (double)(cy->proof.last - cy->proof.first)) /
               cy->ordered;
    }
    switch (cy->phase) {
    case CYCLE_MARK: { /* the sweep, and what it marks */
        double marked = (double)cy->marked / ((double)cy->pace.start_objects + 1);
        marked = marked < 1 ? marked : 1;
        return 0.2 * cy->cursor / cy->pages + 0.8 * marked;
    }
    case CYCLE_RECOUNT:
    case CYCLE_JOIN: /* the first pass is short */
        return cy->is_second_pass ? (double)cy->cursor / cy->pages : 0;
    case CYCLE_RELEASE:
        return (double)cy->tables.released / (cy->tables.count + 1);
    default:
        return (double)cy->cursor / cy->pages;
    }
}

/* In nanoseconds, estimated; never 0. A cycle that is done is gone. */
static double
work_left(const struct cycle *cy)
{
    const float *costs = cy->c.interp->gc.slices.phase_costs;
    int phase = is_confirming(cy->phase) ? CYCLE_CONFIRM : (int)cy->phase;
    double left = 1 + (double)costs[phase] * units_of(cy, phase) * (1 - share_done(cy));
    for (int next = phase + 1; next < CYCLE_DONE; next++) {
        left += (double)costs[next] * units_of(cy, next);
    }
    return left;
}

/* --- what is owed ------------------------------------------------------------------------ */

void
ouro_pace_rest(struct cycle *cy)
{
    cy->pace.rest_until = cy->c.heap->allocations + OURO_PAUSE_REST;
}

/* Up to where slices are put off; nowhere when twice the room is used up. */
static int64_t
end_of_rest(const struct _is *interp)
{
    return ouro_pace_need(interp) < 2 ? interp->gc.cycle->pace.rest_until : 0;
}

static bool
slice_is_owed(const struct _is *interp)
{
    return ouro_pace_need(interp) >= interp->gc.cycle->pace.next_need &&
           interp->heap.allocations >= end_of_rest(interp);
}

void
ouro_pace_set_alarm(struct _is *interp)
{
    const struct cycle *cy = interp->gc.cycle;
    struct heap *heap = &interp->heap;
    double ahead = cy->pace.next_need - ouro_pace_need(interp);
    int64_t owed = heap->allocations;
    owed += ahead > 0 ? (int64_t)(ahead * room_objects(cy)) : 0;
    owed = owed > end_of_rest(interp) ? owed : end_of_rest(interp);
    heap->alarm = owed < heap->alarm ? owed : heap->alarm;
    double pages = cy->pace.start_pages + cy->pace.next_need * room_pages(cy);
    heap->page_alarm = pages < heap->page_alarm ? (uint32_t)pages : heap->page_alarm;
}

/* The share of the work left, `before`, that a slice did in so many nanoseconds. Where it
 * got on more slowly than expected, what it took counts: the rest is then spread over all the
 * room left, and not made up for in the next slices. */
static double
share_of_slice(const struct cycle *cy, double before, double took)
{
    double done = before - work_left(cy);
    double share = (done > took ? done : took) / before;
    return share < OURO_SHARE_MAX ? share : OURO_SHARE_MAX;
}

/* The same share of the room left is the program's as was done of the work left. What it
 * took of the room at once, such as a page, is paid for by as many slices. */
static void
run_paid_slice(struct _is *interp, double deadline)
{
    struct cycle *cy = interp->gc.cycle;
    double before = work_left(cy), begun = ouro_platform_thread_clock();
    ouro_cycle_run(interp, deadline);
    if (interp->gc.cycle != NULL) {
        double took = 1e9 * (ouro_platform_thread_clock() - begun);
        cy->pace.next_need += (1 - cy->pace.next_need) * share_of_slice(cy, before, took);
        ouro_collector_set_alarm(interp);
    }
}

void
ouro_pace_pay(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    bool is_exceeded = ouro_pace_is_exceeded(interp);
    if (!is_exceeded && !gc->stress && !slice_is_owed(interp)) {
        ouro_collector_set_alarm(interp);
        return;
    }
    double deadline = ouro_platform_clock() + OURO_SLICE_SHARE * gc->pause_budget;
    gc->slices.stats.forced += is_exceeded;
    ouro_pause_begin(interp);
    if (is_exceeded) {
        OURO_TELL(cycle_forced, &interp->heap, &(Ouro_Event){.generation = OURO_OLD});
    }
    run_paid_slice(interp, is_exceeded ? HUGE_VAL : gc->stress ? 0 : deadline);
    ouro_pause_end(interp);
}

/* --- the program's side -------------------------------------------------------------------- */

double
ouro_collector_set_budget(struct _is *interp, double budget)
{
    double before = interp->gc.pause_budget;
    interp->gc.pause_budget = budget;
    interp->heap.small_faults = budget > 0;
    if (budget > 0) {
        ouro_pauses_record(interp, true);
    } else if (!interp->gc.running.is_collecting) {
        ouro_cycle_drop(interp, OURO_REASON_AUTOMATIC);
    }
    if (budget == 0) {
        ouro_collector_free_words(interp);
    }
    ouro_collector_set_alarm(interp);
    return before;
}

bool
ouro_collector_donate(struct _is *interp, double seconds)
{
    struct gc_state *gc = &interp->gc;
    double deadline = ouro_platform_clock() + seconds;
    if (gc->running.is_collecting || gc->pause_budget == 0 || !gc->enabled) {
        return false;
    }
    if (gc->cycle == NULL && ouro_collector_cycle_is_near(interp)) {
        ouro_cycle_start(interp);
    }
    if (gc->cycle != NULL && ouro_platform_clock() < deadline) {
        run_paid_slice(interp, deadline);
    }
    return gc->cycle != NULL;
}
