/* SPDX-License-Identifier: MIT */
/* Each invariant of a cycle is broken once, and the checker sees it. */
#include "cycles.h"

static struct cycle *cycle;

/* A cycle over garbage, a huge ring of 1,000 objects, in the given phase. */
static void
cycle_in_phase(enum cycle_phase phase)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 1000));
    start_cycle();
    REQUIRE(step_to(phase));
    cycle = gc_now()->cycle;
    REQUIRE_EQ(cycle->phase, phase);
    REQUIRE(ouro_cycle_verify(cycle));
}

TEST_PY(a_page_with_a_wrong_number_of_proposals_is_seen) /* [cycle.inv.position] */
{
    cycle_in_phase(CYCLE_RECOUNT);
    uint32_t page = cycle->order != NULL ? cycle->pages - 1 : 0;
    cycle->base[page]++;
    EXPECT(!ouro_cycle_verify(cycle));
    cycle->base[page]--;
}

TEST_PY(a_wrong_rank_is_seen) /* [cycle.inv.position] */
{
    cycle_in_phase(CYCLE_RECOUNT);
    size_t word = 0;
    while (cycle->proposed[word] == 0) {
        word++;
    }
    cycle->rank[word]++;
    EXPECT(!ouro_cycle_verify(cycle));
    cycle->rank[word]--;
}

TEST_PY(a_wrong_number_of_proposals_is_seen) /* [cycle.inv.position] */
{
    cycle_in_phase(CYCLE_RECOUNT);
    cycle->proposals++;
    EXPECT(!ouro_cycle_verify(cycle));
    cycle->proposals--;
}

TEST_PY(a_slot_in_the_order_that_was_not_proposed_is_seen) /* [cycle.inv.position] */
{
    cycle_in_phase(CYCLE_CONFIRM);
    uint32_t slot = cycle->order[0];
    cycle->order[0] = 0;
    EXPECT(!ouro_cycle_verify(cycle));
    cycle->order[0] = slot;
}

TEST_PY(a_condemned_object_that_is_not_pinned_is_seen) /* [cycle.inv.members] */
{
    cycle_in_phase(CYCLE_CLEAR);
    PyObject *op = ouro_member_at(&cycle->c, cycle->order[cycle->proof.first]);
    REQUIRE_NOT_NULL(op);
    ouro_object_clear(op, OURO_GC_CONDEMNED);
    EXPECT(!ouro_cycle_verify(cycle));
    ouro_object_set(op, OURO_GC_CONDEMNED);
}

TEST_PY(a_condemned_object_that_is_gone_is_seen) /* [cycle.inv.members] */
{
    cycle_in_phase(CYCLE_CLEAR);
    uint32_t slot = cycle->order[cycle->proof.first];
    cycle->order[cycle->proof.first] = 0; /* where no object is */
    EXPECT(!ouro_cycle_verify(cycle));
    cycle->order[cycle->proof.first] = slot;
}

TEST_PY(a_pinned_object_that_nobody_condemned_is_seen) /* [cycle.inv.members] */
{
    PyObject *x = new_node(&N, NULL);
    cycle_in_phase(CYCLE_CONFIRM);
    ouro_object_set(x, OURO_GC_CONDEMNED);
    EXPECT(!ouro_cycle_verify(cycle));
    ouro_object_clear(x, OURO_GC_CONDEMNED);
    Py_DECREF(x);
}
