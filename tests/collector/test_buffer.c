/* SPDX-License-Identifier: MIT */
/* Large objects of types that cannot be visited in parts: their references are noted in one
 * call, and looked at in parts. */
#include "vectors.h"

#include "../../src/base/fault.h"

TEST_PY(a_large_object_of_another_type_is_visited_in_one_call_and_looked_at_in_parts)
{
    drive_by_hand(8, 6);
    struct vector *vector = new_vector(LARGE);
    PyObject *held = new_node(&N, NULL), *dropped = new_node(&N, NULL);
    set_a(held, held);
    set_a(dropped, (PyObject *)vector); /* both are garbage once the vector is dropped */
    for (int i = 0; i < LARGE - 2; i++) {
        vector->items[i] = Py_NewRef(held);
    }
    vector->items[LARGE - 2] = Py_NewRef(Py_None);
    vector->items[LARGE - 1] = dropped; /* moved */
    Ouro_GCCollect(2);
    vector_visits = 0;
    expect_many_slices();
    EXPECT(OURO_CHECK ||
           vector_visits == 2); /* counting, marking; the checker visits, too */
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(Py_REFCNT(held), LARGE);
    Py_DECREF(held);
    Py_DECREF(vector);
    expect_many_slices();
    EXPECT_EQ(cycle_stats().most_garbage, 3);
}

TEST_PY(a_large_object_that_dies_while_its_references_are_looked_at_is_let_go)
{
    drive_by_hand(8, 6);
    for (int phase = CYCLE_COUNT; phase <= CYCLE_MARK; phase++) {
        struct vector *vector = new_vector(LARGE);
        for (int i = 0; i < LARGE; i++) {
            vector->items[i] = new_node(&N, NULL);
        }
        Ouro_GCCollect(2);
        start_cycle();
        while (gc_now()->cycle->buffer.visit == NULL ||
               gc_now()->cycle->phase != (enum cycle_phase)phase) {
            REQUIRE(step_cycle());
        }
        Py_DECREF(vector); /* and all nodes */
        struct vector *other = new_vector(LARGE);
        finish_cycle();
        EXPECT_EQ(cycle_stats().most_garbage, 0);
        Py_DECREF(other);
        EXPECT_EQ(Ouro_GCCollect(2), 0);
    }
}

TEST_PY(without_memory_for_its_references_a_large_object_is_looked_at_at_once)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    drive_by_hand(8, 6);
    struct vector *vector = new_vector(LARGE);
    vector->items[LARGE - 1] = new_node(&N, NULL);
    Ouro_GCCollect(2);
    for (int64_t n = 1; n <= 2; n++) { /* reserved, committed */
        start_cycle();
        ouro_fault_arm(n);
        step_to(CYCLE_MARK);
        ouro_fault_arm(0);
        REQUIRE_NOT_NULL(gc_now()->cycle);
        EXPECT_NULL(gc_now()->cycle->buffer.slots);
        finish_cycle();
        EXPECT_EQ(cycle_stats().out_of_memory, 0);
    }
    EXPECT_EQ(Py_REFCNT(vector->items[LARGE - 1]), 1);
    Py_DECREF(vector);
}

TEST_PY(what_took_the_place_of_a_large_object_of_another_type_has_nothing_to_go_on_with)
{
    drive_by_hand(8, 6);
    struct vector *vector = new_vector(LARGE);
    start_cycle();
    vector_visits = 0;
    Py_ssize_t next = ouro_collector_traverse_buffered((PyObject *)vector, 4096,
                                                       count_visit, gc_now()->cycle);
    EXPECT_EQ(next, -1);
    EXPECT_EQ(vector_visits, 0);
    finish_cycle();
    Py_DECREF(vector);
}

TEST_PY(while_the_references_of_one_large_object_are_noted_others_are_looked_at_at_once)
{
    drive_by_hand(8, 6);
    struct vector *one = new_vector(LARGE), *other = new_vector(LARGE);
    PyObject *node = new_node(&N, NULL);
    for (int i = 0; i < LARGE; i++) {
        one->items[i] = Py_NewRef(node);
    }
    Ouro_GCCollect(2);
    start_cycle();
    Py_ssize_t next = ouro_collector_traverse_buffered((PyObject *)one, 0, count_visit,
                                                       gc_now()->cycle);
    EXPECT_EQ(next, 4096);
    next = ouro_collector_traverse_buffered((PyObject *)other, 0, count_visit,
                                            gc_now()->cycle);
    EXPECT_EQ(next, -1);
    finish_cycle();
    Py_DECREF(one);
    Py_DECREF(other);
    Py_DECREF(node);
}

/* Visits each item twice: more references than the object has words. */
static int
vector_traverse_twice(PyObject *op, visitproc visit, void *arg)
{
    int result = vector_traverse(op, visit, arg);
    return result != 0 ? result : vector_traverse(op, visit, arg);
}

TEST_PY(a_large_object_with_more_references_than_words_is_visited_whole, .mistakes = true)
{
    drive_by_hand(8, 6);
    vector_type.tp_traverse = vector_traverse_twice;
    struct vector *vector = new_vector(LARGE);
    PyObject *node = new_node(&N, NULL);
    for (int i = 0; i < LARGE; i++) {
        vector->items[i] = Py_NewRef(node);
        Py_INCREF(node); /* a vector's item is two references here */
    }
    Ouro_GCCollect(2);
    expect_many_slices();
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(Py_REFCNT(node), 2 * LARGE + 1);
    vector_type.tp_traverse = vector_traverse;
    for (int i = 0; i < LARGE; i++) {
        Py_DECREF(node);
    }
    Py_DECREF(vector);
    Py_DECREF(node);
}
