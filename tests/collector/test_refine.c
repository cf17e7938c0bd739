/* SPDX-License-Identifier: MIT */
/* Proposals that turn out to be alive: they are evicted, and so is what they reach. */
#include "cycles.h"

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
        set_b(back, list); /* everything is one component, and garbage when proposed */
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

/* The object becomes immortal after it was proposed. */
TEST_PY(a_proposal_that_becomes_immortal_is_evicted, .no_leak_check = true)
{
    drive_by_hand(8, 6);
    drop_old_cycle(&N, "x", NULL);
    start_cycle();
    REQUIRE(step_to(CYCLE_RECOUNT));
    PyObject *nodes = list_of_nodes();
    REQUIRE_EQ(PyList_GET_SIZE(nodes), 1);
    Py_SET_REFCNT(PyList_GET_ITEM(nodes, 0), (Py_ssize_t)1 << 40);
    Py_DECREF(nodes);
    finish_cycle();
    EXPECT_STR(events(), "");
}

TEST_PY(proposals_whose_pages_are_gone_when_they_are_counted_again_are_passed_over)
{
    SKIP_CHECKED("keeps freed blocks");
    enum { MANY = 5000 }; /* several pages */
    static PyObject *nodes[MANY];
    const struct heap *heap = &ouro_current.interp->heap;
    drive_by_hand(8, 6);
    make_old_heap(nodes, MANY);
    for (int i = 0; i < MANY; i++) {
        Py_DECREF(nodes[i]);
    }
    start_cycle();
    REQUIRE(step_to(CYCLE_RECOUNT));
    EXPECT_EQ(gc_now()->cycle->proposals, MANY);
    for (int i = MANY / 2; i < MANY; i++) {
        unlink_node(nodes[i]);
    }
    EXPECT_EQ(ouro_heap_page_of(heap, nodes[MANY * 3 / 4])->state, OURO_PAGE_UNUSED);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, MANY / 2);
    EXPECT(ouro_heap_verify(heap));
}
