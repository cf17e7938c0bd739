/* SPDX-License-Identifier: MIT */
/* What the program does to the objects of a cycle while the cycle runs. Proposals die, come back,
 * become immortal, or have more references than can be counted; other objects are promoted
 * late. */
#include "cycles.h"

TEST_PY(marking_gets_everywhere_when_its_queue_overflows, .timeout = 240)
{
    drive_by_hand(8, 0);
    PyObject *list = new_wide_list();
    PyObject *last =
        new_list_in_last_page(0, NULL); /* all nodes are behind the sweep then */
    PyList_SetSlice(last, 0, 0, list);
    EXPECT_GT(last, PyList_GET_ITEM(last, OVERFLOWING - 1));
    Py_DECREF(list);
    PyObject
        *behind[5000]; /* in pages ahead of the sweep at the time the queue is full */
    for (int i = 0; i < 5000; i++) {
        behind[i] = PyTuple_Pack(1, last);
    }
    Ouro_GCCollect(2);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(cycle_stats().proofs, 0);
    expect_wide_list(last);
    for (int i = 0; i < 5000; i++) {
        Py_DECREF(behind[i]);
    }
    Py_DECREF(last);
}

/* More than half of the queue's entries: it is worked off in the middle of the sweep. */
#define OVERFULL (OURO_QUEUE_LENGTH / 2 + OURO_QUEUE_LENGTH / 32)

/* Objects that the queue leads to are followed if the sweep has passed them, however long ago.
 * Objects ahead of the sweep are left to it. */
TEST_PY(marking_looks_at_each_object_once_when_its_queue_is_worked_off_early,
        .timeout = 240)
{
    enum { CHAINS = 500 };
    static PyObject *chains[CHAINS];
    int ahead_of_it = 0;
    drive_by_hand(8, 0);
    PyObject *list = PyList_New(OVERFULL);
    for (uint32_t i = 0; i < OVERFULL; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    for (int i = 0; i < CHAINS; i++) {
        chains[i] = new_node(&N, NULL);
        node_of(chains[i])->a = new_node(&N, NULL);
    }
    PyObject *last =
        new_list_in_last_page(0, NULL); /* all of them are behind the sweep */
    PyList_SetSlice(last, 0, 0, list);
    Py_DECREF(list);
    for (int i = 0; i < CHAINS; i++) {
        PyObject *ahead = PyTuple_New(3000); /* two to a page */
        PyTuple_SET_ITEM(ahead, 0, Py_NewRef(last));
        EXPECT(last > chains[i]);
        ahead_of_it += ahead > last;
        node_of(node_of(chains[i])->a)->a = ahead;
        node_of(PyList_GET_ITEM(last, i))->a = chains[i]; /* both are moved */
    }
    EXPECT_GT(ahead_of_it, CHAINS / 2);
    Ouro_GCCollect(2);
    start_cycle();
    struct cycle *cy = gc_now()->cycle;
    while (cy->phase <= CYCLE_GATHER) {
        run_one_step();
    }
    EXPECT_EQ(cy->phase, CYCLE_RELEASE);
    EXPECT_EQ(cy->proposals, 0);
    EXPECT_EQ(cy->marked, cy->c.candidates);
    finish_cycle();
    Py_DECREF(last);
    EXPECT_GT(Ouro_GCCollect(2), OVERFULL);
}

/* Their pages are unused by then. */
TEST_PY(objects_that_die_while_they_are_queued_are_passed_over)
{
    SKIP_CHECKED("keeps freed blocks");
    enum { QUEUED = 5000 }; /* several pages */
    drive_by_hand(8, 6);
    PyObject *list = PyList_New(QUEUED);
    for (int i = 0; i < QUEUED; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    PyObject *last = new_list_in_last_page(0, NULL); /* all nodes are behind the sweep */
    PyList_SetSlice(last, 0, 0, list);
    Py_DECREF(list);
    const struct heap *heap = &ouro_current.interp->heap;
    const PyObject *middle = PyList_GET_ITEM(last, QUEUED / 2);
    Ouro_GCCollect(2);
    start_cycle();
    const struct cycle *cy = gc_now()->cycle;
    while (!cy->is_draining) {
        REQUIRE(cy->phase <= CYCLE_MARK);
        step_cycle();
    }
    EXPECT(!ouro_queue_is_empty(&cy->c.queue));
    PyList_SetSlice(last, 0, QUEUED, NULL);
    EXPECT_EQ(ouro_heap_page_of(heap, middle)->state, OURO_PAGE_UNUSED);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(Py_REFCNT(last), 1);
    EXPECT(ouro_heap_verify(heap));
    Py_DECREF(last);
}

/* 65,534 references can be counted; 65,535 has another meaning. */
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

/* Proposals die by their count. Their slots are used again, or their pages are cut into other
 * slots, become part of a large block, or are unused. The cycle still has the numbers of the
 * slots, and finds something else there. */
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

/* Objects become middle and old after the cycle has begun. */
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
    for (int i = 0; i < COUNT; i += 2) { /* holes in old pages, for late objects */
        unlink_node(nodes[i]);
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    step_cycle();
    for (int i = 0; i < COUNT; i++) { /* also in new pages */
        late[i] = new_node(&N, NULL);
        set_a(late[i], late[i]);
    }
    Ouro_GCCollect(1);
    for (int i = 0; i < COUNT; i++) {
        Py_DECREF(late[i]); /* garbage, but not of this cycle */
    }
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(gc_now()->growth.long_lived_pending, COUNT);
    for (int i = 1; i < COUNT; i += 2) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
        Py_DECREF(nodes[i]);
    }
    EXPECT_EQ(Ouro_GCCollect(2), COUNT + COUNT / 2);
}

/* The clock is read after each page, not only after pages with many objects. */
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
