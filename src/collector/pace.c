/* SPDX-License-Identifier: MIT */
/* How fast a cycle runs: as fast as the program allocates.
 *
 * A cycle starts when a stop-the-world collection would come (trigger.c). What the program may
 * allocate meanwhile is the *room*; slices need that much more memory. The room is a quarter of
 * the growth since the last cycle, but at least a 24th of the heap at the start. Room is
 * measured in objects and in pages, and the larger share counts.
 *
 * After a slice that did a share of the work left, the next one is owed when the program has
 * used the same share of the room left. So slices come evenly, whatever the first estimate of
 * the work was. No credit accumulates: freeing objects does not make room, and donated time
 * delays slices by no more than the work done.
 *
 * A slice is followed by a *rest*: three times as long as the slice was, if there is memory for
 * that. After other pauses the program may make some allocations, so that two pauses do not
 * become one. A program that does little but allocate would use up the memory that the mode
 * allows before the cycle is done. Its rests are shorter: with the same ratio of its time to
 * that of slices from the start to the end, both are done in time. When the room is used up,
 * slices come after each rest.
 *
 * When the heap is 1.25 times as large as a stop-the-world collection would have let it become,
 * the cycle is finished in one piece: the bound on memory takes precedence over that on pauses. */
#include "cycle.h"

#include <math.h>

/* Objects that were born since the start and are not known to be dead. */
static double
grown_objects(const struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    return (double)(gc->growth.long_lived_pending - gc->cycle->pace.start_pending) +
           (double)gc->growth.middle_pending + (double)interp->heap.allocations;
}

/* Objects that the cycle destroyed made room for others. */
static double
net_objects(const struct _is *interp)
{
    const struct cycle *cy = interp->gc.cycle;
    return grown_objects(interp) - (double)(cy->c.collected - cy->pace.start_collected);
}

static double
grown_pages(const struct _is *interp)
{
    return (double)interp->heap.used_pages - (double)interp->gc.cycle->pace.start_pages;
}

static double
room_for(double start, double grown, double least)
{
    double share = start / OURO_ROOM_SHARE, quarter = grown / 4;
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
    double grown =
        (double)cy->pace.start_pages - (double)cy->c.interp->gc.growth.pages_after_full;
    return room_for((double)cy->pace.start_pages, grown, OURO_ROOM_PAGES);
}

double
ouro_pace_need(const struct _is *interp)
{
    double objects = grown_objects(interp) / room_objects(interp->gc.cycle);
    double pages = grown_pages(interp) / room_pages(interp->gc.cycle);
    return objects > pages ? objects : pages;
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

static double
smaller(double a, double b)
{
    return a < b ? a : b;
}

/* A moving average, which a single odd value changes little. */
static double
average(double before, double seen)
{
    double most = 2 * before;
    seen = before > 0 && seen > most ? most : seen;
    return before > 0 ? 0.75 * before + 0.25 * seen : seen;
}

/* How much the heap may grow before the cycle is forced to finish. A cycle may start late because
 * the one before took long. What the program allocated in that time does not count as needed. */
static double
most_growth(const struct cycle *cy, double start, double room, double slack)
{
    double whole = cy->pace.in_time * start + room;
    return larger(1.25 * whole - start, room) + slack;
}

static double
most_objects(const struct cycle *cy)
{
    return most_growth(cy, (double)cy->pace.start_objects, room_objects(cy),
                       10 * OURO_ROOM_OBJECTS);
}

static double
most_pages(const struct cycle *cy)
{
    return most_growth(cy, cy->pace.start_pages, room_pages(cy), 4 * OURO_ROOM_PAGES);
}

bool
ouro_pace_is_exceeded(const struct _is *interp)
{
    const struct cycle *cy = interp->gc.cycle;
    double most_external =
        1.25 * (double)cy->pace.start_external + (double)((size_t)64 << 20);
    return net_objects(interp) > most_objects(cy) ||
           grown_pages(interp) > most_pages(cy) ||
           (double)interp->gc.growth.external_bytes > most_external;
}

/* How many objects the program may still allocate before the heap is as large as planned. */
static double
objects_left(const struct _is *interp)
{
    const struct cycle *cy = interp->gc.cycle;
    double objects = OURO_MEMORY_SHARE * most_objects(cy) - net_objects(interp);
    double pages = OURO_MEMORY_SHARE * most_pages(cy) - grown_pages(interp);
    double in_page = (double)cy->pace.start_objects / (cy->pace.start_pages + 1);
    return larger(smaller(objects, pages * in_page), 0);
}

/* --- the work that is left --------------------------------------------------------------- */

/* Nanoseconds per unit of work. A unit is an object of the cycle up to gather, and a proposal after
 * it. These are measured values for the first cycle; later cycles use the costs of the last one. */
static const float first_costs[CYCLE_DONE] = {
    [CYCLE_COUNT] = 9,   [CYCLE_MARK] = 9,    [CYCLE_GATHER] = 5, [CYCLE_RECOUNT] = 45,
    [CYCLE_DOUBT] = 20,  [CYCLE_FOLLOW] = 70, [CYCLE_EVICT] = 5,  [CYCLE_JOIN] = 0,
    [CYCLE_MEASURE] = 4, [CYCLE_PLACE] = 2,   [CYCLE_SORT] = 5,   [CYCLE_CONFIRM] = 80,
    [CYCLE_SURVEY] = 4,  [CYCLE_RELEASE] = 3,
};

static_assert(sizeof(((struct gc_slices *)0)->phase_costs) / sizeof(float) >= CYCLE_DONE,
              "the interpreter remembers a cost for every phase");

/* All work for a huge component counts for the phase that found it. */
static enum cycle_phase
paced_phase(const struct cycle *cy, enum cycle_phase phase)
{
    bool confirms = phase >= CYCLE_CONFIRM && phase <= CYCLE_UNPIN;
    return confirms ? ouro_cycle_home(cy) : phase;
}

static double
destroyed(const struct cycle *cy)
{
    return (double)(cy->c.collected - cy->pace.start_collected);
}

/* How much of the old objects a short cycle has looked at. */
static double
share_looked_at(const struct cycle *cy)
{
    return cy->phase < CYCLE_KEEP ? (double)cy->cursor / cy->pages : 1;
}

/* A short cycle does not know how much garbage there is. At first it expects as much of the growth as
 * the last cycle found. Then it goes more and more by what it found so far. A structure that lies in
 * two places is found in the first of them: a share of 1 - left * left was found. */
static double
expected_of_short(const struct cycle *cy)
{
    double before = smaller(cy->c.interp->gc.slices.yield, 1);
    double left = 1 - share_looked_at(cy);
    double expected = left * before * (double)cy->pace.start_pending +
                      destroyed(cy) / (1 + left); /* (1 - left) / (1 - left * left) */
    return larger(expected, destroyed(cy));
}

/* Until they are counted, the expected number of proposals is the growth since the last cycle: so much
 * was dropped meanwhile. After a collection in one piece there are more, as this cycle also finds
 * what is dropped while it counts and marks. */
static double
proposals_of(const struct cycle *cy)
{
    if (cy->is_short) {
        return larger((double)cy->pace.start_pending, expected_of_short(cy));
    }
    if (cy->phase > CYCLE_GATHER) {
        return (double)cy->proposals;
    }
    bool is_first = !cy->c.interp->gc.slices.follows_cycle;
    double dropped = is_first ? (double)cy->pace.start_objects / OURO_DROPPED_SHARE : 0;
    return smaller((double)cy->pace.start_pending + dropped,
                   (double)cy->pace.start_objects);
}

/* Proposals that the cycle has not destroyed so far. */
static double
garbage_left(const struct cycle *cy)
{
    double expected = cy->is_short ? expected_of_short(cy) : proposals_of(cy);
    return larger(expected - destroyed(cy), 0);
}

/* What following references does not prove is cut up. */
static double
cut_up_of(const struct cycle *cy)
{
    bool is_over = paced_phase(cy, cy->phase) > CYCLE_FOLLOW;
    return is_over ? garbage_left(cy) : (double)cy->follow.left;
}

/* Proposals are followed, unless one proof for all of them is to be tried (watch.c). */
static bool
will_follow(const struct cycle *cy)
{
    return ouro_follow_is_wanted(cy) && cy->c.interp->gc.slices.watch_trust <= 0;
}

static double
units_of(const struct cycle *cy, int phase)
{
    bool follows = will_follow(cy);
    bool is_of_short = phase == CYCLE_DOUBT || phase == CYCLE_SURVEY;
    if (phase < CYCLE_RELEASE && cy->is_short != is_of_short) {
        return 0;
    }
    if (phase <= CYCLE_GATHER || is_of_short) {
        return (double)cy->pace.start_objects + 1;
    }
    if (phase == CYCLE_FOLLOW) {
        return follows ? proposals_of(cy) + 1 : 0;
    }
    bool is_cut_up = phase <= CYCLE_CONFIRM && follows;
    return (is_cut_up ? cut_up_of(cy) : proposals_of(cy)) + 1;
}

/* How many of `objects` are probably alive, by what the last cycles left of those that they began with. What
 * is old since before the last cycle is less: the program drops objects while a cycle runs, and makes
 * others, which are late. */
static double
alive_of(const struct gc_state *gc, double objects)
{
    return smaller(gc->slices.alive, objects);
}

/* The number of old objects when a collection in one piece would have started: after growth by a
 * quarter and a number of young collections. */
static double
objects_in_time(const struct gc_state *gc)
{
    double objects =
        (double)(gc->growth.long_lived_total + gc->growth.long_lived_pending);
    double total = larger((double)gc->growth.long_lived_total, alive_of(gc, objects));
    double young = 1;
    for (int g = 0; g < OURO_GENERATION_COUNT; g++) {
        young *= gc->generations[g].threshold + (g != 0);
    }
    double due = larger(total / 4, young);
    return total + smaller(objects - total, due);
}

/* The same as a share of the objects at the start. If a heap becomes much smaller, the bound follows
 * gradually, over some cycles. */
static double
share_in_time(struct gc_state *gc, double start)
{
    double before = OURO_WHOLE_DECAY * gc->slices.whole;
    gc->slices.whole = larger(objects_in_time(gc), before);
    return smaller((gc->slices.whole + 1) / (start + 1), 1);
}

void
ouro_pace_begin(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    cy->pace.start_pages = cy->c.heap->used_pages;
    cy->pace.start_objects = gc->growth.long_lived_total + gc->growth.long_lived_pending;
    cy->pace.start_pending = gc->growth.long_lived_pending;
    cy->pace.start_external = gc->growth.external_bytes;
    cy->pace.start_collected = cy->c.collected;
    cy->pace.in_time = share_in_time(gc, (double)cy->pace.start_objects);
    for (int phase = 0; phase < CYCLE_DONE; phase++) {
        if (gc->slices.phase_costs[phase] == 0) {
            gc->slices.phase_costs[phase] = first_costs[phase];
        }
    }
}

void
ouro_pace_note(struct cycle *cy, enum cycle_phase phase, double seconds)
{
    cy->pace.phase_seconds[paced_phase(cy, phase)] += seconds;
}

/* The time of slices in this cycle so far, in nanoseconds; never 0. */
static double
work_so_far(const struct cycle *cy)
{
    double slices = 0;
    for (int phase = 0; phase < CYCLE_DONE; phase++) {
        slices += cy->pace.phase_seconds[phase];
    }
    return 1e9 * slices + 1;
}

/* The same without the part of a survey that a short cycle has. */
static double
doubt_so_far(const struct cycle *cy)
{
    return work_so_far(cy) - 1e9 * cy->pace.phase_seconds[CYCLE_SURVEY];
}

/* What a short cycle did so far. A unit is an object that was destroyed. */
static double
units_so_far(const struct cycle *cy)
{
    return share_looked_at(cy) * (double)cy->pace.start_objects / OURO_LOOK_SHARE +
           destroyed(cy);
}

void
ouro_pace_learn(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    gc->slices.follows_cycle = true;
    double left = (double)cy->pace.start_objects - destroyed(cy);
    gc->slices.alive = average(gc->slices.alive, larger(left, 0));
    gc->slices.yield = destroyed(cy) / ((double)cy->pace.start_pending + 1);
    if (cy->pace.own_objects > OURO_UNITS_MIN) {
        gc->slices.own_cost = cy->pace.own_seconds / cy->pace.own_objects;
    }
    if (cy->is_short) {
        gc->slices.short_work = average(gc->slices.short_work, doubt_so_far(cy));
        gc->slices.short_units = average(gc->slices.short_units, units_so_far(cy));
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
    switch (paced_phase(cy, cy->phase)) {
    case CYCLE_FOLLOW: /* a set has members at any address: not by follow.slot */
        return 1 - larger(garbage_left(cy) - cy->follow.left, 0) / (proposals_of(cy) + 1);
    case CYCLE_CONFIRM:
        return ((double)cy->cursor - (double)(cy->proof.last - cy->proof.first)) /
               (cy->ordered + 1);
    case CYCLE_MARK: { /* the sweep, and what it marks */
        double alive = (double)cy->pace.start_objects - proposals_of(cy);
        double marked = smaller((double)cy->marked / larger(alive, 1), 1);
        return 0.2 * cy->cursor / cy->pages + 0.8 * marked;
    }
    case CYCLE_RECOUNT:
    case CYCLE_JOIN: /* the first pass is short */
        return cy->is_second_pass ? (double)cy->cursor / cy->pages : 0;
    case CYCLE_SURVEY:
        return ouro_survey_share_done(cy);
    case CYCLE_RELEASE:
        return (double)cy->tables.released / (2 * TABLES_OF_CYCLE + 1);
    default:
        return (double)cy->cursor / cy->pages;
    }
}

/* The estimated time before phase `end`, in nanoseconds; never 0. */
static double
work_before(const struct cycle *cy, enum cycle_phase end)
{
    const float *costs = cy->c.interp->gc.slices.phase_costs;
    int phase = paced_phase(cy, cy->phase);
    double left = 1;
    for (int next = phase; next < (int)end; next++) {
        double share = next == phase ? 1 - share_done(cy) : 1;
        left += (double)costs[next] * units_of(cy, next) * share;
    }
    return left;
}

/* The estimated time until the cycle ends, in nanoseconds; never 0. */
static double
work_left(const struct cycle *cy)
{
    return work_before(cy, CYCLE_DONE);
}

/* Objects that the program shall allocate until the cycle ends. The next cycle starts with these and
 * with the survivors of this one. It needs its own share of what the heap may grow beyond that. */
static double
planned_objects(const struct cycle *cy)
{
    const struct gc_state *gc = &cy->c.interp->gc;
    double objects = (double)cy->pace.start_objects;
    double survivors = larger(objects - proposals_of(cy), alive_of(gc, objects));
    double before = OURO_WHOLE_DECAY * gc->slices.whole;
    double whole = larger(1.25 * survivors, before);
    double share = ouro_doubt_is_next(cy) ? OURO_SHORT_SHARE : OURO_LATE_SHARE;
    return larger(share * (1.25 * whole - survivors), room_objects(cy));
}

/* --- what is owed ------------------------------------------------------------------------ */

/* The estimated time of the program for one allocation until the cycle ends, in seconds: as in the
 * last cycle, unless the program is now much faster or slower. It is faster at the start of each
 * cycle, because new memory lies together, and freed memory does not. */
static double
own_cost(const struct cycle *cy)
{
    double lately = cy->pace.each, before = cy->c.interp->gc.slices.own_cost;
    bool is_usual = before > lately / 3 && before < lately * 3;
    return is_usual ? before : lately;
}

/* The pace at which the program would allocate `objects` in each of many short cycles, if each of these found what
 * the program dropped in the one before. The time for a unit of work is known from the last short cycles and this
 * one. If the program only makes objects, there is next to no garbage, and less work. */
static double
even_pace(const struct cycle *cy, double objects)
{
    const struct gc_slices *slices = &cy->c.interp->gc.slices;
    double each = (slices->short_work + doubt_so_far(cy)) /
                  (slices->short_units + units_so_far(cy) + 1);
    double grown = share_looked_at(cy) * (double)cy->pace.start_pending + 1;
    double garbage = smaller(larger(slices->yield, destroyed(cy) / grown), 1);
    double units = (double)cy->pace.start_objects / OURO_LOOK_SHARE + garbage * objects;
    return objects / (each * units);
}

/* Is the pace of short cycles known? */
static bool
pace_is_usual(const struct cycle *cy)
{
    bool is_known =
        cy->c.interp->gc.slices.short_work > 0 || work_so_far(cy) > OURO_KNOWN_WORK;
    return cy->is_short && is_known;
}

/* Objects per nanosecond of slices, so that the program allocates as planned until the cycle ends. Short
 * cycles find more garbage one time and less the next. The program's pace does not follow that: it stays near
 * the pace that could go on for ever. */
static double
planned_pace(const struct cycle *cy)
{
    double objects = planned_objects(cy);
    double pace = (objects - grown_objects(cy->c.interp)) / work_left(cy);
    if (pace_is_usual(cy)) {
        double even = even_pace(cy, objects);
        pace = larger(smaller(pace, OURO_PACE_MOST * even), OURO_PACE_LEAST * even);
    }
    return larger(pace, OURO_EVEN_SHARE * cy->pace.own_objects / work_so_far(cy));
}

/* Objects that may be allocated for each nanosecond of slices. The heap is largest when the cycle
 * begins to destroy garbage. From there on what it destroys makes room. That bound is firm. The plan
 * is not: where it was wrong, the program is not slowed down much for the rest of the cycle. */
static double
objects_per_work(const struct cycle *cy)
{
    double objects = objects_left(cy->c.interp);
    bool follows = will_follow(cy);
    enum cycle_phase first = cy->is_short ? CYCLE_DOUBT
                             : follows    ? CYCLE_FOLLOW
                                          : CYCLE_CONFIRM;
    bool destroys = cy->phase >= first;
    double by_size = destroys ? (objects + garbage_left(cy)) / work_left(cy)
                              : objects / work_before(cy, first);
    return smaller(by_size, planned_pace(cy));
}

double
ouro_pace_own_ratio(const struct cycle *cy)
{
    double ratio = objects_per_work(cy) * own_cost(cy) / (1e-9 * OURO_WORK_MARGIN);
    return smaller(ratio, OURO_OWN_RATIO);
}

/* Measure the program's time for one allocation since the last pause. */
void
ouro_pace_pause(struct cycle *cy)
{
    struct cycle_pace *pace = &cy->pace;
    double ran = ouro_pause_begun(cy->c.interp) - pace->resumed;
    int64_t made = cy->c.heap->allocations - pace->resumed_at;
    bool is_known = pace->thread == &ouro_current && ran > 0; /* its clock is its own */
    if (is_known && made > 0) {
        pace->each = average(pace->each, ran / (double)made);
        pace->own_seconds += smaller(ran, OURO_BURST * pace->each * (double)made);
        pace->own_objects += (double)made;
    }
    pace->owed -= is_known ? ran : 0;
    pace->owed = larger(pace->owed, -OURO_CREDIT_MOST);
    pace->thread = &ouro_current;
}

static void
set_rest(struct cycle_pace *pace)
{
    double rest = pace->each > 0 ? pace->owed / pace->each : 0;
    pace->rest_until = pace->resumed_at + (int64_t)larger(rest, OURO_PAUSE_REST);
}

void
ouro_pace_rest(struct cycle *cy)
{
    struct cycle_pace *pace = &cy->pace;
    pace->resumed = ouro_platform_thread_clock();
    pace->resumed_at = cy->c.heap->allocations;
    pace->asked_pages = cy->c.heap->used_pages;
    set_rest(pace);
}

/* A slice that has ended just now took this many seconds. If that was very long, the host of a virtual machine
 * may have taken the time: the program is not owed all of it, since it would fill the heap. */
static void
owe_rest(struct cycle *cy, double took)
{
    double owed = cy->pace.owed + took * ouro_pace_own_ratio(cy);
    double most =
        larger(OURO_OWED_BUDGETS * cy->c.interp->gc.pause_budget, OURO_OWED_MOST);
    cy->pace.owed = smaller(owed, most);
    set_rest(&cy->pace);
}

/* The rest ends after this many allocations; or when its time is over, if the program uses up
 * its room in other ways. The clock costs as much as several allocations, so it is read only
 * when the heap took another page. */
static bool
rest_is_over(struct _is *interp)
{
    struct cycle_pace *pace = &interp->gc.cycle->pace;
    if (interp->heap.allocations >= pace->rest_until) {
        return true;
    }
    if (ouro_pace_need(interp) < 2 || interp->heap.used_pages <= pace->asked_pages) {
        return false;
    }
    pace->asked_pages = interp->heap.used_pages;
    return pace->thread != &ouro_current ||
           ouro_platform_thread_clock() - pace->resumed >= pace->owed;
}

static bool
slice_is_owed(struct _is *interp)
{
    return ouro_pace_need(interp) >= interp->gc.cycle->pace.next_need &&
           rest_is_over(interp);
}

void
ouro_pace_set_alarm(struct _is *interp)
{
    const struct cycle *cy = interp->gc.cycle;
    struct heap *heap = &interp->heap;
    double ahead = cy->pace.next_need - ouro_pace_need(interp);
    int64_t owed = heap->allocations;
    owed += ahead > 0 ? (int64_t)(ahead * room_objects(cy)) : 0;
    owed = owed > cy->pace.rest_until ? owed : cy->pace.rest_until;
    heap->alarm = owed < heap->alarm ? owed : heap->alarm;
    double pages = cy->pace.start_pages + cy->pace.next_need * room_pages(cy);
    heap->page_alarm = pages < heap->page_alarm ? (uint32_t)pages : heap->page_alarm;
}

/* The share of the remaining work, `before`, that a slice did in this many nanoseconds. If it
 * was slower than expected, its actual time counts: the rest is then spread over all the room
 * left, and the next slices do not have to catch up. */
static double
share_of_slice(const struct cycle *cy, double before, double took)
{
    double done = before - work_left(cy);
    double share = (done > took ? done : took) / before;
    return share < OURO_SHARE_MAX ? share : OURO_SHARE_MAX;
}

/* The program gets the same share of the remaining room as the slice did of the remaining work.
 * If the program took much of the room at once, such as a page, as many slices follow. */
static void
run_paid_slice(struct _is *interp, double deadline)
{
    struct cycle *cy = interp->gc.cycle;
    double before = work_left(cy), begun = ouro_pause_begun(interp);
    ouro_cycle_run(interp, deadline);
    if (interp->gc.cycle != NULL) {
        double took = 1e9 * (cy->pace.resumed - begun);
        cy->pace.next_need += (1 - cy->pace.next_need) * share_of_slice(cy, before, took);
        owe_rest(cy, 1e-9 * took);
        ouro_collector_set_alarm(interp);
    }
}

void
ouro_pace_pay(struct _is *interp)
{
    struct gc_state *gc = &interp->gc;
    bool is_exceeded = ouro_pace_is_exceeded(interp);
    if (is_exceeded && gc->cycle->is_short) { /* it may have missed what fills the heap */
        gc->slices.stats.forced++;
        OURO_TELL(cycle_forced, &interp->heap, &(Ouro_Event){.generation = OURO_OLD});
        ouro_doubt_distrust(&gc->slices);
        ouro_collect(interp, OURO_OLD, OURO_REASON_AUTOMATIC);
        return;
    }
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
        ouro_collector_free_spares(interp);
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
