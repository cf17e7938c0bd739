/* SPDX-License-Identifier: MIT */
/* Few candidates in many pages: garbage is found and other objects are kept when counts are kept
 * in the headers of objects. */
#include "nodes.h"

#include <stdlib.h>

#include "../../src/collector/collection.h"

static int node_deaths;

static void
count_death(struct node *Py_UNUSED(self))
{
    node_deaths++;
}

/* Count in headers, however few pages there are. */
static void
begin_few(void)
{
    baseline_quiet();
    ouro_current.interp->gc.few_pages = 0;
    when_deallocated = count_death;
    node_deaths = 0;
}

#define FEW 40 /* together with the interpreter's objects at most 64 in a page */

/* Whether the last collection left the side words alone. */
static bool
side_words_are_clear(PyObject *op)
{
    const struct heap *heap = &ouro_current.interp->heap;
    return heap->slots.words[ouro_heap_offset(heap, op) >> OURO_GRAIN_SHIFT] == 0;
}

enum direction { UPWARDS = 1, DOWNWARDS = 2 };

static int
compare_addresses(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

/* Nodes in the order of their addresses, each linked to its neighbours in these directions. The
 * only reference from outside is to node `held`. */
static void
make_line(PyObject **nodes, int direction, int held)
{
    for (int i = 0; i < FEW; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    qsort(nodes, FEW, sizeof nodes[0], compare_addresses);
    for (int i = 0; i + 1 < FEW; i++) {
        set_a(nodes[i], (direction & UPWARDS) != 0 ? nodes[i + 1] : NULL);
        set_b(nodes[i + 1], (direction & DOWNWARDS) != 0 ? nodes[i] : NULL);
    }
    for (int i = 0; i < FEW; i++) {
        if (i != held) {
            Py_DECREF(nodes[i]);
        }
    }
}

TEST_PY(few_objects_are_kept_whichever_way_they_are_held)
{
    SKIP_CHECKED("quarantined blocks stay in their pages");
    static const struct {
        int direction, held;
    } lines[] = {{UPWARDS, 0},
                 {DOWNWARDS, FEW - 1},
                 {UPWARDS | DOWNWARDS, 0},
                 {UPWARDS | DOWNWARDS, FEW - 1},
                 {UPWARDS | DOWNWARDS, FEW / 2}};
    PyObject *nodes[FEW];
    for (int i = 0; i < 5; i++) {
        for (int generation = 0; generation <= 2; generation++) {
            begin_few();
            make_line(nodes, lines[i].direction, lines[i].held);
            EXPECT_EQ(Ouro_GCCollect(generation), 0);
            EXPECT_EQ(node_deaths, 0);
            EXPECT(side_words_are_clear(nodes[0]));
            EXPECT_EQ(collect(), 0);
            Py_DECREF(nodes[lines[i].held]);
            int left = FEW - node_deaths; /* reference counts free a simple list */
            EXPECT_EQ(collect(), left);
            EXPECT_EQ(node_deaths, FEW);
        }
    }
}

TEST_PY(garbage_among_few_objects_is_found)
{
    PyObject *nodes[FEW];
    for (int generation = 0; generation <= 2; generation++) {
        begin_few();
        make_line(nodes, UPWARDS | DOWNWARDS, FEW / 2);
        drop_self_cycle(&N, NULL);
        PyObject *x = new_node(&N, NULL), *y = new_node(&N, NULL);
        set_a(x, y);
        set_a(y, x);
        set_b(x, nodes[0]);
        Py_DECREF(x);
        Py_DECREF(y);
        EXPECT_EQ(Ouro_GCCollect(generation), 3);
        EXPECT_EQ(node_deaths, 3);
        EXPECT_EQ(collect(), 0);
        Py_DECREF(nodes[FEW / 2]);
        EXPECT_EQ(collect(), FEW);
    }
}

/* Each object refers to itself only. */
TEST_PY(garbage_alone_in_its_pages_is_found)
{
    begin_few();
    for (int i = 0; i < FEW; i++) {
        drop_self_cycle(&N, NULL);
    }
    EXPECT_EQ(collect(), FEW);
    EXPECT_EQ(node_deaths, FEW);
}

TEST_PY(headers_are_clean_after_counting_in_them)
{
    PyObject *nodes[FEW];
    begin_few();
    make_line(nodes, UPWARDS | DOWNWARDS, FEW / 2);
    PyObject *untracked = new_untracked_node(&N, NULL);
    set_a(nodes[FEW - 1], untracked);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(Ouro_GCCollect(i), 0);
        for (int k = 0; k < FEW; k++) {
            EXPECT_EQ(nodes[k]->ob_gc >> 16, 0);
        }
        EXPECT_EQ(untracked->ob_gc >> 16, 0);
    }
    Py_DECREF(untracked);
    Py_DECREF(nodes[FEW / 2]);
    EXPECT_EQ(collect(), FEW);
    EXPECT_EQ(node_deaths, FEW + 1);
}

TEST_PY(a_round_number_of_references_to_one_of_few_is_not_zero)
{
    static const int counts[] = {256, 512, 65536};
    for (int i = 0; i < 3; i++) {
        begin_few();
        PyObject *node = new_node(&N, NULL);
        set_a(node, node);
        for (int k = 0; k < counts[i] - 1; k++) {
            Py_INCREF(node);
        }
        EXPECT_EQ(Py_REFCNT(node), counts[i] + 1);
        EXPECT_EQ(collect(), 0);
        EXPECT_EQ(node_deaths, 0);
        for (int k = 0; k < counts[i]; k++) {
            Py_DECREF(node);
        }
        EXPECT_EQ(collect(), 1);
    }
}

TEST_PY(few_young_objects_are_held_by_old_ones)
{
    begin_few();
    PyObject *old = new_node(&N, NULL);
    EXPECT_EQ(collect(), 0);
    PyObject *young = new_node(&N, NULL);
    set_a(young, old);
    set_a(old, young);
    Py_DECREF(young);
    EXPECT_EQ(Ouro_GCCollect(0), 0);
    EXPECT_EQ(old->ob_gc >> 16, 0);
    Py_DECREF(old);
    EXPECT_EQ(Ouro_GCCollect(1), 0);
    EXPECT_EQ(collect(), 2);
}

TEST_PY(few_objects_beside_frozen_ones_are_found)
{
    begin_few();
    PyObject *frozen = new_node(&N, NULL);
    Ouro_GCFreeze();
    PyObject *node = new_node(&N, NULL);
    set_a(node, frozen);
    set_b(node, node);
    EXPECT_EQ(collect(), 0);
    Py_DECREF(node);
    EXPECT_EQ(collect(), 1);
    EXPECT_EQ(Py_REFCNT(frozen), 1);
    Ouro_GCUnfreeze();
    Py_DECREF(frozen);
}

TEST_PY(objects_that_fill_their_pages_are_not_few)
{
    static PyObject *nodes[2000];
    begin_few();
    for (int i = 0; i < 2000; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], i > 0 ? nodes[i - 1] : NULL);
    }
    struct _is *interp = ouro_current.interp;
    struct collection c = ouro_collection_of(interp, OURO_YOUNG);
    ouro_heap_hold(&interp->heap);
    REQUIRE(ouro_gather_candidates(&c));
    EXPECT(!ouro_candidates_are_few(&c));
    ouro_release_candidates(&c);
    ouro_heap_unhold(&interp->heap);
    for (int i = 0; i < 2000; i++) {
        Py_DECREF(nodes[i]);
    }
    EXPECT_EQ(node_deaths, 2000);
}

/* A page that is full does not count as sparse, even if few objects fit in it. */
TEST_PY(objects_of_a_kibibyte_that_fill_their_pages_are_not_few)
{
    static PyObject *tuples[2000];
    begin_few();
    for (int i = 0; i < 2000; i++) {
        tuples[i] = PyTuple_New(125);
    }
    struct _is *interp = ouro_current.interp;
    struct collection c = ouro_collection_of(interp, OURO_YOUNG);
    ouro_heap_hold(&interp->heap);
    REQUIRE(ouro_gather_candidates(&c));
    EXPECT(!ouro_candidates_are_few(&c));
    ouro_release_candidates(&c);
    ouro_heap_unhold(&interp->heap);
    for (int i = 0; i < 2000; i++) {
        Py_DECREF(tuples[i]);
    }
}

TEST_PY(a_small_heap_is_counted_in_its_tables)
{
    PyObject *nodes[FEW];
    begin_few();
    ouro_current.interp->gc.few_pages = OURO_FEW_PAGES;
    make_line(nodes, UPWARDS | DOWNWARDS, FEW / 2);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0); /* the second collection numbers them */
    EXPECT(!side_words_are_clear(nodes[0]) || !side_words_are_clear(nodes[FEW - 1]));
    Py_DECREF(nodes[FEW / 2]);
    EXPECT_EQ(collect(), FEW);
}
