/* SPDX-License-Identifier: MIT */
/* What a cycle does with one object at a time, in its shadow: count it, mark it. */
#ifndef OURO_GC_TALLY_H
#define OURO_GC_TALLY_H

#include "cycle.h"

/* Values of a slot in the shadow of a cycle. */
#define CYCLE_TOUCHED 0x80 /* an edge ended here, or its turn came, while counting */
#define CYCLE_NOTED   0x40 /* its turn came before */
#define CYCLE_PASSED  0x20 /* it was not marked when its turn came */
#define CYCLE_MARKED  0x1f /* not 0; while counting: references from outside, modulo 32 */

static inline bool
is_tracked_container(PyObject *object)
{
    return PyObject_IS_GC(object) && link_is_tracked(link_of(object));
}

/* A candidate that is not marked. Slots of block 0 are nobody's. */
static inline bool
is_open(uint8_t value, uint32_t slot)
{
    return slot > SHADOW_PLACE_MASK && value != 0 && (value & CYCLE_MARKED) == 0;
}

/* The object's references are counted, or a piece of them: then cycle->large is not 0 afterwards.
 * False without memory. */
bool tally_count(struct cycle *cycle, struct detector *detector, PyObject *object);

/* Is there an object that has no support and is not held? Targets of frames count as not
 * held: towards trying them. */
bool tally_has_wanted(struct cycle *cycle);

/* If the object is marked, so is what it refers to, or a piece of it. */
void tally_mark(struct cycle *cycle, struct detector *detector, PyObject *object);

/* Follow what was marked after its turn: large containers excepted. No object may be remembered
 * for the next slice, so what time does not suffice for is as if it were not marked. */
void tally_follow(struct cycle *cycle, struct detector *detector, double deadline);

/* Is it noted, and not marked? */
bool tally_is_wanted(const struct cycle *cycle, PyObject *object);

#endif
