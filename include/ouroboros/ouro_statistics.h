/* SPDX-License-Identifier: MIT */
/* Statistics: the tables that make the structures, their printout and their JSON.
 *
 * A row is X(type, name, array, unit, text). It makes a member of a structure: an array if
 * `array` is [n], a single number if it is empty. `unit` says what it counts; `text` explains
 * it to people. A new row appears in all three. Units: COUNT, BYTES, SECONDS, SHARE (of 1),
 * BUCKETS (of a histogram, in the JSON alone). The comment of each table says where its rows
 * are filled in. */
#ifndef OUROBOROS_STATISTICS_H
#define OUROBOROS_STATISTICS_H

#include "Python.h"

OURO_BEGIN_DECLS

/* clang-format off */

/* The heap of an interpreter: src/heap/heap.c. */
#define OURO_HEAP_STATISTICS(X)                                                                    \
    X(size_t, objects, , COUNT, "blocks in use, tracked or not")                                   \
    X(size_t, used_bytes, , BYTES, "pages in use")                                                 \
    X(size_t, resident_bytes, , BYTES, "pages in use or kept for later")                           \
    X(size_t, range_bytes, , BYTES, "reserved addresses")                                          \
    X(size_t, limit_bytes, , BYTES, "most for pages in use; SIZE_MAX: no limit")                   \
    X(size_t, most_used_bytes, , BYTES, "most that pages in use had at once")                      \
    X(size_t, new_objects, , COUNT, "allocations less frees since the last collection")            \
    X(size_t, object_bytes, , BYTES, "blocks in use, rounded up to their size classes")            \
    X(size_t, large_objects, , COUNT, "blocks in use of more than 32 KiB")                         \
    X(size_t, large_bytes, , BYTES, "of these")                                                    \
    X(size_t, free_bytes, , BYTES, "of pages in use, where no block is")                           \
    X(double, fragmentation, , SHARE, "free_bytes of used_bytes")                                  \
    X(size_t, given_back, , COUNT, "times that memory of pages went back to the system")           \
    X(size_t, external_bytes, , BYTES, "reported with Ouro_GCReportExternal")

/* Blocks of one size: src/heap/heap.c. */
#define OURO_CLASS_STATISTICS(X)                                                                   \
    X(size_t, size, , BYTES, "of a block")                                                         \
    X(size_t, pages, , COUNT, "cut into blocks of this size")                                      \
    X(size_t, blocks, , COUNT, "that fit these pages")                                             \
    X(size_t, objects, , COUNT, "blocks in use")

/* The sums of one generation's collections: src/collector/report.c. */
#define OURO_GENERATION_STATISTICS(X)                                                              \
    X(Py_ssize_t, collections, , COUNT, "in one piece, or cycles that were not dropped")           \
    X(Py_ssize_t, collected, , COUNT, "objects freed")                                             \
    X(Py_ssize_t, uncollectable, , COUNT, "objects put into gc.garbage")                           \
    X(Py_ssize_t, candidates, , COUNT, "objects examined")                                         \
    X(double, wall_seconds, , SECONDS, "by the clock on the wall")

/* Full collections in slices: src/collector/. */
#define OURO_CYCLE_STATISTICS(X)                                                                   \
    X(Py_ssize_t, cycles, , COUNT, "started")                                                      \
    X(Py_ssize_t, slices, , COUNT, "of all cycles")                                                \
    X(Py_ssize_t, proofs, , COUNT, "batches of proposed garbage looked at in one piece")           \
    X(Py_ssize_t, failed_proofs, , COUNT, "of which something was alive, and stayed")              \
    X(Py_ssize_t, huge_proofs, , COUNT, "of components too large for a slice")                     \
    X(Py_ssize_t, watched_proofs, , COUNT, "of these, proved in slices under a write-watch")       \
    X(Py_ssize_t, largest_proof, , COUNT, "objects looked at in one piece")                        \
    X(Py_ssize_t, forced, , COUNT, "cycles finished in one piece, as the heap grew too much")      \
    X(Py_ssize_t, dropped, , COUNT, "cycles that ended early")                                     \
    X(Py_ssize_t, out_of_memory, , COUNT, "of these, or not started, for lack of memory")          \
    X(Py_ssize_t, most_garbage, , COUNT, "objects that one cycle freed")

/* Pauses by one clock: collections and slices, without donated time; src/collector/pauses.c. A
 * percentile is the length that this share of the pauses did not exceed, within a quarter. The
 * histogram has four buckets for each power of two, from 256 nanoseconds on. */
#define OURO_PAUSE_STATISTICS(X)                                                                   \
    X(Py_ssize_t, pauses, , COUNT, "recorded")                                                     \
    X(double, longest, , SECONDS, "the longest pause")                                             \
    X(double, total, , SECONDS, "all pauses together")                                             \
    X(double, half_below, , SECONDS, "half of the pauses are not longer")                          \
    X(double, p99_below, , SECONDS, "99 % are not")                                                \
    X(double, p999_below, , SECONDS, "99.9 % are not")                                             \
    X(double, utilisation, [OURO_PAUSE_WINDOWS], SHARE,                                            \
      "least share that the program had of any 1, 10, 20 and 100 ms")                              \
    X(Py_ssize_t, histogram, [OURO_PAUSE_BUCKETS], BUCKETS, "pauses by length")

/* clang-format on */

#define OURO_PAUSE_BUCKETS 96
#define OURO_PAUSE_WINDOWS 4
#define OURO_HEAP_CLASSES  103
/* Wall clock time, and the thread's CPU time, which other programs do not disturb. */
enum { OURO_CLOCK_WALL, OURO_CLOCK_CPU };

#define _Py_STATISTIC(type, name, array, unit, text) type name array;
typedef struct {
    OURO_HEAP_STATISTICS(_Py_STATISTIC)
} Ouro_HeapUsage;
typedef struct {
    OURO_CLASS_STATISTICS(_Py_STATISTIC)
} Ouro_HeapClass;
typedef struct {
    OURO_GENERATION_STATISTICS(_Py_STATISTIC)
} Ouro_GCStats;
typedef struct {
    OURO_CYCLE_STATISTICS(_Py_STATISTIC)
} Ouro_GCCycleStats;
typedef struct {
    OURO_PAUSE_STATISTICS(_Py_STATISTIC)
} Ouro_GCPauseStats;
#undef _Py_STATISTIC

/* All statistics of the calling thread's interpreter. */
typedef struct {
    Ouro_HeapUsage heap;
    Ouro_HeapClass classes[OURO_HEAP_CLASSES]; /* by size; some have no pages */
    Ouro_GCStats generations[3];
    Ouro_GCCycleStats cycles;
    Ouro_GCPauseStats pauses[2]; /* by OURO_CLOCK_WALL and by OURO_CLOCK_CPU */
} Ouro_Statistics;

/* Read all of them, for the calling thread's interpreter. Looks at each page of its heap. Any
 * attached thread. Never fails. */
PyAPI_FUNC(void) Ouro_StatisticsGet(Ouro_Statistics *statistics);
/* Print them for people, or as JSON. Needs no interpreter. OURO_STATISTICS in the environment does so
 * at the end of the main interpreter: docs/events.md. */
PyAPI_FUNC(void) Ouro_StatisticsWrite(const Ouro_Statistics *statistics, FILE *file,
                                      int is_json);

/* Parts of them. The sums of one generation: 0; or -1 with ValueError. */
PyAPI_FUNC(int) Ouro_GCGetStats(int generation, Ouro_GCStats *stats);
PyAPI_FUNC(void) Ouro_GCGetCycleStats(Ouro_GCCycleStats *stats);
/* Pauses by OURO_CLOCK_WALL or OURO_CLOCK_CPU. 0; or -1, and zeros, when nothing is recorded. */
PyAPI_FUNC(int) Ouro_GCGetPauseStats(int clock, Ouro_GCPauseStats *stats);
PyAPI_FUNC(void) Ouro_HeapGetUsage(Ouro_HeapUsage *usage);

OURO_END_DECLS

#endif
