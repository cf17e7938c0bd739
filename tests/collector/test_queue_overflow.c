/* SPDX-License-Identifier: MIT */
/* A container with more references than the queues of a cycle hold. */
#include "cycles.h"

#include <math.h>

#define OVERFLOWING (OURO_QUEUE_LENGTH + OURO_QUEUE_LENGTH / 16)

/* A list refers to more objects than the queue can hold, each of which refers to another. */
static PyObject *
new_wide_list(void)
{
    PyObject *list = PyList_New(OVERFLOWING);
    REQUIRE_NOT_NULL(list);
    for (Py_ssize_t i = 0; i < OVERFLOWING; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_SET_ITEM(list, i, node);
        if (i % 1000 == 0) {
            node_of(node)->a = new_node(&N, NULL); /* moved */
        }
    }
    return list;
}

static void
expect_wide_list(PyObject *list)
{
    for (Py_ssize_t i = 0; i < OVERFLOWING; i += 1000) {
        PyObject *node = PyList_GET_ITEM(list, i);
        EXPECT_EQ(Py_REFCNT(node), 1);
        EXPECT_EQ(Py_REFCNT(node_of(node)->a), 1);
    }
}

TEST_PY(marking_gets_everywhere_when_its_queue_overflows, .timeout = 240)
{
    drive_by_hand(8, 0);
    PyObject *list = new_wide_list();
    PyObject *last =
        new_list_in_last_page(0, NULL); /* all nodes are behind the sweep then */
    PyList_SetSlice(last, 0, 0, list);
    EXPECT_GT(last, PyList_GET_ITEM(last, OVERFLOWING - 1));
    Py_DECREF(list);
    PyObject
        *behind[5000]; /* pages that the sweep has yet to see when the queue is full */
    for (int i = 0; i < 5000; i++) {
        behind[i] = PyTuple_Pack(1, last);
    }
    Ouro_GCCollect(2);
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_NULL(gc_now()->cycle);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(cycle_stats().proofs, 0);
    expect_wide_list(last);
    for (int i = 0; i < 5000; i++) {
        Py_DECREF(behind[i]);
    }
    Py_DECREF(last);
}

/* Everything was proposed, and comes back before the proof. */
TEST_PY(eviction_and_proof_get_everywhere_when_their_queues_overflow, .timeout = 240)
{
    for (uint32_t rounds = 0; rounds <= 2; rounds += 2) {
        drive_by_hand(8, rounds);
        PyObject *list = new_wide_list();
        PyList_Append(list, list);
        PyObject *holder = new_node(&N, NULL);
        set_a(holder, list);
        Ouro_GCCollect(2);
        PyObject *back = PyList_GET_ITEM(list, OVERFLOWING - 1); /* borrowed */
        set_b(back, list); /* all of it is one component, garbage when it is proposed */
        Py_DECREF(list);
        set_a(holder, NULL);
        start_cycle();
        enum cycle_phase phase = rounds == 0 ? CYCLE_CONFIRM : CYCLE_RECOUNT;
        while (gc_now()->cycle->phase < phase) {
            run_one_step();
            REQUIRE_NOT_NULL(gc_now()->cycle);
        }
        PyObject *all = Ouro_GCGetObjects(2);
        Py_ssize_t at = PySequence_Index(all, list);
        REQUIRE(at >= 0);
        set_a(holder, list);
        Py_DECREF(all);
        ouro_cycle_run(ouro_current.interp, HUGE_VAL);
        EXPECT_NULL(gc_now()->cycle);
        EXPECT_EQ(cycle_stats().most_garbage, 0);
        expect_wide_list(list);
        Py_DECREF(holder);
        EXPECT_GT(Ouro_GCCollect(2), OVERFLOWING);
    }
}

/* More than half of what the queue holds: it is worked off in the middle of the sweep. */
#define OVERFULL (OURO_QUEUE_LENGTH / 2 + OURO_QUEUE_LENGTH / 32)

/* What the queue leads to is followed, however far behind the sweep it is; and what is ahead
 * of the sweep is left to it. */
TEST_PY(marking_looks_at_each_object_once_when_its_queue_is_worked_off_early,
        .timeout = 240)
{
    enum { CHAINS = 500 };
    static PyObject *chains[CHAINS];
    int ahead_of_it = 0;
    drive_by_hand(8, 0);
    PyObject *list = PyList_New(OVERFULL);
    for (uint32_t i = 0; i < OVERFULL; i++) {
        PyList_SET_ITEM(list, i, new_node(&N, NULL));
    }
    for (int i = 0; i < CHAINS; i++) {
        chains[i] = new_node(&N, NULL);
        node_of(chains[i])->a = new_node(&N, NULL);
    }
    PyObject *last =
        new_list_in_last_page(0, NULL); /* all of them are behind the sweep */
    PyList_SetSlice(last, 0, 0, list);
    Py_DECREF(list);
    for (int i = 0; i < CHAINS; i++) {
        PyObject *ahead = PyTuple_New(3000); /* two to a page */
        PyTuple_SET_ITEM(ahead, 0, Py_NewRef(last));
        EXPECT(last > chains[i]);
        ahead_of_it += ahead > last;
        node_of(node_of(chains[i])->a)->a = ahead;
        node_of(PyList_GET_ITEM(last, i))->a = chains[i]; /* both are moved */
    }
    EXPECT_GT(ahead_of_it, CHAINS / 2);
    Ouro_GCCollect(2);
    start_cycle();
    struct cycle *cy = gc_now()->cycle;
    while (cy->phase <= CYCLE_GATHER) {
        run_one_step();
    }
    EXPECT_EQ(cy->phase, CYCLE_RELEASE);
    EXPECT_EQ(cy->proposals, 0);
    EXPECT_EQ(cy->marked, cy->c.candidates);
    finish_cycle();
    Py_DECREF(last);
    EXPECT_GT(Ouro_GCCollect(2), OVERFULL);
}
