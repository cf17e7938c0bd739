/* SPDX-License-Identifier: MIT */
/* Reaching a candidate while marking: what detect.c and support.c do at every edge. */
#ifndef OURO_GC_MARK_H
#define OURO_GC_MARK_H

#include "detect.h"

static inline struct view
view_of(struct detector *detector)
{
    return (struct view){detector->shadow.bytes, detector->shadow.windows, detector};
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

#endif
