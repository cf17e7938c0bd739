/* SPDX-License-Identifier: MIT */
/* Containers with more references than one slice may visit: a cycle visits them in parts. */
#include "cycles.h"

#include <math.h>

#include "../../src/base/fault.h"

#define LARGE 100000

/* Step until the cycle is over; the most references that one slice can have visited is
 * bounded, so there are many slices. */
static void
expect_many_slices(void)
{
    Py_ssize_t slices = cycle_stats().slices;
    start_cycle();
    finish_cycle();
    EXPECT_GT(cycle_stats().slices, slices + 2 * LARGE / 4096);
}

TEST_PY(large_containers_are_visited_in_parts)
{
    drive_by_hand(8, 6);
    PyObject *list = PyList_New(LARGE), *tuple = PyTuple_New(LARGE);
    PyObject *dict = PyDict_New(), *set = PySet_New(NULL);
    static PyObject *nodes[4];
    for (int i = 0; i < 4; i++) {
        nodes[i] = new_node(&N, NULL); /* held by one large container each, at its end */
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
    PyList_Append(list, list); /* garbage, with its node, when it is dropped */
    Ouro_GCCollect(2);
    Py_DECREF(list);
    expect_many_slices();
    EXPECT_EQ(cycle_stats().most_garbage, 2);
    Py_DECREF(tuple);
    Py_DECREF(dict);
    Py_DECREF(set);
    EXPECT_EQ(Ouro_GCCollect(2), 3);
}

/* A page holds more large containers than a cycle can keep in mind. */
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
        Py_DECREF(nodes[i]); /* held by the end of the list, and by itself */
    }
    Ouro_GCCollect(2);
    start_cycle();
    finish_cycle();
    for (int i = 0; i < LISTS; i++) {
        EXPECT_EQ(Py_REFCNT(nodes[i]), 2);
        set_b(nodes[i], lists[i]); /* garbage, once we let go */
        Py_DECREF(lists[i]);
    }
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL); /* and without a look at the clock */
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 2 * LISTS);
}

/* What a large container refers to is part of its component, whichever part it is in. The
 * nodes at its end come first in the heap: cut off from it, they could not be proved. */
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
    set_b(nodes[NODES - 1], list); /* the way back, from its first part */
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

/* The sweep has passed the list next to it when a later part turns out to refer to that. */
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
        if (reuse) { /* its slot holds a young list now, which is not looked at */
            doomed_list = PyList_New(0);
        }
        finish_cycle();
        if (reuse) {
            EXPECT_EQ(PyList_GET_SIZE(doomed_list), 0);
            Py_DECREF(doomed_list);
        }
    }
}

/* Large containers in every phase: one is evicted, and the rest of it is followed in parts. */
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
    set_b(PyList_GET_ITEM(list, 0), list); /* the way back to it */
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

/* The slot of a large container that died holds something that has no parts, and is old. */
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

struct vector {
    PyObject_VAR_HEAD
    PyObject *items[];
};

static int vector_visits;

static int
vector_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct vector *self = (struct vector *)op;
    vector_visits++;
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static int
vector_clear(PyObject *op)
{
    struct vector *self = (struct vector *)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_CLEAR(self->items[i]);
    }
    return 0;
}

static void
vector_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    vector_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject vector_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "parts.Vector",
    .tp_basicsize = sizeof(struct vector),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = vector_traverse,
    .tp_clear = vector_clear,
    .tp_dealloc = vector_dealloc,
};

static struct vector *
new_vector(Py_ssize_t size)
{
    REQUIRE_EQ(PyType_Ready(&vector_type), 0);
    struct vector *self = PyObject_GC_NewVar(struct vector, &vector_type, size);
    REQUIRE_NOT_NULL(self);
    memset(self->items, 0, (size_t)size * sizeof *self->items);
    PyObject_GC_Track((PyObject *)self);
    return self;
}

TEST_PY(a_large_object_of_another_type_is_visited_in_one_call_and_looked_at_in_parts)
{
    drive_by_hand(8, 6);
    struct vector *vector = new_vector(LARGE);
    PyObject *held = new_node(&N, NULL), *dropped = new_node(&N, NULL);
    set_a(held, held);
    set_a(dropped, (PyObject *)vector); /* both garbage when the vector is dropped */
    for (int i = 0; i < LARGE - 2; i++) {
        vector->items[i] = Py_NewRef(held);
    }
    vector->items[LARGE - 2] = Py_NewRef(Py_None);
    vector->items[LARGE - 1] = dropped; /* moved */
    Ouro_GCCollect(2);
    vector_visits = 0;
    expect_many_slices();
    EXPECT(OURO_CHECK ||
           vector_visits == 2); /* counting, marking; the checker looks too */
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

static int
count_visit(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    vector_visits++;
    return 0;
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

/* It visits each item twice: more than there are words. */
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
