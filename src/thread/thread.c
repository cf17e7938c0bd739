/* SPDX-License-Identifier: MIT */
/* Attaching: which interpreter the calling thread works for, and how deep its stack is. */
#include "thread.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/fault.h"
#include "../platform/platform.h"
#include "registry.h"

/* Recursion stops at this depth even if the system would let the stack grow without limit
 * (RLIMIT_STACK unlimited): deeper recursion would only cost memory. */
#define STACK_MOST ((size_t)64 << 20)
/* Destructors watch their depth once this much of the stack is used, or half of it. */
#define STACK_SHALLOW ((size_t)512 << 10)

OURO_THREAD_LOCAL struct _Py_Current ouro_current = {.interp = &ouro_nowhere};

/* --- states ------------------------------------------------------------------------------ */

struct _ts *
ouro_thread_new(struct _is *interp)
{
    struct _ts *thread = ouro_fault() ? NULL : calloc(1, sizeof *thread);
    if (thread == NULL) {
        return NULL;
    }
    thread->interp = interp;
    ouro_registry_lock();
    thread->id = ouro_registry_next_thread_id();
    thread->next = interp->threads;
    if (thread->next != NULL) {
        thread->next->prev = thread;
    }
    interp->threads = thread;
    ouro_registry_unlock();
    return thread;
}

static void
forget_state(struct _ts *thread)
{
    if (thread->prev != NULL) {
        thread->prev->next = thread->next;
    } else {
        thread->interp->threads = thread->next;
    }
    if (thread->next != NULL) {
        thread->next->prev = thread->prev;
    }
    thread->next = thread->prev = NULL;
}

void
ouro_thread_free(struct _ts *thread)
{
    ouro_registry_lock();
    forget_state(thread);
    ouro_registry_unlock();
    free(thread);
}

void
ouro_thread_orphan(struct _ts *thread)
{
    static struct _ts *orphans; /* so that tools which look for leaks can see them */
    ouro_registry_lock();
    forget_state(thread);
    thread->orphaned = true;
    thread->next = orphans;
    orphans = thread;
    ouro_registry_unlock();
}

struct _ts *
ouro_thread_find(struct _is *interp, uint64_t id)
{
    ouro_registry_lock();
    struct _ts *thread = interp->threads;
    while (thread != NULL && thread->id != id) {
        thread = thread->next;
    }
    ouro_registry_unlock();
    return thread;
}

/* --- stack ------------------------------------------------------------------------------- */

static void
find_stack(void)
{
    char *low, *high;
    ouro_platform_stack_bounds(&low, &high);
    /* Counted from here: thread-local data may take much of a small stack. */
    char *here = __builtin_frame_address(0);
    if ((size_t)(here - low) > STACK_MOST) {
        low = here - STACK_MOST;
    }
    size_t reserve = (size_t)(here - low) / 4;
    if (reserve < OURO_STACK_RESERVE_MIN) {
        reserve = OURO_STACK_RESERVE_MIN;
    }
    if (reserve > OURO_STACK_RESERVE_MAX) {
        reserve = OURO_STACK_RESERVE_MAX;
    }
    size_t half = (size_t)(high - low) / 2;
    char *begun = high - (half < STACK_SHALLOW ? half : STACK_SHALLOW);
    ouro_current.stack_low = low + reserve;
    ouro_current.stack_half = begun;
}

/* --- attach and detach ----------------------------------------------------------------- */

_Noreturn static void
block_for_ever(void)
{
    for (;;) {
        pause();
    }
}

void
ouro_thread_attach(struct _ts *thread)
{
    struct _is *interp = thread->interp;
    OURO_ASSERT(!ouro_is_attached());
    if (ouro_current.stack_low == NULL) {
        find_stack();
    }
    ouro_lock_acquire(&interp->lock);
    /* The other threads of an ending interpreter stop here: they have no objects to work with,
     * and there is no way to tell them. */
    if (thread->orphaned ||
        (interp->finalizing != NULL && interp->finalizing != thread)) {
        ouro_lock_release(&interp->lock);
        block_for_ever();
    }
    ouro_current.interp = interp;
    ouro_current.thread = thread;
    if (interp->id == 0) {
        ouro_current.main_id = thread->id;
    }
}

struct _ts *
ouro_thread_detach(void)
{
    struct _ts *thread = ouro_current.thread;
    OURO_REQUIRE(ouro_current.interp != &ouro_shared,
                 "a thread detached while it was finishing a static type");
    ouro_current.interp = &ouro_nowhere;
    ouro_current.thread = NULL;
    ouro_lock_release(&thread->interp->lock);
    return thread;
}

struct _ts *
ouro_thread_required(const char *function)
{
    OURO_REQUIRE(ouro_is_attached(),
                 "%s: the calling thread is not attached to an interpreter (call "
                 "Py_Initialize, PyGILState_Ensure or PyEval_RestoreThread first)",
                 function);
    return ouro_current.thread;
}
