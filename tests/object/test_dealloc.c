/* SPDX-License-Identifier: MIT */
/* How objects die when the stack is nearly used up. They are set aside and destroyed from a
 * shallower frame, all of them before the outermost release returns. test_dealloc_deep.c has
 * chains of millions. */
#include "../../src/object/dealloc.h"
#include "../../src/object/header.h"
#include "../collector/nodes.h"

#include <pthread.h>
#include <semaphore.h>

#define SMALL_STACK ((size_t)256 * 1024)
#define LENGTH      100000

/* Made without collections: under OURO_STRESS they would take quadratic time. */
static PyObject *
new_chain(PyTypeObject *type, int length)
{
    PyObject *head = NULL;
    int was_enabled = PyGC_Disable();
    for (int i = 0; i < length; i++) {
        PyObject *node = new_node(type, NULL);
        node_of(node)->a = head;
        head = node;
    }
    if (was_enabled) {
        PyGC_Enable();
    }
    return head;
}

static int destroyed, destroyed_untracked, destroyed_with_a_count;

static void
count_destroyed(struct node *self)
{
    destroyed++;
    destroyed_with_a_count += Py_REFCNT(self) != 0;
}

TEST_PY(everything_is_dead_when_the_outermost_release_returns, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, LENGTH);
    when_deallocated = count_destroyed;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, LENGTH);
    EXPECT_EQ(destroyed_with_a_count, 0);
}

/* Py_DECREF calls the destructor itself. Programs that release references in their own way call this
 * function. */
TEST_PY(an_object_without_references_can_be_destroyed_by_a_call)
{
    PyObject *node = new_node(&N, "x");
    when_deallocated = count_destroyed;
    Py_SET_REFCNT(node, 0);
    (_Py_Dealloc)(node);
    EXPECT_STR(events(), "dealloc x");
    EXPECT_EQ(destroyed, 1);
}

/* Looks first; then the destructor of nodes untracks. */
static void
looking_dealloc(PyObject *self)
{
    destroyed_untracked += !PyObject_GC_IsTracked(self);
    node_dealloc(self);
}

static PyTypeObject looking_type = {NODE_SLOTS("Looking"), .tp_clear = node_clear};

TEST_PY(an_object_set_aside_is_tracked_again_before_its_destructor, .stack = SMALL_STACK)
{
    looking_type.tp_dealloc = looking_dealloc;
    PyObject *head = new_chain(&looking_type, LENGTH);
    when_deallocated = count_destroyed;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, LENGTH);
    EXPECT_EQ(destroyed_untracked, 0);
}

TEST_PY(an_untracked_object_set_aside_stays_untracked, .stack = SMALL_STACK)
{
    looking_type.tp_dealloc = looking_dealloc;
    PyObject *head = new_chain(&looking_type, LENGTH);
    for (PyObject *at = head; at != NULL; at = node_of(at)->a) {
        PyObject_GC_UnTrack(at);
    }
    Py_DECREF(head);
    EXPECT_EQ(destroyed_untracked, LENGTH);
}

static void
collect_now_and_then(struct node *self)
{
    count_destroyed(self);
    if (destroyed % 5000 == 0) {
        EXPECT_EQ(PyGC_Collect(), 0); /* nothing of the dying chain is garbage */
    }
}

TEST_PY(a_collection_passes_over_objects_set_aside, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, LENGTH);
    when_deallocated = collect_now_and_then;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, LENGTH);
}

/* Objects that are set aside are being destroyed: they cannot be brought back. */
static int looked_at;

/* The object that was set aside last, borrowed; or NULL. */
static PyObject *
last_set_aside(void)
{
    const struct _Py_Destruction *d = ouro_current.destruction;
    return d != NULL && d->first != 0
               ? ouro_heap_block_of_slot(&d->thread->interp->heap, d->first)
               : NULL;
}

static void
look_at_one_set_aside(struct node *self)
{
    PyObject *op = last_set_aside();
    count_destroyed(self);
    if (op != NULL) {
        looked_at++;
        EXPECT_EQ(PyUnstable_TryIncRef(op), 0);
    }
}

static PyTypeObject wide_type = {NODE_SLOTS("Wide"), .tp_clear = node_clear};

TEST_PY(an_object_set_aside_counts_as_dead, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, LENGTH);
    PyGC_Disable();
    for (PyObject *at = head; at != NULL; at = node_of(at)->a) {
        node_of(at)->b = new_node(&wide_type, NULL); /* two are set aside by each */
    }
    when_deallocated = look_at_one_set_aside;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 2 * LENGTH);
    EXPECT_GT(looked_at, 0);
}

static int made;

static void
allocate_now_and_then(struct node *self)
{
    count_destroyed(self);
    if (destroyed % 100 == 0) {
        made += 50;
        Py_DECREF(new_chain(&N, 50));
    }
}

TEST_PY(destructors_may_allocate_and_release_on_the_way, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, LENGTH);
    when_deallocated = allocate_now_and_then;
    Py_DECREF(head);
    EXPECT_GE(made, LENGTH / 2);
    EXPECT_EQ(destroyed, LENGTH + made);
}

TEST_PY(finalizers_run_once_in_a_long_chain, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&F, LENGTH);
    when_finalized = count_destroyed;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, LENGTH);
}

static PyObject *saved;

static void
save_the_thousandth(struct node *self)
{
    if (++destroyed == 1000) {
        saved = Py_NewRef(self);
    }
}

TEST_PY(a_finalizer_saves_the_rest_of_a_long_chain, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&F, LENGTH);
    when_finalized = save_the_thousandth;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 1000);
    REQUIRE_NOT_NULL(saved);
    EXPECT_EQ(Py_REFCNT(saved), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(saved), 1);
    Py_CLEAR(saved);
    EXPECT_EQ(destroyed, LENGTH);
}

TEST_PY(weak_references_into_a_long_chain_die_with_it, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, LENGTH), *middle = head;
    for (int i = 0; i < LENGTH / 2; i++) {
        middle = node_of(middle)->a;
    }
    PyObject *weakref = new_weakref(middle, "middle");
    Py_DECREF(head);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_STR(events(), "callback middle");
    Py_DECREF(weakref);
}

TEST_PY(a_pending_exception_survives_the_death_of_a_long_chain, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, LENGTH);
    PyErr_SetString(PyExc_ValueError, "pending");
    Py_DECREF(head);
    EXPECT_RAISED(PyExc_ValueError);
}

/* A tree: each destructor releases two branches. */
static PyObject *
new_tree(int depth)
{
    PyObject *root = new_node(&N, NULL);
    if (depth > 0) {
        node_of(root)->a = new_tree(depth - 1);
        node_of(root)->b = new_tree(depth - 1);
    }
    return root;
}

TEST_PY(a_tree_that_hangs_off_a_long_chain_dies_too, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, LENGTH), *last = head;
    while (node_of(last)->a != NULL) {
        last = node_of(last)->a;
    }
    node_of(last)->a = new_tree(10);
    when_deallocated = count_destroyed;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, LENGTH + 2047);
}

/* The first release happens where the stack is nearly used up already. */
static void
release_at_the_end_of_the_stack(PyObject *op)
{
    volatile char frame[512];
    frame[0] = 0;
    if (Py_EnterRecursiveCall("") < 0) {
        PyErr_Clear();
        Py_DECREF(op);
        return;
    }
    release_at_the_end_of_the_stack(op);
    Py_LeaveRecursiveCall();
    (void)frame;
}

TEST_PY(a_release_at_the_end_of_the_stack_destroys_everything, .stack = SMALL_STACK)
{
    PyObject *head = new_chain(&N, 1000);
    when_deallocated = count_destroyed;
    release_at_the_end_of_the_stack(head);
    EXPECT_EQ(destroyed, 1000);
}

/* A full collection from a frame near the end of the stack. */
static Py_ssize_t
collect_at_the_end_of_the_stack(void)
{
    volatile char frame[512];
    Py_ssize_t found;
    frame[0] = 0;
    if (Py_EnterRecursiveCall("") < 0) {
        PyErr_Clear();
        PyGC_Enable();
        return PyGC_Collect();
    }
    found = collect_at_the_end_of_the_stack();
    Py_LeaveRecursiveCall();
    (void)frame;
    return found;
}

TEST_PY(a_collection_works_at_the_end_of_the_stack, .stack = SMALL_STACK)
{
    baseline_quiet();
    PyObject *head = new_chain(&N, 1000), *last = head;
    while (node_of(last)->a != NULL) {
        last = node_of(last)->a;
    }
    set_a(last, head);
    Py_DECREF(head);
    when_deallocated = count_destroyed;
    EXPECT_EQ(collect_at_the_end_of_the_stack(), 1000);
    EXPECT_EQ(destroyed, 1000);
    EXPECT_EQ(PyGC_Collect(), 0);
}

/* The same, but finalizers break the cycles, so that objects of the set die meanwhile. */
static void
break_cycle(struct node *self)
{
    Py_CLEAR(self->a);
}

TEST_PY(finalizers_break_cycles_at_the_end_of_the_stack, .stack = SMALL_STACK)
{
    baseline_quiet();
    PyObject *survivor = new_node(&N, NULL);
    for (int i = 0; i < 1000; i++) {
        PyObject *x = new_node(&F, NULL), *y = new_node(&F, NULL);
        link_both_ways(x, y);
        set_b(x, survivor);
        Py_DECREF(x);
        Py_DECREF(y);
    }
    when_finalized = break_cycle;
    when_deallocated = count_destroyed;
    EXPECT_EQ(collect_at_the_end_of_the_stack(), 0);
    EXPECT_EQ(destroyed, 2000);
    EXPECT_EQ(Py_REFCNT(survivor), 1);
    EXPECT_EQ(PyGC_Collect(), 0);
    Py_DECREF(survivor);
}

/* Collections inside destructors, at every depth. Objects of the set that die while finalizers run
 * are set aside, and must leave the set. */
static void
collect_broken_cycles(struct node *self)
{
    if (Py_TYPE(self) != &N) {
        count_destroyed(self);
        return;
    }
    PyObject *x = new_node(&F, NULL), *y = new_node(&F, NULL);
    link_both_ways(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_PY(finalizers_break_cycles_in_collections_deep_inside_destructors,
        .stack = SMALL_STACK)
{
    baseline_quiet();
    PyObject *head = new_chain(&N, 2000);
    PyGC_Enable();
    when_finalized = break_cycle;
    when_deallocated = collect_broken_cycles;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 4000);
}

/* A cycle refers to an object with a tp_del, which dies with the cycle. When the collection runs
 * deep inside a destructor, this object is set aside first, and must not be shown as garbage. */
static void
collect_cycle_with_legacy_leaf(struct node *self)
{
    if (self->a != NULL) {
        return;
    }
    when_deallocated = NULL; /* once, at the end of the chain */
    PyObject *cycle = new_node(&N, NULL), *leaf = new_node(&D, NULL);
    link_nodes(cycle, cycle);
    link_nodes(cycle, leaf);
    Py_DECREF(leaf);
    Py_DECREF(cycle);
    EXPECT_EQ(collect_at_the_end_of_the_stack(), 1);
}

TEST_PY(a_tp_del_that_is_set_aside_is_not_kept_as_garbage, .mistakes = true,
        .stack = SMALL_STACK)
{
    baseline_quiet();
    PyObject *head = new_chain(&N, 20000);
    when_deallocated = collect_cycle_with_legacy_leaf;
    Py_DECREF(head);
    EXPECT_EQ(PyList_GET_SIZE(Ouro_GCGarbage()), 0);
}

static PyObject *watched_garbage; /* borrowed */

static void
collect_when_set_aside(struct node *Py_UNUSED(self))
{
    PyObject *op = last_set_aside();
    if (op == NULL || watched_garbage == NULL) {
        return;
    }
    if (PyWeakref_CheckRefExact(op)) {
        watched_garbage = NULL;
        EXPECT_EQ(Ouro_GCCollect(2), 1);
    }
}

static void
expect_it_is_alive(PyObject *weakref)
{
    EXPECT(!ouro_object_is_dying(weakref));
    made++;
}

/* The other weak references call back. This one is dead, and so is its callback, although its
 * destructor has not run yet. */
TEST_PY(a_weak_reference_that_is_set_aside_does_not_call_back, .stack = SMALL_STACK)
{
    baseline();
    PyGC_Disable();
    PyObject *head = new_chain(&N, LENGTH), *garbage = new_node(&N, "garbage");
    for (PyObject *at = head; at != NULL; at = node_of(at)->b) {
        node_of(at)->b = node_of(at)->a; /* released last, so destroyed first */
        node_of(at)->a = new_weakref(garbage, "w");
    }
    set_a(garbage, garbage);
    watched_garbage = garbage;
    when_deallocated = collect_when_set_aside;
    when_called = expect_it_is_alive;
    Py_DECREF(garbage);
    Py_DECREF(head);
    EXPECT_NULL(watched_garbage);
    EXPECT(made > 0 && made < LENGTH);
}

static PyObject *watched; /* borrowed */
static Py_ssize_t listed = -1;

/* The weak reference that was set aside last is still in the list of its referent. */
static void
list_when_set_aside(struct node *Py_UNUSED(self))
{
    PyObject *op = last_set_aside();
    if (op == NULL || listed >= 0) {
        return;
    }
    if (PyWeakref_CheckRefExact(op)) {
        PyObject *list = Ouro_WeakrefsList(watched);
        REQUIRE_NOT_NULL(list);
        listed = PyList_GET_SIZE(list);
        for (Py_ssize_t i = 0; i < listed; i++) {
            EXPECT_EQ(Py_REFCNT(PyList_GET_ITEM(list, i)), 2); /* one is the list's */
        }
        Py_DECREF(list);
    }
}

TEST_PY(a_weak_reference_that_is_set_aside_is_not_listed, .stack = SMALL_STACK)
{
    baseline();
    PyGC_Disable();
    PyObject *head = new_chain(&N, LENGTH);
    watched = new_node(&N, NULL);
    for (PyObject *at = head; at != NULL; at = node_of(at)->b) {
        node_of(at)->b = node_of(at)->a; /* released last, so destroyed first */
        node_of(at)->a = new_weakref(watched, "w");
    }
    when_deallocated = list_when_set_aside;
    Py_DECREF(head);
    EXPECT(listed > 0 && listed < LENGTH);
    PyObject *list = Ouro_WeakrefsList(watched);
    EXPECT_EQ(PyList_Size(list), 0);
    Py_XDECREF(list);
    when_deallocated = NULL;
    Py_DECREF(watched);
}

/* ---- threads and interpreters ------------------------------------------------------------- */

static PyThreadState *elsewhere; /* of another interpreter, or of this one */

/* Deep inside the destruction of one chain, drop another one as another thread state. */
static void
drop_a_chain_elsewhere(struct node *self)
{
    count_destroyed(self);
    if (destroyed == LENGTH / 2) {
        PyThreadState *here = PyThreadState_Swap(elsewhere);
        int before = destroyed;
        Py_DECREF(new_chain(&N, LENGTH));
        EXPECT_EQ(destroyed - before, LENGTH);
        PyThreadState_Swap(here);
    }
}

TEST_PY(a_destructor_that_swaps_to_another_interpreter_leaves_nothing_alive_there,
        .stack = SMALL_STACK)
{
    PyThreadState *here = PyThreadState_Get();
    elsewhere = Py_NewInterpreter();
    REQUIRE_NOT_NULL(elsewhere);
    PyThreadState_Swap(here);
    PyObject *head = new_chain(&N, LENGTH);
    when_deallocated = drop_a_chain_elsewhere;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 2 * LENGTH);
    when_deallocated = NULL;
    PyThreadState_Swap(elsewhere);
    Py_EndInterpreter(elsewhere);
    PyThreadState_Swap(here);
}

TEST_PY(a_destructor_that_swaps_to_another_state_of_its_interpreter_destroys_all_it_drops,
        .stack = SMALL_STACK)
{
    elsewhere = PyThreadState_New(PyInterpreterState_Get());
    REQUIRE_NOT_NULL(elsewhere);
    PyObject *head = new_chain(&N, LENGTH);
    when_deallocated = drop_a_chain_elsewhere;
    Py_DECREF(head);
    EXPECT_EQ(destroyed, 2 * LENGTH);
    PyThreadState_Delete(elsewhere);
}

/* Each destructor drops the next object as the other thread state. */
static PyObject *zigzag[2 * LENGTH];
static int dropped;

static void
drop_the_next_elsewhere(struct node *self)
{
    count_destroyed(self);
    if (dropped < 2 * LENGTH) {
        PyThreadState *here = PyThreadState_Swap(elsewhere), *was = elsewhere;
        elsewhere = here;
        Py_DECREF(zigzag[dropped++]);
        elsewhere = was;
        PyThreadState_Swap(here);
    }
}

TEST_PY(destructors_that_swap_to_and_fro_need_bounded_stack, .stack = SMALL_STACK)
{
    PyThreadState *here = PyThreadState_Get();
    elsewhere = Py_NewInterpreter();
    REQUIRE_NOT_NULL(elsewhere);
    for (int i = 0; i < 2 * LENGTH; i++) {
        PyThreadState_Swap(i % 2 == 0 ? here : elsewhere);
        zigzag[i] = new_node(&N, NULL);
    }
    PyThreadState_Swap(here);
    when_deallocated = drop_the_next_elsewhere;
    Py_DECREF(zigzag[dropped++]);
    while (dropped < 2 * LENGTH) { /* a swap that changes nothing ends the chain */
        PyThreadState_Swap(dropped % 2 == 0 ? here : elsewhere);
        Py_DECREF(zigzag[dropped++]);
    }
    EXPECT_EQ(destroyed, 2 * LENGTH);
    when_deallocated = NULL;
    PyThreadState_Swap(elsewhere);
    Py_EndInterpreter(elsewhere);
    PyThreadState_Swap(here);
}

/* Two threads drop a chain each. The second does so while the first has set objects aside and
 * waits, detached, in a destructor. */
struct owned {
    struct node node;
    pthread_t owner; /* the thread that made it and drops it */
};

static int destroyed_by_others;
static sem_t first_waits, second_is_done;
static bool first_waited;

static void
look_at_owner(struct node *self)
{
    pthread_t owner = ((struct owned *)self)->owner;
    count_destroyed(self);
    destroyed_by_others += !pthread_equal(owner, pthread_self());
    if (destroyed > LENGTH / 2 && last_set_aside() != NULL && !first_waited) {
        first_waited = true;
        Py_BEGIN_ALLOW_THREADS
        sem_post(&first_waits);
        sem_wait(&second_is_done);
        Py_END_ALLOW_THREADS
    }
}

static PyTypeObject owned_type = {NODE_SLOTS("Owned"), .tp_clear = node_clear};

static void
drop_owned_chain(void)
{
    PyGC_Disable();
    PyObject *head = new_chain(&owned_type, LENGTH);
    for (PyObject *at = head; at != NULL; at = node_of(at)->a) {
        node_of(at)->b = new_node(&owned_type, NULL); /* set aside, too */
        ((struct owned *)at)->owner = pthread_self();
        ((struct owned *)node_of(at)->b)->owner = pthread_self();
    }
    Py_DECREF(head);
}

static void *
drop_a_chain_meanwhile(void *Py_UNUSED(arg))
{
    sem_wait(&first_waits);
    PyGILState_STATE state = PyGILState_Ensure();
    int before = destroyed;
    drop_owned_chain();
    EXPECT_EQ(destroyed - before, 2 * LENGTH);
    PyGILState_Release(state);
    sem_post(&second_is_done);
    return NULL;
}

TEST_PY(a_destructor_runs_on_the_thread_that_dropped_the_reference, .stack = SMALL_STACK)
{
    pthread_attr_t small;
    pthread_t second;
    owned_type.tp_basicsize = sizeof(struct owned);
    when_deallocated = look_at_owner;
    sem_init(&first_waits, 0, 0);
    sem_init(&second_is_done, 0, 0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, SMALL_STACK);
    REQUIRE_EQ(pthread_create(&second, &small, drop_a_chain_meanwhile, NULL), 0);
    drop_owned_chain();
    Py_BEGIN_ALLOW_THREADS
    pthread_join(second, NULL);
    Py_END_ALLOW_THREADS
    pthread_attr_destroy(&small);
    EXPECT(first_waited);
    EXPECT_EQ(destroyed, 4 * LENGTH);
    EXPECT_EQ(destroyed_by_others, 0);
}

static void
stay_elsewhere(struct node *self)
{
    count_destroyed(self);
    if (destroyed == LENGTH / 2) {
        PyThreadState_Swap(elsewhere);
    }
}

TEST_PY(a_destructor_that_returns_as_another_thread_state_is_fatal, .stack = SMALL_STACK)
{
    elsewhere = PyThreadState_New(PyInterpreterState_Get());
    REQUIRE_NOT_NULL(elsewhere);
    PyObject *head = new_chain(&N, LENGTH);
    when_deallocated = stay_elsewhere;
    EXPECT_FATAL(Py_DECREF(head), "returned attached to another thread state");
    when_deallocated = NULL;
    Py_DECREF(head);
    PyThreadState_Delete(elsewhere);
}
