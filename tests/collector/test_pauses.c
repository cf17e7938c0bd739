/* SPDX-License-Identifier: MIT */
/* The record of pauses: what is counted, percentiles, the share of a window. */
#include "cycles.h"

#include <pthread.h>

#include "../../src/base/fault.h"

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

/* Pauses far apart, and then a dense row of pauses. The figures must be those of the dense row,
 * and must not depend on the earlier pauses. */
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

static void
take_long(struct node *Py_UNUSED(self))
{
    spend_cpu(3e-3);
}

TEST_PY(a_pause_as_long_as_a_window_leaves_nothing_of_it)
{
    Ouro_GCPauseStats stats;
    baseline();
    Ouro_GCSetPauseBudget(0);
    PyGC_Disable();
    EXPECT_EQ(Ouro_GCRecordPauses(0), 0);
    EXPECT_EQ(Ouro_GCRecordPauses(1), 0);
    PyObject *op = new_node(&F, "x");
    set_a(op, op);
    Py_DECREF(op);
    when_finalized = take_long;
    EXPECT_EQ(Ouro_GCCollect(2), 1);
    when_finalized = NULL;
    REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &stats), 0);
    EXPECT(stats.utilisation[0] == 0); /* of a millisecond */
}

/* Three pauses of 3 ms follow each other. None of them takes half of 10 ms. */
TEST_PY(pauses_of_a_thread_add_up_by_its_clock)
{
    Ouro_GCPauseStats stats;
    PyGC_Disable();
    EXPECT_EQ(Ouro_GCRecordPauses(0), 0);
    EXPECT_EQ(Ouro_GCRecordPauses(1), 0);
    for (int i = 0; i < 3; i++) {
        ouro_pause_begin(ouro_current.interp);
        spend_cpu(3e-3);
        ouro_pause_end(ouro_current.interp);
    }
    REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &stats), 0);
    EXPECT(stats.utilisation[1] < 0.5);
}

static void *
ask_when_it_began(void *interp)
{
    bool is_mine = ouro_pause_begun(interp) <= ouro_platform_thread_clock();
    return is_mine ? interp : NULL;
}

/* Others read their own clock instead, which says nothing about it. */
TEST_PY(the_thread_of_a_pause_alone_knows_when_it_began)
{
    struct _is *interp = ouro_current.interp;
    PyGC_Disable();
    Ouro_GCSetPauseBudget(0);
    Ouro_GCRecordPauses(0);
    double before = ouro_platform_thread_clock();
    EXPECT(ouro_pause_begun(interp) >= before); /* nothing is recorded */
    Ouro_GCRecordPauses(1);
    spend_cpu(20e-3);
    ouro_pause_begin(interp);
    spend_cpu(3e-3);
    EXPECT(ouro_pause_begun(interp) < ouro_platform_thread_clock() - 2e-3);
    pthread_t other;
    void *is_its_own = NULL;
    REQUIRE_EQ(pthread_create(&other, NULL, ask_when_it_began, interp), 0);
    REQUIRE_EQ(pthread_join(other, &is_its_own), 0);
    EXPECT_NOT_NULL(is_its_own);
    ouro_pause_end(interp);
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
    EXPECT_EQ(collect(), 1); /* the start of this pause is not known */
    REQUIRE_EQ(Ouro_GCGetPauseStats(OURO_CLOCK_WALL, &stats), 0);
    EXPECT_EQ(stats.pauses, 0);
    ouro_pause_begin(ouro_current.interp);
    Ouro_GCCollect(2); /* inside another collection */
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
