/* SPDX-License-Identifier: MIT */
/* The phases of a cycle, and its pace; cycle.h says what they are for. */
#include "cycle.h"

#include <time.h>

/* Values of a slot in the shadow of a cycle. */
#define CYCLE_TOUCHED 0x80 /* an edge ended here, or its turn came, while counting */
#define CYCLE_NOTED   0x40 /* its turn came before */
#define CYCLE_PASSED  0x20 /* it was not marked when its turn came */
#define CYCLE_MARKED                                                                     \
    0x1f /* while counting, references from outside modulo 32; then: not 0 */

#define CLOCK_STEP   64    /* objects between two looks at the clock */
#define HINT_AHEAD   32    /* objects are fetched so long before their turn */
#define HINT_SEARCH  16    /* entries of the trail in which an object is looked for */
#define LARGE        256   /* items of a container; more are read in pieces of as many */
#define CLOSURE_MOST 50000 /* objects; slices will not do for a larger closure */
#define TRIES_MOST   4 /* objects tried for each old one: slices will not do for more */
#define BATCH_TIME   2e-6 /* seconds for an object that is tried, proved and destroyed */
#define START_AT     0.45 /* of the growth after which CPython collects: a cycle begins, */
#define IDLE_AT      0.10 /* or here, in time that the program donates, */
#define END_AT       1.00 /* and should have ended */
#define FORCE_AT     1.2  /* here the collection is done in one piece */
#define GROW_MOST    3    /* times the budget that a late slice may take */
#define COUNT_COST                                                                       \
    3                 /* counting or marking an object costs so many times as much as
                            * scanning it, */
#define TRY_COST   30 /* and trying it, so many times */
#define TURNS_IDLE 8 /* young collections come so many times as often as by themselves, */
#define TURNS_BUSY 32 /* and so while a cycle is under way, */
#define TURN_LEAST 64 /* but not for fewer new objects than that */

/* CPU time: a slice does not end early because another process had the processor. */
static double
now(void)
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
    numbers_free(&cycle->order);
    numbers_free(&cycle->notes);
    numbers_free(&cycle->doubtful);
    numbers_free(&cycle->late);
    cycle->phase = CYCLE_IDLE;
    cycle->budget = 0;
}

/* --- the walk --------------------------------------------------------------------------------- */

static struct gc_link *
permanent_head(const struct gc_state *gc)
{
    char *behind = (char *)(gc->generations + GENERATIONS);
    return (struct gc_link *)(behind +
                              (PY_VERSION_HEX < 0x030E0000 ? sizeof(void *) : 0));
}

static void
place_bookmark(PyObject *bookmark, struct gc_link *place)
{
    struct gc_link *link = link_of(bookmark);
    if (place != link && next_of(place) != link) {
        list_move_after(place, link);
    }
}

static void
begin_walk(struct cycle *cycle, const struct gc_state *gc)
{
    struct gc_link *head = &gc->generations[OLDEST].head;
    cycle->read = 0;
    cycle->large = 0;
    place_bookmark(cycle->here, head);
}

/* gc.freeze() and gc.unfreeze() move whole lists, our bookmarks among them. */
static bool
lists_were_moved(const struct cycle *cycle, const struct gc_state *gc)
{
    return prev_of(permanent_head(gc)) != cycle->frozen;
}

/* Fetch what the trail says will come behind this object. */
static void
fetch_by_trail(struct cycle *cycle, const struct trail *trail,
               const struct shadow *shadow, PyObject *object)
{
    const struct numbers *slots = &trail->slots;
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

/* --- an object's references ------------------------------------------------------------------- */

static inline struct view
cycle_view(struct cycle *cycle)
{
    return (struct view){cycle->shadow.bytes, cycle->shadow.windows, cycle};
}

/* Lists and dicts with many items are read in pieces. How many items, or 0: in one go. */
static Py_ssize_t
count_items(PyObject *object)
{
    Py_ssize_t items = 0;
    if (PyList_CheckExact(object)) {
        items = PyList_GET_SIZE(object);
    } else if (PyDict_CheckExact(object)) {
        items = ((struct dict_keys *)((PyDictObject *)object)->ma_keys)->entry_count;
    }
    return items > LARGE ? items : 0;
}

/* The next piece of a large container; cycle->large is 0 after the last one. */
OURO_INLINE void
read_piece(struct cycle *cycle, const struct plans *plans, PyObject *object,
           Py_ssize_t items, edge_function edge)
{
    Py_ssize_t left = items - cycle->piece;
    if (left > 0 && PyDict_CheckExact(object)) {
        read_dict_part(plans, object, cycle->piece, LARGE, edge, cycle_view(cycle));
    } else if (left > 0) {
        read_items(((PyListObject *)object)->ob_item + cycle->piece,
                   left < LARGE ? left : LARGE, edge, cycle_view(cycle));
    }
    cycle->piece += LARGE;
    cycle->large = cycle->piece < items ? cycle->large : 0;
}

/* --- count ------------------------------------------------------------------------------------ */

OURO_INLINE void
cycle_count_edge(PyObject *target, struct view view)
{
    uint8_t *value = shadow_byte(view.bytes, slot_number(view.windows, target));
    *value =
        (uint8_t)((*value & CYCLE_NOTED) | ((*value - 1) & CYCLE_MARKED) | CYCLE_TOUCHED);
}

static int
cycle_count_visit(PyObject *target, void *arg)
{
    cycle_count_edge(target, cycle_view(arg));
    return 0;
}

/* A borrowed reference supports its target, and is not counted. */
static int
cycle_count_borrowed(PyObject *target, void *arg)
{
    struct cycle *cycle = arg;
    uint32_t slot = slot_number(cycle->shadow.windows, target);
    *shadow_byte(cycle->shadow.bytes, slot) |= CYCLE_TOUCHED;
    numbers_append(&cycle->doubtful, slot); /* without memory: not found in this cycle */
    return 0;
}

/* The count of an object, and whether an earlier one refers to it. Its slot; 0 without memory. */
static uint32_t
count_header(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    uint32_t slot = shadow_enroll(&cycle->shadow, object);
    uint32_t number = shadow_enroll(&detector->shadow, object);
    if (slot == 0 || number == 0 || !numbers_append(&cycle->order, number)) {
        return 0;
    }
    uint8_t *value = shadow_byte(cycle->shadow.bytes, slot);
    bool is_noted = (*value & CYCLE_TOUCHED) == 0;
    *value = (uint8_t)(CYCLE_TOUCHED | (is_noted ? CYCLE_NOTED : 0) |
                       ((*value + (unsigned)Py_REFCNT(object)) & CYCLE_MARKED));
    return !is_noted || numbers_append(&cycle->notes, slot) ? slot : 0;
}

/* False without memory. */
static bool
count_object(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    if (cycle->large == 0 || cycle->large != slot_number(cycle->shadow.windows, object)) {
        cycle->piece = 0;
        cycle->large = count_header(cycle, detector, object);
        if (cycle->large == 0) {
            return false;
        }
    }
    Py_ssize_t items = count_items(object);
    if (items != 0) {
        read_piece(cycle, &detector->plans, object, items, cycle_count_edge);
    } else {
        cycle->large = 0;
        read_edges(&detector->plans, object, cycle_count_edge, cycle_count_visit,
                   cycle_count_borrowed, cycle_view(cycle));
    }
    return true;
}

/* Is there an object that has no support and is not held? Targets of frames count as not
 * held: towards trying them. */
static bool
has_wanted(struct cycle *cycle)
{
    uint8_t *bytes = cycle->shadow.bytes;
    for (size_t i = 0; i < cycle->doubtful.count; i++) {
        *shadow_byte(bytes, cycle->doubtful.items[i]) &= (uint8_t)~CYCLE_MARKED;
    }
    for (size_t i = 0; i < cycle->notes.count; i++) {
        if ((*shadow_byte(bytes, cycle->notes.items[i]) & CYCLE_MARKED) == 0) {
            return true;
        }
    }
    return false;
}

/* --- mark ------------------------------------------------------------------------------------- */

static bool
is_tracked_container(PyObject *object)
{
    return PyObject_IS_GC(object) && link_is_tracked(link_of(object));
}

/* A candidate that is not marked. Slots of block 0 are nobody's. */
OURO_INLINE bool
is_open(uint8_t value, uint32_t slot)
{
    return slot > SHADOW_PLACE_MASK && value != 0 && (value & CYCLE_MARKED) == 0;
}

OURO_INLINE void
cycle_mark_edge(PyObject *target, struct view view)
{
    uint32_t slot = slot_number(view.windows, target);
    uint8_t *value = shadow_byte(view.bytes, slot);
    if (is_open(*value, slot)) {
        *value |= CYCLE_MARKED;
        if ((*value & CYCLE_PASSED) != 0 && is_tracked_container(target)) {
            numbers_append(&((struct cycle *)view.arg)->late,
                           slot); /* or it stays late */
        }
    }
}

static int
cycle_mark_visit(PyObject *target, void *arg)
{
    cycle_mark_edge(target, cycle_view(arg));
    return 0;
}

static void
mark_targets(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    read_edges(&detector->plans, object, cycle_mark_edge, cycle_mark_visit,
               cycle_mark_visit, cycle_view(cycle));
}

static void
mark_object(struct cycle *cycle, struct detector *detector, PyObject *object)
{
    uint32_t slot = slot_number(cycle->shadow.windows, object);
    uint8_t *value = shadow_byte(cycle->shadow.bytes, slot);
    Py_ssize_t items = count_items(object);
    if (cycle->large != slot) {
        cycle->piece = 0;
        cycle->large = slot;
    }
    if (is_open(*value, slot)) {
        *value |= CYCLE_PASSED;
        cycle->large = 0;
    } else if (items != 0) {
        read_piece(cycle, &detector->plans, object, items, cycle_mark_edge);
    } else {
        cycle->large = 0;
        mark_targets(cycle, detector, object);
    }
}

/* Follow what was marked after its turn: large containers excepted. No object may be remembered
 * for the next slice, so what time does not suffice for is as if it were not marked. */
static void
follow_late(struct cycle *cycle, struct detector *detector, double deadline)
{
    struct numbers *late = &cycle->late;
    for (size_t steps = 1; late->count != 0; steps++) {
        uint32_t slot = late->items[--late->count];
        PyObject *object = slot_object(cycle->shadow.bases, slot);
        if (steps % CLOCK_STEP == 0 && now() >= deadline) {
            *shadow_byte(cycle->shadow.bytes, slot) &= (uint8_t)~CYCLE_MARKED;
            while (late->count != 0) {
                slot = late->items[--late->count];
                *shadow_byte(cycle->shadow.bytes, slot) &= (uint8_t)~CYCLE_MARKED;
            }
        } else if (count_items(object) == 0) {
            mark_targets(cycle, detector, object);
        }
    }
}

/* --- scan ------------------------------------------------------------------------------------- */

struct trial {
    struct cycle *cycle;
    struct detector *detector;
    size_t again; /* objects that were found alive in an earlier trial of this cycle */
};

static int
trial_visit(PyObject *target, void *arg)
{
    struct trial *trial = arg;
    uint32_t slot = slot_number(trial->cycle->shadow.windows, target);
    uint8_t value = *shadow_byte(trial->cycle->shadow.bytes, slot);
    if (is_open(value, slot) && is_tracked_container(target)) {
        trial->again +=
            detect_enclose(trial->detector, target) && (value & CYCLE_PASSED) == 0;
    }
    return 0;
}

/* The closure of an object joins the trial, unless it is too large. */
static void
gather_trial(struct trial *trial, PyObject *object)
{
    struct detector *detector = trial->detector;
    size_t before = detector->closure.count;
    detect_enclose(detector, object);
    for (size_t i = before; i < detector->closure.count; i++) {
        PyObject *member =
            slot_object(detector->shadow.bases, detector->closure.items[i]);
        Py_TYPE(member)->tp_traverse(member, trial_visit, trial);
        if (detector->closure.count > CLOSURE_MOST || detector->no_memory) {
            detect_release(detector, before);
            trial->cycle->stats.too_large++;
            trial->cycle->is_hopeless = true;
        }
    }
}

/* The unreachable ones of a trial go to the proposals; the others lose CYCLE_PASSED. */
static void
part_trial(struct cycle *cycle, const struct detector *detector,
           struct gc_link *proposals)
{
    for (size_t i = 0; i < detector->closure.count; i++) {
        uint32_t number = detector->closure.items[i];
        PyObject *object = slot_object(detector->shadow.bases, number);
        if (is_unreachable(detector, number)) {
            list_move_after(prev_of(proposals), link_of(object));
        } else {
            uint32_t slot = slot_number(cycle->shadow.windows, object);
            *shadow_byte(cycle->shadow.bytes, slot) &= (uint8_t)~CYCLE_PASSED;
        }
    }
}

/* Garbage may lie in an order in which what is referred to comes first: then each trial has all
 * objects of those before it, and finds them alive. Larger trials make that fewer. */
static void
choose_patience(struct cycle *cycle, size_t again, size_t tried)
{
    cycle->patience = again * 2 > tried ? cycle->patience * 2 : 1;
}

/* Try what was gathered. Returns how many are unreachable. */
static size_t
end_trial(struct trial *trial, struct gc_link *proposals)
{
    struct cycle *cycle = trial->cycle;
    size_t tried = trial->detector->closure.count;
    size_t unreachable = tried == 0 ? 0 : detect_try_closure(trial->detector);
    part_trial(cycle, trial->detector, proposals);
    detect_release(trial->detector, 0);
    choose_patience(cycle, trial->again, tried);
    cycle->stats.tried += (long long)tried;
    cycle->tried += tried;
    cycle->is_hopeless |= cycle->tried > TRIES_MOST * cycle->order.count;
    cycle->done += tried * TRY_COST;
    cycle->stats.handed_over += (long long)unreachable;
    cycle->handed_over += unreachable;
    return unreachable;
}

static bool
is_wanted(const struct cycle *cycle, PyObject *object)
{
    uint32_t slot = slot_number(cycle->shadow.windows, object);
    uint8_t value = *shadow_byte(cycle->shadow.bytes, slot);
    return is_open(value, slot) && (value & CYCLE_NOTED) != 0;
}

/* --- slices ----------------------------------------------------------------------------------- */

static void
free_tables(struct cycle *cycle)
{
    numbers_free(&cycle->order);
    numbers_free(&cycle->notes);
    numbers_free(&cycle->doubtful);
    numbers_free(&cycle->late);
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

/* The order in which objects were counted becomes the trail's; what joined since follows. */
static void
renew_trail(struct cycle *cycle, struct trail *trail)
{
    size_t counted = cycle->order.count;
    for (size_t i = cycle->trail_at_start; i < trail->slots.count; i++) {
        if (!numbers_append(&cycle->order, trail->slots.items[i])) {
            break;
        }
    }
    numbers_free(&trail->slots);
    trail->slots = cycle->order;
    trail->proven = counted;
    cycle->order = (struct numbers){0};
}

static void
finish_cycle(struct cycle *cycle, struct trail *trail, const struct gc_state *gc)
{
    cycle->stats.cycles++;
    cycle->total = cycle->order.count - cycle->handed_over;
    cycle->pending -= cycle->pending_at_start;
    cycle->pending_at_start = 0;
    gc->generations[OLDEST].count = 0; /* as after the full collection that it replaces */
    renew_trail(cycle, trail);
    free_tables(cycle);
    cycle->cleared = 0;
    cycle->phase = CYCLE_CLEAR;
}

/* An object may lie where the shadow had no block while edges were counted: then they are
 * counted once more. */
static void
end_count(struct cycle *cycle, struct trail *trail, const struct gc_state *gc)
{
    if (cycle->shadow.blocks != cycle->blocks) {
        cycle->blocks = cycle->shadow.blocks;
        cycle->order.count = cycle->notes.count = cycle->doubtful.count = 0;
        cycle->cleared = 0;
        cycle->phase = CYCLE_CLEAR_AGAIN;
    } else if (has_wanted(cycle)) {
        begin_walk(cycle, gc);
        cycle->phase = CYCLE_MARK;
    } else {
        cycle->stats.proofs++;
        finish_cycle(cycle, trail, gc);
    }
}

/* Count or mark until the deadline. False without memory. */
static bool
run_walk(struct cycle *cycle, struct trail *trail, struct detector *detector,
         double deadline)
{
    struct gc_link *end = link_of(cycle->end), *link = next_of(link_of(cycle->here));
    bool is_good = true;
    detector->plans.stamp++;
    for (size_t steps = 1; link != end && is_good; steps++) {
        fetch_by_trail(cycle, trail, &detector->shadow, object_of(link));
        if (cycle->phase == CYCLE_COUNT) {
            is_good = count_object(cycle, detector, object_of(link));
        } else {
            mark_object(cycle, detector, object_of(link));
            follow_late(cycle, detector, deadline);
        }
        bool is_in_pieces = cycle->large != 0;
        cycle->done += is_in_pieces ? 0 : COUNT_COST;
        link = is_in_pieces ? link : next_of(link);
        if ((is_in_pieces || steps % CLOCK_STEP == 0) && now() >= deadline) {
            break;
        }
    }
    place_bookmark(cycle->here, prev_of(link));
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
    if (!run_walk(cycle, trail, detector, deadline)) {
        cycle->stats.abandoned++;
        cycle_end(cycle);
    } else if (has_walked(cycle) && cycle->phase == CYCLE_COUNT) {
        end_count(cycle, trail, gc);
    } else if (has_walked(cycle)) {
        begin_walk(cycle, gc);
        cycle->phase = CYCLE_SCAN;
    }
}

static void
run_clear(struct cycle *cycle, const struct gc_state *gc, double deadline)
{
    while (shadow_clear_part(&cycle->shadow, &cycle->cleared)) {
        if (now() >= deadline) {
            return;
        }
    }
    if (cycle->phase == CYCLE_CLEAR_AGAIN) {
        begin_walk(cycle, gc);
    }
    cycle->phase = cycle->phase == CYCLE_CLEAR_AGAIN ? CYCLE_COUNT : CYCLE_IDLE;
}

static size_t
run_scan(struct cycle *cycle, struct trail *trail, struct detector *detector,
         const struct gc_state *gc, double seconds, struct gc_link *proposals)
{
    struct trial trial = {.cycle = cycle, .detector = detector};
    struct gc_link *end = link_of(cycle->end), *link = next_of(link_of(cycle->here));
    detect_begin(detector);
    size_t batch = (size_t)(cycle->patience * seconds / BATCH_TIME) + 1;
    double deadline = now() + cycle->patience * seconds;
    for (size_t steps = 1; link != end && detector->closure.count < batch; steps++) {
        PyObject *object = object_of(link);
        fetch_by_trail(cycle, trail, &detector->shadow, object);
        if (is_wanted(cycle, object)) {
            gather_trial(&trial, object);
        }
        cycle->done++;
        link = next_of(link);
        if (steps % CLOCK_STEP == 0 && now() >= deadline) {
            break;
        }
    }
    place_bookmark(cycle->here, prev_of(link));
    size_t unreachable = end_trial(&trial, proposals);
    if (has_walked(cycle)) {
        finish_cycle(cycle, trail, gc);
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
        cycle->stats.abandoned++;
        cycle_end(cycle);
        return 0;
    }
    double start = now(), deadline = start + seconds;
    size_t unreachable = 0;
    cycle->stats.slices++;
    if (cycle->phase == CYCLE_COUNT || cycle->phase == CYCLE_MARK) {
        run_count_or_mark(cycle, trail, detector, gc, deadline);
    } else if (cycle->phase == CYCLE_CLEAR || cycle->phase == CYCLE_CLEAR_AGAIN) {
        run_clear(cycle, gc, deadline);
    } else {
        unreachable = run_scan(cycle, trail, detector, gc, seconds, proposals);
    }
    double spent = now() - start;
    if (spent > cycle->stats.longest_slice) {
        cycle->stats.longest_slice = spent;
    }
    return unreachable;
}

/* --- pace ------------------------------------------------------------------------------------- */

/* Growth is told in parts of that after which CPython collects: a quarter of the old objects.
 * Since the last cycle, and since this one began: */
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
    return cycle->is_always_due ||
           (growth(cycle) >= START_AT &&
            (double)old->count > (double)old->threshold * START_AT &&
            gc->generations[0].threshold > 0);
}

/* The order has room for all that will join: growing it would take longer than a slice. */
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
    cycle->trail_at_start = trail->slots.count;
    cycle->frozen = prev_of(permanent_head(gc));
    place_bookmark(cycle->end, prev_of(head));
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

/* With no long-lived objects pending CPython never begins a full collection by itself; it does
 * at once where a cycle was too slow. */
static void
tell_cpython(struct cycle *cycle, const struct gc_state *gc)
{
    bool is_forced = cycle->phase != CYCLE_IDLE && cycle->phase != CYCLE_CLEAR &&
                     (cycle->is_hopeless || growth_in_cycle(cycle) > FORCE_AT);
    if (is_forced) {
        cycle->stats.forced_ends++;
        cycle_end(cycle);
    }
    *gc->long_lived_total = is_forced ? 0 : PY_SSIZE_T_MAX / 2;
    *gc->long_lived_pending = is_forced;
}

/* Young collections come more often, and so do those of the middle generation: all of them are
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

/* A slice takes its budget, or more where the program grows faster than the cycle gets on: what
 * is left to do is spread over what is left of the growth. */
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
