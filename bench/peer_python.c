/* SPDX-License-Identifier: MIT */
/* The two container types, and how the benchmark speaks to the collector. What the page
 * documents is used wherever it suffices; the rest of the gc module is reached through the
 * module itself in CPython, and through Ouro_ functions in Ouroboros. */
#include "peer_python.h"

#include "measure.h"

#ifdef OUROBOROS
#include <ouroboros.h>
#endif

static int
pair_traverse(PyObject *op, visitproc visit, void *arg)
{
    Pair *self = (Pair *)op;
    Py_VISIT(self->ref[0]);
    Py_VISIT(self->ref[1]);
    return 0;
}

static int
pair_clear(PyObject *op)
{
    Pair *self = (Pair *)op;
    Py_CLEAR(self->ref[0]);
    Py_CLEAR(self->ref[1]);
    return 0;
}

static long pair_deaths;

static void
pair_dealloc(PyObject *op)
{
    pair_deaths++;
    PyObject_GC_UnTrack(op);
    pair_clear(op);
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject Pair_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Pair",
    .tp_basicsize = sizeof(Pair),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = pair_traverse,
    .tp_clear = pair_clear,
    .tp_dealloc = pair_dealloc,
};

static int
wide_traverse(PyObject *op, visitproc visit, void *arg)
{
    Wide *self = (Wide *)op;
    for (Py_ssize_t i = Py_SIZE(op); --i >= 0;) {
        Py_VISIT(self->ref[i]);
    }
    return 0;
}

static int
wide_clear(PyObject *op)
{
    Wide *self = (Wide *)op;
    for (Py_ssize_t i = Py_SIZE(op); --i >= 0;) {
        Py_CLEAR(self->ref[i]);
    }
    return 0;
}

static void
wide_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    wide_clear(op);
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject Wide_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Wide",
    .tp_basicsize = offsetof(Wide, ref),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = wide_traverse,
    .tp_clear = wide_clear,
    .tp_dealloc = wide_dealloc,
};

void
peer_no_memory(void)
{
    bench_fail("no memory for an object");
}

node
peer_new_wide(Py_ssize_t width)
{
    Wide *self = PyObject_GC_NewVar(Wide, &Wide_Type, width);
    if (self == NULL) {
        peer_no_memory();
    }
    memset(self->ref, 0, (size_t)width * sizeof self->ref[0]);
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

/* PyGC_Collect does nothing while the collector is disabled. */
long
peer_collect(void)
{
    PyGC_Enable();
    long found = (long)PyGC_Collect();
    PyGC_Disable();
    return found;
}

int
peer_is_alive(node n)
{
    return Py_REFCNT(n) > 0 && PyObject_GC_IsTracked(n) &&
           (Py_TYPE(n) == &Pair_Type || Py_TYPE(n) == &Wide_Type);
}

#ifdef OUROBOROS

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

#else

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

#endif

/* What the interpreter itself made is frozen, so that only the workload is measured. */
void
peer_start(void)
{
    start_interpreter();
    if (PyType_Ready(&Pair_Type) < 0 || PyType_Ready(&Wide_Type) < 0) {
        bench_fail("the types cannot be made ready");
    }
    PyGC_Collect();
    PyGC_Disable();
#ifndef OUROBOROS
    peer_freeze();
#endif
}

/* --- automatic collections ----------------------------------------------------------------- */

long
peer_deaths(void)
{
    return pair_deaths;
}

/* Turn them on; in slices where the peer has them. */
void
peer_automatic(int sliced)
{
#ifdef OUROBOROS
    Ouro_GCSetPauseBudget(sliced ? 250 : 0);
    Ouro_GCRecordPauses(1);
#else
    (void)sliced;
#endif
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

void
peer_forget_cycles(void)
{
#ifdef OUROBOROS
    Ouro_GCRecordPauses(0);
    Ouro_GCRecordPauses(1);
#endif
}

void
peer_print_cycles(void)
{
#ifdef OUROBOROS
    Ouro_GCCycleStats stats;
    Ouro_GCPauseStats pauses;
    Ouro_GCGetCycleStats(&stats);
    Ouro_GCGetPauseStats(OURO_CLOCK_CPU, &pauses);
    printf("cycles %zd\nslices %zd\nforced %zd\nhuge %zd\nfailed %zd\n", stats.cycles,
           stats.slices, stats.forced, stats.huge_proofs, stats.failed_proofs);
    printf("own_longest %.0f\nown_p999 %.0f\nown_total %.0f\nown_mmu20 %.3f\n",
           1e9 * pauses.longest, 1e9 * Ouro_GCPausePercentile(&pauses, 0.999),
           1e9 * pauses.total, pauses.utilisation[2]);
#endif
}
