/* SPDX-License-Identifier: MIT */
/* Listeners hear what the collector and the heap do. */
#include <string.h>

#include "../../src/heap/listeners.h"
#include "../collector/short_cycles.h"

/* What one listener heard: how often, and the last event of each kind. */
#define KINDS(X)                                                                         \
    X(collection_begins)                                                                 \
    X(collection_ends)                                                                   \
    X(cycle_begins)                                                                      \
    X(cycle_ends)                                                                        \
    X(slice_begins)                                                                      \
    X(slice_ends)                                                                        \
    X(component_proved)                                                                  \
    X(cycle_forced)                                                                      \
    X(heap_grew)                                                                         \
    X(heap_shrank)                                                                       \
    X(allocation_failed)

struct heard {
#define FIELD(kind)                                                                      \
    int kind;                                                                            \
    Ouro_Event last_##kind;
    KINDS(FIELD)
#undef FIELD
};

/* NOLINTBEGIN(bugprone-macro-parentheses): names, not expressions */
#define HEAR(kind)                                                                       \
    static void hear_##kind(const Ouro_Event *event, void *arg)                          \
    {                                                                                    \
        struct heard *heard = arg;                                                       \
        heard->kind++;                                                                   \
        heard->last_##kind = *event;                                                     \
    }
KINDS(HEAR)
/* NOLINTEND(bugprone-macro-parentheses) */

static struct heard heard;
static const Ouro_Listener listener = {.arg = &heard,
#define FUNCTION(kind) .kind = hear_##kind,
                                       KINDS(FUNCTION)
#undef FUNCTION
};

static void
listen_from_now(void)
{
    memset(&heard, 0, sizeof heard);
    REQUIRE_EQ(Ouro_AddListener(&listener), 0);
}

TEST_PY(when_no_listener_is_left_nothing_looks_for_one)
{
    EXPECT_EQ(ouro_listener_count, 0);
    listen_from_now();
    EXPECT_EQ(ouro_listener_count, 1);
    EXPECT_EQ(Ouro_RemoveListener(&listener), 0);
    EXPECT_EQ(ouro_listener_count, 0);
    EXPECT_EQ(Ouro_RemoveListener(&listener), -1);
    EXPECT_EQ(ouro_listener_count, 0);
}

TEST_PY(a_listener_hears_a_collection_with_its_counts_and_times)
{
    drive_by_hand(100, 6);
    drop_self_cycle(&N, NULL);
    listen_from_now();
    EXPECT_EQ(Ouro_GCCollect(1), 1);
    Ouro_RemoveListener(&listener);
    EXPECT_EQ(heard.collection_begins, 1);
    EXPECT_EQ(heard.collection_ends, 1);
    const Ouro_Event *end = &heard.last_collection_ends;
    EXPECT_EQ(end->generation, 1);
    EXPECT_EQ(end->collected, 1);
    EXPECT_EQ(end->uncollectable, 0);
    EXPECT_GE(end->candidates, 1);
    EXPECT(end->interpreter == PyInterpreterState_Get());
    double began = heard.last_collection_begins.wall;
    EXPECT(began > 0 && end->wall > began);
    EXPECT(end->wall_seconds == end->wall - began);
    EXPECT(end->cpu_seconds == end->cpu - heard.last_collection_begins.cpu);
    EXPECT(heard.last_collection_begins.wall_seconds == 0);
}

TEST_PY(a_listener_hears_a_cycle_its_slices_and_what_was_proved)
{
    drive_by_hand(100, 6);
    Py_DECREF(drop_old_ring(&N, 10));
    listen_from_now();
    Py_ssize_t slices = cycle_stats().slices;
    start_cycle();
    EXPECT_EQ(heard.cycle_begins, 1);
    finish_cycle();
    Ouro_RemoveListener(&listener);
    EXPECT_EQ(heard.cycle_ends, 1);
    EXPECT_EQ(heard.slice_ends, cycle_stats().slices - slices);
    EXPECT_EQ(heard.slice_begins, heard.slice_ends);
    EXPECT_EQ(heard.component_proved, 1);
    EXPECT_EQ(heard.last_component_proved.collected, 10);
    EXPECT_EQ(heard.last_component_proved.candidates, 10);
    EXPECT_EQ(heard.last_cycle_ends.collected, 10);
    EXPECT_EQ(heard.last_cycle_ends.is_dropped, 0);
    EXPECT(heard.last_cycle_ends.wall_seconds > heard.last_slice_ends.wall_seconds);
    EXPECT_EQ(heard.collection_begins, 0);
}

/* With finalizers a set is proved again after these. */
TEST_PY(a_listener_hears_once_that_a_huge_component_was_proved)
{
    PyTypeObject *types[] = {&N, &F};
    for (int i = 0; i < 2; i++) {
        drive_by_hand(8, 6);
        Py_DECREF(drop_old_ring(types[i], 600));
        listen_from_now();
        start_cycle();
        finish_cycle();
        Ouro_RemoveListener(&listener);
        EXPECT_EQ(heard.component_proved, 1);
        EXPECT_EQ(heard.last_component_proved.collected, 600);
        EXPECT_EQ(heard.last_cycle_ends.collected, 600);
    }
}

TEST_PY(a_listener_hears_in_which_phases_a_slice_worked)
{
    drive_by_hand(100, 6);
    listen_from_now();
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    Ouro_RemoveListener(&listener);
    EXPECT_STR(heard.last_slice_begins.first_phase, "count");
    EXPECT_NULL(heard.last_slice_begins.last_phase);
    EXPECT_STR(heard.last_slice_ends.first_phase, "count");
    EXPECT_STR(heard.last_slice_ends.last_phase, "release");
    EXPECT_NULL(heard.last_cycle_ends.first_phase);
}

TEST_PY(a_listener_hears_that_a_cycle_was_dropped)
{
    drive_by_hand(100, 6);
    listen_from_now();
    start_cycle();
    Ouro_GCCollect(2);
    Ouro_RemoveListener(&listener);
    EXPECT_EQ(heard.cycle_ends, 1);
    EXPECT_EQ(heard.last_cycle_ends.is_dropped, 1);
    EXPECT_EQ(heard.collection_ends, 1);
}

TEST_PY(a_listener_hears_of_a_forced_end_once)
{
    drive_by_hand(100, 6);
    listen_from_now();
    start_cycle();
    Ouro_GCReportExternal((Py_ssize_t)1 << 30);
    ouro_pace_pay(ouro_current.interp);
    Ouro_GCReportExternal(-((Py_ssize_t)1 << 30));
    Ouro_RemoveListener(&listener);
    EXPECT_EQ(heard.cycle_forced, 1);
    EXPECT_EQ(heard.cycle_ends, 1);
    EXPECT_EQ(cycle_stats().forced, 1);
}

/* Everything is then collected in one piece. */
TEST_PY(a_listener_hears_of_the_forced_end_of_a_short_cycle_once)
{
    doubt_by_hand();
    gc_now()->slices.stats = (Ouro_GCCycleStats){0};
    start_short_cycle();
    listen_from_now();
    Ouro_GCReportExternal((Py_ssize_t)1 << 30);
    ouro_pace_pay(ouro_current.interp);
    Ouro_GCReportExternal(-((Py_ssize_t)1 << 30));
    Ouro_RemoveListener(&listener);
    EXPECT_EQ(heard.cycle_forced, 1);
    EXPECT_EQ(heard.cycle_ends, 1);
    EXPECT_EQ(heard.last_cycle_ends.is_dropped, 1);
    EXPECT_EQ(heard.collection_ends, 1);
    EXPECT_EQ(cycle_stats().forced, 1);
}

TEST_PY(a_listener_hears_how_the_heap_grows_and_shrinks)
{
    Ouro_HeapUsage usage;
    listen_from_now();
    PyObject *large = PyType_GenericAlloc(&PyTuple_Type, (Py_ssize_t)4 << 20);
    REQUIRE_NOT_NULL(large);
    Ouro_HeapGetUsage(&usage);
    EXPECT_GE(heard.heap_grew, 1);
    EXPECT_EQ(heard.last_heap_grew.used_bytes, usage.used_bytes);
    EXPECT_EQ(heard.last_heap_grew.resident_bytes, usage.resident_bytes);
    Py_DECREF(large);
    Ouro_GCCollect(2);
    Ouro_GCCollect(2);
    Ouro_RemoveListener(&listener);
    Ouro_HeapGetUsage(&usage);
    EXPECT_GE(heard.heap_shrank, 1);
    EXPECT_EQ(heard.last_heap_shrank.resident_bytes, usage.resident_bytes);
}

TEST_PY(a_listener_hears_that_memory_is_out)
{
    listen_from_now();
    Ouro_HeapSetLimit(1);
    EXPECT_NULL(PyType_GenericAlloc(&PyTuple_Type, (Py_ssize_t)4 << 20));
    EXPECT_RAISED(PyExc_MemoryError);
    Ouro_HeapSetLimit(0);
    Ouro_RemoveListener(&listener);
    EXPECT_EQ(heard.allocation_failed, 1);
    EXPECT_GT(heard.last_allocation_failed.used_bytes, 0);
}

TEST_PY(eight_listeners_hear_the_same_and_a_ninth_is_refused)
{
    static struct heard heard_by[OURO_MOST_LISTENERS];
    static Ouro_Listener many[OURO_MOST_LISTENERS];
    for (int i = 0; i < OURO_MOST_LISTENERS; i++) {
        many[i] = listener;
        many[i].arg = &heard_by[i];
        EXPECT_EQ(Ouro_AddListener(&many[i]), 0);
    }
    EXPECT_EQ(Ouro_AddListener(&listener), -1);
    EXPECT_EQ(Ouro_RemoveListener(&many[3]), 0);
    EXPECT_EQ(Ouro_RemoveListener(&many[3]), -1);
    EXPECT_EQ(Ouro_RemoveListener(NULL), -1);
    Ouro_GCCollect(0);
    for (int i = 0; i < OURO_MOST_LISTENERS; i++) {
        EXPECT_EQ(heard_by[i].collection_ends, i != 3);
        EXPECT_EQ(Ouro_RemoveListener(&many[i]), i != 3 ? 0 : -1);
    }
    Ouro_GCCollect(0);
    EXPECT_EQ(heard_by[0].collection_ends, 1);
}

TEST_PY(a_listener_need_not_want_everything)
{
    Ouro_Listener ends_only = {.arg = &heard, .collection_ends = hear_collection_ends};
    memset(&heard, 0, sizeof heard);
    Ouro_AddListener(&ends_only);
    Ouro_GCCollect(0);
    Ouro_RemoveListener(&ends_only);
    EXPECT_EQ(heard.collection_ends, 1);
    EXPECT_EQ(heard.collection_begins, 0);
}
