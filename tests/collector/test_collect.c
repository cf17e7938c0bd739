/* SPDX-License-Identifier: MIT */
/* The order of phases in one collection: scenarios C18 to C21. */
#include "nodes.h"

TEST_PY(phases_are_callback_finalizer_clear_dealloc) /* C18 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    link_nodes(x, x);
    PyObject *weakref = new_weakref(x, "w");
    Py_DECREF(x);
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "callback w, finalize x, clear x, dealloc x");
    Py_DECREF(weakref);
}

static void
make_ring(PyTypeObject *type)
{
    static const char *const names[] = {"0", "1", "2", "3"};
    PyObject *nodes[4];
    for (int i = 0; i < 4; i++) {
        nodes[i] = new_node(type, names[i]);
    }
    for (int i = 0; i < 4; i++) {
        link_nodes(nodes[i], nodes[(i + 1) % 4]);
    }
    for (int i = 0; i < 4; i++) {
        Py_DECREF(nodes[i]);
    }
}

/* The order among the finalizers is not promised. But all of them run before the first
 * tp_clear. */
TEST_PY(all_finalizers_run_before_the_first_clear) /* C19 */
{
    baseline_quiet();
    make_ring(&F);
    EXPECT_EQ(collect(), 4);
    EXPECT_EQ(count_events("finalize 0"), 1);
    EXPECT_EQ(count_events("finalize 1"), 1);
    EXPECT_EQ(count_events("finalize 2"), 1);
    EXPECT_EQ(count_events("finalize 3"), 1);
    const char *first_clear = strstr(events(), "clear");
    REQUIRE_NOT_NULL(first_clear);
    EXPECT_NULL(strstr(first_clear, "finalize"));
}

TEST_PY(the_order_of_finalizers_is_deterministic) /* C19 */
{
    baseline_quiet();
    make_ring(&F);
    EXPECT_EQ(collect(), 4);
    char first[sizeof event_text];
    strcpy(first, events());
    baseline_quiet();
    make_ring(&F);
    EXPECT_EQ(collect(), 4);
    EXPECT_STR(events(), first);
}

TEST_PY(every_unreachable_object_is_cleared_exactly_once) /* C20 */
{
    baseline_quiet();
    make_ring(&N);
    EXPECT_EQ(collect(), 4);
    EXPECT_EQ(count_events("clear 0"), 1);
    EXPECT_EQ(count_events("clear 1"), 1);
    EXPECT_EQ(count_events("clear 2"), 1);
    EXPECT_EQ(count_events("clear 3"), 1);
    const char *first_dealloc = strstr(events(), "dealloc");
    REQUIRE_NOT_NULL(first_dealloc);
    EXPECT_NULL(strstr(first_dealloc, "clear"));
    EXPECT_EQ(count_events("dealloc 0") + count_events("dealloc 1") +
                  count_events("dealloc 2") + count_events("dealloc 3"),
              4);
}

static void
expect_pinned(struct node *self)
{
    EXPECT_GE(Py_REFCNT(self), 2); /* its own reference and the pin */
}

TEST_PY(the_set_is_pinned_while_it_is_cleared) /* C20 */
{
    baseline_quiet();
    when_cleared = expect_pinned;
    drop_self_cycle(&N, "x");
    drop_self_cycle(&N, "y");
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
}

static int traversals;

static int
traverse_and_note(PyObject *op, visitproc visit, void *arg)
{
    if (traversals++ == 0) {
        note_event("traverse");
    }
    return node_traverse(op, visit, arg);
}

TEST_PY(plain_garbage_runs_traverse_clear_and_dealloc_only) /* C21 */
{
    static PyTypeObject Noted = {NODE_SLOTS("Noted"), .tp_clear = node_clear};
    Noted.tp_traverse = traverse_and_note;
    baseline_quiet();
    drop_self_cycle(&Noted, "x");
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "traverse, clear x, dealloc x");
}

/* Nodes that stay alive: three for each collection. */
static int
keep_three(PyObject **nodes, int count)
{
    for (int i = 0; i < 3; i++) {
        nodes[count++] = new_node(&N, NULL);
    }
    return count;
}

static void
expect_counts(int young, int middle, int old)
{
    int counts[3];
    Ouro_GCGetCounts(counts);
    EXPECT_EQ(counts[0], young);
    EXPECT_EQ(counts[1], middle);
    EXPECT_EQ(counts[2], old);
}

TEST_PY(a_collection_starts_its_counts_again_and_adds_one_to_the_next_generation)
{
    const struct gc_growth *growth = &gc_now()->growth;
    PyObject *nodes[12];
    int count = 0;
    baseline_quiet();
    PyGC_Disable();
    Ouro_GCCollect(2);
    expect_counts(0, 0, 0);
    EXPECT_EQ(growth->long_lived_pending, 0);
    EXPECT_EQ(growth->middle_pending, 0);
    Py_ssize_t total = growth->long_lived_total;
    for (int i = 0; i < 2; i++) {
        count = keep_three(nodes, count);
        expect_counts(3, i, 0);
        Ouro_GCCollect(0);
        expect_counts(0, i + 1, 0);
        EXPECT_EQ(growth->middle_pending, 3 * (i + 1));
        EXPECT_EQ(growth->long_lived_pending, 0);
    }
    count = keep_three(nodes, count);
    EXPECT_EQ(PyErr_CheckSignals(), 0); /* a safe point */
    EXPECT_EQ(growth->safe_points, 1);
    Ouro_GCCollect(1);
    EXPECT_EQ(growth->safe_points, 0);
    expect_counts(0, 0, 1);
    EXPECT_EQ(growth->middle_pending, 0);
    EXPECT_EQ(growth->long_lived_pending, 9);
    count = keep_three(nodes, count);
    Ouro_GCCollect(2);
    expect_counts(0, 0, 0);
    EXPECT_EQ(growth->middle_pending, 0);
    EXPECT_EQ(growth->long_lived_pending, 0);
    EXPECT_EQ(growth->long_lived_total, total + 12);
    while (count > 0) {
        Py_DECREF(nodes[--count]);
    }
}
