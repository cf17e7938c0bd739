/* SPDX-License-Identifier: MIT */
/* Starting and stopping interpreters, and what a fork does to them; see registry.h. */
#include "registry.h"

#include <stdlib.h>

#include "../base/events.h"
#include "../base/fault.h"
#include "shared.h"
#include "thread.h"

struct _is ouro_nowhere = {.birth_count = 1, .id = -1};
struct _is ouro_shared = {.birth_count = _Py_IMMORTAL_REFCNT, .id = -2};

static struct hooks default_hooks;
static struct _is main_interpreter;
static struct _is *interpreters; /* those that run, newest first */
static struct _is *abandoned;    /* so that tools which look for leaks can see them */
static pthread_mutex_t registry_mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t last_interpreter_id;
static uint64_t last_thread_id;

__attribute__((constructor)) static void
init_empty_heaps(void)
{
    ouro_heap_init_empty(&ouro_nowhere.heap);
    ouro_heap_init_empty(&ouro_shared.heap);
}

/* --- the list ------------------------------------------------------------------------------ */

void
ouro_registry_lock(void)
{
    pthread_mutex_lock(&registry_mutex);
}

void
ouro_registry_unlock(void)
{
    pthread_mutex_unlock(&registry_mutex);
}

uint64_t
ouro_registry_next_thread_id(void)
{
    return ++last_thread_id;
}

static void
enlist(struct _is *interp, bool is_main)
{
    ouro_registry_lock();
    interp->id = is_main ? 0 : ++last_interpreter_id;
    interp->next = interpreters;
    interpreters = interp;
    ouro_registry_unlock();
}

static void
delist(struct _is *interp)
{
    struct _is **place = &interpreters;
    while (*place != interp) {
        place = &(*place)->next;
    }
    *place = interp->next;
    interp->next = NULL;
}

struct _is *
ouro_registry_main(void)
{
    ouro_registry_lock();
    struct _is *interp = interpreters;
    while (interp != NULL && interp != &main_interpreter) {
        interp = interp->next;
    }
    ouro_registry_unlock();
    return interp;
}

struct _is *
ouro_registry_any_other(void)
{
    ouro_registry_lock();
    struct _is *interp = interpreters;
    while (interp == &main_interpreter) {
        interp = interp->next;
    }
    ouro_registry_unlock();
    return interp;
}

struct hooks *
ouro_current_hooks(void)
{
    return ouro_is_attached() ? &ouro_current.thread->interp->hooks : &default_hooks;
}

/* --- start ----------------------------------------------------------------------------------- */

/* Everything but the heap, the lock, and an exception object that lives in the heap. */
static void
reset_interpreter(struct _is *interp)
{
    interp->heap.allocations = 0;
    interp->gc = (struct gc_state){0};
    interp->birth_count = 1;
    interp->max_str_digits = OURO_INT_MAX_STR_DIGITS;
    interp->threads = NULL;
    interp->finalizing = NULL;
    interp->hooks = default_hooks;
    interp->dict = interp->modules = interp->modules_by_index = NULL;
    interp->single_phase = interp->survivors = NULL;
    interp->sys_dict = interp->builtins = NULL;
    interp->import_owner = NULL;
    interp->import_depth = 0;
    interp->weak_entries = NULL;
    for (int i = 0; i < _Py_CACHE_COUNT; i++) {
        interp->cache[i] = NULL;
    }
}

struct _is *
ouro_registry_start_main(size_t wanted)
{
    struct _is *interp = &main_interpreter;
    if (interp->heap.base == NULL) {
        if (!ouro_heap_init(&interp->heap, wanted)) {
            return NULL;
        }
        ouro_lock_init(&interp->lock);
    }
    reset_interpreter(interp);
    enlist(interp, true);
    return interp;
}

struct _is *
ouro_registry_start(size_t wanted)
{
    struct _is *interp = ouro_fault() ? NULL : calloc(1, sizeof *interp);
    if (interp == NULL) {
        return NULL;
    }
    if (!ouro_heap_init(&interp->heap, wanted)) {
        free(interp);
        return NULL;
    }
    ouro_lock_init(&interp->lock);
    reset_interpreter(interp);
    enlist(interp, false);
    return interp;
}

/* --- stop ------------------------------------------------------------------------------------ */

/* Does anything live in the heap besides the interpreter's own MemoryError? */
static bool
has_survivors(const struct _is *interp)
{
    size_t own = interp->memory_error != NULL ? 1 : 0;
    return ouro_heap_measure(&interp->heap, NULL).objects > own;
}

void
ouro_registry_stop(struct _is *interp)
{
    OURO_ASSERT(interp->threads == NULL);
    ouro_event_heap_ends(&interp->heap);
    ouro_registry_lock();
    delist(interp);
    ouro_registry_unlock();
    if (interp == &main_interpreter) {
        interp->heap.trim.expected = 0;
        ouro_heap_trim(&interp->heap, UINT32_MAX);
        return;
    }
    if (!has_survivors(interp)) {
        ouro_heap_destroy(&interp->heap);
    }
    ouro_lock_destroy(&interp->lock);
    free(interp);
}

void
ouro_registry_abandon(struct _is *interp)
{
    ouro_registry_lock();
    delist(interp);
    if (interp != &main_interpreter) {
        interp->next = abandoned;
        abandoned = interp;
    }
    ouro_registry_unlock();
}

/* --- fork ------------------------------------------------------------------------------------ */

static bool fork_is_prepared; /* all locks are held by the thread that forks */

static void
lock_everything(void)
{
    ouro_shared_lock();
    ouro_registry_lock();
    for (struct _is *interp = interpreters; interp != NULL; interp = interp->next) {
        pthread_mutex_lock(&interp->lock.mutex);
    }
}

static void
unlock_everything(void)
{
    for (struct _is *interp = interpreters; interp != NULL; interp = interp->next) {
        pthread_mutex_unlock(&interp->lock.mutex);
    }
    ouro_registry_unlock();
    ouro_shared_unlock();
}

void
ouro_registry_before_fork(void)
{
    lock_everything();
    fork_is_prepared = true;
}

void
ouro_registry_after_fork_parent(void)
{
    fork_is_prepared = false;
    unlock_everything();
}

/* PyOS_BeforeFork was not called: threads that are gone may have held any lock. */
static void
renew_locks(void)
{
    ouro_shared_renew_lock();
    pthread_mutex_init(&registry_mutex, NULL);
    for (struct _is *interp = interpreters; interp != NULL; interp = interp->next) {
        pthread_mutex_init(&interp->lock.mutex, NULL);
    }
}

/* A thread that is gone was inside PyUnstable_GC_VisitObjects, and its callback had released
 * the lock. End the visit, as if the call had returned. */
static void
end_visits(struct _ts *thread)
{
    struct _is *interp = thread->interp;
    for (; thread->visits > 0; thread->visits--) {
        ouro_heap_unhold(&interp->heap);
    }
    if (thread->visits_disabled) {
        interp->gc.enabled = true;
        interp->heap.alarm = -1; /* the next allocation sees what is due */
    }
}

/* The threads that the other states belonged to do not exist here. Their objects stay
 * referenced: running destructors on behalf of those threads would be wrong. */
static void
orphan_other_states(struct _is *interp, bool is_usable)
{
    struct _ts *thread = interp->threads;
    while (thread != NULL) {
        struct _ts *next = thread->next;
        if (thread != ouro_current.thread) {
            if (is_usable) {
                end_visits(thread);
            }
            ouro_thread_orphan(thread);
        }
        thread = next;
    }
}

void
ouro_registry_after_fork_child(void)
{
    if (!fork_is_prepared) {
        renew_locks();
        lock_everything();
    }
    fork_is_prepared = false;
    unlock_everything();
    struct _is *interp = interpreters;
    while (interp != NULL) {
        struct _is *next = interp->next;
        bool is_mine = interp == ouro_current.interp;
        bool was_in_use =
            (interp->lock.held || interp->gc.running.is_collecting) && !is_mine;
        ouro_lock_forget_waiters(&interp->lock, is_mine);
        orphan_other_states(interp, !was_in_use);
        if (interp->import_owner != ouro_current.thread) {
            interp->import_owner = NULL;
        }
        if (was_in_use) {
            ouro_registry_abandon(interp);
        }
        interp = next;
    }
}
