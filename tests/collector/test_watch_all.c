/* SPDX-License-Identifier: MIT */
/* All proposals of a cycle are proved together under a write-watch, or cut up. */
#include "watches.h"

#include "../../src/base/fault.h"

/* Starts a cycle that tries one proof for all its proposals: two dropped rings, one of them of
 * `type`, and some small rings. Returns an object of the ring of `type`, borrowed: the caller can
 * bring it back. */
static PyObject *
start_with_trust(PyTypeObject *type)
{
    PyObject *dropped[SMALL + 2];
    drive_by_hand(8, 6);
    for (int i = 0; i < SMALL; i++) {
        dropped[i] = new_ring(&N, 1);
    }
    dropped[SMALL] = new_ring(&N, RING);
    dropped[SMALL + 1] = new_ring(type, RING);
    Ouro_GCCollect(2);
    for (int i = 0; i < SMALL + 2; i++) {
        Py_DECREF(dropped[i]);
    }
    gc_now()->slices.watch_trust = 1;
    start_cycle();
    return dropped[SMALL + 1];
}

static PyObject *
watch_all_up_to(enum cycle_phase phase, PyTypeObject *type)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    PyObject *member = start_with_trust(type);
    REQUIRE(step_to(phase));
    REQUIRE_EQ(gc_now()->cycle->phase, phase);
    return member;
}

/* Runs the rest of the cycle. Returns whether one of its phases was for components. */
static bool
finish_by_components(void)
{
    bool were_cut_up = false;
    do {
        enum cycle_phase phase = gc_now()->cycle->phase;
        were_cut_up = were_cut_up || (phase >= CYCLE_RECOUNT && phase <= CYCLE_SORT);
    } while (step_cycle());
    return were_cut_up;
}

TEST_PY(proposals_are_proved_together_when_the_last_ones_were_huge)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_CONFIRM);
    finish_cycle();
    EXPECT_EQ(gc_now()->slices.watch_trust, 1);
    Py_DECREF(weakref);
    (void)watch_all_up_to(CYCLE_LIST, &N);
    Py_ssize_t watched = cycle_stats().watched_proofs;
    EXPECT(!finish_by_components());
    EXPECT_EQ(cycle_stats().watched_proofs, watched + 1);
    EXPECT_EQ(cycle_stats().huge_proofs, watched + 1);
    EXPECT_EQ(cycle_stats().most_garbage, ALL);
    EXPECT_EQ(cycle_stats().failed_proofs, 0);
    EXPECT_EQ(gc_now()->slices.watch_trust, 1);
}

/* Hold a ring for the rest of the cycle. The cycle frees all other garbage. */
static void
bring_back_at(enum cycle_phase phase)
{
    PyObject *member = Py_NewRef(watch_all_up_to(phase, &N));
    EXPECT(finish_by_components());
    EXPECT_EQ(cycle_stats().most_garbage, ALL - RING);
    EXPECT_EQ(length_of_ring(member), RING);
    EXPECT_LT(gc_now()->slices.watch_trust, 0);
    gc_now()->slices.stats = (Ouro_GCCycleStats){0};
    Py_DECREF(member);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, RING);
    gc_now()->slices.stats = (Ouro_GCCycleStats){0};
}

TEST_PY(what_is_brought_back_while_all_proposals_are_watched_stays)
{
    bring_back_at(CYCLE_LIST);
    bring_back_at(CYCLE_TALLY);
    bring_back_at(CYCLE_REVIEW);
}

/* The object's count stays the same: the program now owns one of its references. */
TEST_PY(a_reference_moved_out_of_the_proposals_is_seen)
{
    PyObject *member = watch_all_up_to(CYCLE_REVIEW, &N);
    PyObject *moved = node_of(member)->a;
    node_of(member)->a = NULL;
    EXPECT(finish_by_components());
    EXPECT_EQ(cycle_stats().most_garbage, ALL - RING);
    EXPECT_EQ(Py_REFCNT(moved), 1);
    Py_DECREF(moved); /* and with it the chain that the ring became */
}

TEST_PY(a_proposal_that_dies_while_all_are_watched_is_noticed)
{
    PyObject *member = watch_all_up_to(CYCLE_TALLY, &N);
    PyObject *cut = node_of(member)->a;
    node_of(member)->a = node_of(cut)->a; /* moved */
    node_of(cut)->a = NULL;
    Py_DECREF(cut);
    EXPECT(finish_by_components());
    EXPECT_EQ(cycle_stats().most_garbage, ALL - 1);
}

TEST_PY(proposals_with_finalizers_are_cut_up)
{
    (void)watch_all_up_to(CYCLE_LIST, &F);
    EXPECT(finish_by_components());
    EXPECT_EQ(cycle_stats().most_garbage, ALL);
    EXPECT_LT(gc_now()->slices.watch_trust, 0);
}

TEST_PY(a_weak_reference_made_while_all_are_watched_dies_with_its_component)
{
    PyObject *member = watch_all_up_to(CYCLE_REVIEW, &N);
    PyObject *weakref = new_weakref(member, NULL);
    EXPECT(finish_by_components());
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_EQ(cycle_stats().most_garbage, ALL);
    Py_DECREF(weakref);
}

TEST_PY(more_unwatched_proposals_than_a_batch_are_cut_up)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *lists[RING];
    for (int i = 0; i < RING; i++) {
        lists[i] = PyList_New(0);
        PyList_Append(lists[i], lists[i]);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < RING; i++) {
        Py_DECREF(lists[i]);
    }
    gc_now()->slices.watch_trust = 1;
    start_cycle();
    REQUIRE(step_to(CYCLE_LIST));
    EXPECT(finish_by_components());
    EXPECT_EQ(cycle_stats().most_garbage, RING);
}

TEST_PY(without_a_watch_proposals_are_cut_up)
{
    if (!deny_userfaultfd()) {
        SKIP("no seccomp here");
    }
    (void)start_with_trust(&N);
    EXPECT(finish_by_components());
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().most_garbage, ALL);
}

/* Breaks the watch of all proposals. They are cut up. */
static void
break_watch_of_all(Py_ssize_t size)
{
    REQUIRE(gc_now()->cycle->watch.is_of_all);
    REQUIRE_EQ(gc_now()->cycle->phase, CYCLE_LIST);
    break_handle(gc_now()->cycle->watch.handles.faults);
    EXPECT(finish_by_components());
    EXPECT_EQ(cycle_stats().most_garbage, size);
    EXPECT_LT(gc_now()->slices.watch_trust, 0);
}

TEST_PY(proposals_whose_pages_cannot_be_armed_are_cut_up)
{
    (void)watch_all_up_to(CYCLE_LIST, &N);
    step_cycle();
    break_watch_of_all(ALL);
}

/* The system is asked only once, when the page is known. */
TEST_PY(proposals_whose_only_page_cannot_be_armed_are_cut_up)
{
    enum { MEMBERS = 24 * 8 };
    static PyTypeObject Odd = {NODE_SLOTS("Odd"), .tp_clear = node_clear};
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    Odd.tp_basicsize = 200; /* no other object has this size */
    drive_by_hand(8, 6);
    PyObject *ring = new_ring(&Odd, MEMBERS);
    Ouro_GCCollect(2);
    Py_DECREF(ring);
    gc_now()->slices.watch_trust = 1;
    start_cycle();
    REQUIRE(step_to(CYCLE_LIST));
    step_cycle();
    break_watch_of_all(MEMBERS);
}

TEST_PY(few_proposals_and_those_among_live_objects_are_cut_up)
{
    struct cycle cy = {.c = ouro_collection_of(ouro_current.interp, OURO_OLD)};
    gc_now()->slices.watch_trust = 1;
    gc_now()->slices.batch = 8;
    cy.proposals = 8 * OURO_WATCHED;
    cy.neighbours = 2 * cy.proposals;
    EXPECT(ouro_watch_is_for_all(&cy));
    cy.neighbours++;
    EXPECT(!ouro_watch_is_for_all(&cy));
    cy.neighbours--;
    Ouro_GCSetDebug(OURO_DEBUG_UNCOLLECTABLE); /* all garbage is reported together */
    EXPECT(!ouro_watch_is_for_all(&cy));
    Ouro_GCSetDebug(0);
    EXPECT(ouro_watch_is_for_all(&cy));
    cy.proposals = cy.neighbours = 8 * OURO_WATCHED - 1;
    EXPECT(!ouro_watch_is_for_all(&cy));
}

static int
trust_after(int before, uint32_t proved, uint32_t proposals)
{
    struct cycle cy = {.c = ouro_collection_of(ouro_current.interp, OURO_OLD)};
    gc_now()->slices.watch_trust = before;
    cy.watch.proved = proved;
    cy.proposals = proposals;
    ouro_watch_learn(&cy);
    return gc_now()->slices.watch_trust;
}

TEST_PY(trust_in_one_proof_comes_with_huge_components_and_slowly_after_a_failure)
{
    EXPECT_EQ(trust_after(0, 51, 100), 1);
    EXPECT_EQ(trust_after(1, 51, 100), 1);
    EXPECT_EQ(trust_after(0, 50, 100), 0);
    EXPECT_EQ(trust_after(1, 50, 100), 0);
    EXPECT_EQ(trust_after(-8, 100, 100), -7);
    EXPECT_EQ(trust_after(-8, 0, 100), -8);
}
