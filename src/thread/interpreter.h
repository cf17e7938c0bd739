/* SPDX-License-Identifier: MIT */
/* One interpreter: its heap, the collector's settings, its lock and threads; and which
 * interpreter and thread state the calling thread is attached to.
 *
 * Everything here is read and written by an attached thread only, except what the lock
 * itself consists of.
 *
 * Two interpreters exist from the start and never own a heap:
 *   ouro_nowhere  what a detached thread is attached to; allocating there is fatal
 *   ouro_shared   where static types are finished: objects allocated there are immortal, lie
 *                 outside every heap and belong to the process (see shared.c) */
#ifndef OURO_THREAD_INTERPRETER_H
#define OURO_THREAD_INTERPRETER_H

#include <Python.h>
#include <ouroboros.h>
#include <stdbool.h>

#include "../heap/heap.h"
#include "lock.h"

#define OURO_GENERATION_COUNT 3

/* What the collector remembers between collections. */
struct generation {
    int threshold;
    int count; /* collections of the next younger generation; unused in generation 0 */
    bool descends; /* how its objects are counted; see collector/count.c */
    Ouro_GCStats stats;
};

/* The collection that is running, in one piece or in slices: collect.c and cycle.c. */
struct gc_running {
    bool is_collecting;
    bool holds;                       /* it holds the heap's pages */
    int survivors;                    /* the generation that its survivors join */
    const struct _Py_Current *thread; /* of the OS thread that runs it */
};

/* Growth since the last collections, which decides about the next: collect.c, trigger.c. */
struct gc_growth {
    Py_ssize_t long_lived_total, long_lived_pending;
    Py_ssize_t middle_pending; /* survivors of generation 0 since the last middle one */
    uint32_t safe_points;      /* since the last collection, up to a few */
    uint32_t pages_after_full;
    double middle_cost;     /* seconds per object, in slices */
    bool is_garbage_scarce; /* a look at young objects found next to none; trigger.c */
    int direct; /* collections to come that make young objects old at once; trigger.c */
    size_t external_bytes; /* reported by Ouro_GCReportExternal */
    size_t external_after_full;
};

/* What collector/certificate.c remembers between full collections. No other source reads it. */
struct certificate {
    uint32_t order_max; /* the largest order number */
    bool is_numbered;   /* addresses do not prove full collections, order numbers might */
    bool is_resting;    /* the full collection under way tries no proof */
    int failures;       /* proofs that failed in a row */
    int rest;           /* full collections to come that try no proof */
};

/* What a cycle leaves for the next cycle. */
/* Memory of a cycle: its first bytes are in use, and more of them may have memory behind them. */
struct gc_table {
    char *start; /* or NULL */
    size_t size, used, resident;
    bool has_words; /* it is of no use to a cycle that needs zeros */
};

/* The words that objects get which are about to become old: collector/settle.c. */
struct gc_promoted {
    uint16_t *words;
    size_t slots;
    uint16_t *surveyed; /* the words of a survey; collector/survey.c */
    size_t surveyed_slots;
    uint16_t word;
    bool settles; /* they get their own word instead, and are settled a while later */
    /* In the page that is being noted. */
    PyObject *first, *last;
    uint32_t in_page;
};

/* A number of objects: the average over the short cycles since the last whole one, 0 if there was none; and the
 * least that this was since the last whole cycle or survey, 0 if that is to be found out. */
struct gc_level {
    Py_ssize_t usual, base;
};

struct gc_slices {
    Ouro_GCCycleStats stats;
    uint32_t batch;   /* objects to prove in one piece; tests lower it */
    uint32_t rounds;  /* of refining, at most; tests lower it */
    int watch_trust;  /* above 0: prove all that a cycle proposes at once; watch.c */
    int follow_trust; /* above 0: prove without cutting up; follow.c */
    struct gc_table spares[9]; /* tables of the last cycle; collector/tables.c */
    float phase_costs[28];     /* of the last cycle, in nanoseconds per object; pace.c */
    double alive;    /* old objects that the last cycles left; 0: not known; pace.c */
    double whole;    /* old objects when a collection in one piece would come; pace.c */
    double own_cost; /* the program's seconds per allocation in the last cycle; pace.c */
    double
        yield; /* garbage that the last cycle found, over the growth before it; pace.c */
    double
        short_work; /* nanoseconds that short cycles take lately; 0: not known; pace.c */
    double short_units; /* and how much work that was; pace.c */
    bool follows_cycle; /* the last full collection was one */
    /* Short cycles: collector/doubt.c. */
    int short_left; /* these may come before the next whole cycle */
    int short_failures; /* how often that was wrong, since the last survey that was finished */
    int short_distrust; /* whole cycles to come before short ones are tried again */
    Py_ssize_t
        short_from; /* old objects that make short cycles worth it; tests lower it */
    struct gc_level least_alive, most_alive; /* old objects after short cycles */
    uint16_t late_word; /* of objects that became old in the last cycle */
    uint16_t *beliefs;  /* while no cycle runs: the words it left, or NULL */
    size_t believed_slots;
    struct gc_promoted promoted;
    struct gc_ring *ring; /* objects that wait to be settled; or NULL */
    int survey_cycles; /* a survey is spread over so many; 0: there is none; tests lower it */
    int survey_rest; /* short cycles after a survey or a whole cycle, before one begins; tests lower it */
    struct gc_survey *survey; /* the one under way; or NULL */
    bool survey_hurries;      /* the heap has grown since the last one */
    bool has_unmarked; /* a survey ended, and the next cycle looks at what it doubts */
    int left_unmarked; /* surveys in a row that told of objects which were not proved garbage */
};

struct gc_state {
    /* Settings. */
    bool enabled;
    bool safe_points_only; /* allocations never collect, PyErr_CheckSignals does */
    bool stress;           /* test builds: collect, or run a slice, at every allocation */
    int debug;
    size_t
        byte_trigger; /* growth of the heap, in bytes, that makes a collection due; 0: never */
    double pause_budget; /* seconds; 0: full collections are not sliced */
    uint32_t
        few_pages; /* candidates in fewer pages are never counted in headers; tests lower it */
    bool marks_always;   /* tests: mark, even where counting is a proof */
    PyObject *garbage;   /* list, made when first needed */
    PyObject *callbacks; /* list */

    struct gc_running running;
    struct generation generations[OURO_GENERATION_COUNT];
    struct gc_growth growth;
    struct certificate certificate;
    struct gc_slices slices;
    struct cycle *cycle; /* the one under way, or NULL; see collector/cycle.h */
    /* Is the object proved garbage, and waiting to be destroyed in later slices? Then the
     * program must not reach it. NULL when there is no such object; see collector/farewell.c. */
    bool (*is_doomed)(const struct _is *interp, const PyObject *op);
    /* The thread that runs callbacks or finalizers for such objects. */
    const struct _Py_Current *tells;
    struct pauses *pauses; /* or NULL; see collector/pauses.h */
};

/* What the embedding program installed instead of printing; NULL functions print. */
struct hooks {
    Ouro_UnraisableHook unraisable;
    void *unraisable_arg;
    Ouro_WarningHook warning;
    void *warning_arg;
};

struct _is {
    struct heap heap; /* first, so that what an allocation needs is near the pointer */
    struct gc_state gc;
    uint32_t
        birth_count;    /* the count of a new plain object: 1, immortal in ouro_shared */
    int max_str_digits; /* of an int as decimal text; 0: any number; see api/sys.c */
    int64_t id;
    struct interpreter_lock lock;
    struct _ts *threads;
    struct _is *next;
    struct _ts *finalizing; /* the only thread state that may still attach; or NULL */
    struct hooks hooks;

    PyObject *dict;                      /* PyInterpreterState_GetDict */
    PyObject *memory_error;              /* preallocated; raising it allocates nothing */
    PyObject *modules;                   /* dict: name -> module */
    const struct module_end *module_end; /* how modules are ended; api/import.h */
    PyObject *modules_by_index;          /* list; see PyState_FindModule */
    PyObject *single_phase;              /* dict; see api/import_load.c */
    PyObject *sys_dict; /* the dicts of sys and builtins, made with modules */
    PyObject *builtins;
    PyObject *survivors;              /* list; see api/import_end.c */
    struct _ts *import_owner;         /* the thread that imports; or NULL */
    int import_depth;                 /* how many imports it is in */
    struct weak_entry *weak_entries;  /* see object/weakref.h */
    PyObject *cache[_Py_CACHE_COUNT]; /* see _PyInterpreterState_Cache */
};

/* What the calling thread is attached to: py/current.h, as inline allocation reads it. */
#define ouro_current _Py_current

extern struct _is ouro_nowhere __attribute__((visibility("hidden")));
extern struct _is ouro_shared __attribute__((visibility("hidden")));

static inline bool
ouro_is_attached(void)
{
    return ouro_current.thread != NULL;
}

/* Calls that look at the heap do not show such an object. */
static inline bool
ouro_object_is_doomed(const PyObject *op)
{
    const struct _is *interp = ouro_current.interp;
    return interp->gc.is_doomed != NULL && interp->gc.is_doomed(interp, op);
}

/* Finish static types: from begin to end the calling thread allocates in ouro_shared,
 * under the process lock. Calls nest. */
void ouro_shared_begin(void);
void ouro_shared_end(void);
/* Inside: remember a block that is never freed, and forget one that is freed after all. */
void ouro_shared_keep(void *block);
void ouro_shared_forget(const void *block);

#endif
