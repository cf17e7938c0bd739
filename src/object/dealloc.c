/* SPDX-License-Identifier: MIT */
/* The count has reached zero: destroy the object without ever overflowing the stack.
 *
 * A destructor that releases a long chain recurses once per object. That is allowed until half
 * of the stack, or half a MiB of it, is used. The first _Py_Dealloc beyond that point allows
 * its nested calls half of the rest. Deeper down, an object of a GC type is not destroyed but
 * deferred: it goes on a list, and that first frame destroys the list before it returns. So
 * everything is dead when the outermost Py_DECREF returns, a chain of any length needs bounded
 * stack, and a destructor or finalizer always finds stack to run in.
 *
 * The list needs no memory, because a deferred object no longer needs its count. The count
 * holds the slot number of the next object, with the sign bit set. So stray increments and
 * decrements do not change it, as with any immortal object (header.inv.deferred). A deferred
 * object is untracked: no collection may look at it.
 *
 * The list is a local variable of the frame that empties it, and so belongs to one thread state
 * on one OS thread. A destructor may detach, or swap to another thread state and release
 * objects there: those go on a list of that state, in a frame further down. */
#include "dealloc.h"

#include "../base/events.h"
#include "../thread/seam.h"
#include "header.h"

#define LINK_MARK ((uint32_t)1 << 31)

/* Put a dead object on the list; false for objects of no GC type, which cannot be deferred. */
static bool
defer_object(struct _Py_Destruction *d, PyObject *op)
{
    const struct heap *heap = &ouro_current.interp->heap;
    if (!ouro_heap_contains(heap, op)) {
        return false;
    }
    uint32_t was = ouro_object_is_tracked(op) ? OURO_GC_WAS_TRACKED : 0;
    ouro_object_clear(op, OURO_GC_TRACKED | OURO_GC_UNREACHABLE | OURO_GC_LEGACY);
    ouro_object_set(op, OURO_GC_DEFERRED | was);
    op->ob_refcnt = LINK_MARK | d->first;
    d->first = (uint32_t)(ouro_heap_offset(heap, op) >> OURO_GRAIN_SHIFT);
    return true;
}

static PyObject *
take_deferred(struct _Py_Destruction *d)
{
    PyObject *op = ouro_heap_block_of_slot(&d->thread->interp->heap, d->first);
    d->first = op->ob_refcnt & ~LINK_MARK;
    op->ob_refcnt = 0;
    bool was_tracked = ouro_object_has(op, OURO_GC_WAS_TRACKED);
    ouro_object_clear(op, OURO_GC_DEFERRED | OURO_GC_WAS_TRACKED);
    if (was_tracked) { /* in generation 0 now: its page may be scanned another way */
        ouro_seam.track(op);
    }
    return op;
}

/* How deep nested destructors may go below `here`. If less than the reserve is left, they do
 * not nest at all. */
static char *
limit_below(char *here)
{
    char *low = ouro_current.stack_low;
    return here > low ? here - (here - low) / 2 : here;
}

/* If this fires: a destructor swapped to another thread state, and not back. */
static void
call_dealloc_of(struct _Py_Destruction *d, PyObject *op)
{
    ouro_call_dealloc(op);
    OURO_REQUIRE(ouro_current.thread == d->thread,
                 "a destructor returned attached to another thread state than it was "
                 "called with");
}

/* The first frame of its thread state at that depth. */
static void
destroy_with_deferred(PyObject *op, char *here)
{
    struct _Py_Destruction d = {.thread = ouro_current.thread,
                                .limit = limit_below(here),
                                .outer = ouro_current.destruction};
    ouro_current.destruction = &d;
    call_dealloc_of(&d, op);
    while (d.first != 0) {
        call_dealloc_of(&d, take_deferred(&d));
    }
    ouro_current.destruction = d.outer;
}

/* The destruction that the current thread state is in; or NULL. */
static struct _Py_Destruction *
current_destruction(void)
{
    struct _Py_Destruction *d = ouro_current.destruction;
    while (d != NULL && d->thread != ouro_current.thread) {
        d = d->outer;
    }
    return d;
}

/* The stack is half used. */
__attribute__((noinline, cold)) static void
destroy_deep(PyObject *op, char *here)
{
    struct _Py_Destruction *d = current_destruction();
    if (d == NULL) {
        destroy_with_deferred(op, here);
    } else if (here >= d->limit || !defer_object(d, op)) {
        ouro_call_dealloc(op);
    }
}

/* In the place of tp_dealloc in the type of a dead object. */
void
ouro_refuse_release(PyObject *op)
{
    const struct heap *heap = &ouro_current.interp->heap;
    ouro_fatal(
        "Py_DECREF: a reference to the '%s' object at %p was released after it was "
        "freed (page %u of the heap)",
        ouro_heap_dead_type_name(heap, op), (void *)op,
        (unsigned)(ouro_heap_page_of(heap, op) - heap->pages));
}

static_assert(offsetof(PyTypeObject, tp_dealloc) == offsetof(struct _Py_Type, dealloc),
              "destruction is inline: py/refcount.h");

void
_Py_Dealloc(PyObject *op)
{
    char *here = __builtin_frame_address(0);
    if (OURO_UNLIKELY(here < ouro_current.stack_half)) {
        destroy_deep(op, here);
    } else {
        ouro_call_dealloc(op);
    }
}
