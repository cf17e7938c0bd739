/* SPDX-License-Identifier: MIT */
/* The model's own picture of the heap: a *thing* for each object, which says what must be true
 * of it, and the weak references. counting.h and collecting.h have the rules. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_GRAPH_H
#define OURO_TESTS_COLLECTOR_MODEL_GRAPH_H

#include "../../harness.h"

#include <ouroboros.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    TINY,        /* 32 bytes, one field, no weak references */
    PAIR,        /* two fields */
    PAIR_FINAL,  /* with tp_finalize */
    PAIR_LEGACY, /* with tp_del */
    VAR,         /* any number of fields */
    VAR_FINAL,
    HEAP_PAIR, /* of a heap type */
    LEAD_PAIR, /* of a heap type with managed weak references: a lead before the object */
    KINDS,
};

enum action { NOTHING, RESURRECT, DROP, LINK, MAKE_GARBAGE, ACTIONS };

struct thing {
    PyObject *op;
    int name; /* stays the same when a program is shortened: see record.h */
    int made; /* the thing that its finalizer made, or -1 */
    enum kind kind;
    enum action action; /* what its finalizer does */
    bool alive, tracked, finalized, immortal;
    bool raises; /* its tp_clear and, in collections, its finalizer leave an exception */
    int generation; /* 0..3; while tracked */
    int handles;    /* references that the test holds */
    int refs;       /* all references */
    int size;       /* fields */
    int *to;        /* the thing that each field refers to, or -1 */
    int finalizations;
    int seen_finalizations, seen_deaths;    /* what the object did */
    bool candidate, reached, trash, legacy; /* for one collection */
    int internal;                           /* references from the set in question */
};

struct weak {
    PyObject *ref;
    int thing;
    bool has_callback, dead;
    bool raises; /* whether the callback raises */
    int calls, seen_calls;
};

#define THINGS_MAX 60000
#define WEAKS_MAX  2000

static struct thing things[THINGS_MAX];
static struct weak weaks[WEAKS_MAX];
static int thing_count, weak_count;
static int *in_garbage; /* things that the garbage list holds */
static int in_garbage_count;
static PyTypeObject *kind_types[KINDS];

static int reports, seen_reports; /* exceptions that no caller can receive */

static unsigned model_seed;
static int model_step;
static bool model_failed;
static bool model_is_quiet; /* fail without a message */
#define MODEL_FAIL(...)                                                                  \
    do {                                                                                 \
        char text_[300];                                                                 \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                      \
        if (!model_failed && !model_is_quiet) {                                          \
            test_fail(__FILE__, __LINE__, "OURO_MODEL_SEED=%u step %d: %s", model_seed,  \
                      model_step, text_);                                                \
        }                                                                                \
        model_failed = true;                                                             \
    } while (0)

static bool
is_var(enum kind kind)
{
    return kind == VAR || kind == VAR_FINAL;
}

static bool
has_finalizer(enum kind kind)
{
    return kind == PAIR_FINAL || kind == VAR_FINAL;
}

#endif
