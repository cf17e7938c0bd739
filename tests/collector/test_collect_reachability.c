/* SPDX-License-Identifier: MIT */
/* The reachability rule: scenarios C8 to C17. */
#include "nodes.h"

TEST_PY(dropped_pair_is_collected) /* C8 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_STR(events(), "");
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
    EXPECT_EQ(collect(), 0);
}

TEST_PY(pair_with_one_owner_lives_until_it_is_dropped) /* C9 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
    EXPECT_EQ(node_of(x)->a, y);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
}

TEST_PY(what_hangs_off_a_dead_cycle_counts) /* C10 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *z = new_node(&N, "z");
    link_nodes(x, x);
    link_nodes(x, z);
    Py_DECREF(z);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc z"), 1);
}

TEST_PY(a_reference_that_nobody_visits_keeps_a_cycle) /* C11 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_both_ways(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    PyObject *global = Py_NewRef(x);
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(collect(), 0);
    }
    EXPECT_STR(events(), "");
    Py_DECREF(global);
    EXPECT_EQ(collect(), 2);
}

/* A plain object that owns a reference. */
struct box {
    PyObject_HEAD
    PyObject *content;
};

static void
box_dealloc(PyObject *op)
{
    Py_CLEAR(((struct box *)op)->content);
    PyObject_Free(op);
}

static PyTypeObject Box = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Box",
    .tp_basicsize = sizeof(struct box),
    .tp_dealloc = box_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyObject *
new_box(PyObject *content)
{
    REQUIRE_EQ(PyType_Ready(&Box), 0);
    struct box *box = PyObject_New(struct box, &Box);
    REQUIRE_NOT_NULL(box);
    box->content = Py_NewRef(content);
    return (PyObject *)box;
}

TEST_PY(a_plain_object_keeps_a_cycle) /* C12 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    link_nodes(x, x);
    PyObject *box = new_box(x);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
    Py_DECREF(box);
    EXPECT_EQ(collect(), 1);
}

TEST_PY(a_cycle_through_a_plain_object_is_never_found) /* C12 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *box = new_box(x);
    link_nodes(x, box);
    Py_DECREF(x);
    Py_DECREF(box);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
    unlink_node(x);
}

static int
traverse_first_field_only(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(node_of(op)->a);
    return 0;
}

TEST_PY(a_missing_visit_leaks_in_silence, .mistakes = true,
        .no_leak_check = true) /* C13 */
{
    static PyTypeObject Forgetful = {
        NODE_SLOTS("Forgetful"),
        .tp_clear = node_clear,
    };
    Forgetful.tp_traverse = traverse_first_field_only;
    baseline_quiet();
    record_unraisable();
    PyObject *x = new_node(&Forgetful, "x");
    PyObject *y = new_node(&N, "y");
    set_b(x, y); /* owned, not visited */
    link_nodes(y, x);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
    EXPECT_EQ(unraisable_count, 0);
}

static int visits_of_b;

static int
traverse_too_often(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(node_of(op)->a);
    for (int i = 0; i < visits_of_b; i++) {
        Py_VISIT(node_of(op)->b);
    }
    return 0;
}

static PyTypeObject Eager = {
    NODE_SLOTS("Eager"),
    .tp_clear = node_clear,
};

TEST_PY(an_object_visited_too_often_is_cleared_while_in_use, .mistakes = true) /* C14 */
{
    Eager.tp_traverse = traverse_too_often;
    visits_of_b = 3;
    baseline_quiet();
    PyObject *x = new_node(&Eager, "x");
    PyObject *y = new_node(&N, "y");
    PyObject *other = Py_NewRef(y);
    link_nodes(x, x);
    link_nodes(x, y);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("clear y"), 1);
    EXPECT_EQ(count_events("dealloc y"), 0);
    EXPECT_EQ(Py_REFCNT(y), 2);
    EXPECT_EQ(PyObject_GC_IsTracked(y), 1);
    Py_DECREF(other);
    Py_DECREF(y);
}

/* CPython's release build also continues silently; what it does with y then varies. */
TEST_PY(visits_beyond_the_reference_count_do_no_harm, .mistakes = true) /* C14 */
{
    Eager.tp_traverse = traverse_too_often;
    visits_of_b = 5;
    baseline_quiet();
    PyObject *x = new_node(&Eager, "x");
    PyObject *y = new_node(&N, "y");
    link_nodes(x, x);
    link_nodes(x, y);
    Py_DECREF(x);
    collect();
    EXPECT_EQ(count_events("dealloc y"), 0);
    EXPECT_EQ(Py_REFCNT(y) >= 1, 1);
    Py_DECREF(y);
}

static int
traverse_and_return_3(PyObject *op, visitproc visit, void *arg)
{
    (void)node_traverse(op, visit, arg);
    return 3;
}

TEST_PY(what_traverse_returns_does_not_matter, .mistakes = true) /* C15 */
{
    static PyTypeObject Three = {NODE_SLOTS("Three"), .tp_clear = node_clear};
    Three.tp_traverse = traverse_and_return_3;
    baseline_quiet();
    PyObject *x = new_node(&Three, "x");
    PyObject *y = new_node(&Three, "y");
    PyObject *live = new_node(&Three, "live");
    PyObject *held = new_node(&N, "held");
    link_both_ways(x, y);
    link_nodes(live, live);
    link_nodes(live, held);
    Py_DECREF(held);
    Py_DECREF(x);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(count_events("dealloc held"), 0);
    Py_DECREF(live);
    EXPECT_EQ(collect(), 2);
}

TEST_PY(a_cycle_of_tuple_and_list_is_collected) /* C16 */
{
    baseline_quiet();
    PyObject *list = PyList_New(0);
    PyObject *tuple = PyTuple_New(1);
    REQUIRE(list != NULL && tuple != NULL);
    PyTuple_SET_ITEM(tuple, 0, list); /* steals */
    REQUIRE_EQ(PyList_Append(list, tuple), 0);
    Py_DECREF(tuple);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(collect(), 0);
}

TEST_PY(a_dropped_heap_type_is_collected_in_one_pass) /* C17 */
{
    baseline_quiet();
    PyTypeObject *type = node_heap_type(&N);
    PyObject *weakref = new_weakref((PyObject *)type, NULL);
    Py_DECREF(type);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 0);
    EXPECT_GE(collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_EQ(collect(), 0);
    Py_DECREF(weakref);
}

TEST_PY(a_dropped_heap_type_dies_with_its_instances) /* C17 */
{
    baseline_quiet();
    PyTypeObject *type = node_heap_type(&N);
    PyObject *weakref = new_weakref((PyObject *)type, NULL);
    PyObject *x = new_node(type, "x");
    link_nodes(x, x);
    Py_DECREF(type);
    EXPECT_EQ(collect(), 0); /* x needs its type */
    EXPECT_EQ(PyWeakref_IsDead(weakref), 0);
    Py_DECREF(x);
    EXPECT_GE(collect(), 3);
    EXPECT_STR(events(), "clear x, dealloc x");
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    EXPECT_EQ(collect(), 0);
    Py_DECREF(weakref);
}
