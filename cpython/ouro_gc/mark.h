/* SPDX-License-Identifier: MIT */
/* Reaching candidates while marking, and following those that were reached after their turn. */
#ifndef OURO_GC_MARK_H
#define OURO_GC_MARK_H

#include "detect.h"

static inline struct view
view_of(struct detector *detector)
{
    return (struct view){detector->shadow.bytes, detector->shadow.windows, detector,
                         NULL};
}

static inline bool
is_unreached(uint8_t value)
{
    return (value & (SLOT_TOUCHED | SLOT_CLOSURE | SLOT_UNREACHED)) == SLOT_UNREACHED;
}

OURO_INLINE void
reach_slot(struct detector *detector, uint8_t *bytes, uint32_t slot)
{
    uint8_t value = *shadow_byte(bytes, slot);
    if (!is_unreached(value)) {
        return;
    }
    detector->wanted -= value & SLOT_WANTED;
    if ((value & SLOT_PASSED) != 0) {
        *shadow_byte(bytes, slot) = SLOT_MOVED;
        detector->stack.items[detector->stack.count++] = slot;
    } else {
        *shadow_byte(bytes, slot) = SLOT_TOUCHED;
    }
}

OURO_INLINE void
mark_edge(PyObject *target, struct view view)
{
    reach_slot(view.arg, view.bytes, slot_number(view.windows, target));
}

static inline int
mark_visit(PyObject *target, void *arg)
{
    mark_edge(target, view_of(arg));
    return 0;
}

/* The next object to be followed; NULL at the end. Mostly it is the one that was reached last, so
 * that objects which lie together stay together in the order. A few objects wait meanwhile for
 * their memory. */
PyObject *mark_next(struct detector *detector);

/* The objects that were followed belong behind the candidate at this index. */
void mark_end_drain(struct detector *detector, size_t behind);

/* Everything was looked at: objects that are still unreached, or in the closure, are garbage. */
size_t mark_condemn(struct detector *detector, const uint32_t *slots, size_t first,
                    size_t count);

#endif
