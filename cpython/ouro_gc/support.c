/* SPDX-License-Identifier: MIT */
/* Support for old candidates that have lost the one that came before them; support.h says how. */
#include "support.h"

#include "mark.h"

#include <string.h>

#define LOST_MOST                                                                        \
    32 /* old candidates that have lost their support; where there are more, it is garbage */
#define DOUBT_SHARE                                                                      \
    16 /* much is in doubt if more than this part was not reached from the others */
#define SUPPORT_GROWTH 8 /* support is looked for among so many times more candidates */

/* How many of the wanted candidates are among the first? They are noted first. */
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

/* In order, until the wanted ones are reached; what is reached after its turn is not followed.
 * Returns how many had been followed; *turns is how many had had their turns when the last wanted
 * one was reached. */
static size_t
reach_wanted(struct detector *detector, const uint32_t *slots, size_t limit,
             size_t *turns)
{
    uint8_t *bytes = detector->shadow.bytes;
    size_t wanted = detector->wanted, followed = 0;
    *turns = 0;
    for (size_t i = 0; i < limit && wanted != 0; i++) {
        if (*shadow_byte(bytes, slots[i]) < SLOT_TOUCHED) {
            *shadow_byte(bytes, slots[i]) |= SLOT_PASSED;
            continue;
        }
        PyObject *object = slot_object(detector->shadow.bases, slots[i]);
        read_edges(&detector->plans, object, mark_edge, mark_visit, mark_visit,
                   view_of(detector));
        *turns = detector->wanted < wanted ? i + 1 : *turns;
        wanted = detector->wanted;
        followed++;
    }
    detector->stack.count = 0;
    return followed;
}

/* Those that were reached before their turn come first. Returns how many. */
static size_t
put_reached_first(struct detector *detector, uint32_t *slots, size_t count)
{
    uint32_t *others = detector->stack.items;
    size_t reached = 0, other = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t value = *shadow_byte(detector->shadow.bytes, slots[i]);
        if (value == SLOT_TOUCHED || value == SLOT_HELD) {
            slots[reached++] = slots[i];
        } else {
            others[other++] = slots[i];
        }
    }
    memcpy(slots + reached, others, other * sizeof(*slots));
    return reached;
}

/* Those that were reached are wanted no more; others of the first may have new indexes. */
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

/* As it was before, but that a candidate is held or not, no matter how many times. */
static void
end_support(struct detector *detector, const uint32_t *slots, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        uint8_t *value = shadow_byte(detector->shadow.bytes, slots[i]);
        *value = *value == SLOT_HELD ? SLOT_HELD : SLOT_TOUCHED;
    }
}

/* True if more candidates are worth a try: no wanted one was reached, and much is in doubt. */
static bool
support_first(struct detector *detector, uint32_t *slots, size_t limit)
{
    size_t lost = count_lost(detector, limit), turns;
    if (lost == 0 || lost > LOST_MOST || !numbers_reserve(&detector->stack, limit)) {
        return false;
    }
    begin_support(detector, slots, lost, limit);
    size_t followed = reach_wanted(detector, slots, limit, &turns);
    detector->renewed = put_reached_first(detector, slots, turns);
    renew_notes(detector, slots, lost, limit);
    end_support(detector, slots, limit);
    return turns == 0 && limit - followed > limit / DOUBT_SHARE;
}

bool
support_find(struct detector *detector, uint32_t *slots, size_t fresh, size_t limit)
{
    while (limit < fresh && support_first(detector, slots, limit)) {
        limit *= SUPPORT_GROWTH;
    }
    if (limit >= fresh) {
        support_first(detector, slots, fresh);
    }
    return detector->wanted == 0;
}
