/* SPDX-License-Identifier: MIT */
/* Proposals are cut up into sets that do not refer to each other. */
#include "cycles.h"

/* Proposals refer to other objects when components are joined without a recount. */
TEST_PY(components_are_cut_at_what_is_alive)
{
    drive_by_hand(8, 0);
    PyObject *live = new_node(&N, NULL), *nodes[10];
    for (int i = 0; i < 10; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
        set_b(nodes[i], live);
    }
    Ouro_GCCollect(2);
    for (int i = 0; i < 10; i++) {
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 10);
    EXPECT_EQ(Py_REFCNT(live), 1);
    Py_DECREF(live);
}

/* All objects that a large container refers to belong to its component, whichever part of the
 * container refers to them. The nodes at its end are first in the heap: without the container
 * they could not be proved. */
TEST_PY(the_parts_of_a_large_container_are_one_component)
{
    enum { NODES = 20, ITEMS = NODES * 1000 };
    PyObject *nodes[NODES];
    drive_by_hand(8, 0);
    for (int i = 0; i < NODES; i++) {
        nodes[i] = new_node(&N, NULL);
        set_a(nodes[i], nodes[i]);
    }
    PyObject *other; /* of another component, in the same page */
    PyObject *list = new_list_in_last_page(ITEMS, &other);
    for (int i = 0; i < ITEMS; i++) {
        PyObject *item = i % 1000 == 0 ? nodes[NODES - 1 - i / 1000] : Py_NewRef(Py_None);
        PyList_SET_ITEM(list, i, item);
    }
    set_b(nodes[NODES - 1], list); /* the reference back, from the first part */
    PyList_Append(other, other);
    Ouro_GCCollect(2);
    Py_DECREF(list);
    Py_DECREF(other);
    Py_ssize_t failed = cycle_stats().failed_proofs;
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().failed_proofs, failed);
    EXPECT_EQ(cycle_stats().most_garbage, NODES + 2);
}
