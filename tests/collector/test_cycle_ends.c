/* SPDX-License-Identifier: MIT */
/* What may happen in the middle of a cycle. A full collection, freezing, a fork, the end of the
 * mode or the end of the interpreter end it. Memory runs out. The collector is disabled. Another
 * full collection becomes due. */
#include "cycles.h"

#include "../../src/base/fault.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Drop an old ring, and step a cycle to `phase`; false when the cycle is over before. */
static bool
drop_ring_and_step_to(int phase)
{
    Py_DECREF(drop_old_ring(&N, 500));
    start_cycle();
    return step_to((enum cycle_phase)phase);
}

TEST_PY(a_full_collection_in_the_middle_is_exact)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        bool is_there = drop_ring_and_step_to(phase);
        bool was_proved = is_there && gc_now()->cycle->phase >= CYCLE_CONDEMN;
        Py_ssize_t freed = Ouro_GCCollect(2);
        EXPECT_EQ(freed, was_proved || !is_there ? 0 : 500);
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

TEST_PY(the_mode_ends_at_any_moment)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        drop_ring_and_step_to(phase);
        EXPECT_EQ(Ouro_GCSetPauseBudget(0), 1000);
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(Ouro_GCSetPauseBudget(1000), 0);
        Ouro_GCCollect(2);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

TEST_PY(freezing_ends_a_cycle)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        drop_ring_and_step_to(phase);
        Ouro_GCFreeze();
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
        Ouro_GCUnfreeze();
        Ouro_GCCollect(2);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

static void
freeze_once(struct node *self)
{
    (void)self;
    Ouro_GCFreeze();
    Ouro_GCUnfreeze();
}

static void
end_mode(struct node *self)
{
    (void)self;
    EXPECT_EQ(Ouro_GCSetPauseBudget(0), 1000);
    when_finalized = NULL;
}

TEST_PY(a_finalizer_may_freeze_and_end_the_mode_in_a_slice)
{
    drive_by_hand(8, 6);
    when_finalized = freeze_once;
    for (int i = 0; i < 20; i++) {
        drop_old_cycle(&F, NULL, NULL);
    }
    Py_ssize_t dropped = cycle_stats().dropped;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().dropped, dropped + 1);
    when_finalized = NULL;
    Ouro_GCCollect(2);
    EXPECT_EQ(Ouro_GCCollect(2), 0);

    PyObject *x = new_node(&F, NULL); /* two components, too large for one batch */
    set_a(x, x);
    Py_DECREF(drop_old_ring(&F, 20));
    Py_DECREF(x);
    when_finalized = end_mode;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().dropped, dropped + 2);
    Py_ssize_t left = Ouro_GCCollect(2);
    EXPECT(left == 1 || left == 20);
}

TEST_PY(a_disabled_collector_leaves_a_cycle_where_it_is)
{
    drive_by_hand(8, 6);
    Ouro_GCSetThresholds((int[]){2000}, 1);
    Py_DECREF(drop_old_ring(&N, 500));
    start_cycle();
    PyGC_Disable();
    Py_ssize_t slices = cycle_stats().slices;
    for (int i = 0; i < 5000; i++) {
        Py_DECREF(new_node(&N, NULL));
        Py_DECREF(PyList_New(0));
    }
    EXPECT_EQ(cycle_stats().slices, slices);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Ouro_GCDonateTime(1000), 0);
    PyGC_Enable();
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 500);
}

TEST_PY(a_child_drops_the_cycle_and_collects_by_itself)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        bool is_there = drop_ring_and_step_to(phase);
        bool was_proved = is_there && gc_now()->cycle->phase >= CYCLE_CONDEMN;
        PyOS_BeforeFork();
        pid_t child = fork();
        if (child == 0) {
            PyOS_AfterFork_Child();
            bool is_fine = gc_now()->cycle == NULL &&
                           Ouro_GCCollect(2) == (was_proved || !is_there ? 0 : 500) &&
                           ouro_heap_verify(&ouro_current.interp->heap);
            _exit(is_fine ? 0 : 1);
        }
        PyOS_AfterFork_Parent();
        int status = -1;
        REQUIRE_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        finish_cycle();
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

TEST(an_interpreter_ends_in_the_middle_of_a_cycle)
{
    for (int phase = CYCLE_COUNT; phase <= CYCLE_RELEASE; phase++) {
        Py_Initialize();
        drive_by_hand(8, 6);
        drop_ring_and_step_to(phase);
        EXPECT_EQ(Py_FinalizeEx(), 0);
    }
}

TEST_PY(lack_of_memory_ends_a_cycle_and_loses_nothing)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    drive_by_hand(8, 6);
    for (int64_t n = 1; n < 30; n++) {
        Py_DECREF(drop_old_ring(&N, 500));
        Py_ssize_t before = cycle_stats().out_of_memory;
        ouro_collector_free_spares(ouro_current.interp);
        ouro_fault_arm(n);
        bool has_started = ouro_cycle_start(ouro_current.interp);
        if (has_started) {
            finish_cycle();
        }
        bool was_hit = ouro_fault_seen() >= n;
        ouro_fault_arm(0);
        EXPECT_NULL(gc_now()->cycle);
        bool is_for_watch = n >= 19; /* the cycle goes on without a watch */
        EXPECT_EQ(cycle_stats().out_of_memory, before + (was_hit && !is_for_watch));
        EXPECT_EQ(Ouro_GCCollect(2), has_started ? 0 : 500);
        if (!was_hit) {
            EXPECT_EQ(n, 22); /* each table is reserved and committed */
            return;
        }
    }
    EXPECT(!"a cycle ends when no allocation fails");
}

/* The tables of a cycle are asked of the system, which may refuse. */
TEST_PY(memory_that_the_system_refuses_ends_a_cycle_before_it_starts)
{
    struct rlimit none = {1, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    if (UNDER_ASAN || UNDER_TSAN) {
        SKIP("a sanitizer needs memory itself");
    }
    skip_without_limits();
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    REQUIRE(setrlimit(RLIMIT_DATA, &none) == 0);
    bool has_started = ouro_cycle_start(ouro_current.interp);
    REQUIRE(setrlimit(RLIMIT_DATA, &all) == 0);
    EXPECT(!has_started);
    EXPECT_EQ(cycle_stats().out_of_memory, 1);
    EXPECT_EQ(Ouro_GCCollect(2), 1);
}

static Py_ssize_t
full_collections(void)
{
    Ouro_GCStats stats;
    REQUIRE_EQ(Ouro_GCGetStats(2, &stats), 0);
    return stats.collections;
}

/* The next allocation finds the old generation due. */
static void
make_old_due(void)
{
    Ouro_GCSetThresholds((int[]){5, 10, 0}, 3);
    gc_now()->growth.long_lived_total = 10;
    gc_now()->growth.long_lived_pending = 10;
    gc_now()->generations[OURO_OLD].count = 1;
    ouro_current.interp->heap.allocations = 6;
}

TEST_PY(without_memory_for_a_cycle_an_automatic_collection_is_done_at_once)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    Py_ssize_t before = full_collections();
    make_old_due();
    ouro_fault_arm(1);
    PyObject *y = new_node(&N, NULL);
    ouro_fault_arm(0);
    EXPECT_EQ(cycle_stats().out_of_memory, 1);
    EXPECT_EQ(full_collections(), before + 1);
    EXPECT_STR(events(), "clear x, dealloc x");
    Py_DECREF(y);
}

TEST_PY(a_cycle_that_ends_early_is_not_counted_as_a_collection)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    Py_ssize_t before = full_collections();
    start_cycle();
    Ouro_GCSetPauseBudget(0);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(full_collections(), before);
    Ouro_GCSetPauseBudget(1000);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(full_collections(), before + 1);
}

TEST_PY(no_second_cycle_starts_while_one_runs)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    start_cycle();
    Py_ssize_t cycles = cycle_stats().cycles, before = full_collections();
    const struct cycle *running = gc_now()->cycle;
    gc_now()->cycle->pace.next_need = 1; /* no slice is due */
    make_old_due();
    Py_DECREF(new_node(&N, NULL));
    EXPECT_EQ(gc_now()->cycle, running);
    ouro_current.interp->heap.allocations = 6;
    Ouro_GCReportExternal((Py_ssize_t)1 << 30); /* this also makes a collection due */
    EXPECT_EQ(cycle_stats().cycles, cycles);
    Ouro_GCReportExternal(-((Py_ssize_t)1 << 30));
    EXPECT_EQ(full_collections(), before);
    finish_cycle();
}
