/* SPDX-License-Identifier: MIT */
/* Finalizers and resurrection: scenarios C35 to C50. */
#include "nodes.h"

static void
note_flags(struct node *self)
{
    PyObject *op = (PyObject *)self;
    note_event("finalized %d tracked %d", PyObject_GC_IsFinalized(op),
               PyObject_GC_IsTracked(op));
}

TEST_PY(a_finalizer_runs_once_on_a_marked_and_tracked_object) /* C35 */
{
    baseline_quiet();
    when_finalized = note_flags;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "finalize x, finalized 1 tracked 1, clear x, dealloc x");
}

TEST_PY(a_finalizer_of_a_heap_type_runs_once) /* C35 */
{
    baseline_quiet();
    PyTypeObject *type = node_heap_type(&F);
    drop_self_cycle(type, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "finalize x, clear x, dealloc x");
    Py_DECREF(type);
}

TEST_PY(death_by_count_finalizes_before_it_marks) /* C36 */
{
    baseline_quiet();
    when_finalized = note_flags;
    PyObject *x = new_node(&F, "x");
    EXPECT_EQ(PyObject_GC_IsFinalized(x), 0);
    Py_DECREF(x);
    EXPECT_STR(events(), "finalize x, finalized 0 tracked 1, dealloc x");
}

TEST_PY(resurrection_saves_the_whole_cycle_and_finalizes_once) /* C37, C38 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    PyObject *y = new_node(&F, "y");
    node_of(x)->resurrects = true;
    link_both_ways(x, y);
    Py_DECREF(x);
    Py_DECREF(y);

    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(count_events("finalize x"), 1);
    EXPECT_EQ(count_events("finalize y"), 1);
    EXPECT_NULL(strstr(events(), "clear"));
    EXPECT_EQ(rescued, x);
    EXPECT_EQ(node_of(x)->a, y);
    EXPECT_EQ(node_of(y)->a, x);
    EXPECT_EQ(PyObject_GC_IsFinalized(x) + PyObject_GC_IsFinalized(y), 2);
    EXPECT_EQ(PyObject_GC_IsTracked(x) + PyObject_GC_IsTracked(y), 2);
    EXPECT_EQ(collect(), 0); /* held now */

    forget_events();
    Py_CLEAR(rescued);
    EXPECT_EQ(collect(), 2);
    EXPECT_NULL(strstr(events(), "finalize"));
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
}

TEST_PY(resurrected_objects_move_to_the_next_generation) /* C37 */
{
    for (int i = 0; i < 6; i++) {
        int generation = i / 2;
        baseline_quiet();
        PyObject *x = new_node(&F, "x");
        node_of(x)->resurrects = true;
        link_nodes(x, x);
        link_nodes(x, Py_None); /* outside the heap */
        Py_DECREF(x);
        mark_always(i % 2 != 0);
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(rescued, x);
        EXPECT(is_in_generation(x, generation < 2 ? generation + 1 : 2));
        Py_CLEAR(rescued);
    }
    EXPECT_EQ(collect(), 1);
}

static void
break_own_cycle(struct node *self)
{
    Py_CLEAR(self->a);
}

static void
break_own_cycle_and_go_on(struct node *self)
{
    Py_CLEAR(self->a); /* nothing else refers to it now */
    note_event("goes on");
}

TEST_PY(an_object_outlives_its_own_finalizer)
{
    baseline_quiet();
    when_finalized = break_own_cycle_and_go_on;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "finalize x, goes on, dealloc x");
}

TEST_PY(what_dies_during_finalizers_is_not_counted) /* C39 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    when_finalized = break_own_cycle;
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(count_events("finalize x"), 1);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
    EXPECT_NULL(strstr(events(), "clear"));
}

TEST_PY(resurrecting_one_cycle_leaves_the_other_to_die) /* C40 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    node_of(x)->resurrects = true;
    link_nodes(x, x);
    Py_DECREF(x);
    drop_self_cycle(&F, "y");
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
    EXPECT_EQ(count_events("dealloc x"), 0);
    EXPECT_EQ(rescued, x);
    Py_CLEAR(rescued);
    EXPECT_EQ(collect(), 1);
}

TEST_PY(resurrection_is_transitive) /* C41 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    PyObject *y = new_node(&F, "y");
    PyObject *z = new_node(&F, "z");
    node_of(x)->resurrects = true;
    link_nodes(x, x);
    link_nodes(x, y);
    link_nodes(y, z);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(z);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(count_events("finalize x"), 1);
    EXPECT_EQ(count_events("finalize y"), 1);
    EXPECT_EQ(count_events("finalize z"), 1);
    EXPECT_NULL(strstr(events(), "clear"));
    EXPECT_EQ(node_of(y)->a, z);
    forget_events();
    Py_CLEAR(rescued);
    EXPECT_EQ(collect(), 3);
    EXPECT_NULL(strstr(events(), "finalize"));
}

static PyObject *neighbour;

static void
link_to_neighbour(struct node *self)
{
    set_b((PyObject *)self, neighbour);
}

TEST_PY(a_new_reference_inside_the_trash_saves_nobody) /* C42 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    neighbour = new_node(&N, "y");
    link_nodes(x, x);
    link_nodes(neighbour, neighbour);
    when_finalized = link_to_neighbour;
    Py_DECREF(x);
    Py_DECREF(neighbour);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
}

static void
drop_a_new_cycle(struct node *self)
{
    (void)self;
    drop_self_cycle(&N, "new");
}

TEST_PY(a_cycle_made_by_a_finalizer_waits_for_the_next_collection) /* C43 */
{
    baseline_quiet();
    when_finalized = drop_a_new_cycle;
    drop_self_cycle(&F, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(count_events("dealloc new"), 0);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(count_events("dealloc new"), 1);
}

TEST_PY(resurrection_from_death_by_count_works_once) /* C44 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    node_of(x)->resurrects = true;
    Py_DECREF(x);
    EXPECT_STR(events(), "finalize x");
    EXPECT_EQ(rescued, x);
    EXPECT_EQ(Py_REFCNT(x), 1);
    EXPECT_EQ(PyObject_GC_IsFinalized(x), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    Py_CLEAR(rescued);
    EXPECT_STR(events(), "finalize x, dealloc x");
}

TEST_PY(call_finalizer_on_a_live_object_marks_it) /* C45 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    link_nodes(x, x);
    PyObject_CallFinalizer(x);
    EXPECT_STR(events(), "finalize x");
    EXPECT_EQ(PyObject_GC_IsFinalized(x), 1);
    PyObject_CallFinalizer(x);
    EXPECT_STR(events(), "finalize x");
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(count_events("finalize x"), 1);
}

static void
plain_finalize(PyObject *op)
{
    (void)op;
    note_event("finalize plain");
}

static void
plain_dealloc(PyObject *op)
{
    if (PyObject_CallFinalizerFromDealloc(op) == 0) {
        PyObject_Free(op);
    }
}

TEST_PY(plain_objects_are_finalized_every_time) /* C46 */
{
    static PyTypeObject Plain = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Plain",
        .tp_basicsize = sizeof(PyObject),
        .tp_dealloc = plain_dealloc,
        .tp_finalize = plain_finalize,
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    REQUIRE_EQ(PyType_Ready(&Plain), 0);
    PyObject *x = (PyObject *)PyObject_New(PyObject, &Plain);
    REQUIRE_NOT_NULL(x);
    PyObject_CallFinalizer(x);
    PyObject_CallFinalizer(x);
    EXPECT_EQ(PyObject_GC_IsFinalized(x), 0);
    EXPECT_EQ(count_events("finalize plain"), 2);
    Py_DECREF(x);
    EXPECT_EQ(count_events("finalize plain"), 3);
}

TEST_PY(a_finalizer_beside_the_cycle_runs_before_any_clear) /* C47 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&F, "y");
    link_nodes(x, x);
    link_nodes(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("finalize y"), 1);
    EXPECT(happens_before("finalize y", "clear"));
}

static void
expect_everything_intact(struct node *self)
{
    struct node *other = node_of(self->a);
    REQUIRE_NOT_NULL(other);
    EXPECT_EQ(other->a, self);
    EXPECT_NOT_NULL(other->b);
    EXPECT_STR(node_of(other->b)->name, "leaf");
    EXPECT_EQ(PyObject_GC_IsTracked(self->a), 1);
}

TEST_PY(finalizers_see_the_other_trash_intact) /* C48 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    PyObject *y = new_node(&F, "y");
    link_both_ways(x, y);
    PyObject *leaf = new_node(&N, "leaf");
    link_nodes(x, leaf);
    link_nodes(y, leaf);
    Py_DECREF(leaf);
    when_finalized = expect_everything_intact;
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 3);
    EXPECT_EQ(count_events("finalize x"), 1);
    EXPECT_EQ(count_events("finalize y"), 1);
}

static void
raise_in_finalizer(struct node *self)
{
    if (strcmp(self->name, "x") == 0) {
        PyErr_SetString(PyExc_ValueError, "from a finalizer");
    } else {
        EXPECT_NO_ERROR();
    }
    note_event("reports %d", unraisable_count);
}

TEST_PY(an_exception_left_by_a_finalizer_is_reported_at_once) /* C49 */
{
    baseline_quiet();
    record_unraisable();
    when_finalized = raise_in_finalizer;
    drop_self_cycle(&F, "x");
    drop_self_cycle(&F, "y");
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(unraisable_count, 1);
    EXPECT_STR(unraisable_text, "ValueError: Exception ignored in tp_finalize of F");
    EXPECT_NO_ERROR();
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
    /* The second finalizer saw the report of the first, or y came first. */
    EXPECT(happens_before("finalize y", "finalize x") ||
           strstr(events(), "finalize y, reports 1") != NULL);
}

TEST_PY(a_finalizer_keeps_the_exception_that_was_pending) /* C49, C62 */
{
    baseline_quiet();
    record_unraisable();
    when_finalized = raise_in_finalizer;
    PyObject *x = new_node(&F, "x");
    PyErr_SetString(PyExc_KeyError, "mine");
    Py_DECREF(x);
    EXPECT_EQ(unraisable_count, 1);
    EXPECT_RAISED(PyExc_KeyError);
}

static void
collect_in_finalizer(struct node *self)
{
    (void)self;
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(Ouro_GCCollect(2), 0);
}

TEST_PY(collecting_in_a_finalizer_does_nothing) /* C50 */
{
    baseline_quiet();
    when_finalized = collect_in_finalizer;
    drop_self_cycle(&F, "x");
    drop_self_cycle(&N, "y");
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("finalize x"), 1);
}

/* A finalizer may free trash that the collection has not reached yet, and a new object of another
 * type may take the slot. */
static void
free_neighbour_and_reuse_its_slot(struct node *self)
{
    if (neighbour != NULL) {
        PyObject *old = neighbour;
        neighbour = NULL;
        Py_CLEAR(self->a);
        note_event("neighbour gone");
        rescued = new_node(&N, "newcomer");
        EXPECT_EQ(rescued, old); /* otherwise this test proves nothing */
    }
}

TEST_PY(a_newcomer_in_a_dead_slot_is_not_trash) /* C39, C43 */
{
    SKIP_CHECKED("does not use a slot again soon");
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    neighbour = new_node(&N, "y");
    set_a(x, neighbour);
    set_b(x, x);
    Py_DECREF(neighbour);
    Py_DECREF(x);
    when_finalized = free_neighbour_and_reuse_its_slot;
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
    EXPECT_EQ(count_events("clear newcomer"), 0);
    EXPECT_EQ(Py_REFCNT(rescued), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(rescued), 1);
    Py_CLEAR(rescued);
}
