/* SPDX-License-Identifier: MIT */
/* The phases of a cycle, and its pace; cycle.h says what they are for. */
#include "cycle.h"

#include "tally.h"
#include "trial.h"

#include <string.h>
#include <time.h>

#define HINT_AHEAD   32 /* objects are fetched this many turns in advance */
#define HINT_SEARCH  16 /* entries of the trail that are searched for an object */
#define PIECE        ((size_t)1 << 15) /* numbers that are copied or given back at once */
#define BATCH_TIME   2e-6 /* seconds for an object that is tried, proved and destroyed */
#define START_AT     0.50 /* of the growth after which CPython collects: a cycle begins, */
#define IDLE_AT      0.10 /* or here, in time that the program donates, */
#define END_AT       1.00 /* and should have ended */
#define FORCE_AT     1.2  /* here the collection is done in one piece */
#define GROW_MOST    2    /* times the budget that a late slice may take */
#define COUNT_COST   3    /* the cost of counting or marking, as a multiple of scanning */
#define IN_VAIN_MOST 3 /* cycles abandoned in a row, before a collection in one piece */
#define TOLD_LEAST   25000 /* objects pending, before CPython may collect without us */
#define TURNS_IDLE   8 /* young collections run this many times as often as without us, */
#define TURNS_BUSY   32 /* this many times while a cycle is under way, */
#define TURN_LEAST   64 /* but not for fewer new objects than this */

double
cycle_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

bool
cycle_init(struct cycle *cycle, const struct gc_state *gc, double budget)
{
    *cycle = (struct cycle){.budget = budget};
    if (budget <= 0) {
        return true;
    }
    cycle->here = PyList_New(0);
    cycle->end = PyList_New(0);
    if (cycle->here == NULL || cycle->end == NULL || !shadow_init(&cycle->shadow)) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        cycle_free(cycle, gc);
        return false;
    }
    cycle->total = (size_t)*gc->long_lived_total;
    return true;
}

static void
free_tables(struct cycle *cycle)
{
    numbers_free(&cycle->order);
    numbers_free(&cycle->notes);
    numbers_free(&cycle->doubtful);
    numbers_free(&cycle->late);
}

void
cycle_free(struct cycle *cycle, const struct gc_state *gc)
{
    if (cycle->here != NULL && gc->generations != NULL) {
        *gc->long_lived_total = (Py_ssize_t)cycle->total;
        *gc->long_lived_pending += (Py_ssize_t)cycle->pending;
    }
    Py_CLEAR(cycle->here);
    Py_CLEAR(cycle->end);
    if (cycle->shadow.bytes != NULL) {
        shadow_free(&cycle->shadow);
    }
    free_tables(cycle);
    cycle->phase = CYCLE_IDLE;
    cycle->budget = 0;
}

/* --- the walk --------------------------------------------------------------------------------- */

/* The list of frozen objects follows the generations. */
static struct gc_link *
permanent_head(const struct gc_state *gc)
{
    char *behind = (char *)(gc->generations + GENERATIONS);
    return (struct gc_link *)(behind +
                              (PY_VERSION_HEX < 0x030E0000 ? sizeof(void *) : 0));
}

static void
begin_walk(struct cycle *cycle, const struct gc_state *gc)
{
    struct gc_link *head = &gc->generations[OLDEST].head;
    cycle->read = 0;
    cycle->large = 0;
    list_move_after(head, link_of(cycle->here));
}

/* The oldest object; the head if there is none. */
static struct gc_link *
first_of(const struct cycle *cycle, const struct gc_state *gc)
{
    struct gc_link *link = next_of(&gc->generations[OLDEST].head);
    while (link == link_of(cycle->here) || link == link_of(cycle->end)) {
        link = next_of(link);
    }
    return link;
}

/* gc.freeze() and gc.unfreeze() move whole lists, including our bookmarks. A full collection of
 * which we do not know, because our callback was removed, changes the order of a list. */
static bool
lists_were_moved(const struct cycle *cycle, const struct gc_state *gc)
{
    return prev_of(permanent_head(gc)) != cycle->frozen ||
           first_of(cycle, gc) != cycle->first || *gc->long_lived_total != cycle->told;
}

/* Prefetch the objects that follow this one: by the trail, or after the count by its order. */
static void
fetch_next(struct cycle *cycle, const struct trail *trail, const struct shadow *shadow,
           PyObject *object)
{
    const struct numbers *slots =
        cycle->phase == CYCLE_COUNT ? &trail->slots : &cycle->order;
    uint32_t slot = slot_number(shadow->windows, object);
    size_t end = cycle->read + HINT_SEARCH < slots->count ? cycle->read + HINT_SEARCH
                                                          : slots->count;
    for (size_t i = cycle->read; i < end; i++) {
        if (slots->items[i] == slot) {
            cycle->read = i + 1;
            break;
        }
    }
    if (cycle->read + HINT_AHEAD < slots->count) {
        fetch_object(slot_object(shadow->bases, slots->items[cycle->read + HINT_AHEAD]));
    }
}

/* --- slices ----------------------------------------------------------------------------------- */

/* If this happens again and again, a collection in one piece is due. */
static void
abandon_cycle(struct cycle *cycle)
{
    cycle->stats.abandoned++;
    cycle->in_vain++;
    cycle_end(cycle);
}

void
cycle_end(struct cycle *cycle)
{
    if (cycle->phase != CYCLE_IDLE) {
        cycle->phase = CYCLE_IDLE;
        shadow_drop(&cycle->shadow);
        free_tables(cycle);
    }
}

/* The trail gets the order in which objects were counted. Objects that joined since then follow, a
 * piece at a time. False when all have followed. */
static bool
renew_trail(struct cycle *cycle, struct trail *trail)
{
    struct numbers *from = &trail->slots, *to = &cycle->order;
    size_t left = from->count > cycle->renewed ? from->count - cycle->renewed : 0;
    size_t count = left < PIECE ? left : PIECE;
    if (count != 0 && numbers_reserve(to, to->count + count)) {
        memcpy(to->items + to->count, from->items + cycle->renewed,
               count * sizeof(*to->items));
        to->count += count;
        cycle->renewed += count;
        return true;
    }
    struct numbers old = trail->slots;
    trail->slots = cycle->order;
    trail->proven = cycle->counted;
    cycle->order = old;
    return false;
}

static void
finish_cycle(struct cycle *cycle, const struct gc_state *gc)
{
    cycle->stats.cycles++;
    cycle->in_vain = 0;
    cycle->total = cycle->order.count > cycle->handed_over
                       ? cycle->order.count - cycle->handed_over
                       : 0;
    cycle->pending -= cycle->pending_at_start;
    cycle->pending_at_start = 0;
    gc->generations[OLDEST].count = 0; /* as after the full collection it replaces */
    cycle->counted = cycle->order.count;
    cycle->phase = CYCLE_RENEW;
}

/* An object may lie in a window for which the shadow had no block while edges were counted. Then
 * edges are counted once more. */
static void
end_count(struct cycle *cycle, const struct gc_state *gc)
{
    if (cycle->shadow.blocks != cycle->blocks) {
        cycle->blocks = cycle->shadow.blocks;
        cycle->order.count = cycle->notes.count = cycle->doubtful.count = 0;
        cycle->cleared = 0;
        cycle->phase = CYCLE_CLEAR_AGAIN;
    } else if (tally_has_wanted(cycle)) {
        begin_walk(cycle, gc);
        cycle->phase = CYCLE_MARK;
    } else {
        cycle->stats.proofs++;
        finish_cycle(cycle, gc);
    }
}

/* Count or mark until the deadline. False without memory, or if the end is not in this list. */
static bool
run_walk(struct cycle *cycle, struct trail *trail, struct detector *detector,
         const struct gc_state *gc, double deadline)
{
    struct gc_link *head = &gc->generations[OLDEST].head, *end = link_of(cycle->end),
                   *link = next_of(link_of(cycle->here));
    bool is_good = true;
    detector->plans.stamp++;
    for (size_t steps = 1; link != end && is_good; steps++) {
        if (link == head) {
            return false;
        }
        fetch_next(cycle, trail, &detector->shadow, object_of(link));
        if (cycle->phase == CYCLE_COUNT) {
            is_good = tally_count(cycle, detector, object_of(link));
        } else {
            tally_mark(cycle, detector, object_of(link));
            tally_follow(cycle, detector, deadline);
        }
        bool is_in_pieces = cycle->large != 0;
        cycle->done += is_in_pieces ? 0 : COUNT_COST;
        link = is_in_pieces ? link : next_of(link);
        if ((is_in_pieces || steps % CYCLE_STEP == 0) && cycle_clock() >= deadline) {
            break;
        }
    }
    list_move_after(prev_of(link), link_of(cycle->here));
    return is_good;
}

static bool
has_walked(const struct cycle *cycle)
{
    return next_of(link_of(cycle->here)) == link_of(cycle->end);
}

static void
run_count_or_mark(struct cycle *cycle, struct trail *trail, struct detector *detector,
                  const struct gc_state *gc, double deadline)
{
    if (!run_walk(cycle, trail, detector, gc, deadline)) {
        abandon_cycle(cycle);
    } else if (has_walked(cycle) && cycle->phase == CYCLE_COUNT) {
        end_count(cycle, gc);
    } else if (has_walked(cycle)) {
        begin_walk(cycle, gc);
        cycle->phase = CYCLE_SCAN;
    }
}

/* Clear the shadow for the next cycle, then free the memory of the last cycle in pieces: freeing
 * everything at once would take longer than a slice. False when all is done. */
static bool
clear_part(struct cycle *cycle)
{
    return shadow_clear_part(&cycle->shadow, &cycle->cleared) ||
           (cycle->phase == CYCLE_CLEAR && numbers_shrink(&cycle->order, PIECE));
}

static void
run_clear(struct cycle *cycle, const struct gc_state *gc, double deadline)
{
    while (clear_part(cycle)) {
        if (cycle_clock() >= deadline) {
            return;
        }
    }
    if (cycle->phase == CYCLE_CLEAR_AGAIN) {
        begin_walk(cycle, gc);
        cycle->phase = CYCLE_COUNT;
    } else {
        free_tables(cycle);
        cycle->phase = CYCLE_IDLE;
    }
}

static void
run_renew(struct cycle *cycle, struct trail *trail, double deadline)
{
    while (renew_trail(cycle, trail)) {
        if (cycle_clock() >= deadline) {
            return;
        }
    }
    cycle->cleared = 0;
    cycle->phase = CYCLE_CLEAR;
}

static size_t
run_scan(struct cycle *cycle, struct trail *trail, struct detector *detector,
         const struct gc_state *gc, double seconds, struct gc_link *proposals)
{
    struct trial trial = {.cycle = cycle, .detector = detector};
    struct gc_link *end = link_of(cycle->end), *link = next_of(link_of(cycle->here));
    detect_begin(detector);
    size_t batch = (size_t)(cycle->patience * seconds / BATCH_TIME) + 1;
    double start = cycle_clock(), patient = start + cycle->patience * seconds;
    size_t wanted = 0; /* the step in which the last wanted object was found */
    for (size_t steps = 1; link != end && link != &gc->generations[OLDEST].head &&
                           detector->closure.count < batch && !cycle->is_hopeless;
         steps++) {
        PyObject *object = object_of(link);
        fetch_next(cycle, trail, &detector->shadow, object);
        if (tally_is_wanted(cycle, object)) {
            trial_gather(&trial, object);
            wanted = steps;
        }
        cycle->done++;
        link = next_of(link);
        if (steps % CYCLE_STEP == 0 &&
            cycle_clock() >= (steps - wanted < CYCLE_STEP ? patient : start + seconds)) {
            break;
        }
    }
    list_move_after(prev_of(link), link_of(cycle->here));
    size_t unreachable = trial_end(&trial, proposals);
    if (has_walked(cycle)) {
        finish_cycle(cycle, gc);
    }
    return unreachable;
}

size_t
cycle_run(struct cycle *cycle, struct trail *trail, struct detector *detector,
          const struct gc_state *gc, double seconds, struct gc_link *proposals)
{
    if (cycle->phase == CYCLE_IDLE) {
        return 0;
    }
    if (lists_were_moved(cycle, gc)) {
        abandon_cycle(cycle);
        return 0;
    }
    double start = cycle_clock(), deadline = start + seconds;
    size_t unreachable = 0;
    cycle->stats.slices++;
    if (cycle->phase == CYCLE_COUNT || cycle->phase == CYCLE_MARK) {
        run_count_or_mark(cycle, trail, detector, gc, deadline);
    } else if (cycle->phase == CYCLE_RENEW) {
        run_renew(cycle, trail, deadline);
    } else if (cycle->phase == CYCLE_CLEAR || cycle->phase == CYCLE_CLEAR_AGAIN) {
        run_clear(cycle, gc, deadline);
    } else {
        unreachable = run_scan(cycle, trail, detector, gc, seconds, proposals);
    }
    double spent = cycle_clock() - start;
    if (spent > cycle->stats.longest_slice) {
        cycle->stats.longest_slice = spent;
    }
    return unreachable;
}

/* --- pace ------------------------------------------------------------------------------------- */

/* Growth is measured in parts of the growth after which CPython collects: a quarter of the old
 * objects. The first function is for growth since the last cycle, the second since this one began. */
static double
growth(const struct cycle *cycle)
{
    return (double)cycle->pending / ((double)cycle->total / 4 + 1);
}

static double
growth_in_cycle(const struct cycle *cycle)
{
    size_t base = cycle->total + cycle->pending_at_start;
    return (double)(cycle->pending - cycle->pending_at_start) / ((double)base / 4 + 1);
}

static bool
is_due(const struct cycle *cycle, const struct gc_state *gc)
{
    const struct generation *old = &gc->generations[OLDEST];
    bool is_time = growth(cycle) >= START_AT &&
                   (double)old->count > (double)old->threshold * START_AT &&
                   gc->generations[0].threshold > 0;
    return !cycle->is_forced && (is_time || cycle->is_always_due);
}

/* Reserve room in the order for all objects that will join: growing takes longer than a slice. */
static void
begin_cycle(struct cycle *cycle, const struct trail *trail, const struct shadow *known,
            const struct gc_state *gc)
{
    struct gc_link *head = &gc->generations[OLDEST].head;
    size_t objects = cycle->total + cycle->pending;
    numbers_reserve(&cycle->order, objects + objects / 4);
    for (size_t block = 1; block < known->blocks; block++) {
        shadow_enroll(&cycle->shadow, (PyObject *)known->bases[block]);
    }
    cycle->blocks = cycle->shadow.blocks;
    cycle->is_hopeless = false;
    cycle->patience = 1;
    cycle->renewed = trail->slots.count;
    cycle->frozen = prev_of(permanent_head(gc));
    cycle->first = first_of(cycle, gc);
    list_move_after(prev_of(head), link_of(cycle->end));
    begin_walk(cycle, gc);
    cycle->done = cycle->handed_over = cycle->tried = 0;
    cycle->work = objects * (2 * COUNT_COST + 1) + cycle->pending * TRY_COST;
    cycle->pending_at_start = cycle->pending;
    cycle->phase = CYCLE_COUNT;
}

void
cycle_begin_early(struct cycle *cycle, const struct trail *trail,
                  const struct shadow *known, const struct gc_state *gc)
{
    if (cycle->budget > 0 && cycle->phase == CYCLE_IDLE && growth(cycle) >= IDLE_AT) {
        begin_cycle(cycle, trail, known, gc);
    }
}

/* CPython begins a full collection by itself when more objects are pending than a quarter of the
 * total that we set here. We set it again at each collection. So CPython begins one only if our
 * callback is not called any more, or if the program grows to twice its size between two
 * collections. If a cycle was too slow or failed, we set it so that CPython begins one at once. */
static void
tell_cpython(struct cycle *cycle, const struct gc_state *gc)
{
    struct generation *old = &gc->generations[OLDEST];
    if (cycle->phase != CYCLE_IDLE && cycle->phase < CYCLE_RENEW &&
        (cycle->is_hopeless || growth_in_cycle(cycle) > FORCE_AT)) {
        cycle->stats.forced_ends++;
        cycle->is_forced = true;
        cycle_end(cycle);
    }
    cycle->is_forced |= cycle->in_vain >= IN_VAIN_MOST;
    if (cycle->is_forced && old->count <= old->threshold) {
        old->count = old->threshold + 1;
    }
    cycle->told = cycle->is_forced ? 0 : (Py_ssize_t)(4 * (cycle->total + TOLD_LEAST));
    *gc->long_lived_total = cycle->told;
    *gc->long_lived_pending = cycle->is_forced;
}

/* Young collections run more often, and so do collections of the middle generation. All of them are
 * shorter then, and there are more slices. */
static void
schedule_slice(const struct cycle *cycle, const struct gc_state *gc)
{
    struct generation *young = &gc->generations[0];
    int turn = young->threshold / (cycle->phase == CYCLE_IDLE ? TURNS_IDLE : TURNS_BUSY);
    turn = turn < TURN_LEAST ? TURN_LEAST : turn;
    young->count += turn < young->threshold ? young->threshold - turn : 0;
}

void
cycle_note(struct cycle *cycle, const struct trail *trail, const struct shadow *known,
           const struct gc_state *gc, int generation)
{
    if (cycle->budget <= 0) {
        return;
    }
    if (generation == OLDEST) {
        cycle->total = (size_t)*gc->long_lived_total;
        cycle->pending = 0;
        cycle->is_forced = false;
        cycle->in_vain = 0;
        tell_cpython(cycle, gc);
        return;
    }
    cycle->pending += (size_t)*gc->long_lived_pending;
    if (generation == OLDEST - 1 && cycle->phase == CYCLE_IDLE && is_due(cycle, gc)) {
        begin_cycle(cycle, trail, known, gc);
    }
    tell_cpython(cycle, gc);
    schedule_slice(cycle, gc);
}

/* A slice takes its budget, or more if the program grows too fast for the cycle: the remaining work
 * is spread over the remaining growth. */
double
cycle_allowance(struct cycle *cycle)
{
    double grown = growth_in_cycle(cycle) / (END_AT - START_AT);
    double done = (double)cycle->done / (double)(cycle->work + 1);
    double left = grown < 0.95 ? 1 - grown : 0.05;
    double factor = (1 - done) / left;
    if (cycle->phase == CYCLE_IDLE || factor <= 1) {
        return cycle->budget;
    }
    cycle->stats.grown_slices++;
    return cycle->budget * (factor < GROW_MOST ? factor : GROW_MOST);
}
