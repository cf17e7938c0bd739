/* SPDX-License-Identifier: MIT */
/* Short cycles: what they find, and what they leave to whole ones. When each kind comes: test_doubt_when.c. */
#include "short_cycles.h"

#include "../../src/base/fault.h"
#include "vectors.h"

enum { PARTS = 2 * _Py_TRAVERSE_PART };

/* ---- what a short cycle finds -------------------------------------------------------------- */

TEST_PY(what_lost_its_last_reference_from_outside_is_found)
{
    static const int lengths[] = {1,   5, BATCH, 5 * BATCH, OURO_HUGE_COMPONENT * BATCH,
                                  MOST};
    doubt_by_hand();
    for (size_t i = 0; i < Py_ARRAY_LENGTH(lengths); i++) {
        PyObject *weakref, *ring = new_believed_ring(&N, lengths[i], &weakref);
        EXPECT(!is_dead(weakref));
        Py_DECREF(ring);
        run_short_cycle();
        EXPECT(is_dead(weakref));
        Py_DECREF(weakref);
    }
    EXPECT_EQ(Ouro_GCCollect(2), 0);
}

TEST_PY(what_became_old_and_garbage_since_the_last_cycle_is_found)
{
    doubt_by_hand();
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1); /* now it is old */
    Py_DECREF(ring);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

/* Small sets are destroyed together. A member of one of them is not the beginning of another. */
TEST_PY(each_object_of_several_small_sets_dies_once)
{
    enum { RINGS = 3 };
    PyObject *rings[RINGS], *weakrefs[RINGS];
    doubt_by_hand();
    for (int i = 0; i < RINGS; i++) {
        rings[i] = new_ring(&N, 2);
        weakrefs[i] = new_weakref(rings[i], NULL);
    }
    Ouro_GCCollect(1);
    for (int i = 0; i < RINGS; i++) {
        Py_DECREF(rings[i]);
    }
    start_short_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL); /* all in one slice */
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 2 * RINGS);
    for (int i = 0; i < RINGS; i++) {
        EXPECT(is_dead(weakrefs[i]));
        Py_DECREF(weakrefs[i]);
    }
}

TEST_PY(objects_that_became_old_while_a_short_cycle_ran_are_found_by_the_next)
{
    doubt_by_hand();
    start_cycle();
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1);
    Py_DECREF(ring);
    finish_cycle();
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

/* The new object has as many references as the one before it in the same place. */
TEST_PY(an_object_in_the_place_of_another_is_new)
{
    SKIP_CHECKED("keeps freed blocks");
    doubt_by_hand();
    PyObject *before = new_node(&N, NULL);
    run_short_cycle();
    EXPECT_EQ(Py_REFCNT(before), 1);
    Py_DECREF(before);
    PyObject *now = new_node(&N, NULL), *weakref = new_weakref(now, NULL);
    EXPECT_EQ(now, before);
    set_a(now, now);
    Ouro_GCCollect(1);
    Py_DECREF(now);
    EXPECT_EQ(Py_REFCNT(now), 1);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

/* Words stay where half of the pages are in use. Returns what fills them. */
static PyObject *
fill_pages(void)
{
    enum { FILLERS = 20 * 1000 };
    PyObject *list = PyList_New(FILLERS);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < FILLERS; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    return list;
}

/* The words stay for the next cycle, and a slot that this one freed is used again. */
TEST_PY(objects_that_became_old_while_the_tables_were_released_are_found_by_the_next)
{
    PyObject *fillers = fill_pages();
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&N, 5, &weakref);
    Py_DECREF(weakref);
    Py_DECREF(ring);
    start_short_cycle();
    REQUIRE(step_to(CYCLE_RELEASE));
    PyObject *other = new_ring(&N, 5);
    weakref = new_weakref(other, NULL);
    Ouro_GCCollect(1);
    Py_DECREF(other);
    finish_cycle();
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(fillers);
}

/* They were garbage before they were marked, so their counts do not fall. */
TEST_PY(garbage_that_became_old_while_a_whole_cycle_ran_is_found_by_the_next)
{
    doubt_by_hand();
    forget_beliefs();
    PyObject *closes = new_ring(&N, 3);
    Ouro_GCCollect(1);
    Py_DECREF(closes);
    start_cycle();
    REQUIRE(!gc_now()->cycle->is_short);
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1);
    Py_DECREF(ring);
    finish_cycle();
    EXPECT(!is_dead(weakref));
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

TEST_PY(what_is_unfrozen_waits_for_no_short_cycle)
{
    PyObject *fillers = fill_pages();
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&N, 5, &weakref);
    Py_DECREF(weakref);
    Py_DECREF(ring);
    run_short_cycle();
    PyObject *other = new_ring(&N, 5);
    weakref = new_weakref(other, NULL);
    Ouro_GCFreeze();
    Ouro_GCUnfreeze();
    Py_DECREF(other);
    run_whole_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(fillers);
}

/* ---- what it does not look at -------------------------------------------------------------- */

static PyObject *
new_counted_ring(PyObject **weakref)
{
    PyObject *ring = new_believed_ring(counted(), 5, weakref);
    visits = 0;
    return ring;
}

TEST_PY(objects_whose_counts_are_as_before_are_not_visited)
{
    SKIP_CHECKED("visits objects, too");
    doubt_by_hand();
    PyObject *weakref, *ring = new_counted_ring(&weakref);
    EXPECT_EQ(visits_of_short_cycle(), 0);
    Py_DECREF(ring);
    EXPECT_GT(visits_of_short_cycle(), 0);
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

TEST_PY(an_object_that_lost_references_is_visited_once_and_believed_again)
{
    SKIP_CHECKED("visits objects, too");
    doubt_by_hand();
    PyObject *weakref, *ring = new_counted_ring(&weakref);
    Py_INCREF(ring);
    EXPECT_EQ(visits_of_short_cycle(), 0); /* more references are no reason */
    Py_DECREF(ring);
    EXPECT_EQ(visits_of_short_cycle(), 5);
    EXPECT_EQ(visits_of_short_cycle(), 0);
    EXPECT(!is_dead(weakref));
    Py_DECREF(ring);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

static PyObject *
new_list_of_none(Py_ssize_t size)
{
    PyObject *list = PyList_New(size);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyList_SET_ITEM(list, i, Py_NewRef(Py_None));
    }
    return list;
}

static int slow_visits; /* so many visits of slow objects take 3 ms each */

static int
visit_slowly(PyObject *op, visitproc visit, void *arg)
{
    double end = ouro_platform_thread_clock() + 3e-3;
    while (slow_visits > 0 && ouro_platform_thread_clock() < end) {
    }
    slow_visits--;
    return node_traverse(op, visit, arg);
}

/* Drop a ring that a program still held, in which `slow` of its members take long. Was it destroyed? */
static bool
slow_ring_is_proved(int slow)
{
    static PyTypeObject type = {NODE_SLOTS("Slow"), .tp_clear = node_clear};
    enum { PART = 600, PARTS = 5 }; /* the clock is read between two slow ones */
    type.tp_traverse = visit_slowly;
    PyObject *first = new_node(&N, NULL), *last = first;
    for (int i = 1; i < PART * PARTS; i++) {
        bool is_slow = i > PART && i % PART == PART / 2;
        PyObject *next = new_node(is_slow ? &type : &N, NULL);
        node_of(last)->a = next;
        last = next;
    }
    node_of(last)->a = Py_NewRef(first);
    PyObject *weakref = new_weakref(first, NULL);
    slow_visits = 0;
    Ouro_GCCollect(2);
    let_heap_grow();
    Py_DECREF(first);
    start_short_cycle();
    slow_visits = slow;
    gc_now()->pause_budget = 1e-3;
    while (gc_now()->cycle != NULL) {
        ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    }
    slow_visits = 0;
    bool was_proved = is_dead(weakref);
    Py_DECREF(weakref);
    return was_proved;
}

/* The host of a virtual machine may take some milliseconds away. */
TEST_PY(one_interruption_does_not_end_a_set_and_some_do)
{
    SKIP_CHECKED("visits objects, too");
    doubt_by_hand();
    gc_now()->slices.batch = OURO_CYCLE_BATCH;
    EXPECT(slow_ring_is_proved(1));
    EXPECT(!slow_ring_is_proved(4));
    Ouro_GCCollect(2);
}

/* Few members may have many references: these are limited, too. */
TEST_PY(a_set_with_many_references_is_given_up)
{
    SKIP_CHECKED("visits objects, too");
    enum { ROWS = 3, COLUMNS = OURO_FOLLOW_EACH * MOST * 3 / 4 };
    doubt_by_hand();
    PyObject *rows = PyList_New(ROWS + 1);
    REQUIRE_NOT_NULL(rows);
    for (Py_ssize_t i = 0; i < ROWS; i++) {
        PyList_SET_ITEM(rows, i, new_list_of_none(COLUMNS));
    }
    PyList_SET_ITEM(rows, ROWS, new_node(counted(), NULL));
    Py_INCREF(rows);
    run_short_cycle();
    EXPECT_EQ(visits_of_short_cycle(), 0);
    Py_DECREF(rows);
    EXPECT_EQ(visits_of_short_cycle(), 0);
    Py_DECREF(rows);
}

/* Any time is long, with so small a budget. */
TEST_PY(a_set_that_takes_long_is_given_up)
{
    SKIP_CHECKED("visits objects, too");
    enum { LENGTH = 4 * OURO_FOLLOW_ASKED };
    doubt_by_hand();
    gc_now()->slices.batch = OURO_CYCLE_BATCH;
    PyObject *weakref, *ring = new_believed_ring(counted(), LENGTH, &weakref);
    Py_INCREF(ring);
    run_short_cycle();
    Py_DECREF(ring);
    start_short_cycle();
    visits = 0;
    Py_ssize_t wasted = 0;
    gc_now()->pause_budget = 1e-12;
    while (gc_now()->cycle != NULL) {
        wasted = gc_now()->cycle->doubt.wasted;
        ouro_cycle_run(ouro_current.interp, -1000);
    }
    EXPECT_GT(visits, 0);
    EXPECT_LT(visits, 3 * OURO_FOLLOW_ASKED);
    EXPECT_GT(wasted, 100 * 1000 / OURO_LONG_SHARE); /* it counts as many */
    Py_DECREF(ring);
    Py_DECREF(weakref);
    Ouro_GCCollect(2);
}

/* x and y are garbage, and x refers to an object that is alive. */
static void
drop_beside_popular(Py_ssize_t references, bool is_found)
{
    PyObject *alive = new_node(&N, NULL);
    for (Py_ssize_t i = 1; i < references; i++) {
        Py_INCREF(alive);
    }
    PyObject *weakref, *ring = new_ring(&N, 2);
    weakref = new_weakref(ring, NULL);
    set_b(ring, alive);
    run_short_cycle();
    Py_DECREF(ring);
    allow_one_short_cycle();
    run_short_cycle();
    EXPECT_EQ(is_dead(weakref), is_found);
    run_whole_cycle();
    EXPECT(is_dead(weakref));
    EXPECT_EQ(Py_REFCNT(alive), references);
    for (Py_ssize_t i = 0; i < references; i++) {
        Py_DECREF(alive);
    }
    Py_DECREF(weakref);
}

/* Where many objects refer to one, it is likely to outlive any of them. */
TEST_PY(a_popular_object_is_not_followed)
{
    doubt_by_hand();
    drop_beside_popular(OURO_POPULAR, true); /* and one more reference, from x */
    doubt_by_hand();
    drop_beside_popular(2, false);
}

/* ---- what is left to a whole cycle -------------------------------------------------------- */

/* The object is garbage. A short cycle misses it, and the next whole cycle finds it. */
static void
expect_to_wait(PyObject *weakref)
{
    allow_one_short_cycle();
    run_short_cycle();
    EXPECT(!is_dead(weakref));
    run_whole_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

/* A reference from inside takes the place of the one from outside. */
TEST_PY(garbage_with_the_same_counts_as_before_waits_for_a_whole_cycle)
{
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&N, 2, &weakref);
    set_b(node_of(ring)->a, ring);
    Py_DECREF(ring);
    expect_to_wait(weakref);
}

TEST_PY(a_set_that_is_too_large_for_a_proof_in_one_piece_waits_for_a_whole_cycle)
{
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&N, MOST + 2, &weakref);
    Py_DECREF(ring);
    expect_to_wait(weakref);
}

TEST_PY(a_set_with_tp_del_waits_for_a_whole_cycle, .mistakes = true)
{
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&D, 3, &weakref);
    Py_DECREF(ring);
    allow_one_short_cycle();
    run_short_cycle();
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCGarbage()), 0);
    run_whole_cycle();
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCGarbage()), 3);
    PyObject *list = Ouro_GCGarbage();
    while (PyList_GET_SIZE(list) > 0) {
        unlink_node(PyList_GET_ITEM(list, 0));
        PyList_SetSlice(list, 0, 1, NULL);
    }
    Py_DECREF(weakref);
}

/* A slice would have to visit it in one piece, though it is most likely alive. */
TEST_PY(a_set_with_a_large_container_waits_for_a_whole_cycle)
{
    doubt_by_hand();
    PyObject *list = PyList_New(PARTS + 1), *node = new_node(&N, NULL);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i <= PARTS; i++) {
        PyList_SET_ITEM(list, i, Py_NewRef(Py_None));
    }
    PyObject *weakref = new_weakref(node, NULL);
    PyList_SetItem(list, 0, Py_NewRef(node));
    set_a(node, list);
    Py_DECREF(list);
    run_short_cycle();
    Py_DECREF(node);
    expect_to_wait(weakref);
}

static PyObject *
new_vector_of_none(Py_ssize_t size)
{
    struct vector *vector = new_vector(size);
    for (Py_ssize_t i = 0; i < size; i++) {
        vector->items[i] = Py_NewRef(Py_None);
    }
    return (PyObject *)vector;
}

/* The same for a type that cannot be visited in parts. */
TEST_PY(a_set_with_a_large_object_waits_for_a_whole_cycle)
{
    doubt_by_hand();
    PyObject *large = new_vector_of_none(PARTS + 1), *node = new_node(&N, NULL);
    PyObject *weakref = new_weakref(node, NULL);
    Py_SETREF(((struct vector *)large)->items[0], Py_NewRef(node));
    set_a(node, large);
    Py_DECREF(large);
    run_short_cycle();
    Py_DECREF(node);
    expect_to_wait(weakref);
}

/* More members than the tables of a short cycle have room for, met in one visit. */
TEST_PY(a_set_with_more_members_than_a_short_cycle_has_room_for_waits_for_a_whole_cycle)
{
    enum { MEMBERS = 2 * (OURO_WATCHED + 8) * BATCH };
    doubt_by_hand();
    PyObject *list = PyList_New(MEMBERS), *node = new_node(&N, NULL);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < MEMBERS; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    PyObject *weakref = new_weakref(node, NULL);
    set_a(node, list);
    set_b(node, node);
    Py_DECREF(list);
    run_short_cycle();
    Py_DECREF(node);
    expect_to_wait(weakref);
}

/* Makes all young objects old. Nothing looks at them. If garbage is scarce, they wait to be settled. */
static void
promote_unseen(bool is_garbage_scarce)
{
    gc_now()->growth.is_garbage_scarce = is_garbage_scarce;
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_MIDDLE);
    c.trusts = true;
    ouro_collection_run(&c, OURO_REASON_EARLY);
}

/* Members that were not visited are not believed to be alive. */
TEST_PY(a_set_of_unseen_objects_that_is_too_large_waits_for_a_whole_cycle)
{
    doubt_by_hand();
    PyObject *ring = new_ring(&N, MOST + 2), *weakref = new_weakref(ring, NULL);
    promote_unseen(false);
    Py_DECREF(ring);
    expect_to_wait(weakref);
}

/* Not visited either: the set is given up before. */
TEST_PY(a_new_object_that_a_set_in_vain_refers_to_is_found_later, .mistakes = true)
{
    doubt_by_hand();
    PyObject *node = Py_NewRef(new_node(&N, NULL)), *legacy = new_node(&D, NULL);
    set_a(node, legacy); /* it comes first, and cannot be proved */
    run_short_cycle();
    start_short_cycle();
    Py_DECREF(node);
    PyObject *young = new_ring(&N, 1), *weakref = new_weakref(young, NULL);
    set_b(node, young);
    Py_DECREF(young);
    finish_cycle();
    EXPECT(!is_dead(weakref));
    Ouro_GCCollect(1);
    set_b(node, NULL);
    run_short_cycle();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(node);
    Py_DECREF(legacy);
}

/* ---- user code ------------------------------------------------------------------------------ */

TEST_PY(finalizers_and_callbacks_of_a_set_are_called_before_it_is_cleared)
{
    doubt_by_hand();
    PyObject *weakref, *ring = new_believed_ring(&F, 3, &weakref);
    PyObject *calls_back = new_weakref(ring, "x");
    node_of(ring)->name = "x";
    forget_events();
    Py_DECREF(ring);
    run_short_cycle();
    EXPECT_STR(events(), "callback x, finalize x, clear x, dealloc x");
    Py_DECREF(weakref);
    Py_DECREF(calls_back);
}

TEST_PY(finalizers_of_several_sets_are_called_in_one_short_cycle)
{
    enum { RINGS = 3 };
    PyObject *rings[RINGS], *weakrefs[RINGS];
    doubt_by_hand();
    for (int i = 0; i < RINGS; i++) {
        rings[i] = new_ring(&F, 3);
        node_of(rings[i])->name = "x";
        weakrefs[i] = new_weakref(rings[i], NULL);
    }
    run_short_cycle();
    forget_events();
    for (int i = 0; i < RINGS; i++) {
        Py_DECREF(rings[i]);
    }
    run_short_cycle();
    EXPECT_EQ(count_events("finalize x"), RINGS);
    EXPECT_EQ(count_events("dealloc x"), RINGS);
    for (int i = 0; i < RINGS; i++) {
        EXPECT(is_dead(weakrefs[i]));
        Py_DECREF(weakrefs[i]);
    }
}

/* Each question makes positions for the members of its set, and for no others. */
TEST_PY(one_set_after_the_other_reads_as_dead_in_a_short_cycle)
{
    enum { SETS = 3 };
    PyObject *rings[SETS], *weakrefs[SETS], *op;
    doubt_by_hand();
    for (int i = 0; i < SETS; i++) {
        rings[i] = new_ring(&F, BATCH);
        weakrefs[i] = new_weakref(rings[i], NULL);
    }
    run_short_cycle();
    for (int i = 0; i < SETS; i++) {
        Py_DECREF(rings[i]);
    }
    start_short_cycle();
    int sets = 0;
    do {
        if (gc_now()->cycle->phase == CYCLE_SEVER) {
            int dead = 0;
            for (int i = 0; i < SETS; i++) {
                dead += PyWeakref_GetRef(weakrefs[i], &op) == 0;
                Py_XDECREF(op);
            }
            sets += dead > sets; /* the sets before are gone; those to come are alive */
            EXPECT_EQ(dead, sets);
        }
    } while (step_cycle());
    EXPECT_EQ(sets, SETS);
    for (int i = 0; i < SETS; i++) {
        EXPECT(is_dead(weakrefs[i]));
        Py_DECREF(weakrefs[i]);
    }
}

/* The members have no positions, because nothing asks for them. */
TEST_PY(finalizers_of_more_members_than_can_be_listed_are_called_in_a_short_cycle)
{
    doubt_by_hand();
    gc_now()->slices.batch = OURO_CYCLE_BATCH;
    PyObject *weakref, *ring = new_believed_ring(&F, CYCLE_ENDS + 1, &weakref);
    PyObject *calls_back = new_weakref(ring, "x");
    node_of(ring)->name = "x";
    forget_events();
    Py_DECREF(ring);
    start_short_cycle();
    REQUIRE(step_to(CYCLE_SEVER));
    EXPECT(!gc_now()->cycle->proof.lists_ends);
    finish_cycle();
    EXPECT_STR(events(), "callback x, finalize x, clear x, dealloc x");
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(calls_back);
}

TEST_PY(what_a_finalizer_saves_survives_a_short_cycle)
{
    static const int lengths[] = {3, OURO_HUGE_COMPONENT * BATCH};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(lengths); i++) {
        doubt_by_hand();
        PyObject *weakref, *ring = new_believed_ring(&F, lengths[i], &weakref);
        node_of(ring)->resurrects = true;
        Py_DECREF(ring);
        run_short_cycle();
        EXPECT_EQ(rescued, ring);
        EXPECT(!is_dead(weakref));
        node_of(ring)->resurrects = false;
        Py_CLEAR(rescued);
        allow_one_short_cycle();
        run_short_cycle();
        run_whole_cycle();
        EXPECT(is_dead(weakref));
        Py_DECREF(weakref);
    }
}

/* Between two finalizers a member ends, and garbage takes its place. This garbage has a finalizer, too. */
TEST_PY(an_object_in_the_place_of_a_member_is_not_destroyed_with_the_set)
{
    SKIP_CHECKED("keeps freed blocks");
    doubt_by_hand();
    PyObject *ring = new_ring(&F, 3), *leaf = new_node(&N, NULL);
    PyObject *weakref = new_weakref(ring, NULL);
    set_b(ring, leaf);
    Py_DECREF(leaf);
    run_short_cycle();
    Py_DECREF(ring);
    start_short_cycle();
    while (gc_now()->cycle->phase != CYCLE_FINALIZE) {
        step_cycle();
    }
    set_b(ring, NULL);
    PyObject *other = new_node(&F, "other");
    EXPECT_EQ(other, leaf);
    set_a(other, other);
    Ouro_GCCollect(1);
    Py_DECREF(other);
    forget_events();
    finish_cycle();
    EXPECT(is_dead(weakref));
    EXPECT_STR(events(), "");
    run_short_cycle();
    EXPECT_STR(events(), "finalize other, clear other, dealloc other");
    Py_DECREF(weakref);
}

/* ---- what changes between the look at a page and the look at its objects ---------------------- */

enum { DOUBTED = 3000 };
static PyObject *doubted[DOUBTED];

/* Objects that lost a reference and are alive. The short cycle has looked at a page of them. */
static void
step_to_doubts(void)
{
    doubt_by_hand();
    for (int i = 0; i < DOUBTED; i++) {
        doubted[i] = Py_NewRef(new_node(counted(), NULL));
    }
    run_short_cycle();
    for (int i = 0; i < DOUBTED; i++) {
        Py_DECREF(doubted[i]);
    }
    start_short_cycle();
    while (gc_now()->cycle->doubt.count < 100) {
        REQUIRE(step_cycle());
    }
    visits = 0;
}

TEST_PY(objects_that_die_after_they_were_doubted_are_passed_over)
{
    SKIP_CHECKED("visits objects, too");
    step_to_doubts();
    for (int i = 0; i < DOUBTED; i++) {
        Py_DECREF(doubted[i]);
    }
    finish_cycle();
    EXPECT_EQ(visits, 0);
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
}

/* They are young, or old and not seen by anything, or old and waiting to be settled. Then the next cycle
 * looks at them, if they lost references. */
TEST_PY(objects_in_the_place_of_doubted_ones_are_left_to_the_next_cycle)
{
    SKIP_CHECKED("keeps freed blocks");
    for (int become_old = 0; become_old <= 2; become_old++) {
        step_to_doubts();
        for (int i = 0; i < DOUBTED; i++) {
            Py_DECREF(doubted[i]);
        }
        for (int i = 0; i < DOUBTED; i++) {
            doubted[i] = new_node(counted(), NULL);
            set_a(doubted[i], doubted[i]);
        }
        if (become_old != 0) {
            promote_unseen(become_old == 2);
        }
        visits = 0;
        finish_cycle();
        EXPECT_EQ(visits, 0);
        deaths = 0;
        when_deallocated = count_death;
        for (int i = 0; i < DOUBTED; i++) {
            Py_DECREF(doubted[i]);
        }
        run_short_cycle();
        EXPECT_EQ(deaths, DOUBTED);
        when_deallocated = NULL;
    }
}

/* ---- without memory --------------------------------------------------------------------------- */

TEST_PY(every_allocation_of_a_short_cycle_may_fail)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    for (int64_t n = 1; n < 30; n++) {
        doubt_by_hand();
        PyObject *weakref,
            *ring = new_believed_ring(&F, OURO_HUGE_COMPONENT * BATCH, &weakref);
        Py_DECREF(ring);
        ouro_fault_arm(n);
        bool has_started = ouro_cycle_start(ouro_current.interp);
        if (has_started) {
            finish_cycle();
        }
        bool was_hit = ouro_fault_seen() >= n;
        ouro_fault_arm(0);
        EXPECT(has_started || was_hit);
        Ouro_GCCollect(2);
        EXPECT(is_dead(weakref));
        Py_DECREF(weakref);
        if (!was_hit) {
            return;
        }
    }
}
