/* SPDX-License-Identifier: MIT */
/* A trial: closures of objects that look like garbage, decided by CPython's own algorithm while
 * the program stands still. Whatever a cycle believes, only what passes is proposed. */
#ifndef OURO_GC_TRIAL_H
#define OURO_GC_TRIAL_H

#include "cycle.h"

#define TRY_COST 30 /* trying an object costs so many times as much as scanning it */

struct trial {
    struct cycle *cycle;
    struct detector *detector;
    size_t again; /* objects that were found alive in an earlier trial of this cycle */
};

/* The closure of an object joins the trial, unless it is too large. */
void trial_gather(struct trial *trial, PyObject *object);

/* Try what was gathered. Returns how many are unreachable: they go to the proposals. */
size_t trial_end(struct trial *trial, struct gc_link *proposals);

#endif
