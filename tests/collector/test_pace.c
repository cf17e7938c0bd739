/* SPDX-License-Identifier: MIT */
/* Pacing: with a pause budget a program needs about the memory that it needs without, also
 * where an incremental collector is known to fall behind. */
#include "nodes.h"

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
