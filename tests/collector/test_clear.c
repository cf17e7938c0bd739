/* SPDX-License-Identifier: MIT */
/* Clearing and deallocation: scenarios C56 to C62. */
#include "nodes.h"

#include <ouro_fields.h>

TEST_PY(without_tp_clear_a_cycle_is_found_again_and_again, .mistakes = true) /* C56 */
{
    static PyTypeObject Stubborn = {NODE_SLOTS("Stubborn")};
    baseline_quiet();
    PyObject *x = new_node(&Stubborn, "x");
    link_nodes(x, x);
    Py_DECREF(x);
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(collect(), 1);
    }
    EXPECT_STR(events(), "");
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    EXPECT_EQ(Py_REFCNT(x), 1);
    EXPECT_EQ(Ouro_GCCollect(1), 0); /* it is old now */
    unlink_node(x);
    EXPECT_EQ(count_events("dealloc x"), 1);
}

static void
raise_in_clear(struct node *self)
{
    if (strcmp(self->name, "x") == 0) {
        PyErr_SetString(PyExc_ValueError, "from tp_clear");
    } else {
        EXPECT_NO_ERROR();
    }
}

TEST_PY(a_raising_tp_clear_is_reported_and_stops_nothing) /* C57 */
{
    baseline_quiet();
    record_unraisable();
    when_cleared = raise_in_clear;
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(unraisable_count, 1);
    EXPECT_STR(unraisable_text, "ValueError: Exception ignored in tp_clear of N");
    EXPECT_NO_ERROR();
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
}

static int
clear_and_return_minus_1(PyObject *op)
{
    (void)node_clear(op);
    return -1;
}

TEST_PY(what_tp_clear_returns_does_not_matter) /* C58 */
{
    static PyTypeObject Minus = {NODE_SLOTS("Minus"),
                                 .tp_clear = clear_and_return_minus_1};
    baseline_quiet();
    record_unraisable();
    drop_self_cycle(&Minus, "x");
    drop_self_cycle(&Minus, "y");
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
    EXPECT_EQ(unraisable_count, 0);
}

TEST_PY(death_by_count_never_calls_tp_clear) /* C59 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    PyObject *y = new_node(&N, "y");
    link_nodes(x, y);
    Py_DECREF(y);
    Py_DECREF(x);
    EXPECT_STR(events(), "finalize x, dealloc x, dealloc y");
    EXPECT_EQ(collect(), 0);
}

static struct node *first_cleared;
static int neighbours_seen_cleared;

static void
look_at_neighbour(struct node *self)
{
    if (first_cleared == NULL) {
        first_cleared = self;
        return;
    }
    REQUIRE_NOT_NULL(self->a);
    if (node_of(self->a) == first_cleared) {
        EXPECT_NULL(first_cleared->a); /* cleared, but not freed yet */
        EXPECT_GE(Py_REFCNT(first_cleared), 1);
        neighbours_seen_cleared++;
    }
}

TEST_PY(referents_may_be_cleared_already) /* C60 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    when_cleared = look_at_neighbour;
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(neighbours_seen_cleared, 1);
}

/* A plain object owned by x that looks at y, which it does not own, when it dies. */
struct witness {
    PyObject_HEAD
    struct node *other; /* borrowed: its author thinks that it lives at least as long */
};

static void
witness_dealloc(PyObject *op)
{
    struct node *other = ((struct witness *)op)->other;
    note_event("witness sees %s%s", other->name, other->a == NULL ? " cleared" : "");
    PyObject_Free(op);
}

TEST_PY(a_destructor_run_by_tp_clear_never_sees_freed_memory) /* C61 */
{
    static PyTypeObject Witness = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Witness",
        .tp_basicsize = sizeof(struct witness),
        .tp_dealloc = witness_dealloc,
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    REQUIRE_EQ(PyType_Ready(&Witness), 0);
    baseline_quiet();
    PyObject *nodes[2] = {new_node(&N, "first"), new_node(&N, "second")};
    link_both_ways(nodes[0], nodes[1]);
    for (int i = 0; i < 2; i++) {
        struct witness *witness = PyObject_New(struct witness, &Witness);
        REQUIRE_NOT_NULL(witness);
        witness->other = node_of(nodes[1 - i]);
        set_b(nodes[i], (PyObject *)witness);
        Py_DECREF(witness);
    }
    Py_DECREF(nodes[0]);
    Py_DECREF(nodes[1]);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("witness sees first") +
                  count_events("witness sees first cleared"),
              1);
    EXPECT_EQ(count_events("witness sees second") +
                  count_events("witness sees second cleared"),
              1);
}

static void
expect_cleared_fields(struct node *self)
{
    EXPECT_NULL(self->a);
    EXPECT_NULL(self->b);
}

TEST_PY(destructors_of_the_set_see_cleared_fields) /* C61 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    link_nodes(x, x);
    when_deallocated = expect_cleared_fields;
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
}

TEST_PY(a_pending_exception_survives_a_collection) /* C62 */
{
    baseline_quiet();
    record_unraisable();
    drop_self_cycle(&F, "x");
    PyErr_SetString(PyExc_KeyError, "pending");
    PyObject *before = PyErr_GetRaisedException();
    PyErr_SetRaisedException(Py_NewRef(before));
    EXPECT_EQ(collect(), 1);
    PyObject *after = PyErr_GetRaisedException();
    EXPECT_EQ(after, before);
    EXPECT_EQ(unraisable_count, 0);
    EXPECT_EQ(count_events("finalize x"), 1);
    Py_XDECREF(after);
    Py_DECREF(before);
}

static void
save_in_clear(struct node *self)
{
    Py_XSETREF(rescued, Py_NewRef((PyObject *)self));
}

/* This is too late to resurrect the object, but its new owner must not see it freed. */
TEST_PY(an_object_saved_by_tp_clear_survives_cleared)
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    link_nodes(x, x);
    when_cleared = save_in_clear;
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "clear x");
    EXPECT_EQ(rescued, x);
    EXPECT_EQ(Py_REFCNT(x), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    EXPECT_EQ(collect(), 0);
    Py_CLEAR(rescued);
    EXPECT_STR(events(), "clear x, dealloc x");
}

static void
untrack_in_clear(struct node *self)
{
    PyObject_GC_UnTrack(self);
}

TEST_PY(tp_clear_may_untrack, .mistakes = true)
{
    baseline_quiet();
    when_cleared = untrack_in_clear;
    drop_self_cycle(&N, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "clear x, dealloc x");
}

static void
allocate_in_clear(struct node *self)
{
    (void)self;
    drop_self_cycle(&N, "new");
}

TEST_PY(objects_made_by_tp_clear_wait_for_the_next_collection)
{
    baseline_quiet();
    when_cleared = allocate_in_clear;
    drop_self_cycle(&N, "x");
    EXPECT_EQ(collect(), 1);
    when_cleared = NULL;
    EXPECT_EQ(count_events("dealloc new"), 0);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(count_events("dealloc new"), 1);
}

static PyTypeObject unclearable_type = {NODE_SLOTS("Unclearable")}; /* without tp_clear */

TEST_PY(every_generation_reports_tp_clear_and_does_without_it)
{
    for (int generation = 0; generation <= 2; generation++) {
        baseline_quiet();
        PyObject *x = new_node(&N, "x"), *y = new_node(&unclearable_type, "y");
        link_both_ways(x, y);
        Py_DECREF(x);
        Py_DECREF(y);
        record_unraisable();
        when_cleared = raise_in_clear;
        EXPECT_EQ(Ouro_GCCollect(generation), 2);
        EXPECT_EQ(unraisable_count, 1);
        EXPECT_EQ(count_events("clear x"), 1);
        EXPECT_EQ(count_events("clear y"), 0);
        EXPECT_EQ(count_events("dealloc x") + count_events("dealloc y"), 2);
    }
}

/* An object that is destroyed by its declared fields, without a call of PyObject_GC_Del. */
typedef struct {
    PyObject_HEAD
    PyObject *next;
} Plain;
OURO_FIELDS(Plain, next);

static PyTypeObject Plain_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Plain", .tp_basicsize = sizeof(Plain),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(Plain)};

static PyObject *made[3];

static void
make_three(struct node *Py_UNUSED(self))
{
    for (int i = 0; i < 3; i++) {
        made[i] = new_node(&N, NULL);
    }
}

/* Three objects are made meanwhile, and three are freed, two of them by their fields. */
TEST_PY(what_dies_by_its_edges_counts_as_freed)
{
    int counts[3];
    REQUIRE_EQ(PyType_Ready(&Plain_Type), 0);
    baseline_quiet();
    PyGC_Disable();
    PyObject *x = new_node(&F, NULL);
    Plain *one = (Plain *)PyType_GenericAlloc(&Plain_Type, 0);
    Plain *two = (Plain *)PyType_GenericAlloc(&Plain_Type, 0);
    one->next = (PyObject *)two; /* moved */
    two->next = Py_NewRef(x);
    node_of(x)->a = (PyObject *)one; /* moved */
    Py_DECREF(x);
    when_finalized = make_three;
    EXPECT_EQ(Ouro_GCCollect(2), 3);
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 0);
    for (int i = 0; i < 3; i++) {
        Py_DECREF(made[i]);
    }
}

/* A cycle of the two, which the collector breaks. */
static void
drop_with_node(PyObject *plain)
{
    PyObject *x = new_node(&N, "x");
    ((Plain *)plain)->next = Py_NewRef(x);
    node_of(x)->a = plain; /* moved */
    Py_DECREF(x);
}

TEST_PY(what_dies_by_its_edges_releases_its_heap_type)
{
    static PyType_Slot slots[] = {OURO_SLOT_FIELDS(Plain), {0, NULL}};
    static PyType_Spec spec = {.name = "test.HeapPlain",
                               .basicsize = sizeof(Plain),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                               .slots = slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    baseline_quiet();
    PyGC_Disable();
    Py_ssize_t before = Py_REFCNT(type);
    for (int i = 0; i < 5; i++) {
        drop_with_node(PyType_GenericAlloc(type, 0));
    }
    EXPECT_EQ(Py_REFCNT(type), before + 5);
    EXPECT_EQ(Ouro_GCCollect(2), 10);
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);
}

static int
clear_and_tell(PyObject *op)
{
    note_event("own clear");
    Py_CLEAR(((Plain *)op)->next);
    return 0;
}

TEST_PY(a_tp_clear_that_replaces_that_of_the_fields_is_called)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Own",
                                .tp_basicsize = sizeof(Plain),
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                OURO_TYPE_FIELDS(Plain)};
    REQUIRE_EQ(PyType_Ready(&type), 0);
    type.tp_clear = clear_and_tell;
    baseline_quiet();
    PyGC_Disable();
    drop_with_node(PyType_GenericAlloc(&type, 0));
    EXPECT_EQ(Ouro_GCCollect(2), 2);
    EXPECT_EQ(count_events("own clear"), 1);
    EXPECT_EQ(count_events("dealloc x"), 1);
}

/* Nothing is made meanwhile, and two objects die by their fields. */
TEST_PY(what_dies_by_its_edges_leaves_the_count_at_zero)
{
    int counts[3];
    REQUIRE_EQ(PyType_Ready(&Plain_Type), 0);
    baseline_quiet();
    PyGC_Disable();
    PyObject *x = new_node(&N, NULL);
    Plain *one = (Plain *)PyType_GenericAlloc(&Plain_Type, 0);
    Plain *two = (Plain *)PyType_GenericAlloc(&Plain_Type, 0);
    one->next = (PyObject *)two; /* moved */
    two->next = Py_NewRef(x);
    node_of(x)->a = (PyObject *)one; /* moved */
    Py_DECREF(x);
    EXPECT_EQ(Ouro_GCCollect(2), 3);
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], 0);
}
