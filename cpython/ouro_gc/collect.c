/* SPDX-License-Identifier: MIT */
/* What we do before and after CPython's own collection; collect.h has the plan. */
#include "collect.h"

#include "closure.h"
#include "count.h"
#include "sentinel.h"
#include "support.h"
#include "untrack.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CPython does a young collection alone if there were fewer allocations than this. */
#define YOUNG_LEAST 100
/* If fewer than one young object in FEW_WANTED is wanted, a closure is tried at once; the same for
 * one in FEW_LATE of all objects. */
#define FEW_WANTED 16
#define FEW_LATE   16
/* The cost of a direction: COST_ALL if all objects had to be moved. Beyond COST_TURN the other
 * direction is taken if it is cheaper. If both cost more than COST_WASTED, arranging is useless,
 * and the next ALONG_TIMES collections count along references. An old cost decreases by one part
 * in COST_FADES each time. */
#define COST_ALL    256
#define COST_TURN   128
#define COST_WASTED 192
#define COST_FADES  8
#define ALONG_TIMES 32
/* With this many times the candidates of the last collection, the last direction says nothing. */
#define COUNT_ODD 8
/* If MOSTLY of MOSTLY_OF objects are garbage, CPython alone is as fast. */
#define MOSTLY    3
#define MOSTLY_OF 5
/* Between collections one part in KEEP_PART of the program's memory may be ours, and working arrays
 * may keep KEEP_ROOM entries. */
#define KEEP_PART 13
#define KEEP_ROOM ((size_t)1 << 16)
/* The core is COLLECT_CORE objects, or one in this many of all objects if that is more. */
#define CORE_SHARE 16
/* The old objects that joined last, this many, are checked for untracking each time; and one in
 * UNTRACK_SHARE of the others, in turn. */
#define UNTRACK_RECENT 8192
#define UNTRACK_SHARE  64

static double
seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The CPU time of a full collection. For a young collection the wall clock: it is so short that
 * reading the CPU clock would take a tenth of it. */
static double
seconds_spent(const struct collector *collector)
{
    return seconds_of(collector->generation == OLDEST ? CLOCK_THREAD_CPUTIME_ID
                                                      : CLOCK_MONOTONIC);
}

/* --- life ------------------------------------------------------------------------------------- */

bool
collector_init(struct collector *collector, PyTypeObject *sentinel_type,
               PyObject *put_back, double budget)
{
    *collector =
        (struct collector){.generation = -1, .core_least = COLLECT_CORE, .chance = 1};
    list_init(&collector->hidden);
    Py_INCREF(put_back);
    collector->put_back = put_back;
    if (gc_state_find(&collector->gc) && detector_init(&collector->detector) &&
        cycle_init(&collector->cycle, &collector->gc, budget)) {
        collector->sentinel = sentinel_new(sentinel_type);
    }
    if (collector->sentinel == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        collector_free(collector);
        return false;
    }
    collector->is_enabled = true;
    return true;
}

void
collector_free(struct collector *collector)
{
    collect_put_back(collector);
    collector->is_enabled = false;
    Py_CLEAR(collector->watch);
    Py_CLEAR(collector->put_back);
    sentinel_free(collector->sentinel);
    collector->sentinel = NULL;
    cycle_free(&collector->cycle, &collector->gc);
    detector_free(&collector->detector);
    numbers_free(&collector->trail.slots);
    numbers_free(&collector->young);
    numbers_free(&collector->tuples);
    collector->trail.proven = 0;
    gc_state_release(&collector->gc);
}

size_t
collector_memory(const struct collector *collector)
{
    const struct detector *detector = &collector->detector;
    size_t entries = collector->trail.slots.room + collector->young.room +
                     collector->tuples.room + detector->notes.room +
                     detector->early.room + detector->doubtful.room +
                     detector->stack.room + detector->queue.room + detector->drains.room +
                     detector->closure.room;
    return entries * sizeof(uint32_t) + sizeof(*collector) +
           shadow_size(&detector->shadow);
}

static void
trim(struct numbers *numbers)
{
    if (numbers->room > KEEP_ROOM) {
        numbers_free(numbers);
    }
}

/* Resident pages of the process; 0 if that is unknown. */
static size_t
resident_pages(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        if (fscanf(file, "%*u %zu", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages;
}

/* Memory that stays between collections must be a small part of the program's memory. Getting the
 * memory again each time takes a tenth of a collection's time. */
static bool
shadow_may_stay(const struct collector *collector)
{
    return collector_memory(collector) < resident_pages() * MEMORY_PAGE / KEEP_PART;
}

/* Give back the memory of the shadow, and of arrays that only a collection needs. */
static void
release_memory(struct collector *collector, bool has_proof)
{
    struct detector *detector = &collector->detector;
    trim(&detector->notes);
    trim(&detector->early);
    trim(&detector->doubtful);
    trim(&detector->stack);
    trim(&detector->queue);
    trim(&detector->drains);
    trim(&detector->closure);
    trim(&collector->young);
    trim(&collector->tuples);
    numbers_fit(&collector->trail.slots);
    if (!shadow_may_stay(collector)) {
        shadow_drop(&detector->shadow);
    } else if (!has_proof) { /* a mark leaves values that only the mark understands */
        shadow_clear(&detector->shadow);
    }
}

/* If most objects turn out to be garbage, CPython does most of the work anyway. Then CPython does
 * the next collection of the generation alone. */
static bool
is_most(size_t garbage, size_t examined)
{
    return garbage > YOUNG_LEAST && garbage * MOSTLY_OF > examined * MOSTLY;
}

/* --- detection -------------------------------------------------------------------------------- */

/* For tests: live objects become proposals; CPython must reject them. */
static size_t
propose_at_random(struct collector *collector, const uint32_t *slots, size_t count)
{
    size_t proposed = 0;
    for (size_t i = 0; i < count; i++) {
        collector->chance = collector->chance * UINT64_C(6364136223846793005) + 1;
        bool is_chosen = (collector->chance >> 33) % collector->propose_one_in == 0;
        *shadow_byte(collector->detector.shadow.bytes, slots[i]) =
            is_chosen ? SLOT_GARBAGE : SLOT_TOUCHED;
        proposed += is_chosen;
    }
    collector->detector.queue.count = collector->detector.drains.count = 0;
    return proposed;
}

/* Young objects that refer to older ones are best looked at from the newest to the oldest. If many
 * objects had to be moved, the other direction is tried the next time, unless that was worse. The
 * remembered cost of a direction decreases with time. */
static void
choose_direction(struct collector *collector, size_t count)
{
    struct directions *directions = &collector->directions[collector->generation];
    unsigned *cost = &directions->cost[directions->descends];
    unsigned *other = &directions->cost[!directions->descends];
    *cost = (unsigned)(collector->detector.queue.count * COST_ALL / (count + 1));
    *other -= *other / COST_FADES;
    directions->descends ^= *cost > COST_TURN && *other < *cost;
    directions->count = count;
    if (*cost > COST_WASTED && *other > COST_WASTED && collector->propose_one_in == 0) {
        directions->along = ALONG_TIMES;
        *cost = *other = 0;
    }
}

/* Whether the order of survivors matters. It does not matter while they are young. */
static bool
needs_order(const struct collector *collector)
{
    return collector->generation != 0;
}

/* True if few objects are wanted, none of them among modules and classes, and a closure decides. */
static bool
decide_late(struct collector *collector, const uint32_t *slots, size_t count,
            size_t *first, size_t *unreachable)
{
    struct detector *detector = &collector->detector;
    size_t known = detector->notes.items[0];
    if (collector->generation != OLDEST || known < collector->core_least / 2 ||
        detector->wanted > count / FEW_LATE ||
        !detect_close(detector, slots, known, count, unreachable)) {
        return false;
    }
    *first = known;
    return true;
}

/* All candidates have been counted. Candidates from `fresh` on are new in this generation. Sets
 * *first: the candidates before it were not marked. Returns how many are unreachable. */
static size_t
decide(struct collector *collector, uint32_t *slots, size_t fresh, size_t count,
       size_t *first)
{
    struct detector *detector = &collector->detector;
    collector->stats.objects += (long long)count;
    *first = 0;
    if (collector->propose_one_in != 0) {
        return propose_at_random(collector, slots, count);
    }
    size_t unreachable;
    if (detector->no_memory || detect_prove(detector, slots)) {
        collector->stats.proofs++;
        return 0;
    }
    if (decide_late(collector, slots, count, first, &unreachable)) {
        collector->stats.marks++;
        return unreachable;
    }
    if (detector->no_memory ||
        support_find(detector, slots, fresh, collector->core_least)) {
        collector->stats.proofs++;
        return 0;
    }
    collector->stats.marks++;
    bool is_old_proved =
        fresh != 0 && detector->notes.items[0] >= fresh && collector->trail.unknown == 0;
    /* Objects that the search has reached are first in the order now. */
    if (!is_old_proved && decide_late(collector, slots, count, first, &unreachable)) {
        return unreachable;
    }
    *first = is_old_proved ? fresh : 0;
    size_t share = count / CORE_SHARE;
    size_t core = share > collector->core_least ? share : collector->core_least;
    bool is_full = collector->generation == OLDEST;
    bool has_few = detector->wanted < count / FEW_WANTED;
    size_t limit = is_old_proved ? fresh : is_full ? core : has_few ? 0 : count;
    return detect_mark(detector, slots, *first, limit < count ? limit : count, count,
                       needs_order(collector));
}

static void
note_proposals(struct collector *collector, size_t unreachable)
{
    collector->proposals = unreachable;
    collector->stats.proposed += (long long)unreachable;
    collector->stats.moved += (long long)collector->detector.queue.count;
}

/* Untrack those of these survivors that CPython would untrack. Returns how many of the slots are
 * left; *untracked is the number of untracked objects. */
static size_t
untrack_survivors(struct collector *collector, uint32_t *slots, size_t low, size_t high,
                  size_t *untracked)
{
    const struct detector *detector = &collector->detector;
    bool is_full = collector->generation == OLDEST;
    size_t out = low;
    for (size_t i = low; i < high; i++) {
        uint32_t slot = slots[i];
        PyObject *object = slot_object(detector->shadow.bases, slot);
        fetch_ahead(&detector->shadow, slots, i, high);
        slots[out++] = slot;
        if (may_be_untracked(object, is_full) && !is_unreachable(detector, slot) &&
            link_is_tracked(link_of(object)) &&
            untrack_if_atomic(&detector->plans, object)) {
            (*untracked)++;
            out--;
        }
    }
    return out;
}

/* Gather the slots of this generation and the generations below it. */
static bool
gather_young(struct collector *collector, int generation)
{
    collector->young.count = collector->tuples.count = 0;
    for (int i = generation; i >= 0; i--) {
        if (!slots_gather(&collector->detector.shadow, &collector->gc.generations[i].head,
                          &collector->young, &collector->tuples)) {
            return false;
        }
    }
    return true;
}

/* --- a young generation ----------------------------------------------------------------------- */

static void
clear_slots(struct detector *detector, const uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *shadow_byte(detector->shadow.bytes, slots[i]) = 0;
    }
}

static void
clear_proposals(struct detector *detector, struct gc_link *proposals)
{
    for (struct gc_link *link = next_of(proposals); link != proposals;
         link = next_of(link)) {
        *shadow_byte(detector->shadow.bytes,
                     slot_number(detector->shadow.windows, object_of(link))) = 0;
    }
}

static void
reverse_slots(uint32_t *slots, size_t count)
{
    for (size_t i = 0, j = count; i + 1 < j; i++) {
        uint32_t slot = slots[i];
        slots[i] = slots[--j];
        slots[j] = slot;
    }
}

/* Count young candidates and decide. Returns how many are unreachable. */
static size_t
decide_in_order(struct collector *collector, uint32_t *slots, size_t count, size_t *first)
{
    struct detector *detector = &collector->detector;
    const struct directions *directions = &collector->directions[collector->generation];
    if (directions->descends) {
        reverse_slots(slots, count);
    }
    if (directions->cost[directions->descends] < COST_WASTED) {
        detect_arrange(detector, slots, 0, count);
    } else {
        detect_count(detector, slots, 0, count);
    }
    size_t unreachable = decide(collector, slots, 0, count, first);
    choose_direction(collector, count);
    return unreachable;
}

/* The same along references. Usually few objects, or none, come before the objects that hold them. */
static size_t
decide_along(struct collector *collector, uint32_t *slots, size_t count)
{
    struct detector *detector = &collector->detector;
    collector->directions[collector->generation].along--;
    collector->stats.objects += (long long)count;
    bool is_proof = closure_of_all(detector, slots, count);
    if (detector->no_memory || count == 0) {
        return 0;
    }
    memcpy(slots, detector->closure.items, count * sizeof(*slots));
    detector->arranged = 0;
    collector->stats.proofs += is_proof;
    collector->stats.marks += !is_proof;
    if (is_proof) {
        return 0;
    }
    if (detector->notes.count < count / FEW_WANTED &&
        !closure_of_noted(detector, slots, count, count / FEW_WANTED)) {
        closure_of_all(detector, slots, count);
    }
    return closure_mark(detector, count);
}

/* Do what CPython would do with survivors: untrack tuples, and count objects that become old. */
static void
promote_young(struct collector *collector, int generation, size_t kept, size_t survivors)
{
    struct generation *generations = collector->gc.generations;
    size_t untracked = 0;
    untrack_survivors(collector, collector->tuples.items, 0, collector->tuples.count,
                      &untracked);
    collector->stats.untracked += (long long)untracked;
    if (generation + 1 == OLDEST) {
        *collector->gc.long_lived_pending += (Py_ssize_t)(survivors - untracked);
        trail_join(&collector->trail, &collector->detector.shadow,
                   &generations[OLDEST].head, collector->young.items, kept);
    }
    list_append(&generations[generation + 1].head, &generations[generation].head);
}

static bool
examine_young(struct collector *collector, int generation, struct gc_link *proposals)
{
    struct generation *generations = collector->gc.generations;
    struct detector *detector = &collector->detector;
    struct numbers *young = &collector->young;
    struct directions *directions = &collector->directions[generation];
    detect_begin(detector);
    if (!gather_young(collector, generation)) {
        return false;
    }
    size_t count = young->count, first = 0;
    directions->descends &= count < COUNT_ODD * directions->count;
    bool descends = directions->descends, is_along = directions->along != 0;
    long long marks = collector->stats.marks;
    size_t unreachable = is_along
                             ? decide_along(collector, young->items, count)
                             : decide_in_order(collector, young->items, count, &first);
    if (detector->no_memory || !order_reserve(detector, young, unreachable)) {
        return false;
    }
    struct gc_link *list = &generations[generation].head;
    for (int i = generation - 1; i >= 0; i--) {
        list_append(list, &generations[i].head);
    }
    note_proposals(collector, unreachable);
    size_t kept = count;
    if (unreachable != 0 || (needs_order(collector) && detector->queue.count != 0)) {
        kept = order_apply(detector, young->items, first, count, unreachable, true,
                           proposals);
    }
    if (needs_order(collector) &&
        (descends || detector->queue.count != 0 || detector->arranged < kept)) {
        order_relink(detector, young->items, 0, kept, list);
    }
    promote_young(collector, generation, kept, count - unreachable);
    if (is_along || unreachable != 0 || marks != collector->stats.marks) {
        clear_slots(detector, young->items, kept);
        clear_proposals(detector, proposals);
    }
    return true;
}

/* --- the oldest generation -------------------------------------------------------------------- */

/* Gather the slots of all candidates and count them; false if that failed. *blocks is the number of
 * blocks of the shadow when counting began. */
static bool
count_everything(struct collector *collector, size_t *fresh, size_t *blocks)
{
    struct generation *generations = collector->gc.generations;
    struct detector *detector = &collector->detector;
    struct trail *trail = &collector->trail;
    detect_begin(detector);
    bool has_young = gather_young(collector, OLDEST - 1);
    *blocks = detector->shadow.blocks;
    if (!has_young || !trail_walk(trail, detector, &generations[OLDEST].head,
                                  &collector->young, fresh)) {
        return false;
    }
    size_t low = trail->slots.count;
    for (size_t i = 0; i < collector->young.count; i++) {
        if (!numbers_append(&trail->slots, collector->young.items[i])) {
            return false;
        }
    }
    detect_arrange(detector, trail->slots.items, low, trail->slots.count);
    return !detector->no_memory;
}

/* A new object may lie in a window for which the shadow had no block while edges were counted. Then
 * edges are counted once more. */
static bool
count_everything_surely(struct collector *collector, size_t *fresh)
{
    struct shadow *shadow = &collector->detector.shadow;
    shadow_clear(shadow);
    for (int tries = 0; tries < 2; tries++) {
        size_t blocks, known = collector->trail.slots.count;
        if (!count_everything(collector, fresh, &blocks)) {
            break;
        }
        if (shadow->blocks == blocks || known == 0) {
            return true;
        }
        collector->trail.slots.count = collector->trail.proven = *fresh;
        shadow_clear(shadow);
    }
    collector->trail.slots.count = collector->trail.proven = 0;
    return false;
}

/* Dicts may have become atomic since they were young. So look at the dicts that joined last, and at
 * a part of the others in turn. */
static size_t
untrack_old(struct collector *collector, size_t fresh, size_t kept)
{
    uint32_t *slots = collector->trail.slots.items;
    size_t recent = fresh > UNTRACK_RECENT ? fresh - UNTRACK_RECENT : 0;
    size_t low = collector->next_to_untrack < recent ? collector->next_to_untrack : 0;
    size_t high =
        low + recent / UNTRACK_SHARE < recent ? low + recent / UNTRACK_SHARE : recent;
    size_t untracked = 0;
    kept = untrack_survivors(collector, slots, recent, kept, &untracked);
    size_t left = untrack_survivors(collector, slots, low, high, &untracked);
    for (; left < high; left++) {
        slots[left] = 0; /* the slot of no object: the next walk skips it */
    }
    collector->next_to_untrack = high;
    collector->hidden_count -= untracked;
    collector->stats.untracked += (long long)untracked;
    return kept;
}

static bool
make_watch(struct collector *collector)
{
    Py_CLEAR(collector->watch);
    collector->watch = PyWeakref_NewRef(collector->sentinel, collector->put_back);
    PyErr_Clear();
    return collector->watch != NULL;
}

static bool
examine_old(struct collector *collector, struct gc_link *proposals)
{
    struct generation *generations = collector->gc.generations;
    struct detector *detector = &collector->detector;
    struct trail *trail = &collector->trail;
    size_t fresh, first;
    if (Py_REFCNT(collector->sentinel) != 1 || !make_watch(collector) ||
        !count_everything_surely(collector, &fresh)) {
        return false;
    }
    uint32_t *slots = trail->slots.items;
    size_t count = trail->slots.count;
    size_t unreachable = decide(collector, slots, fresh, count, &first);
    if (detector->no_memory || !order_reserve(detector, &trail->slots, unreachable)) {
        trail->slots.count = trail->proven = 0;
        return false;
    }
    slots = trail->slots.items;
    struct gc_link *list = &generations[OLDEST].head;
    for (int i = OLDEST - 1; i >= 0; i--) {
        list_append(list, &generations[i].head);
    }
    note_proposals(collector, unreachable);
    order_renew(detector, slots, count, list);
    if (detector->arranged < count) {
        order_relink(detector, slots, detector->arranged, count, list);
    }
    size_t kept = count;
    bool is_mostly = is_most(unreachable, count);
    if (unreachable != 0 || detector->queue.count != 0) {
        order_move(detector, slots);
        kept =
            order_apply(detector, slots, first, count, unreachable, is_mostly, proposals);
    }
    if (is_mostly && order_by_address(detector, slots, kept, list)) {
        fresh = 0;
    }
    collector->hidden_count = count - unreachable;
    kept = untrack_old(collector, fresh < kept ? fresh : kept, kept);
    trail->slots.count = kept;
    trail->proven = is_mostly ? 0 : kept;
    list_append(&collector->hidden, list);
    list_insert_after(proposals, link_of(collector->sentinel));
    collector->is_hiding = true;
    return true;
}

/* --- around CPython's collection -------------------------------------------------------------- */

static void
judge_garbage(struct collector *collector, size_t garbage, size_t examined)
{
    collector->is_mostly_garbage[collector->generation] = is_most(garbage, examined);
}

/* Find out how much of a collection without us was garbage. CPython counts the survivors of the
 * older generations. The youngest generation had about as many objects as were made since its last
 * collection. */
static void
judge_cpython(struct collector *collector, size_t collected)
{
    size_t pending = (size_t)*collector->gc.long_lived_pending - collector->expected;
    size_t total = collector->generation == OLDEST
                       ? collected + (size_t)*collector->gc.long_lived_total
                   : collector->generation == 0 ? collector->expected
                                                : collected + pending;
    judge_garbage(collector, collected, total);
}

/* If CPython collects the oldest generation alone, it is fastest in its own order. So it also
 * collects the middle generation alone then. */
static bool
is_left_to_cpython(const struct collector *collector, int generation)
{
    return collector->is_mostly_garbage[generation] ||
           (generation == OLDEST - 1 && collector->is_mostly_garbage[OLDEST]) ||
           (generation == 0 && collector->gc.generations[0].count < YOUNG_LEAST) ||
           gc_state_is_debugging(&collector->gc);
}

/* The young collection that is about to run collects the garbage that a slice finds. */
static void
run_slice(struct collector *collector)
{
    struct gc_link found;
    list_init(&found);
    size_t count = cycle_run(&collector->cycle, &collector->trail, &collector->detector,
                             &collector->gc, cycle_allowance(&collector->cycle), &found);
    collector->proposals += count;
    collector->stats.proposed += (long long)count;
    list_append(&collector->gc.generations[collector->generation].head, &found);
}

double
collect_clock(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

bool
collect_donate(struct collector *collector, double deadline)
{
    size_t found = 0;
    struct gc_link proposals;
    list_init(&proposals);
    if (collector->generation < 0) {
        cycle_begin_early(&collector->cycle, &collector->trail,
                          &collector->detector.shadow, &collector->gc);
    }
    while (found == 0 && collector->generation < 0 &&
           collector->cycle.phase != CYCLE_IDLE && collect_clock() < deadline) {
        found = cycle_run(&collector->cycle, &collector->trail, &collector->detector,
                          &collector->gc, collector->cycle.budget, &proposals);
    }
    collector->stats.proposed += (long long)found;
    list_append(&collector->gc.generations[0].head, &proposals);
    return found != 0;
}

void
collect_before(struct collector *collector, int generation)
{
    struct gc_link proposals;
    list_init(&proposals);
    collect_put_back(collector);
    collector->generation = generation;
    collector->proposals = 0;
    collector->stats.collections[generation]++;
    collector->wall_start = seconds_of(CLOCK_MONOTONIC);
    collector->cpu_start = seconds_spent(collector);
    collector->is_left = is_left_to_cpython(collector, generation);
    if (generation == OLDEST) {
        cycle_end(&collector->cycle);
    }
    if (collector->is_left) {
        run_slice(collector);
        collector->stats.left++;
        collector->expected = generation == 0 ? (size_t)collector->gc.generations[0].count
                                              : (size_t)*collector->gc.long_lived_pending;
        return;
    }
    long long before = collector->stats.objects, proofs = collector->stats.proofs;
    bool is_good = generation == OLDEST
                       ? examine_old(collector, &proposals)
                       : examine_young(collector, generation, &proposals);
    list_append(&collector->gc.generations[generation].head, &proposals);
    if (!is_good) {
        collector->stats.failed++;
        Py_CLEAR(collector->watch); /* no other code may reach the sentinel through it */
        shadow_clear(&collector->detector.shadow);
    }
    judge_garbage(collector, collector->proposals,
                  (size_t)(collector->stats.objects - before));
    if (generation == OLDEST) {
        release_memory(collector, proofs != collector->stats.proofs);
    } else {
        run_slice(collector);
    }
    collector->stats.detection_seconds += seconds_spent(collector) - collector->cpu_start;
}

/* CPython has counted the survivors among the proposals as long-lived, and nothing else. */
void
collect_put_back(struct collector *collector)
{
    if (!collector->is_hiding) {
        return;
    }
    collector->is_hiding = false;
    struct gc_link *list = &collector->gc.generations[OLDEST].head;
    if (link_is_tracked(link_of(collector->sentinel))) {
        PyObject_GC_UnTrack(collector->sentinel);
    }
    collector->stats.rejected += *collector->gc.long_lived_total;
    *collector->gc.long_lived_total += (Py_ssize_t)collector->hidden_count;
    list_append(&collector->hidden, list); /* objects that CPython kept join at the end */
    list_append(list, &collector->hidden);
}

void
collect_after(struct collector *collector, long long collected)
{
    if (collector->generation < 0) {
        return;
    }
    collect_put_back(collector);
    Py_CLEAR(collector->watch);
    if (collector->is_left) {
        judge_cpython(collector, collected > 0 ? (size_t)collected : 0);
    } else if (collector->generation != OLDEST &&
               collected < (long long)collector->proposals) {
        collector->stats.rejected += (long long)collector->proposals - collected;
    }
    double wall = seconds_of(CLOCK_MONOTONIC) - collector->wall_start;
    collector->stats.cpu_seconds += seconds_spent(collector) - collector->cpu_start;
    if (wall > collector->stats.longest_seconds) {
        collector->stats.longest_seconds = wall;
    }
    cycle_note(&collector->cycle, &collector->trail, &collector->detector.shadow,
               &collector->gc, collector->generation);
    collector->generation = -1;
}
