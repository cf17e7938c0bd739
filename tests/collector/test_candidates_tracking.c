/* SPDX-License-Identifier: MIT */
/* What is tracked, and which objects are candidates: scenarios C1 to C7. */
#include "nodes.h"

TEST_PY(track_and_untrack_are_seen_by_is_tracked) /* C1 */
{
    baseline_quiet();
    PyObject *x = new_untracked_node(&N, NULL);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 0);
    PyObject_GC_Track(x);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    PyObject_GC_UnTrack(x);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 0);
    PyObject_GC_UnTrack(x);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 0);
    PyObject_GC_Track(x);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    Py_DECREF(x);
}

TEST_PY(tracking_twice_is_fatal) /* C1 */
{
    PyObject *x = new_node(&N, NULL);
    EXPECT_FATAL(PyObject_GC_Track(x), "already tracked");
    Py_DECREF(x);
}

TEST_PY(generic_alloc_tracks_at_once) /* C2 */
{
    EXPECT_EQ(PyType_Ready(&N), 0);
    PyObject *x = PyType_GenericAlloc(&N, 0);
    REQUIRE_NOT_NULL(x);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    EXPECT_EQ(Py_REFCNT(x), 1);
    Py_DECREF(x);
}

static void
expect_not_gc(PyObject *op)
{
    REQUIRE_NOT_NULL(op);
    EXPECT_EQ(PyObject_IS_GC(op), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 0);
    EXPECT_EQ(PyObject_GC_IsFinalized(op), 0);
    Py_DECREF(op);
}

TEST_PY(atoms_and_static_types_are_not_gc) /* C3 */
{
    expect_not_gc(PyLong_FromLong(1));
    expect_not_gc(PyLong_FromLong(123456789));
    expect_not_gc(PyFloat_FromDouble(1.5));
    expect_not_gc(PyUnicode_FromString("a text"));
    expect_not_gc(PyBytes_FromString("some bytes"));
    expect_not_gc(Py_NewRef(Py_None));
    expect_not_gc(Py_NewRef(Py_True));
    expect_not_gc(PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type));
    EXPECT_EQ(PyType_Ready(&N), 0);
    expect_not_gc(Py_NewRef((PyObject *)&N));
    expect_not_gc(Py_NewRef((PyObject *)&PyType_Type));
}

TEST_PY(heap_types_are_tracked) /* C3 */
{
    PyObject *type = (PyObject *)node_heap_type(&N);
    EXPECT_EQ(PyObject_IS_GC(type), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(type), 1);
    Py_DECREF(type);
}

TEST_PY(garbage_that_was_never_tracked_lives_on) /* C4 */
{
    baseline_quiet();
    PyObject *x = new_untracked_node(&N, "x");
    link_nodes(x, x);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0);
    EXPECT_STR(events(), "");
    EXPECT_EQ(Py_REFCNT(x), 1);
    PyObject_GC_Track(x); /* now it can be found */
    EXPECT_EQ(collect(), 1);
    EXPECT_STR(events(), "clear x, dealloc x");
}

TEST_PY(an_untracked_owner_keeps_its_referents_alive) /* C5 */
{
    baseline_quiet();
    PyObject *x = new_untracked_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_nodes(y, y);
    link_nodes(x, y);
    Py_DECREF(y);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(Py_REFCNT(y), 2);
    PyObject_GC_Track(x);
    link_nodes(x, x);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("dealloc x"), 1);
    EXPECT_EQ(count_events("dealloc y"), 1);
}

static void
expect_tracked(PyObject *op)
{
    REQUIRE_NOT_NULL(op);
    EXPECT_EQ(PyObject_IS_GC(op), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    Py_DECREF(op);
}

TEST_PY(builtin_containers_are_tracked_from_creation) /* C6 */
{
    expect_tracked(PyList_New(0));
    expect_tracked(PyDict_New());
    expect_tracked(new_callback("a builtin function"));
    PyObject *x = new_node(&N, NULL);
    expect_tracked(new_weakref(x, NULL));
    expect_tracked(new_weakref(x, "a callback"));
    Py_DECREF(x);
}

TEST_PY(an_immortal_object_is_untracked_and_holds_its_referents, .mistakes = true,
        .no_leak_check = true) /* C7 */
{
    baseline_quiet();
    PyObject *x = new_node(&N, "x");
    PyObject *y = new_node(&N, "y");
    link_nodes(x, y);
    EXPECT_EQ(PyUnstable_SetImmortal(x), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 0);
    link_nodes(y, y);
    Py_DECREF(y);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_STR(events(), "");
    EXPECT_EQ(Py_REFCNT(y), 2);
}

TEST_PY(a_collection_untracks_immortal_objects_that_it_meets, .mistakes = true,
        .no_leak_check = true) /* C7 */
{
    for (int i = 0; i < 6; i++) {
        int generation = i / 2;
        baseline_quiet();
        mark_always(i % 2 != 0);
        PyObject *x = new_node(&N, "x");
        PyObject *y = new_node(&N, "y");
        link_both_ways(x, y);
        Py_SET_REFCNT(x, (Py_ssize_t)1 << 40);
        EXPECT_EQ(PyUnstable_IsImmortal(x), 1);
        EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
        Py_DECREF(y); /* held by x alone */
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(PyObject_GC_IsTracked(x), 0);
        EXPECT_EQ(PyObject_GC_IsTracked(y), 1);
        EXPECT_EQ(collect(), 0);
        EXPECT_STR(events(), "");
    }
}

/* A candidate refers to the untracked object, and marking reaches it. */
TEST_PY(an_untracked_object_that_is_reached_is_not_followed)
{
    for (int generation = 0; generation <= 2; generation += 2) {
        baseline_quiet();
        PyObject *y = new_untracked_node(&N, "y"); /* at a lower address, perhaps */
        PyObject *x = new_node(&N, "x"), *z = new_node(&N, "z");
        set_a(x, y);
        set_b(x, x);
        set_a(y, z);
        set_a(z, y);
        mark_always(true);
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(Py_REFCNT(z), 2); /* held by y, which is not collected */
        Py_DECREF(z);
        unlink_node(x);
        Py_DECREF(x);
        unlink_node(y);
        Py_DECREF(y);
        EXPECT_STR(events(), "dealloc x, dealloc z, dealloc y");
    }
}
