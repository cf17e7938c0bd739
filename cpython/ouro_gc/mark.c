/* SPDX-License-Identifier: MIT */
/* Following candidates that were reached late, and condemning the rest; see mark.h. */
#include "mark.h"

#define WAITING 8 /* reached objects that are prefetched while another is followed */

PyObject *
mark_next(struct detector *detector)
{
    struct numbers *stack = &detector->stack, *queue = &detector->queue;
    while (detector->waiting < WAITING && stack->count != 0) {
        uint32_t slot = stack->items[--stack->count];
        fetch_object(slot_object(detector->shadow.bases, slot));
        queue->items[queue->count + detector->waiting++] = slot;
    }
    if (detector->waiting == 0) {
        return NULL;
    }
    detector->waiting--;
    return slot_object(detector->shadow.bases, queue->items[queue->count++]);
}

void
mark_end_drain(struct detector *detector, size_t behind)
{
    if (!numbers_append(&detector->drains, (uint32_t)behind) ||
        !numbers_append(&detector->drains, (uint32_t)detector->queue.count)) {
        detector->no_memory = true;
    }
}

size_t
mark_condemn(struct detector *detector, const uint32_t *slots, size_t first, size_t count)
{
    uint8_t *bytes = detector->shadow.bytes;
    size_t unreachable = 0;
    for (size_t i = first; i < count; i++) {
        if (*shadow_byte(bytes, slots[i]) < SLOT_TOUCHED) {
            *shadow_byte(bytes, slots[i]) = SLOT_GARBAGE;
            unreachable++;
        }
    }
    return unreachable;
}
