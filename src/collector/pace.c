/* SPDX-License-Identifier: MIT */
/* How fast a cycle runs: as fast as the program allocates.
 *
 * A stop-the-world collection comes when the old objects have grown by a quarter. A cycle
 * starts when they have grown by a fifth (trigger.c) and is to be done by a quarter, so that
 * both need the same memory. What the program may allocate meanwhile is the *room*: a 24th
 * of what there was at the start, since 1.25 / 1.20 is 1 + 1/24. At every allocation the
 * share of the room that is used is compared with the share of the work that is done, and a
 * slice runs when the work is behind. The room is measured in objects and in pages, and the
 * larger share counts.
 *
 * No credit accumulates: what the program frees does not make room, and being ahead (after
 * donated time) puts slices off by no more than the work done. When the heap has grown by
 * three tenths since the start, 1.25 times what a stop-the-world collection would have let
 * it, the cycle is finished at once: the bound on memory is stronger than that on pauses. */
#include "cycle.h"

#include <math.h>

#define ROOM_SHARE   24
#define ROOM_OBJECTS 1000 /* at least */
#define ROOM_PAGES   16
#define SLICE_SHARE  0.8 /* of the budget: steps that cannot be split come on top */

void
ouro_pace_begin(struct cycle *cy)
{
    const struct gc_state *gc = &cy->c.interp->gc;
    cy->start_pages = cy->c.heap->used_pages;
    cy->start_objects = gc->long_lived_total + gc->long_lived_pending;
    cy->start_pending = gc->long_lived_pending;
    cy->start_external = gc->external_bytes;
}

/* Objects that were born since the start and not seen dead. */
static double
grown_objects(const struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    return (double)(gc->long_lived_pending - gc->cycle->start_pending) +
           (double)gc->middle_pending + (double)interp->heap.allocations;
}

static double
grown_pages(const struct _is *interp)
{
    return (double)interp->heap.used_pages - (double)interp->gc.cycle->start_pages;
}

static double
room_objects(const struct cycle *cy)
{
    double room = (double)cy->start_objects / ROOM_SHARE;
    return room > ROOM_OBJECTS ? room : ROOM_OBJECTS;
}

static double
room_pages(const struct cycle *cy)
{
    double room = (double)cy->start_pages / ROOM_SHARE;
    return room > ROOM_PAGES ? room : ROOM_PAGES;
}

double
ouro_pace_need(const struct _is *interp)
{
    double objects = grown_objects(interp) / room_objects(interp->gc.cycle);
    double pages = grown_pages(interp) / room_pages(interp->gc.cycle);
    return objects > pages ? objects : pages;
}

bool
ouro_pace_is_exceeded(const struct _is *interp)
{
    const struct cycle *cy = interp->gc.cycle;
    double most_objects = 0.3 * (double)cy->start_objects + 10 * ROOM_OBJECTS;
    double most_pages = 0.3 * (double)cy->start_pages + 4 * ROOM_PAGES;
    double most_external = 1.25 * (double)cy->start_external + (double)((size_t)64 << 20);
    return grown_objects(interp) > most_objects || grown_pages(interp) > most_pages ||
           (double)interp->gc.external_bytes > most_external;
}

/* Where each phase begins, as measured for a heap of which a fifth is garbage. */
static const double phase_begins[] = {
    [CYCLE_COUNT] = 0,      [CYCLE_MARK] = 0.25,  [CYCLE_GATHER] = 0.60,
    [CYCLE_RECOUNT] = 0.64, [CYCLE_EVICT] = 0.69, [CYCLE_JOIN] = 0.71,
    [CYCLE_MEASURE] = 0.76, [CYCLE_PLACE] = 0.77, [CYCLE_SORT] = 0.775,
    [CYCLE_CONFIRM] = 0.79, [CYCLE_WATCH] = 0.79, [CYCLE_CONDEMN] = 0.79,
    [CYCLE_CLEAR] = 0.79,   [CYCLE_UNPIN] = 0.79, [CYCLE_RELEASE] = 0.97,
    [CYCLE_DONE] = 1,
};

static double
share_of_phase(const struct cycle *cy)
{
    switch (cy->phase) {
    case CYCLE_MARK: { /* the sweep, and what it marks */
        double marked = (double)cy->marked / ((double)cy->start_objects + 1);
        marked = marked < 1 ? marked : 1;
        return 0.2 * cy->cursor / cy->pages + 0.8 * marked;
    }
    case CYCLE_CONFIRM:
    case CYCLE_WATCH:
    case CYCLE_CONDEMN:
    case CYCLE_CLEAR:
    case CYCLE_UNPIN: {
        double left = (double)(cy->last - cy->first);
        return ((double)cy->cursor - left) / ((double)cy->ordered + 1);
    }
    case CYCLE_RELEASE:
        return (double)cy->released / (cy->table_count + 1);
    default:
        return (double)cy->cursor / cy->pages;
    }
}

double
ouro_pace_progress(const struct cycle *cy)
{
    enum cycle_phase next = cy->phase + 1;
    if (cy->phase >= CYCLE_CONFIRM && cy->phase <= CYCLE_UNPIN) {
        next = CYCLE_RELEASE;
    }
    double begin = phase_begins[cy->phase], end = phase_begins[next];
    return begin + (end - begin) * share_of_phase(cy);
}

/* --- the alarm ----------------------------------------------------------------------------- */

/* How many more allocations until a slice is owed. */
static int64_t
allocations_ahead(const struct _is *interp)
{
    double ahead = ouro_pace_progress(interp->gc.cycle) - ouro_pace_need(interp);
    return ahead > 0 ? (int64_t)(ahead * room_objects(interp->gc.cycle)) : 0;
}

void
ouro_pace_set_alarm(struct _is *interp)
{
    struct cycle *cy = interp->gc.cycle;
    struct heap *heap = &interp->heap;
    int64_t owed = heap->allocations + allocations_ahead(interp);
    heap->alarm = owed < heap->alarm ? owed : heap->alarm;
    double pages = cy->start_pages + ouro_pace_progress(cy) * room_pages(cy);
    heap->page_alarm = pages < heap->page_alarm ? (uint32_t)pages : heap->page_alarm;
}

void
ouro_pace_pay(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    if (ouro_pace_is_exceeded(interp)) {
        gc->cycle_stats.forced++;
        ouro_pause_begin(interp);
        ouro_cycle_run(interp, HUGE_VAL);
        ouro_pause_end(interp);
    } else if (gc->stress || ouro_pace_need(interp) >= ouro_pace_progress(gc->cycle)) {
        double now = ouro_platform_clock();
        ouro_pause_begin(interp);
        ouro_cycle_run(interp, gc->stress ? 0 : now + SLICE_SHARE * gc->pause_budget);
        ouro_pause_end(interp);
    } else {
        ouro_collector_set_alarm(interp);
    }
}

/* --- the program's side -------------------------------------------------------------------- */

double
ouro_collector_set_budget(struct _is *interp, double budget)
{
    double before = interp->gc.pause_budget;
    interp->gc.pause_budget = budget;
    if (budget > 0) {
        ouro_pauses_record(interp, true);
    } else if (!interp->gc.collecting) {
        ouro_cycle_drop(interp, OURO_REASON_AUTOMATIC);
    }
    ouro_collector_set_alarm(interp);
    return before;
}

bool
ouro_collector_donate(struct _is *interp, double seconds)
{
    struct gc_state *gc = &interp->gc;
    double deadline = ouro_platform_clock() + seconds;
    if (gc->collecting || gc->pause_budget == 0 || !gc->enabled) {
        return false;
    }
    if (gc->cycle == NULL && ouro_collector_cycle_is_near(interp)) {
        ouro_cycle_start(interp);
    }
    if (gc->cycle != NULL && ouro_platform_clock() < deadline) {
        ouro_cycle_run(interp, deadline);
    }
    return gc->cycle != NULL;
}
