/* SPDX-License-Identifier: MIT */
/* Counts and thresholds, and when a collection starts by itself: scenarios C69 to C80. */
#include "nodes.h"

#include "../../src/base/config.h"
#include "../../src/collector/collector.h"

/* Automatic collections cannot be told apart when every allocation collects. */
static void
need_unstressed(void)
{
    if (OURO_DEBUG && getenv("OURO_STRESS") != NULL) {
        SKIP("every allocation collects");
    }
}

/* In slices a full collection is counted when its cycle ends, not when it is due. */
static void
need_one_piece(void)
{
    if (getenv("OURO_PAUSE_BUDGET") != NULL) {
        SKIP("full collections are sliced");
    }
}

static const int *
counts(void)
{
    static int now[3];
    Ouro_GCGetCounts(now);
    return now;
}

#define EXPECT_COUNTS(young, middle, old)                                                \
    do {                                                                                 \
        EXPECT_EQ(counts()[0], young);                                                   \
        EXPECT_EQ(counts()[1], middle);                                                  \
        EXPECT_EQ(counts()[2], old);                                                     \
    } while (0)

static Py_ssize_t
collections_of(int generation)
{
    Ouro_GCStats stats;
    REQUIRE_EQ(Ouro_GCGetStats(generation, &stats), 0);
    return stats.collections;
}

static Py_ssize_t
collections(void)
{
    return collections_of(0) + collections_of(1) + collections_of(2);
}

static void
set_thresholds(int young, int middle, int old)
{
    Ouro_GCSetThresholds((int[]){young, middle, old}, 3);
}

/* --- counts ----------------------------------------------------------------------------------- */

TEST_PY(the_thresholds_start_as_documented) /* C69 */
{
    int thresholds[3];
    Ouro_GCGetThresholds(thresholds);
    EXPECT_EQ(thresholds[0], 2000);
    EXPECT_EQ(thresholds[1], 10);
    EXPECT_EQ(thresholds[2], 10);
}

TEST_PY(thresholds_that_are_not_given_keep_their_value)
{
    int thresholds[3];
    set_thresholds(7, 8, 9);
    Ouro_GCSetThresholds((int[]){1}, 1);
    Ouro_GCGetThresholds(thresholds);
    EXPECT_EQ(thresholds[0], 1);
    EXPECT_EQ(thresholds[1], 8);
    EXPECT_EQ(thresholds[2], 9);
    Ouro_GCSetThresholds((int[]){2, 3}, 2);
    Ouro_GCGetThresholds(thresholds);
    EXPECT_EQ(thresholds[0], 2);
    EXPECT_EQ(thresholds[1], 3);
    EXPECT_EQ(thresholds[2], 9);
}

TEST_PY(a_full_collection_sets_all_counts_to_zero) /* C70 */
{
    baseline_quiet();
    EXPECT_COUNTS(0, 0, 0);
}

TEST_PY(allocations_count_up_and_frees_count_down) /* C70 */
{
    PyObject *nodes[5];
    baseline_quiet();
    for (int i = 0; i < 5; i++) {
        nodes[i] = new_untracked_node(&N, NULL);
    }
    EXPECT_COUNTS(5, 0, 0);
    for (int i = 0; i < 5; i++) {
        Py_DECREF(nodes[i]);
    }
    EXPECT_COUNTS(0, 0, 0);
}

TEST_PY(frees_beyond_the_allocations_leave_the_count_at_zero)
{
    PyObject *x = new_node(&N, NULL);
    baseline_quiet();
    Py_DECREF(x);
    EXPECT_COUNTS(0, 0, 0);
}

TEST_PY(a_collection_counts_for_the_next_older_generation) /* C71 */
{
    baseline_quiet();
    Py_DECREF(new_node(&N, NULL));
    PyObject *x = new_node(&N, NULL);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_COUNTS(0, 1, 0);
    EXPECT_EQ(Ouro_GCCollect(1), 0);
    EXPECT_COUNTS(0, 0, 1);
    EXPECT_EQ(Ouro_GCCollect(2), 0);
    EXPECT_COUNTS(0, 0, 0);
    Py_DECREF(x);
}

/* --- generations -------------------------------------------------------------------------------- */

TEST_PY(a_generation_that_is_none_is_a_value_error) /* C78 */
{
    static const int wrong[] = {3, -1, 100, INT_MIN};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(wrong); i++) {
        EXPECT_EQ(Ouro_GCCollect(wrong[i]), -1);
        PyObject *exc = PyErr_GetRaisedException();
        REQUIRE_NOT_NULL(exc);
        EXPECT(PyErr_GivenExceptionMatches(exc, PyExc_ValueError));
        PyObject *text = PyObject_Str(exc);
        EXPECT_STR(PyUnicode_AsUTF8(text), "invalid generation");
        Py_DECREF(text);
        Py_DECREF(exc);
    }
}

/* --- automatic collections -------------------------------------------------------------------------- */

static void
allocate_and_keep(PyObject **nodes, int count)
{
    for (int i = 0; i < count; i++) {
        nodes[i] = new_untracked_node(&N, NULL);
    }
}

static void
release_all(PyObject **nodes, int count)
{
    for (int i = 0; i < count; i++) {
        Py_DECREF(nodes[i]);
    }
}

TEST_PY(an_allocation_over_the_threshold_collects)
{
    PyObject *nodes[7];
    need_unstressed();
    baseline();
    set_thresholds(5, 100, 100);
    Py_ssize_t before = collections_of(0);
    allocate_and_keep(nodes, 5);
    EXPECT_EQ(collections_of(0), before);
    EXPECT_COUNTS(5, 0, 0);
    allocate_and_keep(nodes + 5, 1);
    EXPECT_EQ(collections_of(0), before + 1);
    EXPECT_EQ(counts()[1], 1);
    allocate_and_keep(nodes + 6, 1);
    release_all(nodes, 7);
}

TEST_PY(each_allocator_collects_when_that_is_due)
{
    PyObject *nodes[6];
    need_unstressed();
    baseline();
    for (int way = 0; way < 4; way++) {
        set_thresholds(0, 100, 100);
        PyGC_Collect();
        allocate_and_keep(nodes, 6);
        drop_self_cycle(&N, "x");
        forget_events();
        set_thresholds(3, 100, 100);
        PyObject *fresh = way == 0   ? PyObject_GC_New(PyObject, &N)
                          : way == 1 ? PyTuple_New(3)
                          : way == 2 ? PyUnstable_Object_GC_NewWithExtraData(&N, 100)
                                     : PyType_GenericAlloc(&N, 0);
        set_thresholds(0, 100, 100);
        EXPECT_EQ(count_events("dealloc x"), 1);
        if (way == 0) {
            PyObject_GC_Del(fresh);
        } else {
            Py_DECREF(fresh);
        }
        release_all(nodes, 6);
    }
}

/* "Before the new object is handed out": it is neither a candidate nor visited. */
TEST_PY(the_object_whose_allocation_collects_is_not_looked_at)
{
    need_unstressed();
    baseline();
    set_thresholds(1, 100, 100);
    for (int i = 0; i < 1000; i++) {
        struct node *fresh = PyObject_GC_New(struct node, &N);
        memset(&fresh->a, 0x55, sizeof(PyObject *) * 2); /* not initialised yet */
        fresh->a = fresh->b = fresh->weaklist = NULL;
        fresh->name = NULL;
        PyObject_GC_Track(fresh);
        set_a((PyObject *)fresh, (PyObject *)fresh);
        Py_DECREF(fresh);
    }
    EXPECT_GT(collections_of(0), 100);
}

TEST_PY(a_safe_point_collects_when_that_is_due)
{
    PyObject *nodes[7];
    need_unstressed();
    baseline();
    EXPECT_EQ(Ouro_GCSetSafePointsOnly(1), 0);
    set_thresholds(5, 100, 100);
    Py_ssize_t before = collections_of(0);
    allocate_and_keep(nodes, 7);
    EXPECT_EQ(collections_of(0), before);
    EXPECT_COUNTS(7, 0, 0);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(collections_of(0), before + 1);
    EXPECT_COUNTS(0, 1, 0);
    EXPECT_EQ(Ouro_GCSetSafePointsOnly(0), 1);
    release_all(nodes, 7);
}

TEST_PY(older_generations_wait_for_their_thresholds_and_the_quarter_rule) /* C72 */
{
    /* An old heap of 1000 objects: a full collection is worth it once 250 are new. */
    enum { OLD = 1000, ROUNDS = 9, EACH = 7 };
    static const int expected[ROUNDS][3] = {
        {0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 0, 1}, {0, 1, 1},
        {0, 2, 1}, {0, 3, 1}, {0, 0, 2}, {0, 1, 2},
    };
    static PyObject *old[OLD];
    PyObject *nodes[EACH];
    need_unstressed();
    for (int i = 0; i < OLD; i++) {
        old[i] = new_node(&N, NULL);
    }
    baseline();
    Ouro_GCSetSafePointsOnly(1);
    set_thresholds(5, 2, 0);
    for (int round = 0; round < ROUNDS; round++) {
        allocate_and_keep(nodes, EACH);
        EXPECT_EQ(PyErr_CheckSignals(), 0);
        EXPECT_COUNTS(expected[round][0], expected[round][1], expected[round][2]);
        release_all(nodes, EACH);
        Ouro_GCCollect(-1); /* changes nothing */
        PyErr_Clear();
    }
    release_all(old, OLD);
}

TEST_PY(a_full_collection_comes_when_a_quarter_of_the_old_objects_is_new) /* C72 */
{
    enum { OLD = 1000, NEW = 400, EACH = 7 };
    static PyObject *old[OLD], *fresh[NEW];
    PyObject *nodes[EACH];
    need_one_piece();
    need_unstressed();
    for (int i = 0; i < OLD; i++) {
        old[i] = new_node(&N, NULL);
    }
    baseline();
    Ouro_GCSetSafePointsOnly(1);
    set_thresholds(0, 2, 0);
    for (int i = 0; i < NEW; i++) {
        fresh[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1); /* all of them are pending now; count[2] is 1 */
    EXPECT_COUNTS(0, 0, 1);
    Py_ssize_t before = collections_of(2);
    allocate_and_keep(nodes, EACH);
    set_thresholds(5, 2, 0);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(collections_of(2), before + 1);
    EXPECT_COUNTS(0, 0, 0);
    release_all(nodes, EACH);
    release_all(old, OLD);
    release_all(fresh, NEW);
}

TEST_PY(a_first_threshold_of_zero_switches_automatic_collections_off) /* C73 */
{
    static PyObject *nodes[3000];
    need_unstressed();
    baseline();
    set_thresholds(0, 10, 10);
    Py_ssize_t before = collections();
    allocate_and_keep(nodes, 3000);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(collections(), before);
    EXPECT_COUNTS(3000, 0, 0);
    release_all(nodes, 3000);
}

TEST_PY(a_disabled_collector_counts_and_catches_up_when_enabled) /* C74 */
{
    PyObject *nodes[21];
    need_unstressed();
    baseline();
    set_thresholds(5, 100, 100);
    PyGC_Disable();
    Py_ssize_t before = collections();
    allocate_and_keep(nodes, 20);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(collections(), before);
    EXPECT_COUNTS(20, 0, 0);
    PyGC_Enable();
    EXPECT_EQ(collections(), before);
    allocate_and_keep(nodes + 20, 1);
    EXPECT_EQ(collections(), before + 1);
    release_all(nodes, 21);
}

TEST_PY(nothing_is_collected_while_an_exception_is_pending) /* C79 */
{
    PyObject *nodes[21];
    need_unstressed();
    baseline();
    set_thresholds(5, 100, 100);
    PyErr_SetString(PyExc_ValueError, "pending");
    Py_ssize_t before = collections();
    allocate_and_keep(nodes, 20);
    EXPECT_EQ(collections(), before);
    EXPECT_RAISED(PyExc_ValueError);
    allocate_and_keep(nodes + 20, 1);
    EXPECT_EQ(collections(), before + 1);
    release_all(nodes, 21);
}

static int64_t made_by_finalizer;

static void
allocate_much(struct node *self)
{
    (void)self;
    Py_ssize_t before = collections();
    for (int i = 0; i < 100; i++) {
        Py_DECREF(new_node(&N, NULL));
        drop_self_cycle(&N, NULL);
        made_by_finalizer++;
    }
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(collections(), before);
}

TEST_PY(allocations_inside_a_collection_do_not_start_another) /* C80 */
{
    baseline_quiet();
    set_thresholds(5, 1, 1);
    when_finalized = allocate_much;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
    EXPECT_EQ(made_by_finalizer, 100);
    when_finalized = NULL;
    EXPECT_EQ(collect(), 100);
}

TEST_PY(manual_collections_ignore_counts_and_thresholds)
{
    baseline_quiet();
    set_thresholds(0, 0, 0);
    drop_self_cycle(&N, NULL);
    EXPECT_EQ(Ouro_GCCollect(0), 1);
    drop_self_cycle(&N, NULL);
    EXPECT_EQ(Ouro_GCCollect(1), 1);
    drop_self_cycle(&N, NULL);
    EXPECT_EQ(collect(), 1);
}

TEST_PY(memory_of_dropped_cycles_stays_bounded_by_the_thresholds)
{
    Ouro_HeapUsage usage;
    need_unstressed();
    for (int i = 0; i < 500 * 1000; i++) {
        drop_self_cycle(&N, NULL);
    }
    Ouro_HeapGetUsage(&usage);
    EXPECT_LT(usage.used_bytes, 8 << 20);
}

/* --- beyond CPython ---------------------------------------------------------------------------------- */

TEST_PY(reported_memory_makes_a_full_collection_due)
{
    need_one_piece();
    need_unstressed();
    baseline();
    Py_ssize_t before = collections_of(2);
    Ouro_GCReportExternal((Py_ssize_t)32 << 20);
    EXPECT_EQ(collections_of(2), before);
    Ouro_GCReportExternal((Py_ssize_t)64 << 20);
    EXPECT_EQ(collections_of(2), before + 1);
    Ouro_GCReportExternal((Py_ssize_t)128 << 20);
    EXPECT_EQ(collections_of(2), before + 1); /* 224 MiB; now 256 are needed */
    Ouro_GCReportExternal(-((Py_ssize_t)224 << 20));

    PyGC_Disable();
    Ouro_GCReportExternal((Py_ssize_t)1 << 40);
    EXPECT_EQ(collections_of(2), before + 1);
    Ouro_GCReportExternal(-((Py_ssize_t)1 << 40));
}

TEST_PY(only_a_full_collection_starts_anew_with_reported_memory)
{
    need_one_piece();
    need_unstressed();
    baseline();
    Py_ssize_t before = collections_of(2);
    Ouro_GCReportExternal((Py_ssize_t)40 << 20);
    Ouro_GCCollect(0);
    Ouro_GCCollect(1);
    Ouro_GCReportExternal((Py_ssize_t)40 << 20); /* 80 MiB since the full one */
    EXPECT_EQ(collections_of(2), before + 1);
    Ouro_GCReportExternal(-((Py_ssize_t)80 << 20));
}

TEST_PY(only_a_full_collection_starts_anew_with_the_growth_of_the_heap)
{
    static PyObject *blocks[24];
    need_one_piece();
    need_unstressed();
    baseline();
    Ouro_GCSetByteTrigger((size_t)1 << 20);
    Py_ssize_t before = collections_of(2);
    for (int i = 0; i < 24; i++) { /* 64 KiB each, one and a half MiB in all */
        blocks[i] = PyTuple_New(8000);
        if (i == 8 || i == 12) {
            Ouro_GCCollect(i == 12);
        }
    }
    EXPECT_EQ(collections_of(2), before + 1);
    release_all(blocks, 24);
    Ouro_GCSetByteTrigger(0);
}

TEST_PY(reported_memory_is_never_more_than_a_number_can_hold)
{
    need_one_piece();
    need_unstressed();
    baseline();
    Py_ssize_t before = collections_of(2);
    for (int i = 0; i < 5; i++) {
        Ouro_GCReportExternal(PY_SSIZE_T_MAX);
    }
    EXPECT_EQ(collections_of(2), before + 1);
    Ouro_GCReportExternal(PY_SSIZE_T_MIN);
    EXPECT_EQ(Ouro_GCCollect(2), 0); /* an empty heap, so that 64 MiB count again */
    Ouro_GCReportExternal((Py_ssize_t)65 << 20);
    EXPECT_EQ(collections_of(2), before + 3);
}

TEST_PY(a_byte_trigger_beyond_every_heap_never_fires)
{
    need_unstressed();
    baseline();
    Ouro_GCSetByteTrigger(SIZE_MAX);
    set_thresholds(1000 * 1000, 10, 10);
    Py_ssize_t before = collections_of(2);
    for (int i = 0; i < 100 * 1000; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(collections_of(2), before);
}

TEST_PY(growth_of_the_heap_makes_a_full_collection_due)
{
    need_one_piece();
    need_unstressed();
    baseline();
    set_thresholds(1000 * 1000, 10, 10);
    EXPECT_EQ(Ouro_GCSetByteTrigger((size_t)1 << 20), 0);
    Py_ssize_t before = collections_of(2);
    for (int i = 0; i < 100 * 1000; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_GE(collections_of(2), before + 3);
    EXPECT_EQ(Ouro_GCSetByteTrigger(0), (size_t)1 << 20);
    before = collections_of(2);
    for (int i = 0; i < 100 * 1000; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(collections_of(2), before);
}

/* --- what the decisions rest on ------------------------------------------------------------------- */

/* There are `old` old objects and `grown` new ones, and the old generation is due. */
static bool
is_full_collection_worth_it(Py_ssize_t old, Py_ssize_t grown)
{
    PyObject *nodes[7];
    baseline();
    Py_ssize_t before = collections_of(2);
    Ouro_GCSetSafePointsOnly(1);
    set_thresholds(5, 10, 0);
    gc_now()->growth.long_lived_total = old;
    gc_now()->growth.long_lived_pending = grown;
    gc_now()->generations[OURO_OLD].count = 1;
    allocate_and_keep(nodes, 7);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    release_all(nodes, 7);
    return collections_of(2) != before;
}

TEST_PY(a_quarter_is_neither_less_nor_more)
{
    need_one_piece();
    need_unstressed();
    EXPECT(!is_full_collection_worth_it(1000, 249));
    EXPECT(is_full_collection_worth_it(1000, 250));
}

TEST_PY(what_several_middle_collections_promote_adds_up)
{
    PyObject *nodes[100];
    need_unstressed();
    baseline();
    PyGC_Disable();
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < 100; i++) {
            nodes[i] = new_node(&N, NULL);
        }
        Ouro_GCCollect(1);
        EXPECT_EQ(gc_now()->growth.long_lived_pending, 100 * round);
        release_all(nodes, 100);
    }
}

TEST_PY(a_safe_point_waits_for_one_allocation_more_than_the_threshold)
{
    PyObject *nodes[6];
    need_unstressed();
    baseline();
    Ouro_GCSetSafePointsOnly(1);
    set_thresholds(5, 10, 10);
    Py_ssize_t before = collections();
    allocate_and_keep(nodes, 5);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(collections(), before);
    release_all(nodes, 5);
    allocate_and_keep(nodes, 6);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(collections(), before + 1);
    release_all(nodes, 6);
}

/* --- test builds --------------------------------------------------------------------------------------- */

static Py_ssize_t
full_collections_of_10_allocations(void)
{
    Py_ssize_t before = collections_of(2);
    PyObject *nodes[10];
    allocate_and_keep(nodes, 10);
    release_all(nodes, 10);
    return collections_of(2) - before;
}

/* How many objects are made until an allocation collects. */
static int
allocations_until_collection(void)
{
    static PyObject *nodes[1000];
    Py_ssize_t before = collections_of(0);
    int made = 0;
    while (collections_of(0) == before && made < 1000) {
        nodes[made++] = new_node(&N, NULL);
    }
    release_all(nodes, made);
    return made;
}

static void
pass_safe_points(int count)
{
    for (int i = 0; i < count; i++) {
        EXPECT_EQ(PyErr_CheckSignals(), 0);
    }
}

TEST_PY(an_allocation_waits_a_little_where_safe_points_are_regular)
{
    need_unstressed();
    baseline();
    set_thresholds(320, 1000, 0);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    pass_safe_points(15);
    EXPECT_EQ(allocations_until_collection(), 321);
    pass_safe_points(100);
    EXPECT_EQ(allocations_until_collection(), 321 + 320 / 16);
    EXPECT_EQ(allocations_until_collection(), 321);
}

TEST_PY(a_safe_point_does_not_wait_where_they_are_regular)
{
    need_unstressed();
    baseline();
    set_thresholds(320, 1000, 0);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    pass_safe_points(100);
    Py_ssize_t before = collections_of(0);
    PyObject *nodes[321];
    allocate_and_keep(nodes, 321);
    EXPECT_EQ(collections_of(0), before);
    pass_safe_points(1);
    EXPECT_EQ(collections_of(0), before + 1);
    release_all(nodes, 321);
}

TEST_PY(a_stressed_collector_collects_at_every_allocation)
{
    if (!OURO_DEBUG) {
        SKIP("debug builds only");
    }
    baseline();
    Ouro_GCSetPauseBudget(0);
    gc_now()->stress = true;
    ouro_collector_set_alarm(ouro_current.interp);
    EXPECT_EQ(full_collections_of_10_allocations(), 10);
    Ouro_GCSetSafePointsOnly(1); /* changes nothing */
    EXPECT_EQ(full_collections_of_10_allocations(), 10);
    PyGC_Disable();
    EXPECT_EQ(full_collections_of_10_allocations(), 0);
    PyGC_Enable();
    PyErr_SetNone(PyExc_ValueError);
    EXPECT_EQ(full_collections_of_10_allocations(), 0);
    PyErr_Clear();
    gc_now()->stress = false;
    ouro_collector_set_alarm(ouro_current.interp);
}

TEST(the_environment_asks_for_stress_in_test_builds)
{
    setenv("OURO_STRESS", "collect", 1);
    Py_Initialize();
    EXPECT_EQ(gc_now()->stress, OURO_DEBUG);
    Py_Finalize();
    setenv("OURO_STRESS", "something else", 1);
    Py_Initialize();
    EXPECT(!gc_now()->stress);
    Py_Finalize();
}

TEST_PY(a_byte_trigger_that_is_far_leaves_young_collections_as_they_are)
{
    static PyObject *nodes[300];
    need_unstressed();
    baseline();
    Ouro_GCSetByteTrigger((size_t)1 << 30);
    set_thresholds(100, 10, 10);
    Py_ssize_t young = collections_of(0), full = collections_of(2);
    for (int i = 0; i < 300; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    EXPECT_EQ(collections_of(0), young + 2);
    EXPECT_EQ(collections_of(2), full);
    release_all(nodes, 300);
    Ouro_GCSetByteTrigger(0);
}
