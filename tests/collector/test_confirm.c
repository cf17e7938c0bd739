/* SPDX-License-Identifier: MIT */
/* Proofs of batches. Also components of garbage that are too large for one slice, and are proved
 * and destroyed in many slices. */
#include "cycles.h"

/* One component is a ring and an object. A weak reference brings the object back before the proof,
 * together with what it reaches. The rest is still garbage. */
TEST_PY(a_proof_frees_what_is_left_when_members_leave_it)
{
    drive_by_hand(8, 0);
    PyObject *x = new_node(&N, "x"), *y = new_node(&N, "y");
    PyObject *z = new_node(&N, "z"), *w = new_node(&N, "w");
    set_a(x, y); /* x <-> y, w -> y die; y -> z: z comes back, and w with it */
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

/* Members have died, and no member has to leave. */
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

#define MEMBERS 1000

/* A ring of old objects that is garbage now, with another object behind each. */
static void
drop_old_ring_between(PyObject **others)
{
    PyObject *first = new_node(&N, NULL), *last = first;
    for (int i = 0; i < MEMBERS; i++) {
        PyObject *next = new_node(&N, NULL);
        others[i] = new_node(&N, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    Ouro_GCCollect(2);
    Py_DECREF(first);
}

/* The young ones lie between the members, so many that whole pages are looked at. */
TEST_PY(young_collections_between_slices_leave_condemned_objects_alone)
{
    PyObject *others[MEMBERS];
    drive_by_hand(8, 6);
    drop_old_ring_between(others);
    start_cycle();
    REQUIRE(step_to(CYCLE_CLEAR));
    for (int i = 0; i < MEMBERS; i++) {
        Py_DECREF(others[i]);
    }
    PyObject *young = new_ring(&N, 4 * MEMBERS), *weakref = new_weakref(young, NULL);
    Py_DECREF(young);
    EXPECT_EQ(ouro_collect(ouro_current.interp, OURO_YOUNG, OURO_REASON_AUTOMATIC),
              4 * MEMBERS);
    EXPECT(ouro_cycle_verify(gc_now()->cycle));
    finish_cycle();
    Py_DECREF(weakref);
}

TEST_PY(a_huge_component_is_destroyed_in_slices)
{
    size_t before;
    drive_by_hand(8, 6);
    before = (size_t)Ouro_GCCollect(2);
    Py_DECREF(drop_old_ring(&N, 3000)); /* the weak reference dies before the proof */
    start_cycle();
    bool was_destroying = false;
    Py_ssize_t slices = cycle_stats().slices;
    do {
        was_destroying = was_destroying || (gc_now()->cycle != NULL &&
                                            gc_now()->cycle->phase == CYCLE_CLEAR);
        PyObject *list = Ouro_GCGetObjects(-1); /* never lists proved members */
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list) && was_destroying; i++) {
            EXPECT(Py_TYPE(PyList_GET_ITEM(list, i)) != &N);
        }
        if (gc_now()->cycle != NULL && gc_now()->cycle->phase < CYCLE_CONDEMN) {
            Py_ssize_t size = PyList_GET_SIZE(list);
            PyList_SetSlice(list, 0, size, NULL);
        }
        Py_DECREF(list);
    } while (step_cycle());
    EXPECT(was_destroying);
    EXPECT_GT(cycle_stats().slices, slices + 1000);
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, 3000);
    EXPECT_EQ(Ouro_GCCollect(2), (Py_ssize_t)before);
}

TEST_PY(a_weak_reference_into_a_huge_component_dies_with_the_proof)
{
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&N, 1000);
    start_cycle();
    step_to(CYCLE_CONFIRM);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 0);
    finish_cycle();
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_EQ(cycle_stats().most_garbage, 1000);
    Py_DECREF(weakref);
}

static int hook_calls;

static void
count_call(struct node *Py_UNUSED(self))
{
    hook_calls++;
}

static void
count_call_on_whole_object(struct node *self)
{
    EXPECT_NOT_NULL(self->a);
    hook_calls++;
}

static void
count_call_and_raise(struct node *Py_UNUSED(self))
{
    hook_calls++;
    PyErr_SetString(PyExc_ValueError, "from tp_clear");
}

static PyTypeObject unclearable_type = {NODE_SLOTS("Unclearable")}; /* without tp_clear */

TEST_PY(the_finalizers_of_a_huge_component_are_called)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&F, 1000));
    when_finalized = count_call_on_whole_object;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 1000);
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, 1000);
}

TEST_PY(a_huge_component_with_tp_del_is_kept, .mistakes = true)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&D, 1000));
    when_cleared = when_deallocated = count_call;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 0);
    PyObject *garbage = Ouro_GCGarbage();
    EXPECT_EQ(PyList_GET_SIZE(garbage), 1000);
    PyObject *first = Py_NewRef(PyList_GET_ITEM(garbage, 0));
    PyList_SetSlice(garbage, 0, 1000, NULL);
    unlink_node(first);
    Py_DECREF(first);
    EXPECT_EQ(hook_calls, 1000);
}

TEST_PY(a_huge_component_is_saved_when_everything_is)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 1000));
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    start_cycle();
    finish_cycle();
    Ouro_GCSetDebug(0);
    PyObject *garbage = Ouro_GCGarbage();
    EXPECT_EQ(PyList_GET_SIZE(garbage), 1000);
    PyList_SetSlice(garbage, 0, 1000, NULL);
    EXPECT_EQ(Ouro_GCCollect(2), 1000);
}

TEST_PY(what_tp_clear_raises_in_a_huge_component_is_reported)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 1000));
    record_unraisable();
    when_cleared = count_call_and_raise;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 1000);
    EXPECT_EQ(unraisable_count, 1000);
    EXPECT_STR(unraisable_text, "ValueError: Exception ignored in tp_clear of N");
}

TEST_PY(an_object_without_tp_clear_dies_with_its_huge_component)
{
    drive_by_hand(8, 6);
    PyObject *x = new_node(&unclearable_type, NULL), *last = x;
    for (int i = 0; i < 1000; i++) {
        PyObject *next = new_node(&N, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, x);
    Ouro_GCCollect(2);
    when_deallocated = count_call;
    Py_DECREF(x);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(hook_calls, 1001);
}

TEST_PY(frees_of_a_slice_do_not_put_young_collections_off)
{
    int counts[3];
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 1000));
    start_cycle();
    PyObject *nodes[50];
    for (int i = 0; i < 50; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    finish_cycle();
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 50);
    for (int i = 0; i < 50; i++) {
        Py_DECREF(nodes[i]);
    }
}
