/* SPDX-License-Identifier: MIT */
/* Garbage that is proved and not yet destroyed: between two slices the program sees none of it, and
 * all other objects. The garbage is proved in one of three ways. */
#include "watches.h"

enum way {
    AS_COMPONENT, /* confirm.c */
    WITH_ALL,     /* together with all other proposals: watch.c */
    AS_SET,       /* by following references: follow.c */
};

/* Huge in each way, and small enough to be followed. */
enum { LENGTH = 24 * 8 };

static bool
is_destroying(void)
{
    return gc_now()->is_doomed != NULL;
}

static bool
reads_as_dead(PyObject *weakref)
{
    PyObject *op = NULL;
    int found = PyWeakref_GetRef(weakref, &op);
    Py_XDECREF(op);
    return found == 0;
}

static void
choose(enum way way)
{
    if (way == WITH_ALL && !system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    gc_now()->slices.follow_trust = way == AS_SET ? 1 : -1000;
    gc_now()->slices.watch_trust = way == WITH_ALL;
}

/* Makes a ring of old objects. Keeps where its members are. */
static PyObject *
new_old_ring(PyTypeObject *type, const PyObject **members)
{
    PyObject *ring = new_ring(type, LENGTH);
    const PyObject *at = ring;
    for (int i = 0; i < LENGTH; i++) {
        members[i] = at;
        at = ((const struct node *)at)->a;
    }
    Ouro_GCCollect(2);
    return ring;
}

/* Step until the ring is proved, or a part of it is destroyed. */
static void
step_until_destroying(enum cycle_phase phase)
{
    while (!is_destroying() || gc_now()->cycle->phase != phase) {
        REQUIRE(step_cycle());
    }
}

static bool
is_listed(PyObject *op)
{
    PyObject *list = Ouro_GCGetObjects(-1);
    REQUIRE_NOT_NULL(list);
    bool found = list_holds(list, op);
    Py_DECREF(list);
    return found;
}

static int
count_listed(const PyTypeObject *type)
{
    int count = 0;
    PyObject *list = Ouro_GCGetObjects(-1);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        count += Py_IS_TYPE(PyList_GET_ITEM(list, i), type);
    }
    Py_DECREF(list);
    return count;
}

/* ---- members and others ---------------------------------------------------------------------- */

static void
expect_only_others_are_seen(enum way way)
{
    const PyObject *members[LENGTH];
    choose(way);
    PyObject *alive = new_node(&N, NULL), *weakref = PyWeakref_NewRef(alive, NULL);
    PyObject *ring = new_old_ring(&N, members);
    set_b(ring, alive);
    Py_DECREF(ring);
    start_cycle();
    int seen = 0;
    while (step_cycle()) {
        if (is_destroying()) {
            seen++;
            EXPECT(!reads_as_dead(weakref));
            EXPECT_EQ(count_listed(&N), 1);
        }
    }
    EXPECT_GT(seen, LENGTH);
    EXPECT_EQ(cycle_stats().most_garbage, LENGTH);
    EXPECT_EQ(Py_REFCNT(alive), 1);
    Py_DECREF(weakref);
    Py_DECREF(alive);
}

TEST_PY(of_a_component_that_is_proved_the_program_sees_nothing_but_all_other_objects)
{
    expect_only_others_are_seen(AS_COMPONENT);
}

TEST_PY(of_proposals_that_are_proved_together_the_program_sees_nothing)
{
    expect_only_others_are_seen(WITH_ALL);
}

TEST_PY(of_a_set_that_is_proved_the_program_sees_nothing)
{
    expect_only_others_are_seen(AS_SET);
}

/* ---- in the place of a member ------------------------------------------------------------------ */

static bool
is_among(const PyObject *op, const PyObject **members)
{
    for (int i = 0; i < LENGTH; i++) {
        if (members[i] == op) {
            return true;
        }
    }
    return false;
}

/* Half of the ring is destroyed, and new objects are in its place. They stay young, or become old. */
static void
expect_new_objects_are_seen(enum way way, bool become_old)
{
    enum { NEW = LENGTH / 2 };
    static PyObject *fresh[NEW], *weakrefs[NEW];
    const PyObject *members[LENGTH];
    int reused = 0;
    choose(way);
    PyObject *ring = new_old_ring(&N, members);
    Py_DECREF(ring);
    start_cycle();
    step_until_destroying(CYCLE_UNPIN);
    const struct cycle *cy = gc_now()->cycle;
    while (cy->proof.last - cy->proof.first > LENGTH - NEW) {
        REQUIRE(step_cycle());
    }
    for (int i = 0; i < NEW; i++) {
        fresh[i] = new_node(&N, NULL);
        weakrefs[i] = PyWeakref_NewRef(fresh[i], NULL);
        reused += is_among(fresh[i], members);
    }
    EXPECT_GT(reused, 0);
    if (become_old) {
        Ouro_GCCollect(1);
    }
    REQUIRE(is_destroying());
    EXPECT_EQ(count_listed(&N), NEW);
    for (int i = 0; i < NEW; i++) {
        EXPECT(!reads_as_dead(weakrefs[i]));
    }
    finish_cycle();
    for (int i = 0; i < NEW; i++) {
        EXPECT_EQ(Py_REFCNT(fresh[i]), 1);
        EXPECT(!reads_as_dead(weakrefs[i]));
        Py_DECREF(weakrefs[i]);
        Py_DECREF(fresh[i]);
    }
}

TEST_PY(an_object_in_the_place_of_a_destroyed_member_is_seen)
{
    SKIP_CHECKED("keeps freed blocks");
    for (int become_old = 0; become_old <= 1; become_old++) {
        expect_new_objects_are_seen(AS_COMPONENT, become_old);
        expect_new_objects_are_seen(AS_SET, become_old);
    }
}

TEST_PY(an_object_in_the_place_of_a_destroyed_proposal_is_seen)
{
    SKIP_CHECKED("keeps freed blocks");
    expect_new_objects_are_seen(WITH_ALL, false);
    expect_new_objects_are_seen(WITH_ALL, true);
}

/* ---- elsewhere ------------------------------------------------------------------------------- */

TEST_PY(an_object_in_pages_that_the_cycle_does_not_know_is_seen)
{
    enum { LARGE = 64 };
    static PyObject *large[LARGE];
    const PyObject *members[LENGTH];
    choose(AS_SET);
    PyObject *ring = new_old_ring(&N, members);
    Py_DECREF(ring);
    start_cycle();
    step_until_destroying(CYCLE_CLEAR);
    int made = 0;
    do { /* until one lies behind the pages that there were at the start */
        REQUIRE(made < LARGE);
        large[made] = PyTuple_New(1 << 16); /* 512 KiB */
        REQUIRE_NOT_NULL(large[made]);
    } while (ouro_cycle_slot(gc_now()->cycle, large[made++]) < gc_now()->cycle->slots);
    EXPECT(is_listed(large[made - 1]));
    finish_cycle();
    while (made > 0) {
        Py_DECREF(large[--made]);
    }
}

static PyObject *kept;

static void
keep_itself(struct node *self)
{
    when_finalized = NULL;
    kept = Py_NewRef((PyObject *)self);
}

/* Both sets are found in one cycle. A finalizer keeps the first one. */
TEST_PY(a_set_that_a_finalizer_kept_is_seen_while_another_set_is_destroyed)
{
    const PyObject *members[LENGTH];
    choose(AS_SET);
    PyObject *first = new_ring(&F, 6), *weakref = PyWeakref_NewRef(first, NULL);
    PyObject *second = new_old_ring(&N, members);
    Py_DECREF(first);
    Py_DECREF(second);
    when_finalized = keep_itself;
    start_cycle();
    while (kept == NULL || gc_now()->cycle->phase != CYCLE_CLEAR) {
        REQUIRE(step_cycle());
    }
    REQUIRE(is_destroying());
    EXPECT(!reads_as_dead(weakref));
    EXPECT_EQ(count_listed(&F), 6);
    EXPECT_EQ(count_listed(&N), 0);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, LENGTH);
    Py_CLEAR(kept);
    EXPECT_EQ(Ouro_GCCollect(2), 6);
    Py_DECREF(weakref);
}

/* Behind the pages that the cycle has tables for. */
TEST_PY(objects_in_new_pages_are_seen_while_a_set_is_destroyed)
{
    enum { NODES = 20 * 1000 };
    const PyObject *members[LENGTH];
    choose(AS_SET);
    PyObject *ring = new_old_ring(&N, members), *list = PyList_New(NODES);
    REQUIRE_NOT_NULL(list);
    Py_DECREF(ring);
    start_cycle();
    step_until_destroying(CYCLE_CLEAR);
    for (Py_ssize_t i = 0; i < NODES; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    PyObject *last = PyList_GET_ITEM(list, NODES - 1);
    REQUIRE(is_destroying());
    EXPECT_GE(ouro_cycle_slot(gc_now()->cycle, last), gc_now()->cycle->slots);
    PyObject *weakref = PyWeakref_NewRef(last, NULL);
    EXPECT(!reads_as_dead(weakref));
    EXPECT_EQ(count_listed(&N), NODES);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, LENGTH);
    Py_DECREF(weakref);
    Py_DECREF(list);
}

/* ---- members that outlive their turn ------------------------------------------------------------ */

/* Others hold the last object: an old node refers to a tuple, which has no tp_clear and refers to it. The
 * program looks when at most so many members are left. */
static void
expect_hidden_to_the_end(PyTypeObject *type, uint32_t left)
{
    enum { OTHERS = 8 };
    drive_by_hand(1, 6); /* so few members are huge */
    gc_now()->slices.follow_trust = 1;
    PyObject *first = new_node(&N, NULL), *tuple = PyTuple_New(1), *before = first;
    for (int i = 0; i < OTHERS; i++) {
        PyObject *next = new_node(&N, NULL);
        set_b(next, before);
        if (before != first) {
            Py_DECREF(before);
        }
        before = next;
    }
    PyObject *last = new_node(type, NULL);
    set_b(last, before);
    Py_DECREF(before);
    REQUIRE(first < last);
    PyTuple_SET_ITEM(tuple, 0, last);
    set_a(first, tuple);
    Py_DECREF(tuple);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    start_cycle();
    int looks = 0;
    do {
        const struct cycle_proof *proof = &gc_now()->cycle->proof;
        if (is_destroying() && proof->last - proof->first <= left) {
            PyObject *all = Ouro_GCGetObjects(-1);
            EXPECT(!list_holds(all, last));
            Py_DECREF(all);
            looks++;
        }
    } while (step_cycle());
    EXPECT_GT(looks, 0);
}

TEST_PY(a_member_that_another_one_holds_is_not_seen_when_it_is_released)
{
    expect_hidden_to_the_end(&N, 2);
    expect_hidden_to_the_end(&N, UINT32_MAX);
}

TEST_PY(a_member_with_a_finalizer_that_another_one_holds_is_not_seen_when_it_is_released)
{
    expect_hidden_to_the_end(&F, 2);
    expect_hidden_to_the_end(&F, UINT32_MAX);
}
