/* SPDX-License-Identifier: MIT */
/* What a cycle does with one object at a time, in its shadow: count it, mark it. */
#ifndef OURO_GC_TALLY_H
#define OURO_GC_TALLY_H

#include "cycle.h"

/* Values of a slot in the shadow of a cycle. */
#define CYCLE_TOUCHED 0x80 /* an edge ended here, or its turn came, while counting */
#define CYCLE_NOTED   0x40 /* no edge had ended here before its turn */
#define CYCLE_PASSED  0x20 /* it was not marked when its turn came */
#define CYCLE_MARKED  0x1f /* not 0; while counting: references from outside, modulo 32 */

static inline bool
is_tracked_container(PyObject *object)
{
    return PyObject_IS_GC(object) && link_is_tracked(link_of(object));
}

/* A candidate that is not marked. Slots of block 0 belong to no object. */
static inline bool
is_open(uint8_t value, uint32_t slot)
{
    return slot > SHADOW_PLACE_MASK && value != 0 && (value & CYCLE_MARKED) == 0;
}

/* Count the object's references, or a piece of them. After a piece cycle->large is not 0. False
 * without memory. */
bool tally_count(struct cycle *cycle, struct detector *detector, PyObject *object);

/* Whether there is an object that has no support and is not held. Targets of frames count as not
 * held: if in doubt, they are tried. */
bool tally_has_wanted(struct cycle *cycle);

/* If the object is marked, mark what it refers to, or a piece of that. */
void tally_mark(struct cycle *cycle, struct detector *detector, PyObject *object);

/* Follow objects that were marked after their turn, except large containers. No object may be
 * remembered for the next slice. So objects for which the time does not suffice count as not
 * marked. */
void tally_follow(struct cycle *cycle, struct detector *detector, double deadline);

/* Whether the object is noted and not marked. */
bool tally_is_wanted(const struct cycle *cycle, PyObject *object);

#endif
