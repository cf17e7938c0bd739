/* SPDX-License-Identifier: MIT */
/* Objects that became old between cycles: which of them a short cycle follows, and what it finds. */
#include "short_cycles.h"

#include <math.h>

/* Enough objects become old that those before them are settled. Returns what holds them. */
static PyObject *
settle_all(void)
{
    PyObject *list = PyList_New(OURO_SETTLING + 4000);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    Ouro_GCCollect(1);
    return list;
}

/* Every cycle from here on is short, and everything that is old now is believed to be alive. */
static void
begin(void)
{
    drive_by_hand(8, 6);
    gc_now()->slices.follow_trust = 1;
    gc_now()->slices.short_from = gc_now()->slices.short_distrust = 0;
    gc_now()->slices.survey_cycles = 0;
    PyObject *list = settle_all(),
             *more = settle_all(); /* words for all that comes later */
    start_cycle();                 /* it gets the memory that objects wait in */
    finish_cycle();
    Py_DECREF(list);
    Py_DECREF(more);
    Ouro_GCCollect(2);
    let_heap_grow();
    REQUIRE_NOT_NULL(gc_now()->slices.ring);
}

static void
run_short(void)
{
    start_cycle();
    REQUIRE(gc_now()->cycle->is_short);
    gc_now()->cycle->pace.start_objects += 100 * 1000;
    finish_cycle();
}

TEST_PY(new_objects_that_are_alive_are_not_visited)
{
    SKIP_CHECKED("visits objects, too");
    begin();
    PyObject *ring = new_ring(counted(), 5);
    Ouro_GCCollect(1);
    visits = 0;
    run_short();
    EXPECT_EQ(visits, 0);
    Py_DECREF(ring);
    Ouro_GCCollect(2);
}

/* The words of the cycle do not reach there, but its table does. */
TEST_PY(new_objects_that_are_alive_are_not_visited_in_new_pages_either)
{
    SKIP_CHECKED("visits objects, too");
    begin();
    start_cycle();
    size_t slots = gc_now()->cycle->slots;
    PyObject *list = PyList_New(0), *node;
    REQUIRE_NOT_NULL(list);
    do {
        node = new_node(&N, NULL);
        REQUIRE(PyList_Append(list, node) == 0);
        Py_DECREF(node);
    } while (ouro_cycle_slot(gc_now()->cycle, node) < slots);
    PyObject *ring = new_ring(counted(), 5);
    EXPECT(ouro_cycle_slot(gc_now()->cycle, ring) >= slots);
    Ouro_GCCollect(1);
    finish_cycle();
    visits = 0;
    run_short();
    EXPECT_EQ(visits, 0);
    Py_DECREF(ring);
    Py_DECREF(list);
    Ouro_GCCollect(2);
}

/* References from inside came after the object was old: its count is noted again. */
TEST_PY(a_structure_that_was_being_built_when_it_became_old_is_found_after_it_was_settled)
{
    begin();
    PyObject *root = new_node(&N, NULL), *weakref = new_weakref(root, NULL);
    Ouro_GCCollect(1);
    for (int i = 0; i < 3; i++) {
        PyObject *child = new_node(&N, NULL);
        set_a(child, root);
        set_b(child, node_of(root)->b);
        set_b(root, child);
        Py_DECREF(child);
    }
    Ouro_GCCollect(1);
    PyObject *others = settle_all();
    Py_DECREF(root);
    run_short();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(others);
}

/* Few objects become old, a few at a time: the ring has room for so many times. */
TEST_PY(what_waits_is_settled_when_the_ring_is_full)
{
    enum { TIMES = 1100 };
    static PyObject *others[TIMES];
    begin();
    PyObject *root = new_node(&N, NULL), *weakref = new_weakref(root, NULL);
    Ouro_GCCollect(1);
    for (int i = 0; i < 3; i++) {
        PyObject *child = new_node(&N, NULL);
        set_a(child, root);
        set_b(child, node_of(root)->b);
        set_b(root, child);
        Py_DECREF(child);
    }
    for (int i = 0; i < TIMES; i++) {
        others[i] = new_node(&N, NULL);
        Ouro_GCCollect(1);
    }
    Py_DECREF(root);
    run_short();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    for (int i = 0; i < TIMES; i++) {
        Py_DECREF(others[i]);
    }
}

static bool
is_waiting(const PyObject *op)
{
    size_t slot = (size_t)((const char *)op - ouro_current.interp->heap.base);
    return ouro_is_new_word(gc_now()->slices.beliefs[slot >> OURO_GRAIN_SHIFT]);
}

TEST_PY(objects_wait_until_enough_others_became_old_also_after_the_first_were_settled)
{
    enum { FEW = OURO_SETTLING / 4 };
    static PyObject *few[FEW];
    begin();
    PyObject *others = settle_all(), *ring = new_ring(&N, 5);
    Ouro_GCCollect(1);
    EXPECT(is_waiting(ring));
    for (int i = 0; i < FEW; i++) {
        few[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1);
    EXPECT(is_waiting(ring));
    PyObject *more = settle_all();
    EXPECT(!is_waiting(ring));
    for (int i = 0; i < FEW; i++) {
        Py_DECREF(few[i]);
    }
    Py_DECREF(more);
    Py_DECREF(ring);
    Py_DECREF(others);
    Ouro_GCCollect(2);
}

TEST_PY(each_object_that_waits_is_settled_in_the_end)
{
    begin();
    PyObject *others = settle_all(), *more = settle_all();
    int waiting = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(others); i++) {
        waiting += is_waiting(PyList_GET_ITEM(others, i));
    }
    EXPECT_EQ(waiting, 0);
    Py_DECREF(more);
    Py_DECREF(others);
}

TEST_PY(what_lost_its_reference_before_it_was_settled_is_found)
{
    begin();
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1);
    Py_DECREF(ring);
    PyObject *others = settle_all();
    run_short();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(others);
}

TEST_PY(what_lost_its_reference_after_it_was_settled_is_found)
{
    begin();
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1);
    PyObject *others = settle_all();
    Py_DECREF(ring);
    run_short();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(others);
}

/* More references while it waits are noted by a short cycle, so that their loss is noticed. */
TEST_PY(a_loss_after_a_short_cycle_saw_more_references_is_noticed)
{
    begin();
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1);
    set_b(node_of(ring)->a, ring);
    run_short();
    Py_DECREF(ring);
    run_short();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

/* Objects that nothing looked at may be garbage already. They are followed unless garbage is scarce. */
static bool
is_unseen_garbage_found(bool is_scarce)
{
    begin();
    gc_now()->growth.is_garbage_scarce = is_scarce;
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Py_DECREF(ring);
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_MIDDLE);
    c.trusts = true;
    ouro_collection_run(&c, OURO_REASON_EARLY);
    EXPECT(!is_dead(weakref));
    run_short();
    bool is_found = is_dead(weakref);
    Ouro_GCCollect(2);
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    return is_found;
}

TEST_PY(garbage_that_became_old_without_a_look_is_followed_unless_garbage_is_scarce)
{
    EXPECT(is_unseen_garbage_found(false));
    EXPECT(!is_unseen_garbage_found(true));
}

/* The same while a short cycle runs: it is left to the next one. */
TEST_PY(
    garbage_that_became_old_without_a_look_while_a_short_cycle_ran_is_found_by_the_next)
{
    begin();
    start_cycle();
    REQUIRE(gc_now()->cycle->is_short);
    gc_now()->cycle->pace.start_objects += 100 * 1000;
    gc_now()->growth.is_garbage_scarce = false;
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Py_DECREF(ring);
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_MIDDLE);
    c.trusts = true;
    ouro_collection_run(&c, OURO_REASON_EARLY);
    finish_cycle();
    EXPECT(!is_dead(weakref));
    run_short();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
}

static bool
scarce_after(Py_ssize_t garbage, bool trusts)
{
    struct collection c = ouro_collection_of(ouro_current.interp, OURO_MIDDLE);
    c.candidates = 2 * OURO_SETTLED_YIELD;
    c.reachable = c.candidates - garbage;
    c.trusts = trusts;
    ouro_trigger_learn(&c);
    return gc_now()->growth.is_garbage_scarce;
}

TEST_PY(garbage_is_scarce_after_a_look_that_found_next_to_none)
{
    drive_by_hand(8, 6);
    EXPECT(scarce_after(1, false));
    EXPECT(!scarce_after(2, false));
    EXPECT(!scarce_after(0, true)); /* no look, no news */
    EXPECT(scarce_after(0, false));
    EXPECT(scarce_after(2, true));
}

/* They are growth, and not yet part of what survived the cycle. */
TEST_PY(objects_that_became_old_while_a_short_cycle_ran_are_counted_once)
{
    static PyObject *nodes[1000];
    begin();
    PyObject *others = settle_all();
    run_short();
    Py_ssize_t before = gc_now()->growth.long_lived_total;
    start_cycle();
    REQUIRE(gc_now()->cycle->is_short);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(nodes); i++) {
        nodes[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1);
    finish_cycle();
    EXPECT_EQ(gc_now()->growth.long_lived_total, before);
    EXPECT_EQ(gc_now()->growth.long_lived_pending, (Py_ssize_t)Py_ARRAY_LENGTH(nodes));
    for (size_t i = 0; i < Py_ARRAY_LENGTH(nodes); i++) {
        Py_DECREF(nodes[i]);
    }
    Py_DECREF(others);
}

/* The same for those that lie in pages where the cycle has been. It does not count these at all. */
TEST_PY(objects_that_became_old_behind_a_short_cycle_are_counted_once)
{
    SKIP_CHECKED("does not use a slot again soon");
    static PyObject *nodes[4000];
    const Py_ssize_t count = Py_ARRAY_LENGTH(nodes);
    begin();
    PyObject *others = settle_all();
    run_short();
    Py_ssize_t before = gc_now()->growth.long_lived_total;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyList_SetItem(others, i, Py_NewRef(Py_None)); /* their slots are used again */
    }
    start_cycle();
    const struct cycle *cy = gc_now()->cycle;
    const PyObject *last = PyList_GET_ITEM(others, PyList_GET_SIZE(others) - 1);
    size_t last_page = ouro_cycle_slot(cy, last) / OURO_PAGE_GRAINS;
    while (cy->phase == CYCLE_DOUBT && cy->cursor < last_page) {
        step_cycle();
    }
    REQUIRE_EQ(cy->phase, CYCLE_DOUBT); /* pages without old objects may follow */
    for (Py_ssize_t i = 0; i < count; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    REQUIRE(ouro_cycle_slot(cy, nodes[count - 1]) / OURO_PAGE_GRAINS < cy->cursor);
    Ouro_GCCollect(1);
    finish_cycle();
    EXPECT_EQ(gc_now()->growth.long_lived_total, before - count);
    EXPECT_EQ(gc_now()->growth.long_lived_pending, count);
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_DECREF(nodes[i]);
    }
    Py_DECREF(others);
}

/* A slot of the range may be free by now, and its page may be cut into other slots. */
TEST_PY(what_waits_may_die_and_its_pages_may_be_used_for_others)
{
    begin();
    for (int round = 0; round < 4; round++) {
        PyObject *list = settle_all();
        Py_DECREF(list);
        Ouro_GCCollect(2);
        PyObject *tuples = PyList_New(8000);
        REQUIRE_NOT_NULL(tuples);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(tuples); i++) {
            PyList_SET_ITEM(tuples, i, Py_BuildValue("([]iiiiii)", 1, 2, 3, 4, 5, round));
        }
        Ouro_GCCollect(1);
        run_short();
        Py_DECREF(tuples);
    }
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
}

/* Objects become old, a part of a page at a time. Then all of them die. */
static void
wait_in_portions(void)
{
    enum { PORTIONS = 16, EACH = 1001 };
    PyObject *lists[PORTIONS];
    for (int i = 0; i < PORTIONS; i++) {
        lists[i] = PyList_New(EACH);
        REQUIRE_NOT_NULL(lists[i]);
        for (Py_ssize_t n = 0; n < EACH; n++) {
            PyList_SET_ITEM(lists[i], n, new_node(&N, NULL));
        }
        Ouro_GCCollect(1);
    }
    for (int i = 0; i < PORTIONS; i++) {
        Py_DECREF(lists[i]);
    }
}

/* What waits dies, and its pages are unused, or used for objects of another size, or for large ones,
 * when its time to be settled comes. What is there then is found like all other garbage. */
static void
use_pages_of_what_waits(Py_ssize_t size, Py_ssize_t count)
{
    PyObject *large = PyTuple_New(4 << 20); /* words for a heap that is large enough */
    REQUIRE_NOT_NULL(large);
    Py_DECREF(large);
    begin();
    wait_in_portions();
    PyObject *others = PyList_New(count);
    REQUIRE_NOT_NULL(others);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *tuple = PyTuple_New(size);
        REQUIRE_NOT_NULL(tuple);
        PyTuple_SET_ITEM(tuple, 0, Py_NewRef(others));
        PyList_SET_ITEM(others, i, tuple);
    }
    Ouro_GCCollect(1);
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    Ouro_GCCollect(1);
    PyObject *more = settle_all();
    Py_DECREF(ring);
    run_short();
    EXPECT(is_dead(weakref));
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    Py_DECREF(weakref);
    Py_DECREF(more);
    Py_DECREF(others);
    EXPECT_EQ(Ouro_GCCollect(2), count + 1);
}

TEST_PY(pages_of_what_waits_may_be_used_for_others)
{
    use_pages_of_what_waits(3, 20000);
    use_pages_of_what_waits(12, 1000);
    use_pages_of_what_waits(20000, 20); /* whole pages */
}

/* Others are in the same slots, and young. */
TEST_PY(what_is_in_the_place_of_what_waits_is_found)
{
    begin();
    PyObject *waits = settle_all();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(waits); i += 2) {
        PyList_SetItem(waits, i, Py_NewRef(Py_None));
    }
    PyObject *ring = new_ring(&N, 5), *weakref = new_weakref(ring, NULL);
    PyObject *more = settle_all();
    Py_DECREF(ring);
    run_short();
    EXPECT(is_dead(weakref));
    Py_DECREF(weakref);
    Py_DECREF(waits);
    Py_DECREF(more);
}
