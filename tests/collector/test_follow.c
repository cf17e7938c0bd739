/* SPDX-License-Identifier: MIT */
/* Proposals that are proved by following references, and others that are not. */
#include "cycles.h"

#include <math.h>

enum { BATCH = 8, MOST = OURO_WATCHED * BATCH };

static void
follow_by_hand(void)
{
    drive_by_hand(BATCH, 6);
    gc_now()->slices.follow_trust = 1;
}

/* Drops `count` rings of two old objects each. */
static void
drop_old_pairs(int count)
{
    PyObject *pairs[MOST];
    for (int i = 0; i < count; i++) {
        pairs[i] = new_ring(&N, 2);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < count; i++) {
        Py_DECREF(pairs[i]);
    }
}

/* Run a cycle to its end. Returns whether proposals were cut up. */
static bool
cycle_cuts_up(void)
{
    bool were_cut_up = false;
    start_cycle();
    do {
        enum cycle_phase phase = gc_now()->cycle->phase;
        were_cut_up = were_cut_up || (phase >= CYCLE_EVICT && phase <= CYCLE_CONFIRM);
    } while (step_cycle());
    return were_cut_up;
}

static Py_ssize_t
found_by_cycle(void)
{
    return cycle_stats().most_garbage;
}

TEST_PY(a_ring_is_proved_without_being_cut_up)
{
    static const int lengths[] = {1,   5, BATCH, 5 * BATCH, OURO_HUGE_COMPONENT * BATCH,
                                  MOST};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(lengths); i++) {
        follow_by_hand();
        PyObject *weakref = drop_old_ring(&N, lengths[i]);
        EXPECT(!cycle_cuts_up());
        EXPECT_EQ(found_by_cycle(), lengths[i]);
        EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
        Py_DECREF(weakref);
    }
}

TEST_PY(several_small_sets_make_a_batch)
{
    follow_by_hand();
    drop_old_pairs(20);
    Py_ssize_t before = cycle_stats().proofs;
    EXPECT(!cycle_cuts_up());
    EXPECT_EQ(found_by_cycle(), 40);
    EXPECT_LE(cycle_stats().proofs - before, 20);
    EXPECT_EQ(cycle_stats().failed_proofs, 0);
}

/* In one slice: the sets of a batch wait for each other. */
TEST_PY(each_object_of_a_batch_dies_once)
{
    follow_by_hand();
    drop_old_pairs(20);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(found_by_cycle(), 40);
}

TEST_PY(a_set_that_is_followed_counts_as_a_proof_of_its_size)
{
    enum { HUGE_FROM = OURO_HUGE_COMPONENT * BATCH };
    static const int lengths[] = {5, HUGE_FROM - 1, HUGE_FROM, BATCH};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(lengths); i++) {
        follow_by_hand();
        PyObject *ring = new_ring(&N, lengths[i]);
        Ouro_GCCollect(2);
        Py_DECREF(ring);
        Ouro_GCCycleStats before = cycle_stats();
        EXPECT(!cycle_cuts_up());
        Py_ssize_t most = before.largest_proof;
        EXPECT_EQ(cycle_stats().proofs, before.proofs + 1);
        EXPECT_EQ(cycle_stats().huge_proofs,
                  before.huge_proofs + (lengths[i] >= HUGE_FROM));
        EXPECT_EQ(cycle_stats().largest_proof, lengths[i] > most ? lengths[i] : most);
    }
}

/* The walk meets the value first, alone. It then has one reference more than the set explains. */
TEST_PY(a_value_that_lies_before_its_cycle_becomes_part_of_its_set)
{
    follow_by_hand();
    PyObject *value = new_node(&N, NULL), *ring = new_ring(&N, 3);
    EXPECT_LT(value, ring);
    set_b(ring, value);
    Py_DECREF(value);
    Ouro_GCCollect(2);
    Py_DECREF(ring);
    EXPECT(!cycle_cuts_up());
    EXPECT_EQ(found_by_cycle(), 4);
}

/* The second ring refers to the first, which comes before it and does not close. */
TEST_PY(what_does_not_close_is_cut_up_and_proved_in_the_same_cycle)
{
    follow_by_hand();
    PyObject *first = new_ring(&N, 20), *second = new_ring(&N, 20);
    EXPECT_LT(first, second);
    set_b(second, first);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    Py_DECREF(second);
    EXPECT(cycle_cuts_up());
    EXPECT_EQ(found_by_cycle(), 40);
}

TEST_PY(what_is_alive_again_when_it_is_followed_stays)
{
    follow_by_hand();
    PyObject *weakref = drop_old_ring(&N, 20), *back;
    start_cycle();
    REQUIRE(step_to(CYCLE_GATHER));
    EXPECT_EQ(PyWeakref_GetRef(weakref, &back), 1);
    finish_cycle();
    EXPECT_EQ(found_by_cycle(), 0);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 0);
    PyObject *at = back;
    for (int i = 0; i < 20; i++) {
        at = node_of(at)->a;
    }
    EXPECT_EQ(at, back);
    Py_DECREF(back);
    EXPECT_EQ(Ouro_GCCollect(2), 20);
    Py_DECREF(weakref);
}

/* Objects die between the phases, and others take their places. */
TEST_PY(a_proposal_whose_place_was_taken_is_no_member)
{
    follow_by_hand();
    PyObject *weakref = drop_old_ring(&N, 20), *back, *fresh[20];
    start_cycle();
    REQUIRE(step_to(CYCLE_GATHER));
    EXPECT_EQ(PyWeakref_GetRef(weakref, &back), 1);
    set_a(back, NULL); /* no ring any more */
    Py_DECREF(back);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    for (int i = 0; i < 20; i++) {
        fresh[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1); /* old now, and late */
    finish_cycle();
    EXPECT_EQ(found_by_cycle(), 0);
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(Py_REFCNT(fresh[i]), 1);
        Py_DECREF(fresh[i]);
    }
    Py_DECREF(weakref);
}

TEST_PY(a_set_that_is_too_large_for_a_pause_is_cut_up_and_the_next_cycles_follow_nothing)
{
    follow_by_hand();
    Py_DECREF(drop_old_ring(&N, 2 * MOST));
    EXPECT(cycle_cuts_up());
    EXPECT_EQ(found_by_cycle(), 2 * MOST);
    EXPECT_EQ(gc_now()->slices.follow_trust, -OURO_DISTRUST);
    Py_DECREF(drop_old_ring(&N, 5));
    EXPECT(cycle_cuts_up());
    EXPECT_EQ(gc_now()->slices.follow_trust, 1 - OURO_DISTRUST);
}

TEST_PY(following_is_tried_after_a_cycle_with_many_proposals)
{
    drive_by_hand(BATCH, 6);
    gc_now()->slices.follow_trust = 0;
    drop_old_pairs(MOST / 2 - 1);
    EXPECT(cycle_cuts_up());
    EXPECT_EQ(gc_now()->slices.follow_trust, 0);
    drop_old_pairs(MOST / 2);
    EXPECT(cycle_cuts_up());
    EXPECT_EQ(gc_now()->slices.follow_trust, 1);
    drop_old_pairs(MOST / 2);
    EXPECT(!cycle_cuts_up());
}

static int finalized;

static void
count_finalized(struct node *Py_UNUSED(self))
{
    finalized++;
}

TEST_PY(finalizers_of_a_small_set_are_called_one_slice_after_the_other)
{
    follow_by_hand();
    Py_DECREF(drop_old_ring(&F, 6));
    when_finalized = count_finalized;
    finalized = 0;
    start_cycle();
    int before = 0;
    while (step_cycle()) {
        EXPECT_LE(finalized - before, 1);
        before = finalized;
    }
    EXPECT_EQ(finalized, 6);
    EXPECT_EQ(found_by_cycle(), 6);
}

static PyObject *kept;

static void
keep_itself(struct node *self)
{
    when_finalized = NULL;
    kept = Py_NewRef((PyObject *)self);
}

TEST_PY(what_a_finalizer_of_a_small_set_keeps_stays_whole)
{
    follow_by_hand();
    Py_DECREF(drop_old_ring(&F, 6));
    when_finalized = keep_itself;
    start_cycle();
    finish_cycle();
    REQUIRE_NOT_NULL(kept);
    EXPECT_EQ(found_by_cycle(), 0);
    PyObject *at = kept;
    for (int i = 0; i < 6; i++) {
        at = node_of(at)->a;
    }
    EXPECT_EQ(at, kept);
    Py_CLEAR(kept);
    EXPECT_EQ(Ouro_GCCollect(2), 6);
}

TEST_PY(a_cycle_that_is_dropped_destroys_the_set_that_it_proved_and_no_other)
{
    enum { HUGE_RING = OURO_HUGE_COMPONENT * BATCH };
    follow_by_hand();
    PyObject *first = new_ring(&N, HUGE_RING), *second = new_ring(&N, HUGE_RING);
    PyObject *one = new_weakref(first, NULL), *two = new_weakref(second, NULL);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    Py_DECREF(second);
    start_cycle();
    REQUIRE(step_to(CYCLE_CLEAR));
    ouro_cycle_drop(ouro_current.interp, OURO_REASON_MANUAL);
    EXPECT_EQ(PyWeakref_IsDead(one) + PyWeakref_IsDead(two), 1);
    EXPECT_EQ(Ouro_GCCollect(2), HUGE_RING);
    Py_DECREF(one);
    Py_DECREF(two);
}

TEST_PY(after_a_huge_set_the_next_one_waits_for_a_slice_of_its_own)
{
    enum { HUGE_RING = OURO_HUGE_COMPONENT * BATCH + 1 };
    follow_by_hand();
    PyObject *first = new_ring(&N, HUGE_RING), *second = new_ring(&N, HUGE_RING);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    Py_DECREF(second);
    start_cycle();
    REQUIRE(step_to(CYCLE_FOLLOW));
    ouro_cycle_run(ouro_current.interp, ouro_platform_clock() + 60); /* time enough */
    REQUIRE_NOT_NULL(gc_now()->cycle);
    EXPECT_EQ(gc_now()->cycle->c.collected, HUGE_RING);
    ouro_cycle_run(ouro_current.interp, ouro_platform_clock() + 60);
    finish_cycle();
    EXPECT_EQ(found_by_cycle(), 2 * HUGE_RING);
}

/* ---- what cannot be followed ---------------------------------------------------------------- */

/* A balance has 14 bits. The walk meets either the list of references first, or their target. */
static void
drop_many_references(bool list_is_first)
{
    enum { MANY_REFERENCES = 9000, FILLERS = 3000 };
    static PyObject *fillers[FILLERS];
    follow_by_hand();
    PyObject *early = PyList_New(0), *target = NULL, *list;
    for (int i = 0; i < FILLERS; i++) { /* more than a page holds */
        fillers[i] = new_node(&N, NULL);
    }
    if (list_is_first) {
        list = early;
        target = Py_NewRef(fillers[FILLERS - 1]);
        REQUIRE((PyObject *)list < target);
    } else {
        target = Py_NewRef(fillers[0]);
        list = new_list_in_last_page(0, NULL);
        REQUIRE(target < list);
        Py_DECREF(early);
    }
    for (int i = 0; i < FILLERS; i++) {
        Py_DECREF(fillers[i]);
    }
    for (int i = 0; i < MANY_REFERENCES; i++) {
        REQUIRE_EQ(PyList_Append(list, target), 0);
    }
    PyObject *weakref = new_weakref(target, NULL);
    set_a(target, list);
    Py_DECREF(list);
    Ouro_GCCollect(2);
    Py_DECREF(target);
    EXPECT(cycle_cuts_up());
    EXPECT_EQ(found_by_cycle(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

TEST_PY(garbage_with_more_references_than_a_balance_can_say_is_cut_up)
{
    drop_many_references(true);
    drop_many_references(false);
}

/* The cycle has tables for one proposal. This object refers to new objects when it is followed. */
TEST_PY(a_proposal_that_came_back_and_refers_to_new_objects_stays)
{
    SKIP_CHECKED("keeps freed blocks");
    follow_by_hand();
    PyObject *free_slot = new_node(&N, NULL); /* a place in the pages of the cycle */
    PyObject *weakref = drop_old_ring(&N, 1), *back;
    start_cycle();
    REQUIRE(step_to(CYCLE_GATHER));
    Py_DECREF(free_slot);
    EXPECT_EQ(PyWeakref_GetRef(weakref, &back), 1);
    PyObject *young = new_node(&N, NULL);
    EXPECT_EQ(young, free_slot);
    set_b(back, young);
    REQUIRE(step_to(CYCLE_FOLLOW));
    EXPECT_EQ(gc_now()->cycle->room, 1);
    finish_cycle();
    EXPECT_EQ(found_by_cycle(), 0);
    EXPECT_EQ(Py_REFCNT(young), 2);
    EXPECT_EQ(Py_REFCNT(back), 2);
    Py_DECREF(young);
    Py_DECREF(back);
    EXPECT_EQ(Ouro_GCCollect(2), 2);
    Py_DECREF(weakref);
}

TEST_PY(proposals_whose_pages_are_gone_when_they_are_followed_are_passed_over)
{
    SKIP_CHECKED("keeps freed blocks");
    enum { MANY = 5000 }; /* several pages */
    static PyObject *nodes[MANY];
    const struct heap *heap = &ouro_current.interp->heap;
    follow_by_hand();
    make_old_heap(nodes, MANY);
    for (int i = 0; i < MANY; i++) {
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    REQUIRE(step_to(CYCLE_FOLLOW));
    EXPECT_EQ(gc_now()->cycle->proposals, MANY);
    for (int i = MANY / 2; i < MANY; i++) { /* not followed so far */
        unlink_node(nodes[i]);
    }
    EXPECT_EQ(ouro_heap_page_of(heap, nodes[MANY * 3 / 4])->state, OURO_PAGE_UNUSED);
    finish_cycle();
    EXPECT_EQ(found_by_cycle(), MANY / 2);
    EXPECT(ouro_heap_verify(heap));
}

/* ---- proved again, after user code ------------------------------------------------------------- */

TEST_PY(a_set_with_finalizers_that_refers_to_other_objects_is_destroyed)
{
    follow_by_hand();
    PyObject *ring = new_ring(&F, 6), *alive = new_node(&N, NULL);
    set_b(ring, alive);
    set_b(node_of(ring)->a, Py_None); /* outside of the heap */
    Ouro_GCCollect(2);
    Py_DECREF(ring);
    EXPECT(!cycle_cuts_up());
    EXPECT_EQ(found_by_cycle(), 6);
    EXPECT_EQ(Py_REFCNT(alive), 1);
    Py_DECREF(alive);
}

enum { TAKEN = 9000 };

static void
take_many_references(struct node *self)
{
    when_finalized = NULL;
    kept = (PyObject *)self;
    for (int i = 0; i < TAKEN; i++) {
        Py_INCREF(kept);
    }
}

TEST_PY(a_set_to_which_a_finalizer_took_very_many_references_stays)
{
    follow_by_hand();
    Py_DECREF(drop_old_ring(&F, 6));
    when_finalized = take_many_references;
    start_cycle();
    finish_cycle();
    REQUIRE_NOT_NULL(kept);
    EXPECT_EQ(found_by_cycle(), 0);
    EXPECT_EQ(Py_REFCNT(kept), TAKEN + 1);
    for (int i = 0; i < TAKEN; i++) {
        Py_DECREF(kept);
    }
    EXPECT_EQ(Ouro_GCCollect(2), 6);
}

/* ---- members with ends --------------------------------------------------------------------------- */

static const struct cycle_proof *
proof_now(void)
{
    return &gc_now()->cycle->proof;
}

TEST_PY(members_with_finalizers_or_weak_references_are_listed_and_no_others)
{
    follow_by_hand();
    PyObject *ring = new_ring(&N, 6), *finalizes = new_node(&F, NULL);
    PyObject *weakref = new_weakref(node_of(ring)->a, NULL);
    set_b(ring, finalizes);
    set_a(finalizes, ring);
    Py_DECREF(finalizes);
    Ouro_GCCollect(2);
    Py_DECREF(ring);
    when_finalized = count_finalized;
    finalized = 0;
    start_cycle();
    REQUIRE(step_to(CYCLE_SEVER));
    EXPECT(proof_now()->lists_ends);
    EXPECT_EQ(proof_now()->end_count, 2);
    finish_cycle();
    EXPECT_EQ(finalized, 1);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_EQ(found_by_cycle(), 7);
    Py_DECREF(weakref);
}

/* More than can be listed: then all members are asked. */
static void
finalize_ring_of(int length, bool is_listed)
{
    drive_by_hand(OURO_CYCLE_BATCH, 6);
    gc_now()->slices.follow_trust = 1;
    PyObject *ring = new_ring(&F, length), *last = node_of(ring)->a;
    while (node_of(last)->a != ring) {
        last = node_of(last)->a;
    }
    PyObject *weakrefs[] = {new_weakref(ring, "first"), new_weakref(last, "last"),
                            new_weakref(last, NULL)};
    Ouro_GCCollect(2);
    Py_DECREF(ring);
    when_finalized = count_finalized;
    finalized = 0;
    forget_events();
    start_cycle();
    REQUIRE(step_to(CYCLE_SEVER));
    EXPECT_EQ(proof_now()->lists_ends, is_listed);
    EXPECT_EQ(proof_now()->end_count,
              CYCLE_ENDS); /* and nothing behind the list is written */
    finish_cycle();
    EXPECT_EQ(finalized, length);
    EXPECT_EQ(count_events("callback first"), 1);
    EXPECT_EQ(count_events("callback last"), 1);
    EXPECT_EQ(found_by_cycle(), length);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(weakrefs); i++) {
        EXPECT_EQ(PyWeakref_IsDead(weakrefs[i]), 1);
        Py_DECREF(weakrefs[i]);
    }
}

TEST_PY(as_many_members_with_ends_as_can_be_listed_are_finalized)
{
    finalize_ring_of(CYCLE_ENDS, true);
}

TEST_PY(more_members_with_ends_than_can_be_listed_are_finalized)
{
    finalize_ring_of(CYCLE_ENDS + 1, false);
}

static PyObject *made;

static void
make_weakref_to_next(struct node *self)
{
    when_finalized = NULL;
    made = new_weakref(self->a, "made");
}

TEST_PY(
    a_weak_reference_that_a_finalizer_makes_to_a_member_without_one_dies_and_is_not_called)
{
    follow_by_hand();
    PyObject *ring = new_ring(&N, 6), *finalizes = new_node(&F, NULL);
    set_b(ring, finalizes);
    set_a(finalizes, ring);
    Py_DECREF(finalizes);
    Ouro_GCCollect(2);
    Py_DECREF(ring);
    when_finalized = make_weakref_to_next;
    forget_events();
    start_cycle();
    finish_cycle();
    REQUIRE_NOT_NULL(made);
    EXPECT_EQ(PyWeakref_IsDead(made), 1);
    EXPECT_EQ(count_events("callback made"), 0);
    EXPECT_EQ(found_by_cycle(), 7);
    Py_CLEAR(made);
}

/* One of the larger sets is followed before the one that closes, in the same batch. */
TEST_PY(members_of_sets_that_are_alive_again_are_not_finalized_with_the_next_set)
{
    follow_by_hand();
    PyObject *rings[] = {new_ring(&F, 5), new_ring(&F, 3), new_ring(&F, 5)}, *again[3];
    PyObject *weakrefs[] = {new_weakref(rings[0], NULL), NULL,
                            new_weakref(rings[2], NULL)};
    Ouro_GCCollect(2);
    for (int i = 0; i < 3; i++) {
        Py_DECREF(rings[i]);
    }
    start_cycle();
    REQUIRE(step_to(CYCLE_GATHER));
    for (int i = 0; i < 3; i += 2) {
        REQUIRE_EQ(PyWeakref_GetRef(weakrefs[i], &again[i]), 1);
    }
    when_finalized = count_finalized;
    finalized = 0;
    while (gc_now()->cycle != NULL) { /* a slice with time enough for a whole batch */
        ouro_cycle_run(ouro_current.interp, ouro_platform_clock() + 60);
    }
    EXPECT_EQ(finalized, 3);
    EXPECT_EQ(found_by_cycle(), 3);
    for (int i = 0; i < 3; i += 2) {
        Py_DECREF(again[i]);
        Py_DECREF(weakrefs[i]);
    }
    EXPECT_EQ(Ouro_GCCollect(2), 10);
}

/* The list of a set is of no use to a component. */
TEST_PY(after_a_set_with_finalizers_those_of_a_huge_component_are_called)
{
    enum {
        LENGTH = MOST + BATCH
    }; /* too large to be followed; watched, where that is possible */
    follow_by_hand();
    PyObject *set = new_ring(&F, 6), *huge = new_ring(&F, LENGTH);
    PyObject *weakref = new_weakref(huge, "w");
    node_of(huge)->name = "x";
    Ouro_GCCollect(2);
    Py_DECREF(set);
    Py_DECREF(huge);
    forget_events();
    EXPECT(cycle_cuts_up());
    EXPECT_STR(events(), "callback w, finalize x, clear x, dealloc x");
    EXPECT_EQ(found_by_cycle(), 6 + LENGTH);
    Py_DECREF(weakref);
}

TEST_PY(an_object_with_tp_del_is_seen_again_when_it_has_left_its_set, .mistakes = true)
{
    follow_by_hand();
    PyObject *ring = new_ring(&F, 6), *legacy = new_node(&D, NULL);
    set_b(ring, legacy);
    set_a(legacy, legacy);
    PyObject *dead = new_weakref(ring, NULL), *seen = new_weakref(legacy, NULL), *op;
    Py_DECREF(legacy);
    Ouro_GCCollect(2);
    Py_DECREF(ring);
    start_cycle();
    REQUIRE(step_to(CYCLE_SEVER));
    EXPECT_EQ(PyWeakref_GetRef(dead, &op), 0);
    EXPECT_EQ(PyWeakref_GetRef(seen, &op), 1);
    EXPECT_EQ(op, legacy);
    Py_XDECREF(op);
    finish_cycle();
    EXPECT_EQ(found_by_cycle(), 6);
    unlink_node(legacy);
    PyObject *garbage = Ouro_GCGarbage();
    PyList_SetSlice(garbage, 0, PyList_GET_SIZE(garbage), NULL);
    Py_DECREF(dead);
    Py_DECREF(seen);
}

/* ---- handlers that visit too much ---------------------------------------------------------------- */

/* As many visits as make a balance even again that fell below what it can say, once. */
static int
visit_thousands_of_times(PyObject *op, visitproc visit, void *arg)
{
    for (int i = 0; i < 0x2001 + 4; i++) {
        Py_VISIT(node_of(op)->a);
    }
    Py_VISIT(node_of(op)->b);
    return 0;
}

TEST_PY(what_is_visited_thousands_of_times_is_not_garbage)
{
    SKIP_CHECKED("reports the handler");
    static PyTypeObject Eager_Type = {NODE_SLOTS("Eager"), .tp_clear = node_clear};
    Eager_Type.tp_traverse = visit_thousands_of_times;
    REQUIRE_EQ(PyType_Ready(&Eager_Type), 0);
    follow_by_hand();
    PyObject *eager = new_node(&Eager_Type, NULL), *alive = new_node(&N, NULL);
    PyObject *ring = new_ring(&N, 6); /* a set has as much room as there are proposals */
    set_a(eager, alive);
    set_b(eager, eager);
    Ouro_GCCollect(2);
    Py_DECREF(eager);
    Py_DECREF(ring);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(found_by_cycle(), 7);
    EXPECT_EQ(Py_REFCNT(alive), 1);
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    Py_DECREF(alive);
}

TEST_PY(with_debug_flags_nothing_is_followed)
{
    follow_by_hand();
    Py_DECREF(drop_old_ring(&N, 5));
    Ouro_GCSetDebug(OURO_DEBUG_UNCOLLECTABLE);
    EXPECT(cycle_cuts_up());
    Ouro_GCSetDebug(0);
    EXPECT_EQ(found_by_cycle(), 5);
}
