/* SPDX-License-Identifier: MIT */
/* The interpreters of the process.
 *
 * The main interpreter is one static structure: its heap range is reserved once and stays
 * for the life of the process, so that an object which outlives Py_FinalizeEx stays
 * readable, and the next Py_Initialize takes the range over with what is left in it.
 *
 *   registry.inv.main   main is in the list exactly between start and stop */
#ifndef OURO_THREAD_REGISTRY_H
#define OURO_THREAD_REGISTRY_H

#include "interpreter.h"

/* Start the main interpreter, or another one; detached, without thread states. NULL when there
 * is no memory or address space. `wanted` is the size of the heap range. */
struct _is *ouro_registry_start_main(size_t wanted);
struct _is *ouro_registry_start(size_t wanted);
/* Remove an interpreter that has no thread state left. The range of its heap is released
 * unless it is the main one or objects survive in it. */
void ouro_registry_stop(struct _is *interp);
/* Remove an interpreter and keep all its memory: threads may still come back to it. */
void ouro_registry_abandon(struct _is *interp);

/* The main interpreter while it runs, else NULL. */
struct _is *ouro_registry_main(void);
/* Any interpreter that runs besides the main one; NULL when there is none. */
struct _is *ouro_registry_any_other(void);

/* The lists of interpreters and of their thread states are read and changed under this
 * lock, held for a moment only. */
void ouro_registry_lock(void);
void ouro_registry_unlock(void);
uint64_t ouro_registry_next_thread_id(void);

/* Around fork(): all locks are taken before, in a fixed order, and released after. In the
 * child only the calling thread's state survives, and every interpreter that another thread
 * was attached to is abandoned. */
void ouro_registry_before_fork(void);
void ouro_registry_after_fork_parent(void);
void ouro_registry_after_fork_child(void);

/* The hooks of the calling thread's interpreter; detached, those that new interpreters
 * start with. */
struct hooks *ouro_current_hooks(void);

#endif
