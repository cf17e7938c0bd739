/* SPDX-License-Identifier: MIT */
/* One collection of CPython, with our detection in front of it.
 *
 *   "start" of gc.callbacks   collect_before(): find what is reachable. Young survivors join the
 *                             next generation at once. Reachable objects of the oldest generation
 *                             are hidden: taken off CPython's list
 *   CPython's collection      looks at the objects that we propose as garbage, proves that they are
 *                             garbage, and destroys them
 *   before any other code     the sentinel's weak reference callback puts everything back
 *   "stop"                    collect_after(): statistics
 *
 * The sentinel is an object of ours that refers to itself. It is the first of the proposals.
 * CPython finds that it is garbage, and calls the callbacks of weak references in the order of its
 * list, before any finalizer. So collect_put_back() runs before any code of the program. It takes
 * the sentinel off CPython's list, so that no code sees or counts it.
 *
 *   collect.inv.hidden   objects are hidden only between the end of collect_before() and
 *                        collect_put_back(), where no Python code runs
 *
 * CPython does a collection alone while a debug flag is set, if the collection is too small to gain
 * anything, and if memory or slots run out. Then nothing has been changed. The GIL is held. */
#ifndef OURO_GC_COLLECT_H
#define OURO_GC_COLLECT_H

#include <Python.h>

#include "cycle.h"

/* The counters that stats() returns; X(field, name). */
#define COLLECT_COUNTERS(X)                                                              \
    X(left, "left_to_cpython")                                                           \
    X(objects, "objects")                                                                \
    X(proofs, "proofs")                                                                  \
    X(marks, "marks")                                                                    \
    X(moved, "moved")                                                                    \
    X(proposed, "proposed")                                                              \
    X(rejected, "rejected")                                                              \
    X(untracked, "untracked")                                                            \
    X(failed, "failed")

/* The oldest objects include modules and classes. At least this many of them are marked in order
 * before a closure is tried. */
#define COLLECT_CORE 16384

struct collect_stats {
    long long collections[GENERATIONS];
#define X(field, name) long long field;
    COLLECT_COUNTERS(X)
#undef X
    double cpu_seconds, detection_seconds,
        longest_seconds; /* the longest by the wall clock */
};

struct collector {
    bool is_enabled;
    struct gc_state gc;
    struct detector detector;
    struct trail trail;
    struct cycle cycle;
    struct numbers young;  /* slots of the generations below the oldest */
    struct numbers tuples; /* the slots of tuples among them */
    struct directions {
        bool descends;    /* the newest first: they refer to older ones */
        unsigned cost[2]; /* of ascending and descending */
        size_t count;     /* of candidates in the last collection */
        unsigned along;   /* this many more collections count along references */
    } directions[GENERATIONS];
    bool is_mostly_garbage[GENERATIONS]; /* according to its last collection */
    bool is_left;                        /* CPython does this collection alone */
    size_t expected;       /* by judge_cpython(): young objects, or those pending */
    struct gc_link hidden; /* reachable objects of the oldest generation */
    size_t hidden_count;
    bool is_hiding;         /* the list may be empty nevertheless */
    PyObject *sentinel;     /* it owns itself */
    PyObject *watch;        /* a weak reference to it, while CPython collects */
    PyObject *put_back;     /* the callback of the watch */
    int generation;         /* being collected, or -1 */
    size_t proposals;       /* in this collection */
    size_t next_to_untrack; /* an index of the trail */
    double cpu_start, wall_start;
    struct collect_stats stats;
    size_t core_least;       /* COLLECT_CORE, except in tests */
    unsigned propose_one_in; /* for tests: live objects are proposed at random */
    uint64_t chance;
};

/* For the current interpreter. False with an exception. `sentinel_type` is the type of
 * sentinel.h; `put_back` a function that calls collect_put_back(). With a budget, in seconds, full
 * collections run in slices. */
bool collector_init(struct collector *collector, PyTypeObject *sentinel_type,
                    PyObject *put_back, double budget);
void collector_free(struct collector *collector);

void collect_before(struct collector *collector, int generation);
void collect_put_back(struct collector *collector);
void collect_after(struct collector *collector, long long collected);

/* Run slices outside of a collection until the deadline by collect_clock(). It ends earlier, and
 * returns true, if a young collection has to run to destroy the garbage that was found. */
bool collect_donate(struct collector *collector, double deadline);
double collect_clock(void);

/* About how much memory of ours is resident between collections, in bytes. */
size_t collector_memory(const struct collector *collector);

#endif
