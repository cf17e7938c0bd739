/* SPDX-License-Identifier: MIT */
/* How the benchmark calls the collector of CPython or of Ouroboros. It uses the documented C
 * functions where they suffice. The rest of the gc module is reached through the module itself
 * in CPython, and through Ouro_ functions in Ouroboros. */
#include "peer_python.h"

#include "measure.h"

#ifdef OUROBOROS
#include <ouroboros.h>
#endif

/* PyGC_Collect does nothing while the collector is disabled. */
long
peer_collect(void)
{
    PyGC_Enable();
    long found = (long)PyGC_Collect();
    PyGC_Disable();
    return found;
}

#ifdef OUROBOROS

const char *
peer_version(void)
{
    return OURO_VERSION;
}

static void
start_interpreter(void)
{
    Py_Initialize();
}

long
peer_collect_young(int generation)
{
    return (long)Ouro_GCCollect(generation);
}

void
peer_freeze(void)
{
    Ouro_GCFreeze();
}

long
peer_objects(void)
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return (long)usage.objects;
}

long
peer_examined(void)
{
    Ouro_GCStats stats;
    Ouro_GCGetStats(2, &stats);
    return (long)stats.candidates;
}

PyObject *
peer_gc_callbacks(void)
{
    return Ouro_GCCallbacks();
}

#else

const char *
peer_version(void)
{
    return PY_VERSION;
}

static PyObject *gc_collect, *gc_freeze, *count_blocks;

static PyObject *
find_function(const char *module_name, const char *name)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    if (function == NULL) {
        bench_fail("CPython has no %s.%s", module_name, name);
    }
    Py_DECREF(module);
    return function;
}

static long
call_for_long(PyObject *function, PyObject *arguments)
{
    PyObject *result = PyObject_CallObject(function, arguments);
    if (result == NULL) {
        PyErr_Print();
        bench_fail("a call into CPython failed");
    }
    long value = result == Py_None ? 0 : PyLong_AsLong(result);
    Py_DECREF(result);
    return value;
}

static void
start_interpreter(void)
{
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    PyStatus status = Py_InitializeFromConfig(&config);
    if (PyStatus_Exception(status)) {
        Py_ExitStatusException(status);
    }
    PyConfig_Clear(&config);
    gc_collect = find_function("gc", "collect");
    gc_freeze = find_function("gc", "freeze");
    count_blocks = find_function("sys", "getallocatedblocks");
}

long
peer_collect_young(int generation)
{
    static PyObject *arguments[3];
    if (arguments[generation] == NULL) {
        arguments[generation] = Py_BuildValue("(i)", generation);
    }
    return call_for_long(gc_collect, arguments[generation]);
}

void
peer_freeze(void)
{
    call_for_long(gc_freeze, NULL);
}

long
peer_objects(void)
{
    return call_for_long(count_blocks, NULL);
}

long
peer_examined(void)
{
    return -1;
}

PyObject *
peer_gc_callbacks(void)
{
    return find_function("gc", "callbacks");
}

#endif

/* The objects of the interpreter itself are frozen, so that only the workload is measured. */
void
peer_start(void)
{
    start_interpreter();
    peer_make_types_ready();
    PyGC_Collect();
    PyGC_Disable();
#ifndef OUROBOROS
    peer_freeze();
#endif
}

/* --- automatic collections ----------------------------------------------------------------- */

/* Collections run in one piece, or in slices if the environment has OURO_PAUSE_BUDGET. */
void
peer_automatic(void)
{
    PyGC_Enable();
}

/* Where CPython runs the collection that is due. */
void
peer_safe_point(void)
{
    if (PyErr_CheckSignals() < 0) {
        bench_fail("interrupted");
    }
}

/* The library's own count of pauses starts here. */
void
peer_record_pauses(void)
{
#ifdef OUROBOROS
    Ouro_GCRecordPauses(0);
    Ouro_GCRecordPauses(1);
#endif
}

/* Prints what the slices did, and the pauses by the library's own count. These figures are not
 * in the table, but in docs/pauses.md. */
void
peer_print_cycles(void)
{
#ifdef OUROBOROS
    Ouro_GCCycleStats stats;
    Ouro_GCPauseStats pauses;
    Ouro_GCGetCycleStats(&stats);
    Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &pauses);
    printf("cycles %zd\nslices %zd\nforced %zd\nhuge %zd\nwatched %zd\nfailed %zd\n",
           stats.cycles, stats.slices, stats.forced, stats.huge_proofs,
           stats.watched_proofs, stats.failed_proofs);
    printf("own_longest %.0f\nown_p999 %.0f\nown_total %.0f\nown_mmu20 %.3f\n",
           1e9 * pauses.longest, 1e9 * Ouro_GCPausePercentile(&pauses, 0.999),
           1e9 * pauses.total, pauses.utilisation[2]);
#endif
}
