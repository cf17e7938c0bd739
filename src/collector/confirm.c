/* SPDX-License-Identifier: MIT */
/* Prove that proposals are garbage, and destroy them.
 *
 * The proof looks at a set of objects in one piece, while nothing else runs: if the count of
 * every member equals the number of references from inside the set, nothing else refers to any
 * of them. References are counted from members only, never from other proposals. Members that
 * have more references leave the set, with everything that they reach. The rest of the set has
 * no reference from them, so its counts stay equal.
 *
 * A batch consists of whole components, which are proved together. A batch then goes through
 * the phases of any collection in one piece: weak references, finalizers, tp_clear (collect.c).
 * A huge component, much larger than a batch, is proved in slices if that is worth it and the
 * system supports it (watch.c), otherwise in one piece too. After the proof the program cannot
 * reach the component. So the rest runs in slices: calling user code (farewell.c), and
 * destruction. */
#include "cycle.h"

#include <math.h>

/* --- the proof --------------------------------------------------------------------------- */

static inline uint32_t
member_position(const struct cycle *cy, uint32_t at)
{
    return ouro_cycle_position(cy, cy->order[at]);
}

static inline void
fetch_member_ahead(const struct cycle *cy, uint32_t at)
{
    ouro_cycle_fetch(cy, at + OURO_NEAR_AHEAD);
}

/* parent[] held components. From here on it holds the number of the last proof that the
 * position was part of. These numbers are larger than any position. True when no member has
 * died since the components were cut. */
static bool
admit_members(struct cycle *cy)
{
    bool all_admitted = true;
    cy->proof.number++;
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        uint32_t position = member_position(cy, at);
        fetch_member_ahead(cy, at);
        bool is_member = cy->exact[position] != CYCLE_EVICTED &&
                         ouro_cycle_object(cy, cy->order[at]) != NULL;
        cy->exact[position] = is_member ? 0 : CYCLE_EVICTED;
        cy->parent[position] = is_member ? cy->proof.number : 0;
        all_admitted = all_admitted && is_member;
    }
    return all_admitted;
}

OURO_VISITOR
count_member_reference(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    uint32_t position = ouro_cycle_position_in_proof(cy, op);
    if (position != UINT32_MAX) {
        cy->exact[position]++;
    }
    return 0;
}

static inline PyObject *
member_at(const struct cycle *cy, uint32_t at)
{
    bool is_member = cy->parent[member_position(cy, at)] == cy->proof.number;
    return is_member ? ouro_heap_block_of_slot(cy->c.heap, cy->order[at]) : NULL;
}

static void
count_members(struct cycle *cy)
{
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        PyObject *op = member_at(cy, at);
        fetch_member_ahead(cy, at);
        if (op != NULL) {
            ouro_call_edges(op, count_member_reference, cy);
        }
    }
}

static void
expel(struct cycle *cy, size_t slot, uint32_t position)
{
    cy->parent[position] = 0;
    cy->exact[position] = CYCLE_EVICTED;
    cy->live++;
    ouro_queue_push(&cy->c.queue, (uint32_t)slot);
}

static int
expel_target(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    uint32_t position = ouro_cycle_position_in_proof(cy, op);
    if (position != UINT32_MAX) {
        expel(cy, ouro_cycle_slot(cy, op), position);
    }
    return 0;
}

/* Everything that the expelled members refer to leaves the set, too. */
static void
expel_reachable(struct cycle *cy)
{
    while (!ouro_queue_is_empty(&cy->c.queue)) {
        PyObject *op = ouro_heap_block_of_slot(cy->c.heap, ouro_queue_pop(&cy->c.queue));
        ouro_call_edges(op, expel_target, cy);
    }
}

/* True when every member's count is explained. Also note what has to be done for the members
 * before they can be destroyed. */
static bool
expel_held(struct cycle *cy)
{
    bool all_explained = true;
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        PyObject *op = member_at(cy, at);
        uint32_t position = member_position(cy, at);
        if (op != NULL) {
            ouro_note_kind(&cy->proof.kinds, op);
        }
        if (op != NULL && cy->exact[position] != op->ob_refcnt) {
            all_explained = false;
            expel(cy, cy->order[at], position);
            expel_reachable(cy);
        }
    }
    return all_explained;
}

/* Only proved members stay in order[first..last). */
static void
keep_proved(struct cycle *cy)
{
    uint32_t kept = cy->proof.first;
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        if (member_at(cy, at) != NULL) {
            cy->order[kept++] = cy->order[at];
        }
    }
    cy->proof.last = kept;
}

void
ouro_confirm_tell(const struct cycle *cy, Py_ssize_t size)
{
    Ouro_Event event = {
        .generation = OURO_OLD,
        .candidates = size,
        .collected = cy->proof.last - cy->proof.first,
    };
    if (event.collected != 0) {
        OURO_TELL(component_proved, cy->c.heap, &event);
    }
}

/* Prove order[first..last), and leave only its garbage there. This runs in one piece: the only
 * user code is tp_traverse. If the queue was full, an expelled member was not followed, so the
 * references are counted again. */
static void
prove(struct cycle *cy)
{
    Ouro_GCCycleStats *stats = &cy->c.interp->gc.slices.stats;
    bool all_proved = true, none_expelled = true;
    cy->proof.kinds = (struct kinds){0};
    cy->proof.lists_ends = false;
    do {
        cy->c.queue.head = cy->c.queue.tail = 0;
        cy->c.queue.overflow = false;
        all_proved = admit_members(cy) && all_proved;
        count_members(cy);
        none_expelled = expel_held(cy) && none_expelled;
    } while (cy->c.queue.overflow);
    Py_ssize_t size = cy->proof.last - cy->proof.first;
    stats->proofs++;
    stats->failed_proofs += !none_expelled && !cy->farewell.has_begun;
    stats->largest_proof = size > stats->largest_proof ? size : stats->largest_proof;
    if (!all_proved || !none_expelled) {
        keep_proved(cy);
    }
    if (!cy->farewell.has_begun) {
        ouro_confirm_tell(cy, size);
    }
}

/* --- batches ----------------------------------------------------------------------------- */

/* A collection whose unreachable set is order[first..last). */
static struct collection
collection_of_batch(struct cycle *cy)
{
    struct collection batch = ouro_collection_of(cy->c.interp, OURO_OLD);
    batch.set.members = cy->order + cy->proof.first;
    batch.set.member_count = cy->proof.last - cy->proof.first;
    batch.kinds = cy->proof.kinds;
    return batch;
}

OURO_BODY
condemn_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    ouro_object_set(op, OURO_GC_UNREACHABLE);
    c->unreachable++;
}

OURO_BODY
condemn_and_pin_body(struct collection *c, PyObject *op, const struct page *page)
{
    condemn_body(c, op, page);
    ouro_object_set(op, OURO_GC_PINNED);
    Py_INCREF(op);
}

static void
add_results(struct cycle *cy, const struct collection *batch)
{
    cy->c.collected += batch->collected;
    cy->c.uncollectable += batch->uncollectable;
}

/* Finalize and destroy the proved members, in one piece. */
void
ouro_confirm_destroy_batch(struct cycle *cy)
{
    struct collection batch = collection_of_batch(cy);
    if (ouro_confirm_needs_finalizing(cy, &batch.kinds)) { /* by their counts; then pin */
        batch.set.lifted_pins = true;
        ouro_each_unreachable(&batch, condemn_body);
    } else {
        ouro_each_unreachable(&batch, condemn_and_pin_body);
    }
    if (batch.unreachable != 0) {
        ouro_finalize_and_destroy(&batch);
        cy->slice.ran_handlers = true;
    }
    add_results(cy, &batch);
    cy->proof.first = cy->proof.last;
}

/* --- huge components --------------------------------------------------------------------- */

bool
ouro_confirm_needs_finalizing(const struct cycle *cy, const struct kinds *kinds)
{
    return kinds->has_finalizers || kinds->has_weakrefs || kinds->has_legacy ||
           cy->c.interp->gc.debug != 0;
}

bool
ouro_confirm_is_huge(const struct cycle *cy)
{
    uint32_t size = cy->proof.last - cy->proof.first;
    return size / cy->c.interp->gc.slices.batch >= OURO_HUGE_COMPONENT;
}

void
ouro_confirm_count(const struct cycle *cy)
{
    Ouro_GCCycleStats *stats = &cy->c.interp->gc.slices.stats;
    Py_ssize_t size = cy->proof.last - cy->proof.first;
    stats->proofs++;
    stats->huge_proofs += ouro_confirm_is_huge(cy);
    stats->largest_proof = size > stats->largest_proof ? size : stats->largest_proof;
    ouro_confirm_tell(cy, size);
}

/* With debug flags, all members are reported together, so the set is destroyed in one piece. */
bool
ouro_confirm_at_once(struct cycle *cy)
{
    bool is_wanted = cy->c.interp->gc.debug != 0;
    if (is_wanted) {
        ouro_watch_end(cy);
        ouro_farewell_end(cy);
        ouro_confirm_destroy_batch(cy);
        cy->slice.is_over = true;
    }
    return is_wanted;
}

/* After the second proof all user code has been called. */
enum step
ouro_confirm_destroy(struct cycle *cy)
{
    ouro_farewell_doom(cy);
    bool is_told =
        cy->farewell.has_begun || !ouro_confirm_needs_finalizing(cy, &cy->proof.kinds);
    return is_told ? STEP_DONE : STEP_ASIDE;
}

bool
ouro_confirm_must_wait(struct cycle *cy)
{
    bool waits = !cy->slice.is_fresh && cy->slice.deadline < HUGE_VAL;
    cy->slice.is_over = cy->slice.is_over || waits;
    return waits;
}

enum step
ouro_cycle_prove(struct cycle *cy)
{
    if (ouro_watch_failed_for_all(cy)) {
        return STEP_FAILED;
    }
    if (ouro_confirm_is_huge(cy) && ouro_confirm_must_wait(cy)) {
        return STEP_MORE;
    }
    if (!cy->follow.is_on || !ouro_follow_proves_again(cy)) {
        prove(cy);
    }
    (void)ouro_slice_is_over_now(cy);
    return ouro_confirm_destroy(cy);
}

static void
clear_listed_weakrefs(struct cycle *cy)
{
    for (uint32_t i = 0; i < cy->proof.end_count; i++) {
        uint32_t slot = cy->order[cy->proof.ends[i]];
        ouro_clear_weakrefs_of(ouro_heap_block_of_slot(cy->c.heap, slot));
    }
}

/* Flag and pin every member, and clear the weak references to it. Young collections come between
 * slices. They walk over pages, and take every object with their flags for one of theirs: so
 * these have a flag of their own. */
enum step
ouro_cycle_condemn(struct cycle *cy)
{
    bool is_listed = ouro_proof_lists_ends(cy);
    if (is_listed && cy->farewell.has_begun && cy->proof.at == cy->proof.first) {
        clear_listed_weakrefs(cy);
    }
    while (cy->proof.at < cy->proof.last) {
        fetch_member_ahead(cy, cy->proof.at);
        PyObject *op = ouro_heap_block_of_slot(cy->c.heap, cy->order[cy->proof.at++]);
        ouro_watch_withdraw(cy, op);
        if (cy->farewell.has_begun && !is_listed) {
            ouro_clear_weakrefs_of(op);
        }
        ouro_object_set(op, OURO_GC_CONDEMNED);
        Py_INCREF(op);
        if (ouro_slice_is_over(cy, 1)) {
            break;
        }
    }
    if (cy->proof.at == cy->proof.last) {
        ouro_watch_end(cy);
    }
    return ouro_step_done_if(cy->proof.at == cy->proof.last);
}

/* User code: tp_clear, and the destructors of objects outside the set. */
enum step
ouro_cycle_clear(struct cycle *cy)
{
    cy->slice.ran_handlers = true;
    while (cy->proof.at < cy->proof.last) {
        fetch_member_ahead(cy, cy->proof.at);
        PyObject *op = ouro_heap_block_of_slot(cy->c.heap, cy->order[cy->proof.at++]);
        ouro_clear_one(op);
        if (ouro_slice_is_over(cy, 2)) {
            return ouro_step_done_if(cy->proof.at == cy->proof.last);
        }
    }
    return STEP_DONE;
}

/* From the last to the first, as clear.c does. User code: destructors. */
enum step
ouro_cycle_unpin(struct cycle *cy)
{
    cy->slice.ran_handlers = true;
    while (cy->proof.last > cy->proof.first) {
        ouro_cycle_fetch(cy, cy->proof.last - OURO_NEAR_AHEAD);
        PyObject *op = ouro_heap_block_of_slot(cy->c.heap, cy->order[--cy->proof.last]);
        ouro_object_clear(op, OURO_GC_CONDEMNED);
        Py_DECREF(op);
        cy->c.collected++;
        if (ouro_slice_is_over(cy, 2) && cy->proof.last != cy->proof.first) {
            return STEP_MORE;
        }
    }
    return !cy->follow.is_on ? STEP_DONE : cy->is_short ? STEP_FAILED : STEP_ASIDE;
}

/* --- the phase --------------------------------------------------------------------------- */

/* The end of a batch that begins at `first`: one component, and more while they fit a batch. */
static uint32_t
end_of_batch(struct cycle *cy, uint32_t first)
{
    uint32_t end = first, most = cy->c.interp->gc.slices.batch;
    while (end < cy->ordered) {
        uint32_t root = ouro_component_root(cy->parent, member_position(cy, end));
        if (end > first && cy->exact[root] - first > most) {
            break;
        }
        end = cy->exact[root];
    }
    return end;
}

enum step
ouro_cycle_confirm(struct cycle *cy)
{
    Ouro_GCCycleStats *stats = &cy->c.interp->gc.slices.stats;
    while (cy->cursor < cy->ordered) {
        cy->proof.first = cy->cursor;
        cy->proof.last = cy->cursor = end_of_batch(cy, cy->proof.first);
        uint32_t size = cy->proof.last - cy->proof.first;
        if (ouro_confirm_is_huge(cy)) {
            stats->huge_proofs++;
            bool is_watched = ouro_watch_is_worth_it(cy) && ouro_watch_begin(cy);
            return is_watched ? STEP_ASIDE : STEP_FAILED;
        }
        prove(cy);
        ouro_confirm_destroy_batch(cy);
        if (ouro_slice_is_over(cy, 8 * size)) {
            return STEP_MORE;
        }
    }
    return STEP_DONE;
}
