/* SPDX-License-Identifier: MIT */
/* Marking when more objects wait than the queue has room for. */
#include "graphs.h"

/* Behind each node of the star hangs another, allocated before it. */
static void
hang_leaves_behind(PyObject *hub, PyObject *leaves)
{
    struct hub *star = (struct hub *)hub, *others = (struct hub *)leaves;
    for (Py_ssize_t i = 0; i < Py_SIZE(hub); i++) {
        set_a(star->items[i], others->items[i]);
    }
}

/* By proofs or, if `marks`, by marking. */
static void
star_survives_and_dies(int generation, bool marks)
{
    begin_graph();
    PyObject *leaves = new_star(MANY);
    PyObject *hub = new_star(MANY);
    hang_leaves_behind(hub, leaves);
    Py_DECREF(leaves);
    PyObject *last = ((struct hub *)hub)->items[MANY - 1];
    link_nodes(last, hub);
    EXPECT_EQ(hub_deaths, 1);
    mark_always(marks);
    EXPECT_EQ(Ouro_GCCollect(generation), 0);
    EXPECT_EQ(collect(), 0);
    mark_always(false);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(node_deaths, 0);
    Py_DECREF(hub);
    EXPECT_EQ(collect(), 2 * MANY + 1);
    EXPECT_EQ(node_deaths, 2 * MANY);
    EXPECT_EQ(hub_deaths, 2);
    EXPECT_EQ(collect(), 0);
}

TEST_PY(a_star_larger_than_the_queue_survives_a_young_collection, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    star_survives_and_dies(0, false);
    star_survives_and_dies(0, true);
}

TEST_PY(a_star_larger_than_the_queue_survives_a_middle_collection, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    star_survives_and_dies(1, false);
    star_survives_and_dies(1, true);
}

TEST_PY(a_star_larger_than_the_queue_survives_a_full_collection, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    star_survives_and_dies(2, false);
    star_survives_and_dies(2, true);
}

static void
save_hub(struct node *self)
{
    Py_XSETREF(rescued, Py_NewRef(self->a));
}

/* More objects leave the unreachable set than the queue can hold. */
TEST_PY(a_star_larger_than_the_queue_can_be_resurrected, .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    begin_graph();
    PyObject *leaves = new_star(MANY);
    PyObject *hub = new_star(MANY);
    hang_leaves_behind(hub, leaves);
    Py_DECREF(leaves);
    hub_deaths = 0;
    PyObject *saviour = new_node(&F, NULL);
    link_nodes(saviour, hub);
    link_nodes(saviour, saviour);
    when_finalized = save_hub;
    Py_DECREF(hub);
    Py_DECREF(saviour);
    EXPECT_EQ(collect(), 1); /* the saviour itself */
    EXPECT_EQ(rescued, hub);
    EXPECT_EQ(node_deaths, 1);
    for (Py_ssize_t i = 0; i < MANY; i++) {
        PyObject *node = ((struct hub *)hub)->items[i];
        REQUIRE(node != NULL && node_of(node)->a != NULL);
        REQUIRE_EQ(Py_REFCNT(node), 1);
        REQUIRE_EQ(PyObject_GC_IsTracked(node), 1);
    }
    EXPECT_EQ(collect(), 0);
    Py_CLEAR(rescued);
    EXPECT_EQ(node_deaths, 2 * MANY + 1);
}

/* An object with tp_del refers to more objects than the queue can hold. */
TEST_PY(a_star_larger_than_the_queue_can_be_uncollectable, .mistakes = true,
        .timeout = 120)
{
    SKIP_CHECKED("needs minutes for so many objects");
    begin_graph();
    PyObject *hub = new_star(MANY);
    PyObject *legacy = new_node(&D, NULL);
    link_nodes(legacy, hub);
    link_nodes(legacy, legacy);
    Py_DECREF(hub);
    Py_DECREF(legacy);
    EXPECT_EQ(collect(), MANY + 2);
    EXPECT_EQ(node_deaths, 0);
    unlink_node(legacy);
    EXPECT_EQ(node_deaths, MANY);
    REQUIRE_EQ(PyList_SetSlice(Ouro_GCGarbage(), 0, 1, NULL), 0);
}
