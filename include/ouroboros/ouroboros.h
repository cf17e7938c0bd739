/* SPDX-License-Identifier: MIT */
/* What the library offers in addition to the names that CPython documents.
 *
 * Sections: the collector, bounded pauses, events, looking at the heap, snapshots, memory,
 * integers as text, exceptions that no caller can receive, warnings, modules. Statistics are in
 * ouro_statistics.h. */
#ifndef OUROBOROS_H
#define OUROBOROS_H

#include "Python.h"
#include "ouro_check.h"
#include "ouro_statistics.h"

OURO_BEGIN_DECLS

/* --- the collector: what CPython's gc module offers -------------------------------------- */

/* Collect the generations 0..generation, also when the collector is disabled. Returns the
 * number of unreachable objects found, collected or not; 0 when a collection is running;
 * -1 with ValueError "invalid generation" unless generation is 0, 1 or 2. */
PyAPI_FUNC(Py_ssize_t) Ouro_GCCollect(int generation);

/* Automatic collections: a generation is collected when its count exceeds its threshold. If the
 * first threshold is 0, none is. Set changes the first `count` of the three. */
PyAPI_FUNC(void) Ouro_GCGetThresholds(int thresholds[3]);
PyAPI_FUNC(void) Ouro_GCSetThresholds(const int *thresholds, int count);
/* Allocations less frees since the last collection; collections of generation 0 since the
 * last of generation 1; of 1 since the last of 2. */
PyAPI_FUNC(void) Ouro_GCGetCounts(int counts[3]);
/* Collect in PyErr_CheckSignals only, never inside an allocation. Returns the old value. */
PyAPI_FUNC(int) Ouro_GCSetSafePointsOnly(int flag);
/* An object acquired (or, if negative, released) memory that the heap does not see. A full
 * collection becomes due when the sum exceeds twice its value after the last one plus 64 MiB. */
PyAPI_FUNC(void) Ouro_GCReportExternal(Py_ssize_t bytes);
/* A full collection becomes due when the heap has grown by this many bytes since the last
 * one; 0, the initial value, means never. Returns the old value. */
PyAPI_FUNC(size_t) Ouro_GCSetByteTrigger(size_t bytes);

/* Flags, 0 at first: what collections print, and whether they keep what they find. */
#define OURO_DEBUG_STATS         1
#define OURO_DEBUG_COLLECTABLE   2
#define OURO_DEBUG_UNCOLLECTABLE 4
#define OURO_DEBUG_SAVEALL       32
#define OURO_DEBUG_LEAK                                                                  \
    (OURO_DEBUG_COLLECTABLE | OURO_DEBUG_UNCOLLECTABLE | OURO_DEBUG_SAVEALL)
PyAPI_FUNC(int) Ouro_GCGetDebug(void);
PyAPI_FUNC(void) Ouro_GCSetDebug(int flags);

/* The list of uncollectable objects, and the list of callables that each collection calls
 * with a phase ("start", "stop") and a dict. Borrowed; change them in place. NULL with
 * MemoryError. */
PyAPI_FUNC(PyObject *) Ouro_GCGarbage(void);
PyAPI_FUNC(PyObject *) Ouro_GCCallbacks(void);

/* Move every tracked object to the permanent generation, where collections pass over it;
 * and all of those back to generation 2. */
PyAPI_FUNC(void) Ouro_GCFreeze(void);
PyAPI_FUNC(void) Ouro_GCUnfreeze(void);
PyAPI_FUNC(Py_ssize_t) Ouro_GCGetFreezeCount(void);

/* --- bounded pauses: full collections in slices (docs/pauses.md) ------------------------- */

/* Run full collections in slices of at most about this many microseconds, at allocations. 0
 * means in one piece; it is the initial value unless OURO_PAUSE_BUDGET is set. Returns the old
 * value. May be changed at any time: if the mode ends during a cycle, the cycle destroys what
 * it has proved to be garbage, and is dropped. */
PyAPI_FUNC(long) Ouro_GCSetPauseBudget(long microseconds);
/* The program has this much time to spare: work on the cycle that is under way, or on one that
 * will soon be due, so that allocations need not. 1 while there is more to do, else 0. */
PyAPI_FUNC(int) Ouro_GCDonateTime(long microseconds);

/* Record pauses from now on, or (0) forget them and stop. A pause budget also starts recording.
 * 0; or -1 without memory for that. */
PyAPI_FUNC(int) Ouro_GCRecordPauses(int flag);
/* The length that this share (such as 0.999) of the pauses did not exceed, within a quarter. */
PyAPI_FUNC(double) Ouro_GCPausePercentile(const Ouro_GCPauseStats *stats, double share);

/* --- events: what the collector and the heap do, as it happens (docs/events.md) ---------- */

/* One event. Members that have no meaning for its kind are 0. */
typedef struct {
    PyInterpreterState *interpreter; /* whose heap it is */
    double wall, cpu; /* now, in seconds, by the clocks of OURO_CLOCK_... */
    double wall_seconds, cpu_seconds; /* how long it took: at the end of what has one */
    int generation;
    int is_dropped;        /* a cycle that ended before its time */
    Py_ssize_t candidates; /* objects looked at */
    Py_ssize_t collected, uncollectable;
    size_t used_bytes, resident_bytes; /* of the heap now, as in Ouro_HeapUsage */
    /* Of a slice: the phase of the cycle in which it began, and at its end the last phase that
     * it worked in; by its name in docs/pauses.md. Static. */
    const char *first_phase, *last_phase;
} Ouro_Event;

typedef void (*Ouro_EventFunction)(const Ouro_Event *event, void *arg);

/* Functions to call, with `arg`; NULL for events that are not wanted. They are called in the
 * middle of the work, on its thread. So they must not allocate or touch objects, and call
 * nothing of the library except PyThread_..., PyInterpreterState_GetID and Ouro_RemoveListener. */
typedef struct {
    void *arg;
    /* A collection in one piece; with the counts of Ouro_GCStats at its end. */
    Ouro_EventFunction collection_begins, collection_ends;
    /* A full collection in slices, and each of its slices: collected and uncollectable are those
     * of the cycle so far. CPU time of a cycle is that of the thread which ends it. */
    Ouro_EventFunction cycle_begins, cycle_ends, slice_begins, slice_ends;
    /* Of `candidates` proposed objects, `collected` were proved to be garbage: all but a few. */
    Ouro_EventFunction component_proved;
    /* The heap grew too much: this cycle is finished in one piece. */
    Ouro_EventFunction cycle_forced;
    /* Pages got memory from the system, or gave it back; and PyErr_NoMemory was called. */
    Ouro_EventFunction heap_grew, heap_shrank, allocation_failed;
} Ouro_Listener;

#define OURO_MOST_LISTENERS 8

/* Call a listener from now on, for all interpreters of the process; it is not copied. Needs no
 * interpreter. 0; or -1 when there are OURO_MOST_LISTENERS. */
PyAPI_FUNC(int) Ouro_AddListener(const Ouro_Listener *listener);
/* Stop calling it. A thread of another interpreter may still be in a call. 0; or -1 when it was
 * not added. */
PyAPI_FUNC(int) Ouro_RemoveListener(const Ouro_Listener *listener);

/* Write all events to a new file, with mode 0600, for Perfetto or chrome://tracing, and end
 * that. OURO_TRACE does so until the main interpreter ends. A trace takes one of the places for
 * listeners; a child of fork has none. Both calls need no interpreter. 0; or an errno: EBUSY
 * while there is a trace; at the end, why the file is incomplete. */
PyAPI_FUNC(int) Ouro_TraceBegin(const char *path);
PyAPI_FUNC(int) Ouro_TraceEnd(void);

/* --- looking at the heap ---------------------------------------------------------------- */

/* New list of the tracked objects of one generation, or of all if it is -1, without frozen
 * objects and those that a running collection destroys. ValueError. */
PyAPI_FUNC(PyObject *) Ouro_GCGetObjects(int generation);
/* New list of the tracked objects that refer to an object of the tuple `objects`. */
PyAPI_FUNC(PyObject *) Ouro_GCGetReferrers(PyObject *objects);
/* New list of what the objects of the tuple visit, with duplicates. */
PyAPI_FUNC(PyObject *) Ouro_GCGetReferents(PyObject *objects);

/* New list of the weak references and proxies to an object that are alive. */
PyAPI_FUNC(PyObject *) Ouro_WeakrefsList(PyObject *ob);

/* --- snapshots: what is in memory, and why (docs/heap.md) ------------------------------- */

/* A graph of the objects of the interpreter. Its nodes are numbered from 0. The first few are
 * groups of roots: (roots), (threads), (modules), (static variables), (unexplained references),
 * (cycles). A snapshot holds no references, and does not change while the program goes on. */
typedef struct Ouro_Snapshot Ouro_Snapshot;
#define OURO_SNAPSHOT_NONE   ((size_t)-1)
#define OURO_SNAPSHOT_VALUES 1 /* with the keys of all dicts, texts and numbers */

/* Take a snapshot. NULL with MemoryError. */
PyAPI_FUNC(Ouro_Snapshot *) Ouro_SnapshotTake(int flags);
/* Read a snapshot that was written as a .heapsnapshot. NULL, with the reason in `error`. This
 * function and all those below need no interpreter. */
PyAPI_FUNC(Ouro_Snapshot *) Ouro_SnapshotRead(const char *path, char *error, size_t size);
PyAPI_FUNC(void) Ouro_SnapshotFree(Ouro_Snapshot *snapshot);
/* Write it to a new file, with mode 0600: a name that ends in .json or .dot gives JSON or
 * Graphviz, any other a .heapsnapshot for Chrome's developer tools. 0; or an errno. */
PyAPI_FUNC(int) Ouro_SnapshotWrite(const Ouro_Snapshot *snapshot, const char *path);
/* Take a snapshot and write it. 0; or -1 with OSError or MemoryError. */
PyAPI_FUNC(int) Ouro_HeapSnapshot(const char *path);

typedef struct {
    uint64_t address;
    const char *type;  /* its name; as long as the snapshot lives */
    const char *label; /* of a module, a function, a type; "" when there is none */
    uint64_t size;     /* of the object alone */
    uint64_t retained; /* of all that would be freed with it */
    size_t dominator;  /* the nearest node that all paths to it from the roots pass */
    int is_root;       /* a group of roots */
} Ouro_SnapshotNode;

/* How many nodes it has, the groups of roots included. */
PyAPI_FUNC(size_t) Ouro_SnapshotCount(const Ouro_Snapshot *snapshot);
/* The node of an object that was at this address; or OURO_SNAPSHOT_NONE. */
PyAPI_FUNC(size_t) Ouro_SnapshotFind(const Ouro_Snapshot *snapshot, const void *address);
/* 0; or -1 when there is no such node or no memory for retained sizes. */
PyAPI_FUNC(int) Ouro_SnapshotGetNode(Ouro_Snapshot *snapshot, size_t number,
                                     Ouro_SnapshotNode *node);

typedef struct {
    size_t from, to;
    char name[100]; /* ".next", "[3]", "['key']"; "" when it is not known */
} Ouro_SnapshotEdge;

/* What a node refers to; what refers to it; a shortest path that keeps it alive: the edge to
 * the node comes first, one from a group of roots last. At most `room` edges are filled in;
 * returns how many there are. */
PyAPI_FUNC(size_t) Ouro_SnapshotGetReferents(const Ouro_Snapshot *snapshot, size_t number,
                                             Ouro_SnapshotEdge *edges, size_t room);
PyAPI_FUNC(size_t) Ouro_SnapshotGetReferrers(Ouro_Snapshot *snapshot, size_t number,
                                             Ouro_SnapshotEdge *edges, size_t room);
PyAPI_FUNC(size_t) Ouro_SnapshotGetPath(Ouro_Snapshot *snapshot, size_t number,
                                        Ouro_SnapshotEdge *edges, size_t room);

typedef struct {
    const char *name;
    uint64_t objects, bytes;
    uint64_t retained; /* by all objects of the type together */
    uint64_t objects_before, bytes_before;
} Ouro_SnapshotType;

/* The types of the objects. The one with the most bytes comes first; with an earlier snapshot
 * that is not NULL, the one that grew most. Fills in and returns like the functions above. */
PyAPI_FUNC(size_t) Ouro_SnapshotGetTypes(Ouro_Snapshot *snapshot,
                                         const Ouro_Snapshot *before,
                                         Ouro_SnapshotType *types, size_t room);
/* What is alive and why, for people or as JSON: the types by number of objects, with references
 * that nothing accounts for, a path to an example, and a cycle. 0; or -1 without memory. */
PyAPI_FUNC(int) Ouro_SnapshotExplain(const Ouro_Snapshot *snapshot, FILE *file,
                                     int is_json);

/* Bytes that an object has, with the memory that it owns elsewhere, as __sizeof__ says. */
PyAPI_FUNC(size_t) Ouro_ObjectSize(PyObject *object);

/* --- memory --------------------------------------------------------------------------------- */

/* The most bytes that pages may take. Beyond that an allocation collects, then fails with
 * MemoryError. 0 removes the limit. Memory that is in use already stays. */
PyAPI_FUNC(void) Ouro_HeapSetLimit(size_t bytes);
/* The address range of heaps made from now on; also OURO_HEAP_RANGE in the environment.
 * Clamped to 4 MiB .. 64 GiB. */
PyAPI_FUNC(void) Ouro_HeapSetRange(size_t bytes);

/* --- integers as text ---------------------------------------------------------------------- */

/* Converting integers to and from decimal text takes time that grows with the square of its
 * length. So the conversions refuse more digits than this, with ValueError: int to str, and str
 * to int in every base that is not a power of two. Per interpreter; 0 means no limit. Set
 * returns 0; or -1 with ValueError when the value is neither 0 nor at least
 * OURO_INT_LEAST_STR_DIGITS. */
#define OURO_INT_MAX_STR_DIGITS   4300
#define OURO_INT_LEAST_STR_DIGITS 640
PyAPI_FUNC(int) Ouro_IntGetMaxStrDigits(void);
PyAPI_FUNC(int) Ouro_IntSetMaxStrDigits(int digits);

/* --- exceptions that no caller can receive ----------------------------------------------- */

/* One report of PyErr_WriteUnraisable or PyErr_FormatUnraisable. Everything is borrowed
 * for the time of the call. */
typedef struct {
    PyObject *exc_type;
    PyObject *exc_value;
    PyObject *exc_traceback; /* or NULL */
    const char *message;     /* UTF-8: "Exception ignored in tp_clear of X"; or NULL */
    PyObject *object;        /* where it happened; or NULL */
} Ouro_Unraisable;

/* Takes a report. 0; or -1 with an exception, which is then printed. No exception is
 * pending when it is called, and one that was pending before the report is kept. Reports
 * that the hook itself causes are printed. */
typedef int (*Ouro_UnraisableHook)(const Ouro_Unraisable *report, void *arg);

/* Install a hook; NULL prints. Attached: for the interpreter, until it ends. Detached: for
 * the interpreters made from then on. */
PyAPI_FUNC(void) Ouro_SetUnraisableHook(Ouro_UnraisableHook hook, void *arg);
/* The hook that the calling thread's reports go to, or NULL; and its argument in *arg,
 * unless arg is NULL. */
PyAPI_FUNC(Ouro_UnraisableHook) Ouro_GetUnraisableHook(void **arg);
/* Print a report to stderr, as without a hook. Works when memory is out. */
PyAPI_FUNC(void) Ouro_PrintUnraisable(const Ouro_Unraisable *report);

/* The report as the object that sys.unraisablehook takes: exc_type, exc_value,
 * exc_traceback, err_msg and object, None where there is nothing. A hook that a program
 * sets as sys.unraisablehook comes before the C hook; sys.__unraisablehook__ calls the C
 * hook or prints. A new reference; or NULL. */
PyAPI_FUNC(PyObject *) Ouro_UnraisableArgsNew(const Ouro_Unraisable *report);

/* --- warnings --------------------------------------------------------------------------- */

/* Takes a warning of PyErr_WarnEx or PyErr_WarnFormat. 0; or -1 with an exception, which
 * the caller of PyErr_WarnEx receives. */
typedef int (*Ouro_WarningHook)(PyObject *category, const char *message, void *arg);

/* Install a hook; NULL prints "Category: message" to stderr. Attached and detached as
 * Ouro_SetUnraisableHook. */
PyAPI_FUNC(void) Ouro_SetWarningHook(Ouro_WarningHook hook, void *arg);
PyAPI_FUNC(Ouro_WarningHook) Ouro_GetWarningHook(void **arg);

/* --- modules ------------------------------------------------------------------------------ */

/* A spec for PyModule_FromDefAndSpec and PyModule_FromSlotsAndSpec: an object with the
 * attributes name, loader (None), origin (None when NULL), submodule_search_locations
 * (None) and has_location, all of which may be set. A new reference; or NULL. */
PyAPI_FUNC(PyObject *) Ouro_ModuleSpecNew(PyObject *name, PyObject *origin,
                                          int has_location);
/* Import the shared object `file` as the module `name`, unless sys.modules has that name.
 * It must export PyModExport_<name> or PyInit_<name>, with the part after the last dot. A
 * new reference; or NULL with ImportError, or what the module raised. Shared objects stay
 * loaded until the process ends, as types and functions point into them. */
PyAPI_FUNC(PyObject *) Ouro_ImportFile(const char *name, const char *file);
/* The folders that sys.path starts with, with colons between them: OURO_PATH of the
 * environment, or NULL. */
PyAPI_FUNC(const char *) Ouro_GetModulePath(void);

OURO_END_DECLS

#endif
