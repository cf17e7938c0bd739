/* SPDX-License-Identifier: MIT */
/* Full collections in slices: a cycle that finds old garbage a little at a time.
 *
 * A cycle replaces CPython's automatic full collections. Its slices run at the start of young
 * collections, each within a budget, while the program goes on in between.
 *
 *   count  walks the oldest generation as it was when the cycle began, and counts edges, as
 *          detect.h says, in a shadow of its own. Objects that no earlier one refers to are noted
 *   mark   walks once more, and marks what is held, and what marked objects refer to
 *   scan   walks a third time. From each noted object that is not marked, it gathers the closure of
 *          unmarked objects. It tries CPython's own algorithm on the closure, in one piece. It hands
 *          unreachable objects to the young collection that is about to run, where CPython proves
 *          that they are unreachable, and destroys them
 *   renew  gives the trail the order of the count
 *   clear  makes the shadow ready for the next cycle
 *
 * The program runs between slices, so the counts of live objects may be wrong. Then objects are
 * tried in vain. Garbage does not change, because the program cannot reach it. Its counts become
 * zero whenever they are made. So everything that was garbage when a cycle began is tried.
 *
 * From slice to slice only numbers are kept, and two bookmarks: empty lists of ours in CPython's
 * list. So an object may die meanwhile, and its memory may become anything. The GIL is held. */
#ifndef OURO_GC_CYCLE_H
#define OURO_GC_CYCLE_H

#include <Python.h>

#include "gcstate.h"
#include "trail.h"

enum cycle_phase {
    CYCLE_IDLE,
    CYCLE_COUNT,
    CYCLE_CLEAR_AGAIN, /* then CYCLE_COUNT */
    CYCLE_MARK,
    CYCLE_SCAN,
    CYCLE_RENEW,
    CYCLE_CLEAR,
};

/* X(field, name) */
#define CYCLE_COUNTERS(X)                                                                \
    X(cycles, "cycles")                                                                  \
    X(slices, "slices")                                                                  \
    X(proofs, "cycle_proofs")                                                            \
    X(handed_over, "handed_over")                                                        \
    X(tried, "tried")                                                                    \
    X(too_large, "too_large")                                                            \
    X(grown_slices, "grown_slices")                                                      \
    X(forced_ends, "forced_ends")                                                        \
    X(abandoned, "abandoned_cycles")

struct cycle_stats {
#define X(field, name) long long field;
    CYCLE_COUNTERS(X)
#undef X
    double longest_slice; /* seconds of CPU time */
};

struct cycle {
    double budget; /* seconds, or 0: no slices */
    enum cycle_phase phase;
    struct shadow shadow;
    struct numbers order;    /* slots of counted objects, in the detector's shadow */
    struct numbers notes;    /* slots in our shadow: no earlier object refers to these */
    struct numbers doubtful; /* slots in our shadow: targets of frames may be borrowed */
    struct numbers late;     /* slots in our shadow: marked after their turn, to follow */
    PyObject *here, *end;    /* bookmarks */
    struct gc_link *frozen;  /* the last frozen object when the cycle began */
    struct gc_link *first;   /* the first old object then */
    Py_ssize_t told;         /* long_lived_total, as we left it */
    int in_vain;             /* cycles that were abandoned in a row */
    uint32_t large;     /* the slot of a large container whose items are read in pieces */
    Py_ssize_t piece;   /* items of it that have been read */
    size_t read;        /* the entry of the trail where the walk is, about */
    size_t counted;     /* entries of `order` when the cycle ended; then those of the */
    size_t renewed;     /* trail that joined since it began follow, from this one on */
    size_t handed_over; /* in this cycle */
    size_t tried;       /* in this cycle */
    size_t blocks;      /* of the shadow, when counting began */
    size_t cleared;     /* bytes of the shadow that are zero again */
    double patience;    /* slices of the scan may be this many times as long */
    bool is_hopeless;   /* slices do not suffice: a collection in one piece is needed */
    bool is_forced;     /* that collection has been requested */
    size_t done, work;  /* objects looked at, and to be looked at, in all phases */
    size_t total;       /* objects in the oldest generation after the last cycle */
    size_t pending;     /* survivors that joined since then */
    size_t pending_at_start;
    bool is_always_due; /* for tests */
    struct cycle_stats stats;
};

/* False with an exception. */
bool cycle_init(struct cycle *cycle, const struct gc_state *gc, double budget);
/* CPython decides again when a full collection is due. */
void cycle_free(struct cycle *cycle, const struct gc_state *gc);

/* A young collection is about to run, and its survivors were promoted: run a slice. Objects that it
 * finds unreachable are appended to `proposals`. Returns how many. */
size_t cycle_run(struct cycle *cycle, struct trail *trail, struct detector *detector,
                 const struct gc_state *gc, double seconds, struct gc_link *proposals);

/* A collection has ended, and CPython has counted the objects that became old in it. Begin a cycle
 * if one is due. `known` has the windows in which objects were seen. */
void cycle_note(struct cycle *cycle, const struct trail *trail,
                const struct shadow *known, const struct gc_state *gc, int generation);

/* The program is idle: begin a cycle if one will be due soon. */
void cycle_begin_early(struct cycle *cycle, const struct trail *trail,
                       const struct shadow *known, const struct gc_state *gc);

/* CPU time, in seconds: a slice does not end early because another process had the processor. */
double cycle_clock(void);
#define CYCLE_STEP 64 /* objects between two looks at the clock */

/* How long the next slice may be, in seconds. */
double cycle_allowance(struct cycle *cycle);

/* A full collection in one piece has run, or must run: a cycle that is under way ends. */
void cycle_end(struct cycle *cycle);

#endif
