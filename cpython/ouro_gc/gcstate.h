/* SPDX-License-Identifier: MIT */
/* Where CPython's collector keeps its generations, found at run time.
 *
 * No private header of CPython is needed. The link after the newest object is the head of the
 * youngest generation. The places of gc.garbage and gc.callbacks tell where the counters are.
 * Before anything is used, it is compared with the results of the gc module. */
#ifndef OURO_GC_GCSTATE_H
#define OURO_GC_GCSTATE_H

#include "gclist.h"

#define GENERATIONS 3
#define OLDEST      (GENERATIONS - 1)

struct generation {
    struct gc_link head;
    int threshold;
    int count;
};

struct gc_state {
    struct generation *generations;
    Py_ssize_t *long_lived_total;   /* survivors of the last full collection */
    Py_ssize_t *long_lived_pending; /* survivors of middle collections since then */
    PyObject *callbacks;            /* the list gc.callbacks */
    PyObject *get_debug;            /* the function gc.get_debug */
};

/* Find the state of the current interpreter. False with a RuntimeError that says what differs,
 * and for which CPython the module was built. */
bool gc_state_find(struct gc_state *state);
void gc_state_release(struct gc_state *state);

/* Whether a debug flag is set. Then CPython must collect alone, because it prints or keeps the
 * garbage that it finds. */
bool gc_state_is_debugging(const struct gc_state *state);

#endif
