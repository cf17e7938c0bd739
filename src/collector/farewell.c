/* SPDX-License-Identifier: MIT */
/* Before the members of a proved huge component are destroyed: run the user code that must run
 * first, in slices.
 *
 *   doom      at the proof, one switch hides all members: weak references to them read as dead,
 *             and calls that look at the heap do not show them
 *   split     those with tp_del, and all that they reach, leave (cycle_legacy.c)
 *   sever     weak references with a callback die
 *   call      their callbacks are called, a few at a time
 *   finalize  tp_finalize of each member that has one is called, a few at a time
 *
 * Between two slices the program cannot reach a member, unless a callback or a finalizer handed
 * one out. So after any was called, the component is proved once more, in slices too (watch.c),
 * and members that are held then are taken out of it. Callbacks and finalizers find the members
 * whole, and weak references without callback alive, as in every collection: the switch is off
 * for the thread that runs them, while it does. */
#include "../object/finalize.h"
#include "../object/weakref.h"
#include "cycle.h"

/* --- the switch ------------------------------------------------------------------------------ */

/* A slot may be used again: the object in it is a member only if it is of the cycle. */
static bool
is_doomed(const struct _is *interp, const PyObject *op)
{
    const struct cycle *cy = interp->gc.cycle;
    return ouro_cycle_position_in_proof(cy, op) != UINT32_MAX &&
           ouro_cycle_object(cy, ouro_cycle_slot(cy, op)) == op;
}

/* In a proof of all proposals every proposal is a member. */
static bool
is_doomed_with_all(const struct _is *interp, const PyObject *op)
{
    const struct cycle *cy = interp->gc.cycle;
    size_t slot = ouro_cycle_slot(cy, op);
    return ouro_cycle_is_proposed(cy, slot) && ouro_cycle_object(cy, slot) == op;
}

/* A set that was found by following references gets positions when a question needs them. An object with
 * the word of a member is one, or was in an earlier set and a handler kept it. While the set is
 * destroyed, members are taken from its end, and may live on for a while. */
static bool
is_doomed_in_set(const struct _is *interp, const PyObject *op)
{
    struct cycle *cy = interp->gc.cycle;
    size_t slot = ouro_cycle_slot(cy, op);
    if (slot >= cy->slots || cy->words[slot] != CYCLE_PROVED ||
        ouro_cycle_object(cy, slot) != op) {
        return false;
    }
    ouro_follow_list(cy, cy->proof.doomed);
    cy->c.interp->gc.is_doomed = is_doomed;
    return is_doomed(interp, op);
}

void
ouro_farewell_doom(struct cycle *cy)
{
    bool has_positions = !cy->follow.is_on || cy->proof.kinds.has_legacy;
    cy->proof.doomed = cy->proof.last;
    cy->c.interp->gc.is_doomed = cy->watch.is_of_all ? is_doomed_with_all
                                 : has_positions     ? is_doomed
                                                     : is_doomed_in_set;
}

void
ouro_farewell_end(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    gc->is_doomed = NULL;
    gc->tells = NULL;
    cy->farewell.has_begun = false;
    while (cy->farewell.calls != NULL) { /* the cycle is abandoned: they are not called */
        PyWeakReference *ref = cy->farewell.calls;
        cy->farewell.calls = ref->wr_next;
        ref->wr_next = NULL;
        Py_DECREF(ref);
    }
}

/* User code is about to run, or has run. */
static void
begin_telling(struct cycle *cy)
{
    cy->c.interp->gc.tells = &ouro_current;
    cy->farewell.ran_user_code = cy->slice.ran_handlers = true;
}

static void
end_telling(struct cycle *cy)
{
    cy->c.interp->gc.tells = NULL;
}

/* --- weak references ------------------------------------------------------------------------- */

/* Callbacks are called after all weak references are cleared. Each owns a reference until then. A
 * cleared weak reference is in no list, so its links are free. */
static void
queue_call(struct cycle *cy, PyWeakReference *ref)
{
    Py_INCREF(ref);
    ref->wr_next = NULL;
    *cy->farewell.last_call = ref;
    cy->farewell.last_call = &ref->wr_next;
}

/* A weak reference that is a member itself never calls back. */
static void
sever(struct cycle *cy, PyObject *op)
{
    PyWeakReference **list = ouro_weakref_list(op), *next;
    for (PyWeakReference *ref = list != NULL ? *list : NULL; ref != NULL; ref = next) {
        next = ref->wr_next;
        if (ref->wr_callback != NULL) {
            ouro_weakref_clear_one(ref);
            if (!ouro_weakref_is_lost((PyObject *)ref)) {
                queue_call(cy, ref);
            }
        }
    }
}

static void
begin_farewell(struct cycle *cy)
{
    cy->farewell = (struct cycle_farewell){.has_begun = true};
    cy->farewell.last_call = &cy->farewell.calls;
    cy->farewell.kept = cy->proof.first;
}

/* Members with ends, where the proof has listed them. */
static enum step
sever_listed(struct cycle *cy)
{
    while (cy->proof.at < cy->proof.end_count) {
        uint32_t slot = cy->order[cy->proof.ends[cy->proof.at++]];
        sever(cy, ouro_heap_block_of_slot(cy->c.heap, slot));
        if (ouro_slice_is_over(cy, 1) && cy->proof.at < cy->proof.end_count) {
            return STEP_MORE;
        }
    }
    return STEP_DONE;
}

enum step
ouro_cycle_sever(struct cycle *cy)
{
    if (!cy->farewell.has_begun) {
        begin_farewell(cy);
    }
    if (ouro_proof_lists_ends(cy)) {
        return sever_listed(cy);
    }
    while (cy->proof.at < cy->proof.last) {
        uint32_t slot = cy->order[cy->proof.at++];
        PyObject *op = ouro_heap_block_of_slot(cy->c.heap, slot);
        ouro_watch_withdraw(cy, op);
        if (!cy->proof.kinds.has_legacy || !ouro_cycle_is_split_off(cy, slot)) {
            cy->order[cy->farewell.kept++] = slot;
            sever(cy, op);
        }
        if (ouro_slice_is_over(cy, 1) && cy->proof.at < cy->proof.last) {
            return STEP_MORE;
        }
    }
    ouro_watch_end(cy);
    cy->proof.last = cy->farewell.kept;
    return STEP_DONE;
}

static void
call_first(struct cycle *cy)
{
    PyWeakReference *ref = cy->farewell.calls;
    cy->farewell.calls = ref->wr_next;
    ref->wr_next = NULL;
    begin_telling(cy);
    ouro_weakref_call_callback(ref);
    cy->c.collected += Py_REFCNT(ref) == 1; /* its callback dropped the last owner */
    Py_DECREF(ref);
    end_telling(cy);
}

/* User code: callbacks. */
enum step
ouro_cycle_call(struct cycle *cy)
{
    while (cy->farewell.calls != NULL) {
        call_first(cy);
        if (ouro_slice_is_over_now(cy)) {
            return ouro_step_done_if(cy->farewell.calls == NULL);
        }
    }
    return STEP_DONE;
}

/* --- finalizers ------------------------------------------------------------------------------ */

static bool
wants_finalizing(PyObject *op)
{
    return op != NULL && Py_TYPE(op)->tp_finalize != NULL &&
           !ouro_object_is_finalized(op);
}

static void
finalize_member(struct cycle *cy, PyObject *op)
{
    begin_telling(cy);
    ouro_object_set(op, OURO_GC_FINALIZED);
    Py_INCREF(op);
    ouro_call_finalizer(op);
    Py_DECREF(op);
    end_telling(cy);
}

/* If user code ran, what it left of the component is proved once more. */
static enum step
prove_again(struct cycle *cy)
{
    if (!cy->farewell.ran_user_code) {
        return STEP_DONE;
    }
    bool is_sorted = !cy->follow.is_on; /* a watch wants members by address */
    return is_sorted && ouro_watch_is_worth_it(cy) && ouro_watch_begin(cy) ? STEP_ASIDE
                                                                           : STEP_FAILED;
}

/* User code: finalizers. Members may die meanwhile. */
enum step
ouro_cycle_finalize(struct cycle *cy)
{
    const struct cycle_proof *proof = &cy->proof;
    bool is_listed = ouro_proof_lists_ends(cy);
    uint32_t end = is_listed ? proof->end_count : proof->last;
    while (proof->kinds.has_finalizers && proof->at < end) {
        uint32_t at = cy->proof.at++;
        uint32_t slot = cy->order[is_listed ? proof->ends[at] : at];
        PyObject *op = ouro_cycle_object(cy, slot);
        bool is_wanted = wants_finalizing(op);
        if (is_wanted) {
            finalize_member(cy, op);
        }
        if (is_wanted ? ouro_slice_is_over_now(cy) : ouro_slice_is_over(cy, 1)) {
            return STEP_MORE;
        }
    }
    return prove_again(cy);
}
