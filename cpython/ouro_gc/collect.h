/* SPDX-License-Identifier: MIT */
/* One collection of CPython, with our detection in front of it.
 *
 *   "start" of gc.callbacks   collect_before(): find what is reachable. Young survivors join the
 *                             next generation at once. Of the oldest generation the reachable
 *                             objects are hidden: taken off CPython's list
 *   CPython's collection      looks at what we propose as garbage, proves it, and destroys it
 *   before any other code     the sentinel's weak reference callback puts everything back
 *   "stop"                    collect_after(): statistics
 *
 * The sentinel is an object of ours that refers to itself: the first of the proposals. CPython
 * finds that it is garbage, and calls the callbacks of weak references in the order of its
 * list, before any finalizer; so collect_put_back() runs before code of the program does. It
 * takes the sentinel off CPython's list, so that nobody sees or counts it.
 *
 *   collect.inv.hidden   objects are hidden only between the end of collect_before() and
 *                        collect_put_back(), where no Python code runs
 *
 * A collection is left to CPython while a debug flag is set, where it is too small to gain
 * anything, and when memory or slots run out: then nothing has been changed. The GIL is held. */
#ifndef OURO_GC_COLLECT_H
#define OURO_GC_COLLECT_H

#include <Python.h>

#include "cycle.h"

/* What stats() tells; X(field, name). */
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

/* The oldest objects, modules and classes among them, are marked in order before a closure is
 * tried: at least so many. */
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
    struct numbers tuples; /* those of tuples among them */
    struct directions {
        bool descends;    /* the newest first: they refer to those made before them */
        unsigned cost[2]; /* of ascending and descending */
        size_t count;     /* of candidates in the last collection */
        unsigned along;   /* so many more are counted along references, in no direction */
    } directions[GENERATIONS];
    bool is_mostly_garbage[GENERATIONS]; /* the last collection of it found */
    bool is_left;                        /* this collection is CPython's alone */
    size_t expected;       /* objects in it, or those that it will not add to */
    struct gc_link hidden; /* reachable objects of the oldest generation */
    size_t hidden_count;
    bool is_hiding;         /* the list may be empty all the same */
    PyObject *sentinel;     /* owned by itself */
    PyObject *watch;        /* a weak reference to it, while CPython collects */
    PyObject *put_back;     /* the callback of the watch */
    int generation;         /* being collected, or -1 */
    size_t proposals;       /* in this collection */
    size_t next_to_untrack; /* an index of the trail */
    double cpu_start, wall_start;
    struct collect_stats stats;
    size_t core_least;       /* COLLECT_CORE, but in tests */
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

/* Run slices outside of a collection, until it is that time by collect_clock(), or a young
 * collection must be run to destroy what was found: then true. */
bool collect_donate(struct collector *collector, double deadline);
double collect_clock(void);

/* Memory of our own that is resident between collections, about. */
size_t collector_memory(const struct collector *collector);

#endif
