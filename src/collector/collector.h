/* SPDX-License-Identifier: MIT */
/* The collector's interface for the rest of the library. All calls need the interpreter's lock. */
#ifndef OURO_COLLECTOR_COLLECTOR_H
#define OURO_COLLECTOR_COLLECTOR_H

#include "../thread/interpreter.h"

/* Settings of a new interpreter. */
void ouro_collector_init(struct _is *interp);
/* The final collections, which run even when the collector is disabled. The first reports what
 * it could not collect; the last runs after the modules are gone. */
void ouro_collector_shutdown(struct _is *interp);
void ouro_collector_shutdown_last(struct _is *interp);
/* End the collection of a thread that will not come back. */
void ouro_collector_abandon(struct _is *interp);
/* Drop the garbage and callback lists. */
void ouro_collector_release(struct _is *interp);

/* Why a collection runs. Manual collections always run; automatic ones were found due. Early
 * ones are middle collections before their threshold, to keep pauses short. At shutdown no
 * callbacks are called. A part of a sliced cycle is neither reported nor counted. */
enum ouro_reason {
    OURO_REASON_MANUAL,
    OURO_REASON_AUTOMATIC,
    OURO_REASON_EARLY,
    OURO_REASON_SHUTDOWN,
    OURO_REASON_PART,
};

/* Collect generations 0..generation. Returns how many unreachable objects were found, collected
 * or not; 0 when a collection is already running. Never raises; keeps a pending exception. */
Py_ssize_t ouro_collect(struct _is *interp, int generation, enum ouro_reason reason);

/* An allocation has passed the heap's alarm: collect if that is due and allowed. */
void ouro_collector_alarm(struct _is *interp);
/* For PyErr_CheckSignals: collect if that is due. */
void ouro_collector_safe_point(struct _is *interp);
/* The heap has no block left: collect everything. False when that was not possible. */
bool ouro_collector_make_room(struct _is *interp);

/* Slices: set the budget (seconds; 0 ends them) and return the old one; run a cycle for that
 * many seconds, and return whether it is still under way; forget the cycle in the child after a
 * fork. */
double ouro_collector_set_budget(struct _is *interp, double budget);
bool ouro_collector_donate(struct _is *interp, double seconds);
void ouro_collector_after_fork(struct _is *interp);

/* tp_ouro_traverse_part for types that have items but no such handler. */
Py_ssize_t ouro_collector_traverse_buffered(PyObject *op, Py_ssize_t from,
                                            visitproc visit, void *arg);

/* Recompute the heap's alarm after a change of any setting that decides when to collect. */
void ouro_collector_set_alarm(struct _is *interp);

/* Move all tracked objects to the permanent generation, and back to the old one. */
void ouro_collector_freeze(struct _is *interp);
void ouro_collector_unfreeze(struct _is *interp);
/* The number of tracked objects of one generation, OURO_PERMANENT included. */
Py_ssize_t ouro_collector_count_objects(struct _is *interp, int generation);

#endif
