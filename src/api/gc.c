/* SPDX-License-Identifier: MIT */
/* The collector's controls, as CPython's C API and its gc module name them. */
#include <ouroboros.h>

#include "../base/events.h"
#include "../collector/collector.h"
#include "../collector/pauses.h"
#include "../object/header.h"
#include "seam.h"

static struct gc_state *
current_gc(void)
{
    return &ouro_current.interp->gc;
}

static int
set_enabled(bool enabled)
{
    struct gc_state *gc = current_gc();
    int before = gc->enabled;
    gc->enabled = enabled;
    ouro_collector_set_alarm(ouro_current.interp);
    return before;
}

Py_ssize_t
PyGC_Collect(void)
{
    struct _is *interp = ouro_current.interp;
    return interp->gc.enabled ? ouro_collect(interp, OURO_OLD, OURO_REASON_MANUAL) : 0;
}

int
PyGC_Enable(void)
{
    return set_enabled(true);
}

int
PyGC_Disable(void)
{
    return set_enabled(false);
}

int
PyGC_IsEnabled(void)
{
    return current_gc()->enabled;
}

static bool
is_generation(int generation)
{
    if (generation < OURO_YOUNG || generation > OURO_OLD) {
        PyErr_SetString(PyExc_ValueError, "invalid generation");
        return false;
    }
    return true;
}

Py_ssize_t
Ouro_GCCollect(int generation)
{
    if (!is_generation(generation)) {
        return -1;
    }
    return ouro_collect(ouro_current.interp, generation, OURO_REASON_MANUAL);
}

/* --- when ------------------------------------------------------------------------------------ */

void
Ouro_GCGetThresholds(int thresholds[3])
{
    for (int g = 0; g < OURO_GENERATION_COUNT; g++) {
        thresholds[g] = current_gc()->generations[g].threshold;
    }
}

void
Ouro_GCSetThresholds(const int *thresholds, int count)
{
    for (int g = 0; g < count && g < OURO_GENERATION_COUNT; g++) {
        current_gc()->generations[g].threshold = thresholds[g];
    }
    ouro_collector_set_alarm(ouro_current.interp);
}

void
Ouro_GCGetCounts(int counts[3])
{
    int64_t allocations = ouro_current.interp->heap.allocations;
    counts[0] = allocations < INT_MAX ? (int)allocations : INT_MAX;
    for (int g = 1; g < OURO_GENERATION_COUNT; g++) {
        counts[g] = current_gc()->generations[g].count;
    }
}

int
Ouro_GCSetSafePointsOnly(int flag)
{
    int before = current_gc()->safe_points_only;
    current_gc()->safe_points_only = flag != 0;
    ouro_collector_set_alarm(ouro_current.interp);
    return before;
}

void
Ouro_GCReportExternal(Py_ssize_t bytes)
{
    struct gc_state *gc = current_gc();
    if (bytes < 0) {
        size_t released = -(size_t)bytes;
        gc->growth.external_bytes -=
            released < gc->growth.external_bytes ? released : gc->growth.external_bytes;
    } else {
        size_t room = (size_t)PY_SSIZE_T_MAX / 2 - gc->growth.external_bytes;
        gc->growth.external_bytes += (size_t)bytes < room ? (size_t)bytes : room;
        ouro_collector_alarm(ouro_current.interp);
    }
}

size_t
Ouro_GCSetByteTrigger(size_t bytes)
{
    size_t before = current_gc()->byte_trigger;
    current_gc()->byte_trigger = bytes;
    ouro_collector_set_alarm(ouro_current.interp);
    return before;
}

/* --- bounded pauses ------------------------------------------------------------------------- */

long
Ouro_GCSetPauseBudget(long microseconds)
{
    double budget = microseconds > 0 ? 1e-6 * (double)microseconds : 0;
    double before = ouro_collector_set_budget(ouro_current.interp, budget);
    return (long)(before * 1e6 + 0.5);
}

int
Ouro_GCDonateTime(long microseconds)
{
    return ouro_collector_donate(ouro_current.interp, 1e-6 * (double)microseconds);
}

void
Ouro_GCGetCycleStats(Ouro_GCCycleStats *stats)
{
    *stats = current_gc()->slices.stats;
}

int
Ouro_GCRecordPauses(int flag)
{
    ouro_pauses_record(ouro_current.interp, flag != 0);
    return flag != 0 && current_gc()->pauses == NULL ? -1 : 0;
}

int
Ouro_GCGetPauseStats(int clock, Ouro_GCPauseStats *stats)
{
    return ouro_pauses_read(ouro_current.interp, clock != OURO_CLOCK_WALL, stats) ? 0
                                                                                  : -1;
}

double
Ouro_GCPausePercentile(const Ouro_GCPauseStats *stats, double share)
{
    return ouro_pauses_percentile(stats, share);
}

/* --- what it tells ------------------------------------------------------------------------------ */

int
Ouro_GCGetDebug(void)
{
    return current_gc()->debug;
}

void
Ouro_GCSetDebug(int flags)
{
    current_gc()->debug = flags;
}

PyObject *
Ouro_GCGarbage(void)
{
    return ouro_gc_garbage(ouro_current.interp);
}

PyObject *
Ouro_GCCallbacks(void)
{
    return ouro_gc_callbacks(ouro_current.interp);
}

int
Ouro_GCGetStats(int generation, Ouro_GCStats *stats)
{
    if (!is_generation(generation)) {
        return -1;
    }
    *stats = current_gc()->generations[generation].stats;
    return 0;
}

/* --- the permanent generation --------------------------------------------------------------------- */

void
Ouro_GCFreeze(void)
{
    ouro_collector_freeze(ouro_current.interp);
}

void
Ouro_GCUnfreeze(void)
{
    ouro_collector_unfreeze(ouro_current.interp);
}

Py_ssize_t
Ouro_GCGetFreezeCount(void)
{
    return ouro_collector_count_objects(ouro_current.interp, OURO_PERMANENT);
}

/* --- memory --------------------------------------------------------------------------------------- */

static Ouro_HeapUsage
measure_own_heap(Ouro_HeapClass *classes)
{
    Ouro_HeapUsage usage = ouro_heap_measure(&ouro_current.interp->heap, classes);
    usage.objects -= ouro_event_kept(&ouro_current.interp->heap);
    usage.external_bytes = current_gc()->growth.external_bytes;
    return usage;
}

void
Ouro_HeapGetUsage(Ouro_HeapUsage *usage)
{
    *usage = measure_own_heap(NULL);
}

void
Ouro_StatisticsGet(Ouro_Statistics *statistics)
{
    statistics->heap = measure_own_heap(statistics->classes);
    for (int g = 0; g < OURO_GENERATION_COUNT; g++) {
        Ouro_GCGetStats(g, &statistics->generations[g]);
    }
    Ouro_GCGetCycleStats(&statistics->cycles);
    for (int clock = OURO_CLOCK_WALL; clock <= OURO_CLOCK_CPU; clock++) {
        Ouro_GCGetPauseStats(clock, &statistics->pauses[clock]);
    }
}

void
Ouro_HeapSetLimit(size_t bytes)
{
    ouro_current.interp->heap.limit = bytes != 0 ? bytes : SIZE_MAX;
}
