/* SPDX-License-Identifier: MIT */
/* Pacing: with a pause budget a program needs about the memory that it needs without, also
 * where an incremental collector is known to fall behind. */
#include "nodes.h"

#include "../../src/base/fault.h"
#include "../../src/collector/cycle.h"

#include <stdlib.h>

typedef void (*workload)(void);

static size_t most_bytes;

/* The most that was in use since the last reset. */
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
expect_same_memory(workload run)
{
    if (OURO_DEBUG && getenv("OURO_STRESS") != NULL) {
        SKIP("every allocation collects");
    }
    size_t whole = bytes_needed(run, 0);
    size_t sliced = bytes_needed(run, 200);
    EXPECT_GT(last_stats.cycles, 1);
    EXPECT_GT(last_stats.slices, last_stats.cycles);
    EXPECT_LE(sliced, whole + whole / 8 + ((size_t)1 << 20));
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

/* A queue as a doubly linked list: appended at one end, taken off at the other, with a link
 * back from what was taken, so that counting does not free it. */
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

TEST(request_graphs_need_no_more_memory_in_slices, .timeout = 120)
{
    expect_same_memory(churn_request_graphs);
}

TEST(large_rings_need_no_more_memory_in_slices, .timeout = 120)
{
    expect_same_memory(churn_large_rings);
}

TEST(small_rings_need_no_more_memory_in_slices, .timeout = 120)
{
    expect_same_memory(churn_small_rings);
}

TEST(a_churned_list_needs_no_more_memory_in_slices, .timeout = 120)
{
    expect_same_memory(churn_linked_list);
}

TEST(dropped_structures_need_no_more_memory_in_slices, .timeout = 120)
{
    expect_same_memory(drop_large_structures);
}

/* ---- rules -------------------------------------------------------------------------------- */

static void
make_old_heap(PyObject **nodes, int count)
{
    for (int i = 0; i < count; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
    }
    Ouro_GCCollect(2);
}

/* Large objects: pages count as well as objects, and beyond the bound the cycle is finished
 * in one piece. */
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

/* ---- statistics --------------------------------------------------------------------------- */

TEST_PY(pauses_are_recorded_when_asked_for)
{
    Ouro_GCPauseStats stats;
    Ouro_GCSetPauseBudget(0);
    EXPECT_EQ(Ouro_GCRecordPauses(0), 0);
    EXPECT_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_WALL, &stats), -1);
    EXPECT_EQ(stats.pauses, 0);
    EXPECT(stats.utilisation[0] == 1);
    EXPECT_EQ(Ouro_GCRecordPauses(1), 0);
    PyGC_Disable();
    for (int i = 0; i < 5; i++) {
        Ouro_GCCollect(2);
    }
    for (int clock = OURO_CLOCK_WALL; clock <= OURO_CLOCK_CPU; clock++) {
        REQUIRE_EQ(Ouro_GCGetPauseStats(clock, &stats), 0);
        EXPECT_EQ(stats.pauses, 5);
        Py_ssize_t sum = 0;
        for (int b = 0; b < OURO_PAUSE_BUCKETS; b++) {
            sum += stats.histogram[b];
        }
        EXPECT_EQ(sum, 5);
        EXPECT(stats.longest > 0 && stats.longest <= stats.total);
        for (int w = 0; w < OURO_PAUSE_WINDOWS; w++) {
            EXPECT(stats.utilisation[w] >= 0 && stats.utilisation[w] <= 1);
        }
        EXPECT(stats.utilisation[3] >= stats.utilisation[0]);
        EXPECT(Ouro_GCPausePercentile(&stats, 1.0) == stats.longest);
        EXPECT(Ouro_GCPausePercentile(&stats, 0.2) <= stats.longest);
    }
    EXPECT_EQ(Ouro_GCRecordPauses(0), 0);
    EXPECT_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &stats), -1);
}

/* All pauses are in the bucket that their length says. */
TEST_PY(a_pause_is_in_the_bucket_of_its_length)
{
    Ouro_GCPauseStats stats;
    Ouro_GCSetPauseBudget(0);
    PyGC_Disable();
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(Ouro_GCRecordPauses(0), 0);
        EXPECT_EQ(Ouro_GCRecordPauses(1), 0);
        Ouro_GCCollect(2);
        REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_WALL, &stats), 0);
        int bucket = 0;
        while (stats.histogram[bucket] == 0) {
            bucket++;
        }
        double begin = 256e-9 * (1 << bucket / 4) * (4 + bucket % 4) / 4;
        double end = 256e-9 * (1 << bucket / 4) * (5 + bucket % 4) / 4;
        EXPECT(bucket == 0 || stats.longest >= 0.999 * begin);
        EXPECT(stats.longest <= 1.001 * end);
    }
}

TEST_PY(percentiles_of_nothing_and_of_everything)
{
    Ouro_GCPauseStats stats;
    memset(&stats, 0, sizeof stats);
    EXPECT(Ouro_GCPausePercentile(&stats, 0.5) == 0);
    stats.pauses = 2;
    stats.longest = 1e-3;
    stats.histogram[8] = 1; /* 1024 to 1280 nanoseconds */
    stats.histogram[40] = 1;
    EXPECT(Ouro_GCPausePercentile(&stats, 0) == 1280e-9);
    EXPECT(Ouro_GCPausePercentile(&stats, 0.5) == 1280e-9);
    EXPECT(Ouro_GCPausePercentile(&stats, 0.6) > 200e-6);
    EXPECT(Ouro_GCPausePercentile(&stats, 2) == stats.longest); /* no share */
}

TEST_PY(more_pauses_than_are_kept_one_by_one_are_counted)
{
    enum { PAUSES = 5000 };
    Ouro_GCPauseStats stats;
    Ouro_GCSetPauseBudget(0);
    PyGC_Disable();
    EXPECT_EQ(Ouro_GCRecordPauses(0), 0);
    EXPECT_EQ(Ouro_GCRecordPauses(1), 0);
    for (int i = 0; i < PAUSES; i++) {
        Ouro_GCCollect(0);
    }
    for (int clock = OURO_CLOCK_WALL; clock <= OURO_CLOCK_CPU; clock++) {
        REQUIRE_EQ(Ouro_GCGetPauseStats(clock, &stats), 0);
        EXPECT_EQ(stats.pauses, PAUSES);
        for (int w = 0; w < OURO_PAUSE_WINDOWS; w++) {
            EXPECT(stats.utilisation[w] >= 0 && stats.utilisation[w] <= 1);
        }
    }
}

static void
spend_cpu(double seconds)
{
    double until = ouro_platform_thread_clock() + seconds;
    while (ouro_platform_thread_clock() < until) {
    }
}

/* Pauses far apart, and then a dense row of them: it is seen, whatever came before, and what
 * came before does not weigh on it. */
TEST_PY(the_share_of_a_window_is_that_of_the_pauses_inside_it)
{
    static PyObject *old[20000];
    Ouro_GCPauseStats apart, dense;
    baseline();
    Ouro_GCSetPauseBudget(0);
    PyGC_Disable();
    make_old_heap(old, 20000);
    EXPECT_EQ(Ouro_GCRecordPauses(0), 0);
    EXPECT_EQ(Ouro_GCRecordPauses(1), 0);
    for (int i = 0; i < 100; i++) {
        Ouro_GCCollect(0);
        spend_cpu(1e-3);
    }
    REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &apart), 0);
    EXPECT(apart.utilisation[0] >= 1 - 2 * apart.longest / 1e-3 - 0.01);
    for (int i = 0; i < 50; i++) {
        Ouro_GCCollect(2);
    }
    REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &dense), 0);
    EXPECT(dense.total - apart.total > 2e-3);
    EXPECT(dense.utilisation[0] < 0.5);
    for (int i = 0; i < 20000; i++) {
        unlink_node(old[i]);
        Py_DECREF(old[i]);
    }
}

static int recorded_inside;

static void
record_from_now_on(struct node *Py_UNUSED(self))
{
    recorded_inside = Ouro_GCRecordPauses(1);
}

TEST_PY(a_pause_is_recorded_once_and_whole_or_not_at_all)
{
    Ouro_GCPauseStats stats;
    baseline_quiet();
    Ouro_GCSetPauseBudget(0);
    Ouro_GCRecordPauses(0);
    when_finalized = record_from_now_on;
    drop_self_cycle(&F, NULL);
    EXPECT_EQ(collect(), 1); /* its beginning is not known */
    REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_WALL, &stats), 0);
    EXPECT_EQ(stats.pauses, 0);
    ouro_pause_begin(ouro_current.interp);
    Ouro_GCCollect(2); /* inside another */
    ouro_pause_end(ouro_current.interp);
    REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_WALL, &stats), 0);
    EXPECT_EQ(stats.pauses, 1);
}

TEST_PY(without_memory_no_pause_is_recorded)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    Ouro_GCSetPauseBudget(0);
    Ouro_GCRecordPauses(0);
    ouro_fault_arm(1);
    EXPECT_EQ(Ouro_GCRecordPauses(1), -1);
    ouro_fault_arm(0);
    EXPECT_EQ(Ouro_GCCollect(2), 0);
    EXPECT_EQ(Ouro_GCRecordPauses(1), 0);
}

/* ---- when slices come ---------------------------------------------------------------------- */

static struct cycle *
cycle_now(void)
{
    return ouro_current.interp->gc.cycle;
}

static Py_ssize_t
cycles_so_far(void)
{
    Ouro_GCCycleStats stats;
    Ouro_GCGetCycleStats(&stats);
    return stats.cycles;
}

/* A cycle by hand, over so many old objects. */
static void
begin_by_hand(PyObject **nodes, int count)
{
    baseline();
    ouro_current.interp->gc.stress = false;
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
    Py_ssize_t cycles = cycles_so_far();
    EXPECT_EQ(Ouro_GCDonateTime(1000), 0); /* nothing came since the last collection */
    EXPECT_EQ(cycles_so_far(), cycles);
    for (int i = 0; i < 200; i++) {
        fresh[i] = new_node(&N, NULL);
    }
    EXPECT_EQ(Ouro_GCDonateTime(0), 1); /* time enough to begin, not to do anything */
    EXPECT_EQ(cycles_so_far(), cycles + 1);
    EXPECT_EQ(cycle_now()->phase, CYCLE_COUNT);
    while (Ouro_GCDonateTime(1000) == 1) {
    }
    EXPECT_EQ(cycles_so_far(), cycles + 1);
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

static bool
is_near(double a, double b)
{
    return a > b - 0.01 && a < b + 0.01;
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
    interp->gc.pages_after_full = 600;
    interp->heap.used_pages = 1000; /* no page came */
    interp->gc.long_lived_pending = cy->pace.start_pending;
    interp->gc.middle_pending = 50 * 1000;
    EXPECT(is_near(ouro_pace_need(interp), 0.5));
    interp->heap.used_pages = 1075;
    EXPECT(is_near(ouro_pace_need(interp), 0.75));
    interp->heap.used_pages = used;
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

/* A 24th of what there was at the start, in pages as in objects, if that is more. */
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
    EXPECT_EQ(heap->page_alarm, ouro_current.interp->gc.pages_after_full + 1);
    Ouro_GCSetByteTrigger(0);
    ouro_collector_set_alarm(ouro_current.interp);
    EXPECT_EQ(heap->page_alarm, cycle_now()->pace.start_pages + 16);
    Ouro_GCCollect(2);
    release_nodes(old, 1000);
}

/* What middle collections are believed to cost after one of so many objects and nanoseconds
 * for each. */
static double
cost_after(double before, int generation, Py_ssize_t candidates, double nanoseconds)
{
    struct collection c = ouro_collection_of(ouro_current.interp, generation);
    c.candidates = candidates;
    c.duration = (double)candidates * nanoseconds * 1e-9;
    ouro_current.interp->gc.middle_cost = before * 1e-9;
    ouro_trigger_learn(&c);
    return ouro_current.interp->gc.middle_cost * 1e9;
}

TEST_PY(with_a_budget_the_heap_asks_for_no_huge_pages)
{
    long before = Ouro_GCSetPauseBudget(100);
    EXPECT(ouro_current.interp->heap.small_faults);
    Ouro_GCSetPauseBudget(0);
    EXPECT(!ouro_current.interp->heap.small_faults);
    Ouro_GCSetPauseBudget(before);
}

TEST_PY(a_dear_middle_collection_counts_at_once_and_a_cheap_one_by_and_by)
{
    EXPECT(is_near(cost_after(50, OURO_MIDDLE, 5000, 70), 70));
    EXPECT(is_near(cost_after(70, OURO_MIDDLE, 5000, 50), 65));
}

TEST_PY(costs_of_middle_collections_that_are_out_of_bounds_are_not_believed)
{
    EXPECT(is_near(cost_after(50, OURO_MIDDLE, 5000, 1000), 80));
    EXPECT(is_near(cost_after(41, OURO_MIDDLE, 5000, 1), 40));
}

TEST_PY(other_generations_and_few_objects_say_nothing_about_middle_collections)
{
    EXPECT(is_near(cost_after(30, OURO_MIDDLE, 999, 40), 30));
    EXPECT(is_near(cost_after(30, OURO_YOUNG, 5000, 40), 30));
    EXPECT(is_near(cost_after(30, OURO_OLD, 5000, 40), 30));
}

/* Is a slice run by an allocation that finds so much needed? */
static bool
allocation_pays(double need, int64_t since_pause)
{
    struct _is *interp = ouro_current.interp;
    Py_ssize_t before = interp->gc.cycle_stats.slices;
    REQUIRE(cycle_now() != NULL || ouro_cycle_start(interp));
    cycle_now()->pace.next_need = 0;
    interp->heap.allocations = 500;
    ouro_pace_rest(cycle_now());
    interp->heap.allocations += since_pause;
    cycle_now()->pace.start_pages = interp->heap.used_pages;
    cycle_now()->pace.start_objects = (Py_ssize_t)(24 * 500 / need);
    ouro_pace_pay(interp);
    return interp->gc.cycle_stats.slices > before;
}

TEST_PY(a_slice_keeps_its_distance_to_the_pause_before_it)
{
    static PyObject *old[3000];
    begin_by_hand(old, 3000);
    EXPECT(!allocation_pays(0.1, 0));
    EXPECT(!allocation_pays(0.1, 31));
    EXPECT(allocation_pays(0.1, 32));
    REQUIRE(cycle_now() != NULL || ouro_cycle_start(ouro_current.interp));
    gc_now()->long_lived_pending += 20000; /* more than the room */
    EXPECT(allocation_pays(0.1, 0));
    gc_now()->long_lived_pending -= 20000;
    Ouro_GCCollect(2);
    release_nodes(old, 3000);
}

/* More was marked than there seemed to be: the estimate stays one. */
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
    do { /* the time may be over before it begins */
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

/* And some more for small heaps. */
TEST_PY(the_bound_on_memory_is_a_quarter_beyond_what_one_piece_needs)
{
    static PyObject *old[1000];
    struct gc_state *gc = &ouro_current.interp->gc;
    begin_by_hand(old, 1000);
    REQUIRE(ouro_cycle_start(ouro_current.interp));
    cycle_now()->pace.start_objects = 1000 * 1000;
    Py_ssize_t before = gc->middle_pending;
    gc->middle_pending = 300 * 1000;
    EXPECT(!ouro_pace_is_exceeded(ouro_current.interp));
    gc->middle_pending = 320 * 1000;
    EXPECT(ouro_pace_is_exceeded(ouro_current.interp));
    gc->middle_pending = before;
    Ouro_GCCollect(2);
    release_nodes(old, 1000);
}

/* ---- when cycles start ---------------------------------------------------------------------- */

/* Objects that survive, until so many collections came. */
static void
keep_until_collections(PyObject *list, Py_ssize_t wanted)
{
    Ouro_GCStats young, middle;
    do {
        PyObject *node = new_node(&N, NULL);
        REQUIRE_EQ(PyList_Append(list, node), 0);
        Py_DECREF(node);
        Ouro_GCGetStats(0, &young);
        Ouro_GCGetStats(1, &middle);
    } while (young.collections + middle.collections < wanted);
}

static Py_ssize_t
collections_below(int generation)
{
    Py_ssize_t sum = 0;
    for (int g = 0; g < generation; g++) {
        Ouro_GCStats stats;
        REQUIRE_EQ(Ouro_GCGetStats(g, &stats), 0);
        sum += stats.collections;
    }
    return sum;
}

/* A heap whose thresholds are 100, 3 and 9 and that was collected just now; and a list to grow. */
static PyObject *
begin_small_thresholds(void)
{
    baseline();
    gc_now()->stress = false;
    PyObject *list = PyList_New(0);
    Ouro_GCSetPauseBudget(1000);
    Ouro_GCCollect(2);
    Ouro_GCSetThresholds((int[]){100, 3, 9}, 3);
    gc_now()->long_lived_total = 0;
    return list;
}

TEST_PY(an_early_middle_collection_counts_as_a_young_one)
{
    PyObject *list = begin_small_thresholds();
    gc_now()->pause_budget = 1e-9; /* every middle collection would take longer */
    Py_ssize_t before = collections_below(2);
    keep_until_collections(list, before + 3);
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 3);
    EXPECT_EQ(gc_now()->generations[OURO_OLD].count, 0);
    keep_until_collections(list, before + 5); /* the fifth is due by its threshold */
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 0);
    EXPECT_EQ(gc_now()->generations[OURO_OLD].count, 1);
    EXPECT_EQ(gc_now()->middle_pending, 0); /* they were middle ones */
    Py_DECREF(list);
}

TEST_PY(an_early_middle_collection_that_finds_mostly_garbage_counts_as_a_middle_one)
{
    PyObject *list = begin_small_thresholds();
    gc_now()->pause_budget = 1e-9;
    Py_ssize_t before = collections_below(2);
    keep_until_collections(list, before + 2);
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 2);
    while (collections_below(2) < before + 3) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(gc_now()->generations[OURO_MIDDLE].count, 0);
    EXPECT_EQ(gc_now()->generations[OURO_OLD].count, 1);
    Py_DECREF(list);
}

TEST_PY(a_cycle_is_due_at_four_fifths_of_the_collections_of_one_piece)
{
    PyObject *list = begin_small_thresholds();
    Py_ssize_t before = cycles_so_far();
    gc_now()->generations[OURO_OLD].count = 7; /* of ten, each of four */
    gc_now()->generations[OURO_MIDDLE].count = 3;
    Py_ssize_t now = collections_below(2);
    keep_until_collections(list, now + 1);
    EXPECT_EQ(cycles_so_far(), before); /* 31 of 40 */
    gc_now()->generations[OURO_OLD].count = 8;
    gc_now()->generations[OURO_MIDDLE].count = 0;
    gc_now()->long_lived_pending = 100;
    while (cycles_so_far() == before && collections_below(2) < now + 3) {
        keep_until_collections(list, collections_below(2)); /* one more object */
    }
    EXPECT_EQ(cycles_so_far(), before + 1);
    EXPECT_EQ(collections_below(2), now + 1);
    Ouro_GCCollect(2);
    Py_DECREF(list);
}
