/* SPDX-License-Identifier: MIT */
/* The invariants of cycle.h, checked one by one. For tests and paranoid builds; false at the
 * first that does not hold. */
#include "cycle.h"

static bool
is_valid_position(const struct cycle *cy, size_t slot)
{
    return ouro_cycle_is_proposed(cy, slot) &&
           ouro_cycle_position(cy, slot) < cy->proposals;
}

/* cycle.inv.position: ranks count the bits before them. */
static bool
verify_positions(const struct cycle *cy)
{
    uint32_t position = 0;
    for (size_t word = 0; word < cy->slots / 64; word++) {
        if (word % OURO_PAGE_BIT_WORDS == 0 &&
            cy->base[word / OURO_PAGE_BIT_WORDS] != position) {
            return false;
        }
        uint32_t before = cy->base[word / OURO_PAGE_BIT_WORDS] + cy->rank[word];
        if (cy->proposed[word] != 0 && before != position) {
            return false;
        }
        position += ouro_bit_count(cy->proposed[word]);
    }
    return position == cy->proposals;
}

/* The rest of the component that is being destroyed. It has pins from the phase condemn on. */
static bool
verify_members(const struct cycle *cy)
{
    for (uint32_t at = cy->proof.first; at < cy->proof.last; at++) {
        PyObject *op = ouro_member_at(&cy->c, cy->order[at]);
        bool is_pinned = op != NULL && ouro_object_has(op, OURO_GC_CONDEMNED);
        bool expected = cy->phase != CYCLE_CONDEMN || at < cy->proof.at;
        if (op == NULL || is_pinned != expected) {
            return false;
        }
    }
    return true;
}

struct flag_count {
    uint32_t flagged;
};

static bool
count_flagged(PyObject *op, void *arg)
{
    struct flag_count *count = arg;
    count->flagged += ouro_object_has(op, OURO_GC_CONDEMNED);
    return true;
}

/* cycle.inv.members: no other object is pinned between slices. */
static bool
verify_pins(const struct cycle *cy)
{
    struct flag_count count = {0};
    ouro_heap_each(cy->c.heap, count_flagged, &count);
    uint32_t expected = 0;
    if (ouro_cycle_is_clearing(cy)) {
        expected = (cy->phase == CYCLE_CONDEMN ? cy->proof.at : cy->proof.last) -
                   cy->proof.first;
    }
    return count.flagged == expected;
}

bool
ouro_cycle_verify(const struct cycle *cy)
{
    bool has_positions = cy->phase > CYCLE_GATHER && cy->phase < CYCLE_RELEASE &&
                         cy->phase != CYCLE_DOUBT &&
                         !(cy->is_short && cy->proposals == 0);
    if (has_positions && !verify_positions(cy)) {
        return false;
    }
    for (uint32_t i = 0; cy->phase == CYCLE_CONFIRM && i < cy->ordered; i++) {
        if (!is_valid_position(cy, cy->order[i])) {
            return false;
        }
    }
    return (!ouro_cycle_is_clearing(cy) || verify_members(cy)) && verify_pins(cy);
}
