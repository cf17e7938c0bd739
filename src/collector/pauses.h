/* SPDX-License-Identifier: MIT */
/* The pauses of an interpreter. They are recorded once that is asked for, or a pause budget is
 * set. Begin and end nest; the outermost pair is one pause. */
#ifndef OURO_COLLECTOR_PAUSES_H
#define OURO_COLLECTOR_PAUSES_H

#include <ouroboros.h>
#include <stdbool.h>

struct _is;

/* Start recording, or forget everything. Without memory nothing is recorded. */
void ouro_pauses_record(struct _is *interp, bool flag);
void ouro_pause_begin(struct _is *interp);
void ouro_pause_end(struct _is *interp);
/* When the pause began, by the clock of the thread; now, if there is none. Reading that clock takes as long
 * as making ten objects. */
double ouro_pause_begun(const struct _is *interp);
/* False when nothing is recorded. */
bool ouro_pauses_read(const struct _is *interp, int clock, Ouro_GCPauseStats *stats);
/* The length that this share of the pauses did not exceed, rounded up to a bucket's end. */
double ouro_pauses_percentile(const Ouro_GCPauseStats *stats, double share);

#endif
