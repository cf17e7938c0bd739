/* SPDX-License-Identifier: MIT */
/* Counts of 128 and more, whose low 7 bits may be zero, are exact in the end. Objects that user
 * code brings back are kept. */
#include "graphs.h"

static void
hold_times(PyObject *op, int times)
{
    for (int i = 0; i < times; i++) {
        Py_INCREF(op);
    }
}

static void
drop_times(PyObject *op, int times)
{
    for (int i = 0; i < times; i++) {
        Py_DECREF(op);
    }
}

static const int round_counts[] = {128, 256, 512, 65536, 65536 + 256, 131072};
#define ROUND_COUNTS ((int)(sizeof round_counts / sizeof round_counts[0]))

TEST_PY(a_round_number_of_outside_references_is_not_zero)
{
    begin_graph();
    for (int i = 0; i < ROUND_COUNTS * 3; i++) {
        int count = round_counts[i % ROUND_COUNTS], generation = i / ROUND_COUNTS;
        PyObject *x = new_node(&N, NULL);
        PyObject *below = new_node(&N, NULL); /* x refers to it and keeps it alive */
        link_nodes(x, below);
        link_nodes(below, below);
        Py_DECREF(below);
        hold_times(x, count - 1);
        EXPECT_EQ(Py_REFCNT(x), count);
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(Py_REFCNT(x), count);
        EXPECT_EQ(x->ob_gc >> 16, 0); /* these bits held the exact count meanwhile */
        EXPECT_EQ(Py_REFCNT(below), 2);
        drop_times(x, count);
        EXPECT_EQ(collect(), 1);
    }
}

/* The residue is zero, although there are many references from outside and from inside. */
TEST_PY(outside_references_are_told_from_many_inside_ones)
{
    begin_graph();
    for (int i = 0; i < ROUND_COUNTS * 3; i++) {
        int count = round_counts[i % ROUND_COUNTS], generation = i / ROUND_COUNTS;
        PyObject *x = new_node(&N, NULL);
        PyObject *hub = new_hub(700, x);
        link_nodes(x, hub);
        hold_times(x, count - 1);
        Py_DECREF(hub);
        EXPECT_EQ(Ouro_GCCollect(generation), 0);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(Py_REFCNT(x), count + 700);
        drop_times(x, count);
        EXPECT_EQ(collect(), 2);
    }
    EXPECT_EQ(hub_deaths, ROUND_COUNTS * 3);
}

TEST_PY(garbage_with_many_inside_references_is_collected)
{
    static const int sizes[] = {127, 128, 129, 255,   256,   257,   511,
                                512, 513, 700, 65535, 65536, 65537, 70000};
    for (int i = 0; i < 42; i++) {
        begin_graph();
        int size = sizes[i % 14], generation = i / 14;
        PyObject *x = new_node(&N, NULL);
        PyObject *hub = new_hub(size, x);
        link_nodes(x, hub);
        Py_DECREF(hub);
        EXPECT_EQ(collect(), 0);
        PyObject *young = new_node(&N, NULL);
        PyObject *young_hub = new_hub(size, young);
        link_nodes(young, young_hub);
        Py_DECREF(young_hub);
        Py_DECREF(young);
        Py_DECREF(x);
        EXPECT_EQ(Ouro_GCCollect(generation), generation == 2 ? 4 : 2);
        EXPECT_EQ(collect(), generation == 2 ? 0 : 2);
        EXPECT_EQ(hub_deaths, 2);
        EXPECT_EQ(node_deaths, 2);
    }
}

/* The exact counts of all objects are looked at, because the residue of one is misleading. */
TEST_PY(garbage_with_many_inside_references_is_collected_beside_a_round_count)
{
    begin_graph();
    PyObject *held = new_node(&N, NULL);
    hold_times(held, 127);
    PyObject *x = new_node(&N, NULL);
    PyObject *hub = new_hub(65600, x);
    link_nodes(x, hub);
    Py_DECREF(hub);
    Py_DECREF(x);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(Py_REFCNT(held), 128);
    drop_times(held, 128);
}

/* The number of long-lived objects decides when the next full collection is worth it. */
TEST_PY(survivors_with_round_counts_are_counted_as_long_lived)
{
    begin_graph();
    static PyObject *nodes[100];
    Py_ssize_t before = ouro_current.interp->gc.growth.long_lived_total;
    for (int i = 0; i < 100; i++) {
        nodes[i] = new_node(&N, NULL);
        hold_times(nodes[i], 255);
    }
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(ouro_current.interp->gc.growth.long_lived_total - before, 100);
    for (int i = 0; i < 100; i++) {
        drop_times(nodes[i], 256);
    }
}

TEST_PY(objects_that_a_full_collection_destroys_are_not_counted_as_long_lived)
{
    begin_graph();
    PyObject *kept = new_node(&N, NULL);
    Py_ssize_t before = ouro_current.interp->gc.growth.long_lived_total;
    for (int i = 0; i < 100; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(collect(), 100);
    EXPECT_EQ(ouro_current.interp->gc.growth.long_lived_total - before, 1);
    Py_DECREF(kept);
}

TEST_PY(more_round_counts_than_the_queue_has_room_for_are_exact, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    begin_graph();
    PyObject *hub = new_star(MANY);
    PyObject **leaves = malloc(MANY * sizeof *leaves);
    REQUIRE(leaves != NULL);
    for (Py_ssize_t i = 0; i < MANY; i++) {
        leaves[i] = ((struct hub *)hub)->items[i];
        link_nodes(leaves[i], leaves[i]);
        Py_SET_REFCNT(leaves[i], 2 + 128);
    }
    Py_DECREF(hub);
    EXPECT_EQ(collect(), 0);
    const struct heap *heap = &ouro_current.interp->heap;
    int marks = 0;
    for (Py_ssize_t i = 0; i < MANY; i++) {
        marks += heap->slots.bytes[ouro_heap_offset(heap, leaves[i]) >> OURO_GRAIN_SHIFT];
        Py_SET_REFCNT(leaves[i], 1); /* its own */
    }
    EXPECT_EQ(marks, 0); /* collection.inv.counters */
    free(leaves);
    EXPECT_EQ(collect(), MANY);
}

/* The search for references that explain a large count meets all kinds of objects. */
TEST_PY(large_counts_are_explained_beside_references_to_the_outside)
{
    for (int generation = 0; generation <= 2; generation++) {
        baseline_quiet();
        PyObject *x = new_node(&N, NULL), *list = PyList_New(400);
        PyObject *live = new_node(&N, NULL);
        for (int i = 0; i < 400; i++) {
            PyObject *item = i % 100 == 0 ? Py_None : i % 100 == 1 ? live : x;
            PyList_SET_ITEM(list, i, Py_NewRef(item));
        }
        set_a(x, list);
        Py_DECREF(list);
        Py_DECREF(x);
        EXPECT_EQ(Ouro_GCCollect(generation), 2);
        EXPECT_EQ(Py_REFCNT(live), 1);
        Py_DECREF(live);
    }
}
