/* SPDX-License-Identifier: MIT */
/* Counting: each candidate has a turn, in which its references are counted; detect.h has the plan.
 *
 * The order of the turns is the proof. Old objects have an order that was a proof before. New
 * objects are put in order while they are counted. */
#ifndef OURO_GC_COUNT_H
#define OURO_GC_COUNT_H

#include "detect.h"

/* Give slots[low] to slots[high - 1], at most DETECT_BLOCK, their turns. Before that, each slot must
 * be zero, or set by edges only. The contents of these objects have been prefetched. Meanwhile this
 * prefetches the contents of the objects whose turn is next: next[0] and on. */
#define DETECT_BLOCK 64
void detect_count_block(struct detector *detector, const uint32_t *slots, size_t low,
                        size_t high, const uint32_t *next, size_t next_count);

/* The same for any number of them. */
void detect_count(struct detector *detector, const uint32_t *slots, size_t low,
                  size_t high);

/* Candidates whose order is not known to be a proof get an order while they are counted. If an edge
 * has ended at a candidate, it has its turn at once. The others wait while a block of later
 * candidates, which may refer to them, is looked at. So a structure of some tens of objects needs no
 * mark, in whatever order its parts were made. */
struct arrangement {
    uint32_t *slots;
    size_t done,
        end; /* candidates up to `done` had their turns, those up to `end` wait */
};

/* slots[end] and on are the next candidates, at most DETECT_BLOCK, as for detect_count_block(). */
void arrange_block(struct detector *detector, struct arrangement *order, size_t count,
                   const uint32_t *next, size_t next_count);

/* Give all candidates that still wait their turns. */
void arrange_rest(struct detector *detector, struct arrangement *order);

/* Arrange slots[low] to slots[high - 1]. */
void detect_arrange(struct detector *detector, uint32_t *slots, size_t low, size_t high);

/* Remember the slots that an edge has ended at. */
void detect_early(struct detector *detector, const uint32_t *slots, size_t count);

#endif
