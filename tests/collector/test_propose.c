/* SPDX-License-Identifier: MIT */
/* What the program does to the objects of a cycle while it runs: proposals die, come back,
 * become immortal, have more references than can be counted, and others come late. */
#include "cycles.h"

/* 65,534 can be counted, and 65,535 stands for something else. */
TEST_PY(garbage_with_more_references_than_can_be_counted_is_freed)
{
    enum { MANY_REFERENCES = 70000 };
    drive_by_hand(8, 6);
    PyObject *node = new_node(&N, "x"), *list = PyList_New(MANY_REFERENCES);
    for (int i = 0; i < MANY_REFERENCES; i++) {
        PyList_SET_ITEM(list, i, Py_NewRef(node));
    }
    set_a(node, list);
    Py_DECREF(list);
    Ouro_GCCollect(2);
    Py_DECREF(node);
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "clear x, dealloc x");
    EXPECT_EQ(cycle_stats().most_garbage, 2);
}

/* All nodes of N that there are, in a list. */
static PyObject *
list_of_nodes(void)
{
    PyObject *all = Ouro_GCGetObjects(-1), *nodes = PyList_New(0);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); i++) {
        PyObject *op = PyList_GET_ITEM(all, i);
        if (Py_IS_TYPE(op, &N)) {
            PyList_Append(nodes, op);
        }
    }
    Py_DECREF(all);
    return nodes;
}

/* Break the links of every `step`-th node; unlinked nodes die with the list. */
static void
unlink_some(int step)
{
    PyObject *nodes = list_of_nodes();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); i += step) {
        unlink_node(PyList_GET_ITEM(nodes, i));
    }
    Py_DECREF(nodes);
}

/* Proposals die by their count, and their slots are used again, or their pages are cut into
 * others, or are large, or unused. The cycle has their numbers and finds something else. */
static void
kill_proposals_at(enum cycle_phase phase, int step, int variant)
{
    enum { NODES = 1200, TUPLES = 600 };
    static PyObject *others[TUPLES];
    drive_by_hand(8, phase == CYCLE_JOIN ? 0 : 6);
    for (int i = 0; i < NODES / 100; i++) {
        Py_DECREF(drop_old_ring(&N, 100));
    }
    start_cycle();
    if (!step_to(phase)) {
        return;
    }
    unlink_some(step);
    for (int i = 0; i < TUPLES && variant > 0; i++) {
        Py_ssize_t length = variant == 1 ? 50 : 20000; /* other slots, or whole pages */
        others[i] = i < TUPLES / (variant * variant) ? PyTuple_New(length) : NULL;
    }
    if (variant == 3) { /* the same slots, but young */
        for (int i = 0; i < 100; i++) {
            drop_self_cycle(&N, NULL);
        }
        Ouro_GCCollect(1); /* and old, but late */
    }
    finish_cycle();
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    for (int i = 0; i < TUPLES && variant > 0; i++) {
        Py_XDECREF(others[i]);
    }
    Ouro_GCCollect(2);
    PyObject *left = list_of_nodes();
    EXPECT_EQ(PyList_GET_SIZE(left), 0);
    Py_DECREF(left);
}

TEST_PY(proposals_that_die_are_passed_over_in_every_phase, .timeout = 240)
{
    for (int phase = CYCLE_COUNT; phase <= CYCLE_CONFIRM; phase++) {
        for (int variant = 0; variant <= 3; variant++) {
            kill_proposals_at((enum cycle_phase)phase, 1, variant);
            kill_proposals_at((enum cycle_phase)phase, 7, variant);
        }
    }
}

/* One component: a ring, and an object that a weak reference brings back before the proof,
 * with what it reaches. The rest is garbage all the same. */
TEST_PY(a_proof_frees_what_is_left_when_members_leave_it)
{
    drive_by_hand(8, 0);
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y");
    PyObject *z = new_node(&N, "z"), *w = new_node(&N, "w");
    set_a(x, y); /* x <-> y, w -> y: they die; y -> z: z comes back, with w */
    set_a(y, x);
    set_b(y, z);
    set_a(z, w);
    set_a(w, z);
    PyObject *weakref = new_weakref(z, NULL);
    Ouro_GCCollect(2);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
    Py_DECREF(w);
    start_cycle();
    REQUIRE(step_to(CYCLE_CONFIRM));
    PyObject *back;
    REQUIRE_EQ(PyWeakref_GetRef(weakref, &back), 1);
    finish_cycle();
    EXPECT_EQ(count_events("dealloc x") + count_events("dealloc y"), 2);
    EXPECT_EQ(count_events("dealloc z") + count_events("dealloc w"), 0);
    EXPECT_EQ(node_of(back)->a, w);
    EXPECT_EQ(Py_REFCNT(w), 1);
    EXPECT_EQ(cycle_stats().failed_proofs, 1);
    Py_DECREF(back);
    Py_DECREF(weakref);
    EXPECT_EQ(Ouro_GCCollect(2), 2);
}

/* Members that died, and nobody to expel. */
TEST_PY(a_proof_frees_what_is_left_when_members_have_died)
{
    drive_by_hand(8, 6);
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y"), *z = new_node(&N, "z");
    set_a(x, x);
    set_a(y, x); /* y -> x, z -> y; z refers to itself */
    set_b(z, y);
    set_a(z, z);
    PyObject *weakref = new_weakref(z, NULL);
    Ouro_GCCollect(2);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
    start_cycle();
    REQUIRE(step_to(CYCLE_CONFIRM));
    PyObject *back;
    REQUIRE_EQ(PyWeakref_GetRef(weakref, &back), 1);
    unlink_node(back);
    Py_DECREF(back); /* z dies, and y with it */
    EXPECT_EQ(count_events("dealloc z") + count_events("dealloc y"), 2);
    forget_events();
    finish_cycle();
    EXPECT_STR(events(), "clear x, dealloc x");
    EXPECT_EQ(cycle_stats().failed_proofs, 0);
    Py_DECREF(weakref);
}

TEST_PY(immortal_objects_and_tuples_of_atoms_are_no_part_of_a_cycle, .mistakes = true,
        .no_leak_check = true)
{
    drive_by_hand(8, 6);
    PyObject *immortal = new_node(&N, "i"), *held = new_node(&N, "h");
    PyObject *tuple = PyTuple_Pack(2, Py_None, Py_True);
    link_both_ways(immortal, held);
    set_a(held, tuple);
    Py_DECREF(held);
    Ouro_GCCollect(0);
    PyObject_GC_Track(tuple); /* the collection untracked it */
    Ouro_GCCollect(0);
    PyObject_GC_IsTracked(tuple) ? (void)0 : PyObject_GC_Track(tuple);
    start_cycle();
    PyObject_GC_IsTracked(tuple) ? (void)0 : PyObject_GC_Track(tuple);
    Py_SET_REFCNT(immortal, (Py_ssize_t)1 << 40);
    finish_cycle();
    EXPECT_EQ(PyObject_GC_IsTracked(immortal), 0);
    EXPECT_EQ(Py_REFCNT(held), 1);
    EXPECT_STR(events(), "");
    Py_DECREF(tuple);
}

/* Proposed while it was mortal. */
TEST_PY(a_proposal_that_becomes_immortal_is_evicted, .no_leak_check = true)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    start_cycle();
    REQUIRE(step_to(CYCLE_RECOUNT));
    PyObject *nodes = list_of_nodes();
    REQUIRE_EQ(PyList_GET_SIZE(nodes), 1);
    Py_SET_REFCNT(PyList_GET_ITEM(nodes, 0), (Py_ssize_t)1 << 40);
    Py_DECREF(nodes);
    finish_cycle();
    EXPECT_STR(events(), "");
}

/* Young, middle and old at a time when the cycle has begun. */
TEST_PY(objects_promoted_while_references_are_counted_are_late)
{
    enum { COUNT = 3000 };
    static PyObject *nodes[COUNT], *late[COUNT];
    drive_by_hand(8, 6);
    for (int i = 0; i < COUNT; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < COUNT; i += 2) { /* holes in old pages, for what comes late */
        unlink_node(nodes[i]);
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    step_cycle();
    for (int i = 0; i < COUNT; i++) { /* and pages that are new */
        late[i] = new_node(&N, NULL);
        set_a(late[i], late[i]);
    }
    Ouro_GCCollect(1);
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(late[i]); /* garbage, but not of this cycle */
    }
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(gc_now()->long_lived_pending, COUNT);
    for (int i = 1; i < COUNT; i += 2) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
        Py_DECREF(nodes[i]);
    }
    EXPECT_EQ(Ouro_GCCollect(2), COUNT + COUNT / 2);
}

/* Proposals that refer to what is none, when components are joined without a recount. */
TEST_PY(components_are_cut_at_what_is_alive)
{
    drive_by_hand(8, 0);
    PyObject *live = new_node(&N, NULL), *nodes[10];
    for (int i = 0; i < 10; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
        set_b(nodes[i], live);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < 10; i++) {
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 10);
    EXPECT_EQ(Py_REFCNT(live), 1);
    Py_DECREF(live);
}

/* Each page is worth looking at the clock, not only those with many objects. */
TEST_PY(gathering_among_large_objects_is_cut_into_slices)
{
    enum { LARGE_TUPLES = 400 };
    drive_by_hand(8, 6);
    PyObject *list = PyList_New(LARGE_TUPLES);
    for (int i = 0; i < LARGE_TUPLES; i++) {
        PyObject *tuple = PyTuple_New(5000); /* in a page of its own */
        REQUIRE_NOT_NULL(tuple);
        PyTuple_SET_ITEM(tuple, 0, Py_NewRef(list));
        PyList_SET_ITEM(list, i, tuple);
    }
    Ouro_GCCollect(2);
    Py_DECREF(list);
    start_cycle();
    REQUIRE(step_to(CYCLE_GATHER));
    int slices = 0;
    while (gc_now()->cycle->phase == CYCLE_GATHER) {
        ouro_cycle_run(ouro_current.interp, 0); /* the time is up at the first look */
        slices++;
    }
    EXPECT_GT(slices, LARGE_TUPLES / 20);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, LARGE_TUPLES + 1);
}
