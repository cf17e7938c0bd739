/* SPDX-License-Identifier: MIT */
/* Pacing: with a pause budget a program needs about as much memory as without, even in cases
 * where incremental collectors usually fall behind. */
#include "short_cycles.h"

#include <stdlib.h>

typedef void (*workload)(void);

static size_t most_bytes;

/* Notes the largest number of bytes in use. */
static void
measure_heap(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    most_bytes = usage.used_bytes > most_bytes ? usage.used_bytes : most_bytes;
}

static size_t
bytes_needed(workload run, long budget)
{
    Py_Initialize();
    Ouro_GCSetPauseBudget(budget);
    Ouro_GCSetThresholds((int[]){500, 10, 10}, 3); /* several full collections */
    most_bytes = 0;
    run();
    Py_FinalizeEx();
    return most_bytes;
}

static Ouro_GCCycleStats last_stats;

static void
expect_similar_memory(workload run)
{
    if (OURO_DEBUG && getenv("OURO_STRESS") != NULL) {
        SKIP("every allocation collects");
    }
    if (OURO_PARANOID || OURO_COVERAGE) {
        SKIP("this build takes time that the pace does not count");
    }
    SKIP_CHECKED("keeps freed blocks");
    size_t whole = bytes_needed(run, 0);
    size_t sliced = bytes_needed(run, 200);
    EXPECT_GT(last_stats.cycles, 1);
    EXPECT_GT(last_stats.slices, last_stats.cycles);
    EXPECT_LE(sliced, whole + whole / 4 + ((size_t)1 << 20));
}

/* ---- workloads --------------------------------------------------------------------------- */

static PyObject *
make_ring(int length)
{
    PyObject *first = new_node(&N, NULL), *last = first;
    for (int i = 1; i < length; i++) {
        PyObject *next = new_node(&N, NULL);
        set_b(next, first);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    return first;
}

/* Rings in a table, replaced at random. */
static void
churn(int rings, int length, int replaced)
{
    PyObject **table = calloc((size_t)rings, sizeof *table);
    uint32_t dice = 1;
    for (int i = 0; i < rings; i++) {
        table[i] = make_ring(length);
    }
    for (int i = 0; i < replaced; i++) {
        dice = dice * 1664525u + 1013904223u;
        Py_SETREF(table[(dice >> 8) % (uint32_t)rings], make_ring(length));
        if (i % 16 == 0) {
            measure_heap();
        }
    }
    Ouro_GCGetCycleStats(&last_stats);
    for (int i = 0; i < rings; i++) {
        Py_DECREF(table[i]);
    }
    free(table);
}

static void
churn_request_graphs(void)
{
    churn(5000, 20, 15000);
}

static void
churn_large_rings(void)
{
    churn(20, 5000, 60);
}

static void
churn_small_rings(void)
{
    churn(50000, 2, 150000);
}

/* A queue as a doubly linked list. Objects are appended at one end and removed at the other. A
 * removed object refers to itself, so that reference counts do not free it. */
static void
churn_linked_list(void)
{
    PyObject *first = new_node(&N, NULL), *last = first;
    for (int i = 0; i < 400 * 1000; i++) {
        PyObject *next = new_node(&N, NULL);
        set_a(last, next);
        set_b(next, last);
        Py_SETREF(last, next);
        if (i == 0) {
            Py_INCREF(first);
        }
        if (i > 100 * 1000) {
            PyObject *second = Py_NewRef(node_of(first)->a);
            set_b(second, NULL);
            set_b(first, first);
            Py_SETREF(first, second);
        }
        if (i % 64 == 0) {
            measure_heap();
        }
    }
    Ouro_GCGetCycleStats(&last_stats);
    Py_DECREF(first);
    Py_DECREF(last);
}

/* One large structure is dropped at once, again and again. */
static void
drop_large_structures(void)
{
    PyObject *kept = make_ring(100 * 1000);
    for (int round = 0; round < 8; round++) {
        PyObject *big = make_ring(50 * 1000);
        Py_DECREF(big);
        measure_heap();
    }
    Ouro_GCGetCycleStats(&last_stats);
    Py_DECREF(kept);
}

TEST(request_graphs_need_at_most_a_quarter_more_memory_in_slices, .timeout = 120)
{
    expect_similar_memory(churn_request_graphs);
}

TEST(large_rings_need_at_most_a_quarter_more_memory_in_slices, .timeout = 120)
{
    expect_similar_memory(churn_large_rings);
}

TEST(small_rings_need_at_most_a_quarter_more_memory_in_slices, .timeout = 120)
{
    expect_similar_memory(churn_small_rings);
}

TEST(a_churned_list_needs_at_most_a_quarter_more_memory_in_slices, .timeout = 120)
{
    expect_similar_memory(churn_linked_list);
}

TEST(dropped_structures_need_at_most_a_quarter_more_memory_in_slices, .timeout = 120)
{
    expect_similar_memory(drop_large_structures);
}

/* ---- rules -------------------------------------------------------------------------------- */

/* Large objects: pages count as well as objects. Beyond the bound the cycle is finished in one
 * piece. */
TEST_PY(a_heap_that_grows_too_fast_forces_the_cycle_to_its_end)
{
    static PyObject *nodes[50000];
    PyObject *large[64];
    Ouro_GCCycleStats stats;
    if (OURO_DEBUG && getenv("OURO_STRESS") != NULL) {
        SKIP("every allocation collects");
    }
    baseline();
    Ouro_GCSetPauseBudget(1);
    make_old_heap(nodes, 50000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    for (int i = 0; i < 64; i++) {
        large[i] = PyTuple_New(1 << 16); /* 512 KiB */
        REQUIRE_NOT_NULL(large[i]);
    }
    Ouro_GCGetCycleStats(&stats);
    EXPECT_GE(stats.forced, 1);
    for (int i = 0; i < 64; i++) {
        Py_DECREF(large[i]);
    }
    for (int i = 0; i < 50000; i++) {
        Py_DECREF(nodes[i]);
    }
}

TEST_PY(donated_time_finishes_a_cycle_without_a_pause)
{
    static PyObject *nodes[20000];
    Ouro_GCPauseStats before, after;
    Ouro_GCCycleStats stats;
    baseline();
    EXPECT_EQ(Ouro_GCDonateTime(1000), 0); /* not in the mode */
    Ouro_GCSetPauseBudget(100);
    Ouro_GCSetThresholds((int[]){0}, 1);
    make_old_heap(nodes, 20000);
    for (int i = 0; i < 20000; i++) {
        Py_CLEAR(nodes[i]);
    }
    make_old_heap(nodes, 0);
    Ouro_GCSetPauseBudget(0);
    make_old_heap(nodes, 20000);
    for (int i = 0; i < 20000; i++) {
        Py_CLEAR(nodes[i]); /* garbage now */
    }
    Ouro_GCSetPauseBudget(100);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    Ouro_GCGetPauseStats(OURO_CLOCK_WALL, &before);
    while (Ouro_GCDonateTime(50) == 1) {
    }
    Ouro_GCGetPauseStats(OURO_CLOCK_WALL, &after);
    EXPECT_EQ(after.pauses, before.pauses);
    Ouro_GCGetCycleStats(&stats);
    EXPECT_EQ(stats.most_garbage, 20000);
}

/* ---- when slices come ---------------------------------------------------------------------- */

static struct cycle *
cycle_now(void)
{
    return ouro_current.interp->gc.cycle;
}

/* Starts a cycle by hand over `count` old objects. */
static void
begin_by_hand(PyObject **nodes, int count)
{
    baseline();
    ouro_current.interp->gc.stress = false;
    gc_now()->slices.short_from = OURO_SHORT_FROM; /* see test_doubt.c */
    Ouro_GCSetPauseBudget(1000);
    Ouro_GCSetThresholds((int[]){0}, 1);
    make_old_heap(nodes, count);
}

static void
release_nodes(PyObject **nodes, int count)
{
    for (int i = 0; i < count; i++) {
        unlink_node(nodes[i]);
        Py_DECREF(nodes[i]);
    }
}

TEST_PY(donated_time_starts_a_cycle_when_one_is_near)
{
    static PyObject *old[1000], *fresh[200];
    begin_by_hand(old, 1000);
    Py_ssize_t cycles = cycle_stats().cycles;
    EXPECT_EQ(Ouro_GCDonateTime(1000), 0); /* no new objects since the last collection */
    EXPECT_EQ(cycle_stats().cycles, cycles);
    for (int i = 0; i < 200; i++) {
        fresh[i] = new_node(&N, NULL);
    }
    EXPECT_EQ(Ouro_GCDonateTime(0), 1); /* a cycle begins, but does no work */
    EXPECT_EQ(cycle_stats().cycles, cycles + 1);
    EXPECT_EQ(cycle_now()->phase, CYCLE_COUNT);
    while (Ouro_GCDonateTime(1000) == 1) {
    }
    EXPECT_EQ(cycle_stats().cycles, cycles + 1);
    release_nodes(fresh, 200);
    release_nodes(old, 1000);
}

static void
donate_inside(struct node *Py_UNUSED(self))
{
    EXPECT_EQ(Ouro_GCDonateTime(1000), 0);
    note_event("donated");
}

TEST_PY(time_donated_by_a_finalizer_or_while_disabled_is_not_used)
{
    static PyObject *old[1000];
    begin_by_hand(old, 1000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    PyGC_Disable();
    EXPECT_EQ(Ouro_GCDonateTime(1000), 0);
    EXPECT_EQ(cycle_now()->phase, CYCLE_COUNT);
    PyGC_Enable();
    when_finalized = donate_inside;
    drop_self_cycle(&F, NULL);
    EXPECT_EQ(Ouro_GCCollect(0), 1);
    EXPECT_STR(events(), "donated");
    EXPECT_EQ(cycle_now()->phase, CYCLE_COUNT);
    Ouro_GCCollect(2);
    release_nodes(old, 1000);
}

TEST_PY(the_room_is_a_quarter_of_what_came)
{
    static PyObject *old[3000];
    struct _is *interp = ouro_current.interp;
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(interp));
    struct cycle *cy = cycle_now();
    uint32_t used = interp->heap.used_pages;
    cy->pace.start_objects = 1000 * 1000;
    cy->pace.start_pending = 400 * 1000;
    cy->pace.start_pages = 1000;
    interp->gc.growth.pages_after_full = 600;
    interp->heap.used_pages = 1000; /* no new page */
    interp->gc.growth.long_lived_pending = cy->pace.start_pending;
    interp->gc.growth.middle_pending = 50 * 1000;
    EXPECT(is_near(ouro_pace_need(interp), 0.5));
    interp->heap.used_pages = 1075;
    EXPECT(is_near(ouro_pace_need(interp), 0.75));
    interp->heap.used_pages = used;
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

/* A 24th of the heap at the start, in pages as in objects, if that is more. */
TEST_PY(the_room_is_a_share_of_the_pages_of_a_large_heap)
{
    enum { LARGE = 60 };
    static PyObject *large[LARGE], *nodes[1];
    for (int i = 0; i < LARGE; i++) {
        large[i] = PyTuple_New(1 << 16); /* 512 KiB: more than 8 pages */
        REQUIRE_NOT_NULL(large[i]);
    }
    begin_by_hand(nodes, 1);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    double room = cycle_now()->pace.start_pages / 24.0;
    EXPECT_GT(cycle_now()->pace.start_pages, 480);
    PyObject *more = PyTuple_New(1 << 16);
    double need = ouro_pace_need(ouro_current.interp);
    EXPECT(need > 8 / room && need < 11 / room);
    EXPECT(!ouro_pace_is_exceeded(ouro_current.interp));
    Py_DECREF(more);
    Ouro_GCCollect(2);
    for (int i = 0; i < LARGE; i++) {
        Py_DECREF(large[i]);
    }
    release_nodes(nodes, 1);
}

TEST_PY(a_cycle_is_finished_at_once_when_reported_memory_grows)
{
    static PyObject *old[1000];
    Ouro_GCCycleStats stats;
    begin_by_hand(old, 1000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    EXPECT(!ouro_pace_is_exceeded(ouro_current.interp));
    Ouro_GCSetThresholds((int[]){2000}, 1);
    Ouro_GCReportExternal((Py_ssize_t)1 << 30);
    Py_DECREF(new_node(&N, NULL));
    Ouro_GCGetCycleStats(&stats);
    EXPECT_EQ(stats.forced, 1);
    EXPECT_NULL(cycle_now());
    Ouro_GCReportExternal(-((Py_ssize_t)1 << 30));
    release_nodes(old, 1000);
}

TEST_PY(a_byte_trigger_that_is_nearer_than_the_next_slice_stays)
{
    static PyObject *old[1000];
    begin_by_hand(old, 1000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    Ouro_GCSetThresholds((int[]){2000}, 1);
    Ouro_GCSetByteTrigger(OURO_PAGE_SIZE);
    const struct heap *heap = &ouro_current.interp->heap;
    cycle_now()->pace.next_need = 1;
    ouro_collector_set_alarm(ouro_current.interp);
    EXPECT_EQ(heap->page_alarm, ouro_current.interp->gc.growth.pages_after_full + 1);
    Ouro_GCSetByteTrigger(0);
    ouro_collector_set_alarm(ouro_current.interp);
    EXPECT_EQ(heap->page_alarm, cycle_now()->pace.start_pages + 16);
    Ouro_GCCollect(2);
    release_nodes(old, 1000);
}

TEST_PY(with_a_budget_the_heap_asks_for_no_huge_pages)
{
    long before = Ouro_GCSetPauseBudget(100);
    EXPECT(ouro_current.interp->heap.small_faults);
    Ouro_GCSetPauseBudget(0);
    EXPECT(!ouro_current.interp->heap.small_faults);
    Ouro_GCSetPauseBudget(before);
}

/* Is a slice run by an allocation that finds so much needed? Or, in addition, by one that took pages
 * of the heap? */
static bool
allocation_of_pages_pays(double need, int64_t since_pause, uint32_t pages)
{
    struct _is *interp = ouro_current.interp;
    Py_ssize_t before = interp->gc.slices.stats.slices;
    REQUIRE(cycle_now() != NULL || ouro_cycle_start(interp));
    cycle_now()->pace.next_need = 0;
    interp->heap.allocations = 500;
    ouro_pace_rest(cycle_now());
    cycle_now()->pace.asked_pages -= pages;
    interp->heap.allocations += since_pause;
    cycle_now()->pace.start_pages = interp->heap.used_pages;
    cycle_now()->pace.start_objects = (Py_ssize_t)(24 * 500 / need);
    ouro_pace_pay(interp);
    return interp->gc.slices.stats.slices > before;
}

static bool
allocation_pays(double need, int64_t since_pause)
{
    return allocation_of_pages_pays(need, since_pause, 0);
}

TEST_PY(a_slice_keeps_its_distance_to_the_pause_before_it)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    EXPECT(!allocation_pays(0.1, 0));
    EXPECT(!allocation_pays(0.1, 31));
    EXPECT(allocation_pays(0.1, 32));
    REQUIRE(cycle_now() != NULL || ouro_cycle_start(ouro_current.interp));
    gc_now()->growth.long_lived_pending += 20000; /* more than the room */
    EXPECT(!allocation_pays(0.1, 31));
    EXPECT(allocation_of_pages_pays(0.1, 0, 1)); /* its time is over, too */
    EXPECT(allocation_pays(0.1, 32));
    gc_now()->growth.long_lived_pending -= 20000;
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

/* Run a slice, in a program that takes `each` seconds for an allocation. Returns the time that
 * the program gets next, as a multiple of the slice. */
static double
rest_after_slice(double each, double *slice)
{
    struct _is *interp = ouro_current.interp;
    REQUIRE(cycle_now() != NULL || ouro_cycle_start(interp));
    struct cycle_pace *pace = &cycle_now()->pace;
    pace->next_need = pace->owed = 0;
    pace->thread = NULL; /* nothing is measured */
    pace->each = each;
    interp->heap.allocations = 500;
    ouro_pace_rest(cycle_now());
    interp->heap.allocations += 32;
    double begun = ouro_platform_thread_clock();
    Py_ssize_t before = interp->gc.slices.stats.slices;
    ouro_pace_pay(interp);
    *slice = ouro_platform_thread_clock() - begun;
    REQUIRE(interp->gc.slices.stats.slices == before + 1 && cycle_now() != NULL);
    int64_t rest = (int64_t)(pace->owed / each);
    EXPECT_EQ(pace->rest_until - pace->resumed_at, rest > 32 ? rest : 32);
    return pace->owed;
}

TEST_PY(a_slice_is_followed_by_a_rest_that_memory_has_room_for)
{
    static PyObject *old[3000];
    double slice;
    begin_by_hand(old, 3000);
    Ouro_GCSetPauseBudget(1);
    double owed =
        rest_after_slice(1e-3, &slice); /* 3 s of work before the memory is used up */
    EXPECT(owed > 0 && owed <= 3 * slice);
    Ouro_GCCollect(2);
    double less = rest_after_slice(1e-12, &slice);
    EXPECT(less < slice / 100);
    Ouro_GCCollect(2);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    gc_now()->growth.long_lived_pending += 11000; /* 12,000 are allowed */
    EXPECT(rest_after_slice(1e-3, &slice) == 0);
    gc_now()->growth.long_lived_pending -= 11000;
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

TEST_PY(one_odd_pause_of_the_program_does_not_change_what_an_allocation_costs)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    struct cycle_pace *pace = &cycle_now()->pace;
    pace->each = 1e-7;
    pace->thread = &ouro_current;
    pace->resumed = ouro_platform_thread_clock() - 1; /* a second for ten objects */
    pace->resumed_at = ouro_current.interp->heap.allocations - 10;
    ouro_pace_pause(cycle_now());
    EXPECT(pace->each > 1.2e-7 && pace->each < 1.3e-7);
    EXPECT(is_near(pace->own_seconds / (10 * pace->each), OURO_BURST));
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

/* More was marked than estimated. The estimated share of the work done stays 1. */
TEST_PY(an_estimate_of_the_work_done_is_never_more_than_all)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    while (cycle_now()->phase < CYCLE_MARK) {
        ouro_cycle_run(ouro_current.interp, 0);
    }
    for (int i = 0; i < 50 && cycle_now() != NULL; i++) {
        cycle_now()->marked = 1000 * 1000;
        if (Ouro_GCDonateTime(5) == 1) {
            EXPECT(cycle_now()->pace.next_need >= 0 && cycle_now()->pace.next_need <= 1);
        }
    }
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

TEST_PY(a_slice_puts_the_next_one_off)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    double before = cycle_now()->pace.next_need;
    Ouro_GCCycleStats stats;
    do { /* the time may be over before the work begins */
        REQUIRE_EQ(Ouro_GCDonateTime(20), 1);
        Ouro_GCGetCycleStats(&stats);
    } while (stats.slices == 0);
    EXPECT(cycle_now()->pace.next_need > before);
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

TEST_PY(under_stress_every_allocation_runs_a_slice)
{
    static PyObject *old[1000];
    Ouro_GCCycleStats before, after;
    if (!OURO_DEBUG) {
        SKIP("debug builds only");
    }
    begin_by_hand(old, 1000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    cycle_now()->pace.next_need = 1;
    ouro_current.interp->gc.stress = true;
    ouro_collector_set_alarm(ouro_current.interp);
    Ouro_GCGetCycleStats(&before);
    for (int i = 0; i < 5; i++) {
        Py_DECREF(new_node(&N, NULL));
    }
    Ouro_GCGetCycleStats(&after);
    EXPECT_EQ(after.slices, before.slices + 5);
    ouro_current.interp->gc.stress = false;
    Ouro_GCCollect(2);
    release_nodes(old, 1000);
}

/* Small heaps may grow some more. */
TEST_PY(the_bound_on_memory_is_a_quarter_beyond_what_one_piece_needs)
{
    static PyObject *old[1000];
    struct gc_state *gc = &ouro_current.interp->gc;
    begin_by_hand(old, 1000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    cycle_now()->pace.start_objects = 1000 * 1000;
    Py_ssize_t before = gc->growth.middle_pending;
    gc->growth.middle_pending = 300 * 1000;
    EXPECT(!ouro_pace_is_exceeded(ouro_current.interp));
    gc->growth.middle_pending = 320 * 1000;
    EXPECT(ouro_pace_is_exceeded(ouro_current.interp));
    gc->growth.middle_pending = before;
    Ouro_GCCollect(2);
    release_nodes(old, 1000);
}

TEST_PY(what_a_cycle_destroyed_makes_room)
{
    static PyObject *old[1000];
    begin_by_hand(old, 1000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    struct cycle *cy = cycle_now();
    Py_ssize_t before = gc_now()->growth.middle_pending, collected = cy->c.collected;
    cy->pace.start_objects = 1000 * 1000;
    gc_now()->growth.middle_pending = 500 * 1000;
    EXPECT(ouro_pace_is_exceeded(ouro_current.interp));
    cy->c.collected += 300 * 1000;
    EXPECT(!ouro_pace_is_exceeded(ouro_current.interp));
    cy->c.collected = collected;
    gc_now()->growth.middle_pending = before;
    Ouro_GCCollect(2);
    release_nodes(old, 1000);
}

/* Of the objects at the start of a cycle: the share that a collection in one piece would have
 * had. `before` is the size of the heap before that. */
static double
share_in_time_of(Py_ssize_t total, Py_ssize_t pending, double before)
{
    Ouro_GCSetThresholds((int[]){700, 9, 9}, 3); /* 70,000 objects */
    gc_now()->growth.long_lived_total = total;
    gc_now()->growth.long_lived_pending = pending;
    gc_now()->slices.whole = before;
    PyGC_Disable();
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    PyGC_Enable();
    double share = cycle_now()->pace.in_time;
    Ouro_GCCollect(2);
    return share;
}

TEST_PY(what_is_allocated_while_a_cycle_is_late_does_not_raise_the_bound_on_memory)
{
    static PyObject *old[100];
    begin_by_hand(old, 100);
    EXPECT(is_near(share_in_time_of(1000 * 1000, 250 * 1000, 0), 1));
    EXPECT(is_near(share_in_time_of(1000 * 1000, 600 * 1000, 0), 1250 / 1600.0));
    EXPECT(is_near(share_in_time_of(100 * 1000, 200 * 1000, 0), 170 / 300.0));
    release_nodes(old, 100);
}

/* The program dropped objects while the last cycle ran, and made others. */
TEST_PY(what_the_last_cycles_left_counts_as_alive_though_much_of_it_is_new)
{
    static PyObject *old[100];
    begin_by_hand(old, 100);
    gc_now()->slices.alive = 1200 * 1000;
    EXPECT(is_near(share_in_time_of(800 * 1000, 800 * 1000, 0), 1500 / 1600.0));
    EXPECT(gc_now()->slices.alive == 0); /* a collection in one piece knows better */
    gc_now()->slices.alive = 1200 * 1000;
    EXPECT(
        is_near(share_in_time_of(800 * 1000, 200 * 1000, 0), 1)); /* not more than all */
    release_nodes(old, 100);
}

TEST_PY(what_cycles_left_is_an_average_that_follows_slowly)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    while (Ouro_GCDonateTime(1000) == 1) {
    }
    EXPECT(gc_now()->slices.alive == 3000);
    for (int i = 2000; i < 3000; i++) {
        unlink_node(old[i]);
        set_a(old[i], old[i]);
        Py_DECREF(old[i]);
    }
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    while (Ouro_GCDonateTime(1000) == 1) {
    }
    EXPECT(gc_now()->slices.alive == 0.75 * 3000 + 0.25 * 2000);
    release_nodes(old, 2000);
}

TEST_PY(the_bound_on_memory_follows_a_heap_that_shrank_over_some_cycles)
{
    static PyObject *old[100];
    begin_by_hand(old, 100);
    EXPECT(is_near(share_in_time_of(100 * 1000, 900 * 1000, 800 * 1000),
                   OURO_WHOLE_DECAY * 0.8));
    EXPECT(is_near(share_in_time_of(100 * 1000, 900 * 1000, 8e6),
                   1)); /* never more than all */
    release_nodes(old, 100);
}

/* The program's share, if an allocation took 1 ns lately, and `last` seconds in the last cycle. */
static double
ratio_after(double last)
{
    cycle_now()->pace.each = 1e-9;
    gc_now()->slices.own_cost = last;
    return ouro_pace_own_ratio(cycle_now());
}

TEST_PY(the_plan_counts_on_what_an_allocation_took_in_the_last_cycle)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    double lately = ratio_after(0);
    REQUIRE(lately > 0); /* and small: the quotients are compared */
    EXPECT(is_near(ratio_after(1.9e-9) / lately, 1.9));
    EXPECT(is_near(ratio_after(1e-6) / lately, 1)); /* the program has changed */
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

TEST_PY(where_the_plan_was_wrong_the_program_is_not_slowed_down_much)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    double before = ratio_after(0);
    REQUIRE(before > 0);
    gc_now()->growth.long_lived_pending +=
        6000; /* more than was planned, and not too many */
    EXPECT(ratio_after(0) == 0);
    cycle_now()->pace.phase_seconds[CYCLE_COUNT] = 1e-6;
    cycle_now()->pace.own_objects = 10; /* so many for each microsecond of slices */
    EXPECT(is_near(ratio_after(0) / (OURO_EVEN_SHARE * 10e-3 / OURO_WORK_MARGIN), 1));
    gc_now()->growth.long_lived_pending -= 6000;
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

TEST_PY(after_a_collection_in_one_piece_a_cycle_expects_to_find_more)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    EXPECT(!gc_now()->slices.follows_cycle);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    double first = ratio_after(0);
    gc_now()->slices.follows_cycle = true;
    EXPECT(ratio_after(0) > first);
    while (cycle_now() != NULL) {
        ouro_cycle_run(ouro_current.interp, 0);
    }
    EXPECT(gc_now()->slices.follows_cycle);
    Ouro_GCCollect(2);
    EXPECT(!gc_now()->slices.follows_cycle);
    release_nodes(old, 3000);
}

/* Objects that were promoted late belong to the next cycle. */
TEST_PY(what_survives_a_cycle_is_counted_without_what_came_meanwhile)
{
    static PyObject *old[3000], *late[500];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    Py_ssize_t start = cycle_now()->pace.start_objects;
    for (int i = 0; i < 500; i++) {
        late[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1);
    while (Ouro_GCDonateTime(1000) == 1) {
    }
    EXPECT_EQ(gc_now()->growth.long_lived_total, start);
    EXPECT_EQ(gc_now()->growth.long_lived_pending, 500);
    release_nodes(late, 500);
    release_nodes(old, 3000);
}

/* One slice that an allocation pays for, as short as can be. */
static void
pay_for_one_step(void)
{
    gc_now()->stress = true;
    ouro_pace_pay(ouro_current.interp);
    gc_now()->stress = false;
}

/* Step through a cycle with garbage. Bit p of the result is set if the cycle was in phase p. */
static uint64_t
pay_for_cycle(uint32_t rounds, int trust)
{
    uint64_t met = 0;
    drive_by_hand(8, rounds);
    gc_now()->slices.follow_trust = trust;
    PyObject *alive = new_ring(&N, 3000);
    Py_DECREF(drop_old_ring(&N, 20));
    Py_DECREF(drop_old_ring(&F, 100)); /* huge */
    start_cycle();
    while (gc_now()->cycle != NULL) {
        struct cycle *cy = gc_now()->cycle;
        cy->pace.next_need = 0;
        met |= (uint64_t)1 << cy->phase;
        pay_for_one_step();
        if (gc_now()->cycle != NULL) {
            EXPECT(cy->pace.next_need > 0 && cy->pace.next_need <= OURO_SHARE_MAX);
        }
    }
    Py_DECREF(alive);
    Ouro_GCCollect(2);
    return met;
}

TEST_PY(in_every_phase_a_slice_puts_the_next_one_off)
{
    uint64_t met =
        pay_for_cycle(6, -1000) | pay_for_cycle(0, -1000) | pay_for_cycle(6, 1);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        bool is_rare = phase == CYCLE_LIST || phase == CYCLE_DOUBT ||
                       (phase >= CYCLE_WATCH && phase <= CYCLE_SURVEY);
        EXPECT(is_rare || ((met >> phase) & 1) != 0);
    }
}

/* What the program is owed after a slice, if it was owed a second before. */
static double
most_owed(double budget)
{
    gc_now()->pause_budget = budget;
    cycle_now()->pace.owed = 1;
    cycle_now()->pace.thread = NULL; /* nothing is measured */
    pay_for_one_step();
    REQUIRE_NOT_NULL(cycle_now());
    return cycle_now()->pace.owed;
}

TEST_PY(the_program_is_owed_a_limited_time)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    EXPECT(is_near(most_owed(OURO_OWED_MOST / 100) / OURO_OWED_MOST, 1));
    EXPECT(is_near(most_owed(OURO_OWED_MOST) / OURO_OWED_MOST, OURO_OWED_BUDGETS));
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

TEST_PY(no_slice_comes_before_it_is_needed)
{
    static PyObject *old[3000];
    struct _is *interp = ouro_current.interp;
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(interp));
    Py_ssize_t slices = cycle_stats().slices;
    cycle_now()->pace.next_need = 0.5;
    interp->heap.allocations = 499; /* of the room for 1,000; and the rest is over */
    ouro_pace_pay(interp);
    EXPECT_EQ(cycle_stats().slices, slices);
    interp->heap.allocations = 501;
    ouro_pace_pay(interp);
    EXPECT_EQ(cycle_stats().slices, slices + 1);
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

/* A program took pages after a slice on `thread`, and is owed so many seconds. Is a slice run? */
static bool
slice_comes(const struct _Py_Current *thread, double owed)
{
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    gc_now()->growth.long_lived_pending += 20000; /* more than the room */
    cycle_now()->pace.thread = thread;
    cycle_now()->pace.owed = owed;
    bool pays = allocation_of_pages_pays(0.1, 0, 1);
    gc_now()->growth.long_lived_pending -= 20000;
    Ouro_GCCollect(2);
    return pays;
}

TEST_PY(a_program_that_is_owed_time_gets_it_although_it_allocates_pages)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    EXPECT(!slice_comes(&ouro_current, 1000));
    EXPECT(slice_comes(&ouro_current, 0));
    EXPECT(slice_comes(NULL, 1000)); /* another thread has another clock */
    release_nodes(old, 3000);
}

/* Following takes very long. It is not part of a cycle that tries one proof for all its proposals. */
TEST_PY(a_cycle_that_proves_all_together_plans_no_time_for_following)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    gc_now()->slices.follow_trust = 1;
    gc_now()->slices.phase_costs[CYCLE_FOLLOW] = 1e6;
    double follows = ratio_after(0);
    gc_now()->slices.watch_trust = 1;
    EXPECT(ratio_after(0) > 10 * follows);
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

/* The program's share in a short cycle, if the last short cycles took so many nanoseconds. */
static double
ratio_after_work(double usual)
{
    gc_now()->slices.short_work = usual;
    return ratio_after(0);
}

TEST_PY(in_a_short_cycle_the_program_runs_as_in_the_last_ones)
{
    doubt_by_hand();
    run_short_cycle();
    EXPECT(gc_now()->slices.short_work > 0);
    start_short_cycle();
    cycle_now()->pace.own_objects = 0;
    double slow = ratio_after_work(2e12), fast = ratio_after_work(1e12);
    REQUIRE(slow > 0);
    EXPECT(is_near(fast / slow, 2));
    finish_cycle();
}

/* A short cycle in a large heap, of which 600,000 objects are new. */
static struct cycle *
start_large_short_cycle(void)
{
    doubt_by_hand();
    run_short_cycle();
    start_short_cycle();
    struct cycle *cy = cycle_now();
    cy->pace.own_objects = 0;
    cy->pace.start_objects = 1000 * 1000;
    gc_now()->growth.long_lived_pending += 600 * 1000 - cy->pace.start_pending;
    cy->pace.start_pending = 600 * 1000;
    cy->pace.start_pages = 20 * 1000;
    cy->pace.in_time = 1;
    gc_now()->slices.short_work = gc_now()->slices.whole = gc_now()->slices.yield = 0;
    return cy;
}

TEST_PY(
    short_cycles_that_do_twice_the_work_in_their_time_let_the_program_run_twice_as_fast)
{
    start_large_short_cycle();
    gc_now()->slices.short_units = 1e9;
    double slow = ratio_after_work(1e12);
    gc_now()->slices.short_units = 2e9;
    double fast = ratio_after_work(1e12);
    REQUIRE(slow > 0);
    EXPECT(is_near(fast / slow, 2));
    finish_cycle();
}

/* 100,000 units for looking at the heap; and as many as objects that the program may allocate, if all of
 * these will be garbage. */
TEST_PY(a_short_cycle_lets_the_program_run_faster_where_little_is_garbage)
{
    struct cycle *cy = start_large_short_cycle();
    gc_now()->slices.short_units = 1e9;
    double none = ratio_after_work(1e12);
    gc_now()->slices.yield = 0.1;
    double some = ratio_after_work(1e12);
    gc_now()->slices.yield = 1;
    double all = ratio_after_work(1e12);
    gc_now()->slices.yield = 5; /* that is no more than all */
    EXPECT(ratio_after_work(1e12) == all);
    gc_now()->slices.yield = 0;
    uint32_t cursor = cy->cursor;
    cy->cursor = cy->pages / 2; /* half of what was found so far */
    cy->c.collected += 150 * 1000;
    EXPECT(ratio_after_work(1e12) < some);
    cy->c.collected -= 150 * 1000;
    cy->cursor = cursor;
    REQUIRE(all > 0);
    EXPECT(none > some && some > all);
    finish_cycle();
}

TEST_PY(the_first_short_cycle_knows_its_pace_after_a_while)
{
    struct cycle *cy = start_large_short_cycle();
    cy->pace.phase_seconds[CYCLE_DOUBT] = 0.9e-9 * OURO_KNOWN_WORK;
    double before = ratio_after_work(0);
    cy->pace.phase_seconds[CYCLE_DOUBT] =
        100e-9 * OURO_KNOWN_WORK; /* and next to nothing was done */
    EXPECT(ratio_after_work(0) < before / 10);
    finish_cycle();
}

/* The program's share, if so many objects are alive by what the last cycles left. */
static double
ratio_with_alive(double alive)
{
    gc_now()->slices.alive = alive;
    return ratio_after(0);
}

TEST_PY(a_short_cycle_plans_with_what_the_last_cycles_left)
{
    start_large_short_cycle(); /* all that is new may be garbage */
    double few = ratio_with_alive(0), many = ratio_with_alive(600 * 1000);
    REQUIRE(few > 0);
    EXPECT(is_near(many / few, 1.5));
    finish_cycle();
}
