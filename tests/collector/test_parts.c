/* SPDX-License-Identifier: MIT */
/* Containers with more references than one slice may visit: a cycle visits them in parts. */
#include "vectors.h"

#include "../../src/base/fault.h"

TEST_PY(large_containers_are_visited_in_parts)
{
    drive_by_hand(8, 6);
    PyObject *list = PyList_New(LARGE), *tuple = PyTuple_New(LARGE);
    PyObject *dict = PyDict_New(), *set = PySet_New(NULL);
    static PyObject *nodes[4];
    for (int i = 0; i < 4; i++) {
        nodes[i] = new_node(&N, NULL); /* the last item of a large container each */
    }
    for (int i = 0; i < LARGE; i++) {
        PyObject *number = PyLong_FromLong(1000 + i);
        bool is_last = i == LARGE - 1;
        PyList_SetItem(list, i, is_last ? nodes[0] : Py_NewRef(number));
        PyTuple_SetItem(tuple, i, is_last ? nodes[1] : Py_NewRef(number));
        PyDict_SetItem(dict, number, is_last ? nodes[2] : Py_None);
        PySet_Add(set, is_last ? nodes[3] : number);
        Py_DECREF(number);
    }
    Py_DECREF(nodes[2]);
    Py_DECREF(nodes[3]);
    for (int i = 0; i < 4; i++) {
        set_a(nodes[i], nodes[i]);
    }
    Ouro_GCCollect(2);
    expect_many_slices();
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    PyList_Append(list, list); /* garbage, with its node, once it is dropped */
    Ouro_GCCollect(2);
    Py_DECREF(list);
    expect_many_slices();
    EXPECT_EQ(cycle_stats().most_garbage, 2);
    Py_DECREF(tuple);
    Py_DECREF(dict);
    Py_DECREF(set);
    EXPECT_EQ(Ouro_GCCollect(2), 3);
}

/* A page holds more large containers than a cycle can remember. */
TEST_PY(many_large_containers_in_one_page_are_all_visited)
{
    enum { LISTS = 50, ITEMS = 9000 };
    static PyObject *lists[LISTS], *nodes[LISTS];
    drive_by_hand(8, 6);
    for (int i = 0; i < LISTS; i++) {
        lists[i] = PyList_New(ITEMS);
        nodes[i] = new_node(&N, NULL);
        for (int k = 0; k < ITEMS; k++) {
            PyList_SET_ITEM(lists[i], k, Py_NewRef(k == ITEMS - 1 ? nodes[i] : Py_None));
        }
        set_a(nodes[i], nodes[i]);
        Py_DECREF(nodes[i]); /* the end of the list and the node itself hold it */
    }
    Ouro_GCCollect(2);
    start_cycle();
    finish_cycle();
    for (int i = 0; i < LISTS; i++) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
        set_b(nodes[i], lists[i]); /* garbage, once the test drops them */
        Py_DECREF(lists[i]);
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL); /* without a look at the clock */
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 2 * LISTS);
}

/* The sweep has passed the list beside the large container when a later part of the container
 * turns out to refer to that list. */
TEST_PY(what_is_behind_a_large_container_in_its_page_is_marked)
{
    enum { ITEMS = 20000 };
    drive_by_hand(8, 0);
    PyObject *next, *list = new_list_in_last_page(ITEMS, &next);
    for (int i = 0; i < ITEMS; i++) {
        PyList_SET_ITEM(list, i, i == ITEMS - 1 ? next : Py_NewRef(Py_None));
    }
    PyObject *node = new_node(&N, NULL);
    PyList_Append(next, node);
    Py_DECREF(node);
    Ouro_GCCollect(2);
    start_cycle();
    REQUIRE(step_to(CYCLE_GATHER + 1));
    EXPECT_EQ(gc_now()->cycle->proposals, 0);
    finish_cycle();
    Py_DECREF(list);
}

static PyObject *doomed_list; /* borrowed */

TEST_PY(a_large_container_that_dies_between_its_parts_is_let_go)
{
    enum { ITEMS = 50000 };
    drive_by_hand(8, 6);
    for (int reuse = 0; reuse < 2; reuse++) {
        doomed_list = PyList_New(ITEMS);
        for (int i = 0; i < ITEMS; i++) {
            PyList_SET_ITEM(doomed_list, i, Py_NewRef(Py_None));
        }
        Ouro_GCCollect(2);
        start_cycle();
        while (gc_now()->cycle->parts.count == 0) {
            REQUIRE(step_cycle());
        }
        Py_DECREF(doomed_list);
        if (reuse) { /* its slot holds a young list now, which the cycle ignores */
            doomed_list = PyList_New(0);
        }
        finish_cycle();
        if (reuse) {
            EXPECT_EQ(PyList_GET_SIZE(doomed_list), 0);
            Py_DECREF(doomed_list);
        }
    }
}

/* Each of them is visited in one piece, but not all of them at once. Some die while they wait. */
TEST_PY(containers_of_a_page_wait_when_many_references_were_met)
{
    enum { LISTS = 100, ITEMS = 500 };
    static PyObject *lists[LISTS];
    drive_by_hand(8, 6);
    for (int i = 0; i < LISTS; i++) {
        lists[i] = PyList_New(ITEMS);
        REQUIRE_NOT_NULL(lists[i]);
        for (int j = 0; j < ITEMS; j++) {
            PyList_SET_ITEM(lists[i], j, new_node(&N, NULL));
        }
    }
    PyObject *weakref = drop_old_ring(&N, 20);
    for (int dies = 0; dies < 2; dies++) {
        enum cycle_phase phases[] = {CYCLE_COUNT, CYCLE_MARK};
        start_cycle();
        for (int i = 0; i < 2; i++) {
            while (gc_now()->cycle->phase != phases[i] ||
                   gc_now()->cycle->parts.waiting_count == 0) {
                REQUIRE(step_cycle());
            }
            EXPECT_GT(gc_now()->cycle->parts.waiting_count, LISTS / 2);
            for (int k = 0; dies && k < 5; k++) {
                Py_CLEAR(lists[5 * i + k]);
            }
        }
        finish_cycle();
        EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
    for (int i = 0; i < LISTS; i++) {
        Py_XDECREF(lists[i]);
    }
    Py_DECREF(weakref);
}

/* A large container is evicted, and the rest of it is followed in parts. */
TEST_PY(an_evicted_container_is_followed_in_parts)
{
    enum { ITEMS = 20000 };
    drive_by_hand(8, 2);
    PyObject *list = PyList_New(ITEMS);
    for (int i = 0; i < ITEMS; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_SET_ITEM(list, i, node);
        if (i % 1000 == 0) {
            node_of(node)->a = PyList_New(0);
        }
    }
    PyList_Append(list, list);
    PyObject *weakref = new_weakref(PyList_GET_ITEM(list, 0), NULL);
    set_b(PyList_GET_ITEM(list, 0), list); /* the reference back to the list */
    Ouro_GCCollect(2);
    Py_DECREF(list);
    start_cycle();
    while (gc_now()->cycle->phase < CYCLE_RECOUNT) {
        run_one_step();
    }
    PyObject *back;
    REQUIRE_EQ(PyWeakref_GetRef(weakref, &back), 1);
    while (gc_now()->cycle != NULL) {
        run_one_step();
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    for (int i = 0; i < ITEMS; i += 1000) {
        PyObject *node = PyList_GET_ITEM(node_of(back)->b, i);
        EXPECT_EQ(Py_REFCNT(node_of(node)->a), 1);
    }
    Py_DECREF(back);
    Py_DECREF(weakref);
    EXPECT_EQ(Ouro_GCCollect(2), ITEMS + 1 + ITEMS / 1000);
}

/* The slot of a large container that died holds an old object that has no parts. */
TEST_PY(what_took_the_place_of_a_large_container_is_left_alone)
{
    enum { ITEMS = 50000, OTHERS = 40 };
    PyObject *others[OTHERS];
    drive_by_hand(8, 6);
    PyObject *tuple = PyTuple_New(ITEMS); /* a block of its own */
    for (int i = 0; i < ITEMS; i++) {
        PyTuple_SET_ITEM(tuple, i, i == 0 ? PyList_New(0) : Py_NewRef(Py_None));
    }
    Ouro_GCCollect(2);
    start_cycle();
    while (gc_now()->cycle->parts.count == 0) {
        run_one_step();
        REQUIRE_NOT_NULL(gc_now()->cycle);
    }
    Py_DECREF(tuple); /* its pages are unused */
    finish_cycle();
    for (int i = 0; i < OTHERS; i++) {
        others[i] = new_node(&N, NULL);
    }
    EXPECT(ouro_heap_verify(&ouro_current.interp->heap));
    for (int i = 0; i < OTHERS; i++) {
        Py_DECREF(others[i]);
    }
}

/* ---- types of the program ------------------------------------------------------------- */

TEST_PY(
    the_references_of_all_large_objects_are_noted_in_one_buffer_as_large_as_the_largest)
{
    drive_by_hand(8, 6);
    struct vector *vectors[3];
    for (int i = 0; i < 3; i++) {
        vectors[i] = new_vector(i == 2 ? 20 * LARGE : LARGE);
        vectors[i]->items[0] = new_node(&N, NULL);
    }
    Ouro_GCCollect(2);
    start_cycle();
    struct cycle *cy = gc_now()->cycle;
    uint32_t *before = NULL;
    for (int i = 0; i < 3; i++) {
        vector_visits = 0;
        EXPECT_EQ(
            ouro_collector_traverse_buffered((PyObject *)vectors[i], 0, count_visit, cy),
            -1);                    /* one reference: there is no second part */
        EXPECT(vector_visits == 2); /* of the object, and its reference */
        EXPECT_NULL(cy->buffer.visit);
        EXPECT(i != 1 || cy->buffer.slots == before);
        before = cy->buffer.slots;
    }
    EXPECT(cy->buffer.bytes / sizeof(uint32_t) >= 20 * LARGE);
    finish_cycle();
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(Py_REFCNT(vectors[i]->items[0]), 1);
        Py_DECREF(vectors[i]);
    }
}
