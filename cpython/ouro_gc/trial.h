/* SPDX-License-Identifier: MIT */
/* A trial: CPython's own algorithm decides about closures of objects that look like garbage, while
 * the program stands still. Whatever a cycle has found before, only objects that the trial finds
 * unreachable are proposed. */
#ifndef OURO_GC_TRIAL_H
#define OURO_GC_TRIAL_H

#include "cycle.h"

#define TRY_COST 30 /* the cost of trying an object, as a multiple of scanning it */

struct trial {
    struct cycle *cycle;
    struct detector *detector;
    size_t again; /* objects that were found alive in an earlier trial of this cycle */
};

/* The closure of an object joins the trial, unless it is too large. */
void trial_gather(struct trial *trial, PyObject *object);

/* Try the gathered closures. Returns how many objects are unreachable: they join the proposals. */
size_t trial_end(struct trial *trial, struct gc_link *proposals);

#endif
