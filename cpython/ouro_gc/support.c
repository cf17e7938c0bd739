/* SPDX-License-Identifier: MIT */
/* Finds support for old candidates that have lost theirs; support.h says how. */
#include "support.h"

#include "mark.h"

#include <string.h>

/* If more old candidates than this have lost their support, they are probably garbage. */
#define LOST_MOST 32
/* Much is in doubt if more than one candidate in this many was not reached from the others. */
#define DOUBT_SHARE 16
/* Each further search for support looks at this many times more candidates. */
#define SUPPORT_GROWTH 8

/* How many of the first candidates are wanted. These are noted first. */
static size_t
count_lost(const struct detector *detector, size_t limit)
{
    size_t lost = 0;
    while (lost < detector->notes.count && detector->notes.items[lost] < limit) {
        lost++;
    }
    return lost;
}

static void
begin_support(struct detector *detector, const uint32_t *slots, size_t lost, size_t limit)
{
    uint8_t *bytes = detector->shadow.bytes;
    for (size_t i = 0; i < limit; i++) {
        bool is_held = (*shadow_byte(bytes, slots[i]) & SLOT_RESIDUE) != 0;
        *shadow_byte(bytes, slots[i]) = is_held ? SLOT_HELD : SLOT_UNREACHED;
    }
    for (size_t i = 0; i < lost; i++) {
        *shadow_byte(bytes, slots[detector->notes.items[i]]) |= SLOT_WANTED;
    }
    detector->wanted = lost;
}

/* The order that is being made. Reached candidates come first, each behind a candidate that
 * reached it. Then come those that were passed. */
struct support {
    uint32_t *slots;  /* the first `reached` have their new places */
    uint32_t *passed; /* candidates that were not reached before their turn */
    size_t reached, turn, passed_count;
};

static void
follow_slot(struct detector *detector, struct support *support, uint32_t slot)
{
    support->slots[support->reached++] = slot;
    read_edges(&detector->plans, slot_object(detector->shadow.bases, slot), mark_edge,
               mark_visit, mark_visit, view_of(detector));
}

/* Whether a longer search is useless: no wanted candidate was reached, and little is in doubt. Then
 * the wanted candidates, and what they lead to, are probably garbage, and a mark finds that out
 * faster. */
static bool
is_hopeless(const struct detector *detector, const struct support *support, size_t lost)
{
    return detector->wanted == lost &&
           support->passed_count <= support->turn / DOUBT_SHARE;
}

/* Follow candidates that were reached after their turn. */
static void
follow_late(struct detector *detector, struct support *support)
{
    struct numbers *stack = &detector->stack;
    while (stack->count != 0 && detector->wanted != 0) {
        follow_slot(detector, support, stack->items[--stack->count]);
    }
    while (stack->count != 0) {
        support->slots[support->reached++] = stack->items[--stack->count];
    }
}

/* Follow candidates in order, until the wanted ones are reached. */
static void
reach_wanted(struct detector *detector, struct support *support, size_t doubt,
             size_t limit)
{
    uint8_t *bytes = detector->shadow.bytes;
    size_t lost = detector->wanted;
    for (; support->turn < limit && detector->wanted != 0; support->turn++) {
        if (support->turn == doubt && is_hopeless(detector, support, lost)) {
            break;
        }
        uint32_t slot = support->slots[support->turn];
        fetch_ahead(&detector->shadow, support->slots, support->turn, limit);
        if (*shadow_byte(bytes, slot) < SLOT_TOUCHED) {
            *shadow_byte(bytes, slot) |= SLOT_PASSED;
            support->passed[support->passed_count++] = slot;
            continue;
        }
        follow_slot(detector, support, slot);
        follow_late(detector, support);
    }
}

/* Candidates that were passed and never reached go behind the others. */
static void
put_passed_back(struct detector *detector, struct support *support)
{
    size_t out = support->reached;
    for (size_t i = 0; i < support->passed_count; i++) {
        uint32_t slot = support->passed[i];
        if (*shadow_byte(detector->shadow.bytes, slot) < SLOT_TOUCHED) {
            support->slots[out++] = slot;
        }
    }
}

/* Reached candidates are no longer wanted. Others among the first may have new indexes. */
static void
renew_notes(struct detector *detector, const uint32_t *slots, size_t lost, size_t limit)
{
    uint32_t *notes = detector->notes.items;
    size_t wanted = 0;
    for (size_t i = 0; i < limit && wanted < detector->wanted; i++) {
        uint8_t value = *shadow_byte(detector->shadow.bytes, slots[i]);
        if ((value & (SLOT_TOUCHED | SLOT_WANTED)) == SLOT_WANTED) {
            notes[wanted++] = (uint32_t)i;
        }
    }
    size_t others = detector->notes.count - lost;
    memmove(notes + wanted, notes + lost, others * sizeof(*notes));
    detector->wanted = detector->notes.count = wanted + others;
}

/* Restore the slots. They only say whether a candidate is held, not how many times. */
static void
end_support(struct detector *detector, const uint32_t *slots, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        uint8_t *value = shadow_byte(detector->shadow.bytes, slots[i]);
        *value = *value == SLOT_HELD ? SLOT_HELD : SLOT_TOUCHED;
    }
}

/* Look at the first `doubt` candidates, and up to `limit` if there is hope. Returns whether it is
 * worth looking at more of them. */
static bool
support_first(struct detector *detector, uint32_t *slots, size_t doubt, size_t limit)
{
    size_t lost = count_lost(detector, limit);
    if (lost == 0 || lost > LOST_MOST || !numbers_reserve(&detector->stack, limit) ||
        !numbers_reserve(&detector->queue, limit)) {
        return false;
    }
    struct support support = {.slots = slots, .passed = detector->queue.items};
    begin_support(detector, slots, lost, limit);
    reach_wanted(detector, &support, doubt, limit);
    put_passed_back(detector, &support);
    if (support.turn > detector->renewed) {
        detector->renewed = support.turn;
    }
    bool is_worth = detector->wanted == lost && !is_hopeless(detector, &support, lost);
    renew_notes(detector, slots, lost, limit);
    end_support(detector, slots, limit);
    return is_worth;
}

bool
support_find(struct detector *detector, uint32_t *slots, size_t fresh, size_t limit)
{
    size_t doubt;
    do {
        doubt = limit;
        limit = fresh / SUPPORT_GROWTH < limit ? fresh : limit * SUPPORT_GROWTH;
    } while (support_first(detector, slots, doubt, limit) && limit < fresh);
    return detector->wanted == 0;
}
