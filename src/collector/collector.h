/* SPDX-License-Identifier: MIT */
/* What the rest of the library may ask of the collector.
 * All calls need the interpreter's lock. */
#ifndef OURO_COLLECTOR_COLLECTOR_H
#define OURO_COLLECTOR_COLLECTOR_H

#include "../thread/interpreter.h"

/* Settings of a new interpreter. */
void ouro_collector_init(struct _is *interp);
/* The final collections: they run even when the collector is disabled. The first says
 * what it could not collect; the last comes after the modules. */
void ouro_collector_shutdown(struct _is *interp);
void ouro_collector_shutdown_last(struct _is *interp);
/* If a thread that does not come back was collecting: end that collection for it. */
void ouro_collector_abandon(struct _is *interp);
/* Drop the garbage and callback lists. */
void ouro_collector_release(struct _is *interp);

/* Who asks: manual collections always run; automatic ones were found due; early ones are middle
 * ones that are not due by their threshold, to keep pauses short; at shutdown no callbacks are
 * called; a part of a sliced cycle is neither told of nor counted. */
enum ouro_reason {
    OURO_REASON_MANUAL,
    OURO_REASON_AUTOMATIC,
    OURO_REASON_EARLY,
    OURO_REASON_SHUTDOWN,
    OURO_REASON_PART,
};

/* Collect generation 0..generation. Returns the unreachable objects found, collected or
 * not; 0 when a collection is running already. Never raises; keeps a pending exception. */
Py_ssize_t ouro_collect(struct _is *interp, int generation, enum ouro_reason reason);

/* An allocation found the heap's alarm passed: collect if that is due and allowed. */
void ouro_collector_alarm(struct _is *interp);
/* PyErr_CheckSignals: collect if that is due. */
void ouro_collector_safe_point(struct _is *interp);
/* The heap has no block left: collect everything. False when that was not possible. */
bool ouro_collector_make_room(struct _is *interp);

/* Slices: change the budget (seconds; 0 ends them) and return the old one; run a cycle for
 * that many seconds, and say whether it is still under way; in the child after a fork. */
double ouro_collector_set_budget(struct _is *interp, double budget);
bool ouro_collector_donate(struct _is *interp, double seconds);
void ouro_collector_after_fork(struct _is *interp);

/* tp_ouro_traverse_part of types that have items and no such handler of their own. */
Py_ssize_t ouro_collector_traverse_buffered(PyObject *op, Py_ssize_t from,
                                            visitproc visit, void *arg);

/* Recompute the heap's alarm after any setting that decides when to collect changed. */
void ouro_collector_set_alarm(struct _is *interp);

/* Move all tracked objects to the permanent generation, and back to the old one. */
void ouro_collector_freeze(struct _is *interp);
void ouro_collector_unfreeze(struct _is *interp);
/* Tracked objects of one generation, OURO_PERMANENT included. */
Py_ssize_t ouro_collector_count_objects(struct _is *interp, int generation);

#endif
