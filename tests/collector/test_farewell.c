/* SPDX-License-Identifier: MIT */
/* Huge components with weak references and finalizers, in slices: which user code is called, in
 * which order, and what the program can see of the garbage between two slices. */
#include "marked_rings.h"

#include <pthread.h>
#include <semaphore.h>

static bool
is_destroying(void)
{
    return gc_now()->is_doomed != NULL;
}

/* ---- what is called, and when ------------------------------------------------------------- */

static int finalized, cleared, most_at_once, called_at_once;

static void
count_finalized(struct node *self)
{
    EXPECT_NOT_NULL(self->a); /* whole */
    EXPECT_EQ(cleared, 0);
    finalized++;
    called_at_once++;
}

static void
count_cleared(struct node *Py_UNUSED(self))
{
    cleared++;
}

static void
finish_counting_calls(void)
{
    do {
        most_at_once = called_at_once > most_at_once ? called_at_once : most_at_once;
        called_at_once = 0;
    } while (step_cycle());
}

static void
finalize_in_slices(int length)
{
    finalized = cleared = 0;
    make_old_ring(&F, length);
    when_finalized = count_finalized;
    when_cleared = count_cleared;
    drop_ring();
    start_cycle();
    finish_counting_calls();
    EXPECT_EQ(finalized, length);
    EXPECT_EQ(cleared, length);
    EXPECT_EQ(most_at_once, 1);
    EXPECT_EQ(Ouro_GCCollect(2), 0);
}

TEST_PY(finalizers_of_a_huge_component_are_called_a_few_at_a_time_before_it_is_cleared)
{
    drive_by_hand(8, 6);
    finalize_in_slices(SMALL);
    finalize_in_slices(LARGE);
    EXPECT_EQ(cycle_stats().most_garbage, LARGE);
    EXPECT_EQ(cycle_stats().failed_proofs, 0);
}

static PyObject *weakrefs[MARKED];

static void
make_weakrefs(bool call_back)
{
    static const char *const names[MARKED] = {"w0", "w1", "w2", "w3", "w4"};
    for (int i = 0; i < MARKED; i++) {
        weakrefs[i] = call_back ? new_weakref(marked[i], names[i])
                                : PyWeakref_NewRef(marked[i], NULL);
    }
}

static int
count_dead(void)
{
    int dead = 0;
    for (int i = 0; i < MARKED; i++) {
        dead += reads_as_dead(weakrefs[i]);
    }
    return dead;
}

static void
forget_weakrefs(void)
{
    for (int i = 0; i < MARKED; i++) {
        Py_CLEAR(weakrefs[i]);
    }
}

/* Weak references are not read before the proof: the object would be alive for a while, and the
 * proof would fail. */
static void
expect_weakrefs_die_together(PyTypeObject *type, int length, bool call_back)
{
    make_old_ring(type, length);
    make_weakrefs(call_back);
    drop_ring();
    start_cycle();
    step_to(CYCLE_CONFIRM);
    EXPECT_EQ(count_dead(), 0);
    bool was_destroying = false;
    while (step_cycle()) {
        if (is_destroying()) {
            was_destroying = true;
            EXPECT_EQ(count_dead(), MARKED);
        }
    }
    EXPECT(was_destroying);
    EXPECT_EQ(count_dead(), MARKED);
    forget_weakrefs();
}

TEST_PY(weak_references_to_a_huge_component_read_as_dead_all_at_once)
{
    drive_by_hand(8, 6);
    expect_weakrefs_die_together(&N, SMALL, false);
    expect_weakrefs_die_together(&N, LARGE, false);
    expect_weakrefs_die_together(&F, LARGE, false);
    expect_weakrefs_die_together(&F, LARGE, true);
}

/* In a callback, all weak references with callbacks are dead, and all others are alive. */
static PyObject *silent[MARKED];

static void
look_at_weakrefs(struct node *Py_UNUSED(self))
{
    EXPECT_EQ(count_dead(), MARKED);
    for (int i = 0; i < MARKED; i++) {
        EXPECT(!reads_as_dead(silent[i]));
    }
}

static void
look_when_called(PyObject *Py_UNUSED(weakref))
{
    look_at_weakrefs(NULL);
}

TEST_PY(callbacks_then_finalizers_find_a_huge_component_as_in_every_collection)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    make_weakrefs(true);
    for (int i = 0; i < MARKED; i++) {
        silent[i] = PyWeakref_NewRef(marked[i], NULL);
    }
    node_of(marked[2])->name = "x";
    when_called = look_when_called;
    when_finalized = look_at_weakrefs;
    drop_ring();
    start_cycle();
    step_to(CYCLE_CONFIRM);
    finish_cycle();
    for (int i = 0; i < MARKED; i++) {
        EXPECT(reads_as_dead(silent[i]));
        Py_DECREF(silent[i]);
    }
    for (const char *name = "01234"; *name != '\0'; name++) {
        char event[] = "callback w0";
        event[10] = *name;
        EXPECT_EQ(count_events(event), 1);
        EXPECT(happens_before(event, "finalize x"));
    }
    EXPECT(happens_before("finalize x", "clear x"));
    EXPECT(happens_before("clear x", "dealloc x"));
    forget_weakrefs();
}

static void
make_weakref_to_itself(struct node *self)
{
    when_finalized = NULL;
    weakrefs[0] = new_weakref((PyObject *)self, "late");
    EXPECT(!reads_as_dead(weakrefs[0]));
}

TEST_PY(a_weak_reference_that_a_finalizer_makes_dies_and_is_not_called)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    when_finalized = make_weakref_to_itself;
    drop_ring();
    start_cycle();
    finish_cycle();
    EXPECT(reads_as_dead(weakrefs[0]));
    EXPECT_EQ(count_events("callback late"), 0);
    Py_CLEAR(weakrefs[0]);
}

TEST_PY(callbacks_for_a_huge_component_are_called_a_few_at_a_time)
{
    drive_by_hand(8, 6);
    make_old_ring(&N, SMALL);
    make_weakrefs(true);
    drop_ring();
    start_cycle();
    int most = 0, before = 0, now;
    do {
        now = count_events("callback w0") + count_events("callback w1") +
              count_events("callback w2") + count_events("callback w3") +
              count_events("callback w4");
        most = now - before > most ? now - before : most;
        before = now;
    } while (step_cycle());
    EXPECT_EQ(now, MARKED);
    EXPECT_EQ(most, 1);
    forget_weakrefs();
}

static void
drop_the_called(PyObject *weakref)
{
    for (int i = 0; i < MARKED; i++) {
        if (weakrefs[i] == weakref) {
            Py_CLEAR(weakrefs[i]);
        }
    }
}

/* All but one die with that. */
TEST_PY(a_weak_reference_that_its_callback_drops_counts_as_collected)
{
    Ouro_GCStats before, after;
    drive_by_hand(8, 6);
    make_old_ring(&N, SMALL);
    make_weakrefs(true);
    PyObject *kept = Py_NewRef(weakrefs[3]);
    when_called = drop_the_called;
    drop_ring();
    Ouro_GCGetStats(2, &before);
    start_cycle();
    finish_cycle();
    Ouro_GCGetStats(2, &after);
    EXPECT_EQ(after.collected - before.collected, SMALL + MARKED - 1);
    Py_DECREF(kept);
}

/* ---- who sees it ---------------------------------------------------------------------------- */

static int
count_listed(const PyTypeObject *type)
{
    int count = 0;
    PyObject *list = Ouro_GCGetObjects(-1);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        count += Py_IS_TYPE(PyList_GET_ITEM(list, i), type);
    }
    Py_DECREF(list);
    return count;
}

static int
count_visited(PyObject *op, void *arg)
{
    *(int *)arg += Py_IS_TYPE(op, &F);
    return 1;
}

static void
expect_nothing_is_seen(struct node *Py_UNUSED(self))
{
    int visited = 0;
    PyUnstable_GC_VisitObjects(count_visited, &visited);
    EXPECT_EQ(visited, 0);
    EXPECT_EQ(count_listed(&F), 0);
}

TEST_PY(between_slices_and_in_finalizers_nobody_sees_a_huge_component_that_is_proved)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    when_finalized = expect_nothing_is_seen;
    drop_ring();
    start_cycle();
    while (step_cycle()) {
        if (is_destroying()) {
            expect_nothing_is_seen(NULL);
        }
    }
    EXPECT_EQ(cycle_stats().most_garbage, LARGE);
}

/* Drops a ring. One of its members owns a weak reference to a live object. */
static PyObject *
drop_ring_that_watches(PyObject *alive, const char *callback)
{
    make_old_ring(&F, LARGE);
    PyObject *weakref =
        callback != NULL ? new_weakref(alive, callback) : PyWeakref_NewRef(alive, NULL);
    node_of(marked[1])->b = weakref; /* moved */
    Ouro_GCCollect(2);
    drop_ring();
    start_cycle();
    while (!is_destroying()) {
        REQUIRE(step_cycle());
    }
    return weakref;
}

TEST_PY(a_weak_reference_of_garbage_is_not_called_when_its_object_dies_between_slices)
{
    drive_by_hand(8, 6);
    PyObject *alive = new_node(&N, NULL);
    drop_ring_that_watches(alive, "w");
    Py_DECREF(alive);
    finish_cycle();
    EXPECT_EQ(count_events("callback w"), 0);
}

/* The weak reference dies together with the object that it refers to. */
TEST_PY(a_weak_reference_inside_a_huge_component_is_not_called)
{
    drive_by_hand(8, 6);
    make_old_ring(&N, SMALL);
    PyObject *outside = new_weakref(marked[2], "outside");
    node_of(marked[1])->b = new_weakref(marked[2], "inside"); /* moved */
    Ouro_GCCollect(2);
    drop_ring();
    start_cycle();
    finish_cycle();
    EXPECT_STR(events(), "callback outside");
    EXPECT(reads_as_dead(outside));
    EXPECT_GE(cycle_stats().most_garbage, SMALL + 1);
    Py_DECREF(outside);
}

TEST_PY(a_weak_reference_of_garbage_is_not_handed_out_between_slices)
{
    drive_by_hand(8, 6);
    PyObject *alive = new_node(&N, NULL);
    const PyObject *doomed = drop_ring_that_watches(alive, NULL);
    PyObject *list = Ouro_WeakrefsList(alive);
    EXPECT_EQ(PyList_GET_SIZE(list), 0);
    Py_DECREF(list);
    PyObject *mine = PyWeakref_NewRef(alive, NULL);
    EXPECT(mine != doomed);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, LARGE + 1);
    EXPECT(!reads_as_dead(mine));
    EXPECT(PyWeakref_NewRef(alive, NULL) == mine);
    Py_DECREF(mine);
    Py_DECREF(mine);
    Py_DECREF(alive);
}

static sem_t is_inside, has_read;

static void
let_others_read(struct node *Py_UNUSED(self))
{
    when_finalized = NULL;
    EXPECT_EQ(count_dead(), 0);
    Py_BEGIN_ALLOW_THREADS
    sem_post(&is_inside);
    sem_wait(&has_read);
    Py_END_ALLOW_THREADS
}

static void *
read_on_thread(void *Py_UNUSED(arg))
{
    sem_wait(&is_inside);
    PyGILState_STATE state = PyGILState_Ensure();
    EXPECT_EQ(count_dead(), MARKED);
    PyGILState_Release(state);
    sem_post(&has_read);
    return NULL;
}

TEST_PY(while_a_finalizer_lets_them_run_other_threads_read_weak_references_as_dead)
{
    pthread_t thread;
    drive_by_hand(8, 6);
    sem_init(&is_inside, 0, 0);
    sem_init(&has_read, 0, 0);
    make_old_ring(&F, LARGE);
    make_weakrefs(false);
    when_finalized = let_others_read;
    drop_ring();
    pthread_create(&thread, NULL, read_on_thread, NULL);
    start_cycle();
    finish_cycle();
    Py_BEGIN_ALLOW_THREADS
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
    EXPECT_EQ(count_dead(), MARKED);
    forget_weakrefs();
}

/* ---- what comes back ---------------------------------------------------------------------- */

/* Garbage that refers to `last`, each object also to itself. */
static void
drop_chain_to(PyObject *last, int length)
{
    PyObject *next = Py_NewRef(last);
    for (int i = 0; i < length; i++) {
        PyObject *each = new_node(&F, NULL);
        set_b(each, each);
        node_of(each)->a = next; /* moved */
        next = each;
    }
    Ouro_GCCollect(2);
    Py_DECREF(next);
}

static void
resurrect_in_slices(int length)
{
    PyObject *x = new_node(&F, NULL), *y = new_node(&N, "y");
    set_a(x, x);
    set_b(x, y);
    Py_DECREF(y);
    node_of(x)->resurrects = true;
    PyObject *silent_ref = PyWeakref_NewRef(x, NULL), *called = new_weakref(x, "w");
    drop_chain_to(x, length);
    Py_DECREF(x);
    size_t calls = (size_t)count_events("callback w");
    Py_ssize_t most = cycle_stats().most_garbage;
    start_cycle();
    finish_cycle();
    EXPECT(rescued == x);
    EXPECT(PyObject_GC_IsFinalized(x));
    EXPECT(node_of(x)->b == y); /* x is not cleared, nor what it reaches */
    EXPECT_EQ((size_t)count_events("callback w"), calls + 1);
    EXPECT(!reads_as_dead(silent_ref));
    EXPECT(reads_as_dead(called));
    EXPECT_EQ(cycle_stats().most_garbage, length > most ? length : most);
    Py_DECREF(silent_ref);
    Py_DECREF(called);
    Py_CLEAR(rescued);
    EXPECT_EQ(Ouro_GCCollect(2), 2);
}

TEST_PY(what_a_finalizer_brings_back_leaves_a_huge_component_and_the_rest_dies)
{
    drive_by_hand(8, 6);
    resurrect_in_slices(SMALL);
    resurrect_in_slices(LARGE);
}

static PyObject *read_in_callback;

static void
bring_back(PyObject *Py_UNUSED(weakref))
{
    when_called = NULL;
    REQUIRE_EQ(PyWeakref_GetRef(silent[3], &read_in_callback), 1);
}

TEST_PY(what_a_callback_reads_of_a_huge_component_stays)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    make_weakrefs(true);
    silent[3] = PyWeakref_NewRef(marked[3], NULL);
    when_called = bring_back;
    when_cleared = count_cleared;
    drop_ring();
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cleared, 0);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT(!reads_as_dead(silent[3]));
    Py_DECREF(silent[3]);
    Py_DECREF(read_in_callback);
    EXPECT_EQ(Ouro_GCCollect(2), LARGE);
    forget_weakrefs();
}

/* The program got an object from a finalizer, and changes it while the component is proved
 * again. */
TEST_PY(what_the_program_changes_in_a_component_that_came_back_is_kept)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    node_of(marked[4])->resurrects = true;
    when_cleared = count_cleared;
    drop_ring();
    start_cycle();
    while (step_cycle()) {
        if (rescued !=
            NULL) { /* move our reference into x, and take another member instead */
            PyObject *x = new_node(&N, NULL);
            node_of(x)->a = rescued; /* moved */
            rescued = Py_NewRef(node_of(node_of(x)->a)->a);
            Py_DECREF(x);
        }
    }
    EXPECT_EQ(cleared, 0);
    REQUIRE_NOT_NULL(rescued);
    int length = 1;
    for (PyObject *each = node_of(rescued)->a; each != rescued; each = node_of(each)->a) {
        length++;
    }
    EXPECT_EQ(length, LARGE);
    Py_CLEAR(rescued);
    EXPECT_EQ(Ouro_GCCollect(2), LARGE);
}

static void
break_the_ring(struct node *self)
{
    when_finalized = NULL;
    Py_CLEAR(self->a);
}

TEST_PY(members_that_a_finalizer_frees_are_gone_and_not_counted)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    when_finalized = break_the_ring;
    when_cleared = count_cleared;
    drop_ring();
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cleared, 0);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(count_listed(&F), 0);
}

/* ---- the end before its time -------------------------------------------------------------- */

/* Collect after `steps` steps of the farewell phases; false when there are fewer. */
static bool
collect_after(int steps)
{
    finalized = cleared = 0;
    make_old_ring(&F, SMALL);
    make_weakrefs(true);
    when_finalized = count_finalized;
    when_cleared = count_cleared;
    drop_ring();
    start_cycle();
    while (gc_now()->cycle != NULL && (!is_destroying() || steps-- > 0)) {
        step_cycle();
    }
    bool is_over = gc_now()->cycle == NULL;
    Ouro_GCCollect(2);
    EXPECT_EQ(finalized, SMALL);
    EXPECT_EQ(cleared, SMALL);
    EXPECT(gc_now()->is_doomed == NULL);
    EXPECT_EQ(count_dead(), MARKED);
    EXPECT_EQ(count_events("callback w1"), 1);
    forget_weakrefs();
    forget_events();
    return !is_over;
}

TEST_PY(a_collection_while_leave_is_taken_of_a_huge_component_destroys_it, .timeout = 120)
{
    drive_by_hand(8, 6);
    int steps = 0;
    while (collect_after(steps)) {
        steps += 7;
    }
    EXPECT_GT(steps, 3 * SMALL); /* finalize, clear and unpin each member */
}

static void
end_the_mode(struct node *Py_UNUSED(self))
{
    when_finalized = NULL;
    Ouro_GCSetPauseBudget(0);
}

TEST_PY(a_finalizer_that_ends_the_mode_ends_the_cycle_when_its_component_is_destroyed)
{
    drive_by_hand(8, 6);
    make_old_ring(&F, LARGE);
    when_finalized = end_the_mode;
    when_cleared = count_cleared;
    drop_ring();
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cleared, LARGE);
    EXPECT(gc_now()->is_doomed == NULL);
}

static void
freeze_all(struct node *Py_UNUSED(self))
{
    when_finalized = when_cleared = NULL;
    Ouro_GCFreeze();
}

TEST_PY(a_handler_that_freezes_leaves_no_pin_on_a_huge_component)
{
    drive_by_hand(8, 6);
    make_old_ring(&N, LARGE);
    drop_ring();
    start_cycle();
    REQUIRE(step_to(CYCLE_CLEAR));
    when_cleared = freeze_all;
    Ouro_GCCollect(2); /* finishes the component */
    EXPECT(gc_now()->cycle == NULL);
    Ouro_GCUnfreeze();
    EXPECT_EQ(count_listed(&N), 0);
}

/* The component has no finalizers, so no finalize phase ends the time of callbacks. */
TEST_PY(after_its_callbacks_a_huge_component_is_hidden_again)
{
    drive_by_hand(8, 6);
    make_old_ring(&N, SMALL);
    make_weakrefs(false);
    PyObject *calls = new_weakref(marked[1], "c");
    drop_ring();
    start_cycle();
    step_to(CYCLE_CONFIRM);
    while (step_cycle()) {
        EXPECT(!is_destroying() || count_dead() == MARKED);
    }
    EXPECT_STR(events(), "callback c");
    EXPECT_EQ(count_dead(), MARKED);
    Py_DECREF(calls);
    forget_weakrefs();
}

TEST_PY(leave_is_taken_of_one_huge_component_after_the_other)
{
    drive_by_hand(8, 6);
    finalized = cleared = 0;
    make_old_ring(&F, SMALL);
    PyObject *other = marked[0];
    make_old_ring(&F, SMALL);
    PyObject *weakref = new_weakref(marked[1], "w");
    when_finalized = count_finalized;
    Py_DECREF(other);
    drop_ring();
    start_cycle();
    finish_cycle();
    EXPECT_EQ(finalized, 2 * SMALL);
    EXPECT_EQ(cycle_stats().most_garbage, 2 * SMALL);
    EXPECT_STR(events(), "callback w");
    EXPECT_EQ(Ouro_GCCollect(2), 0);
    Py_DECREF(weakref);
}

TEST_PY(while_leave_is_taken_of_a_component_weak_references_to_others_are_alive)
{
    drive_by_hand(8, 6);
    PyObject *other = new_node(&N, NULL), *weakref = PyWeakref_NewRef(other, NULL);
    make_old_ring(&F, SMALL);
    drop_ring();
    start_cycle();
    bool was_destroying = false;
    while (step_cycle()) {
        was_destroying = was_destroying || is_destroying();
        EXPECT(!is_destroying() || !reads_as_dead(weakref));
    }
    EXPECT(was_destroying);
    Py_DECREF(weakref);
    Py_DECREF(other);
}
