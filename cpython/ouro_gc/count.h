/* SPDX-License-Identifier: MIT */
/* Counting: each candidate has its turn, when its references are counted; detect.h has the plan.
 *
 * The order of turns is the proof. What is old has an order that was one; what is new is arranged
 * while it is counted. */
#ifndef OURO_GC_COUNT_H
#define OURO_GC_COUNT_H

#include "detect.h"

/* Give slots[low] to slots[high - 1], at most DETECT_BLOCK, their turns. Each slot must have been
 * zero, or set by edges only, before. Their contents have been fetched; meanwhile those whose
 * turn comes then are: next[0] and on. */
#define DETECT_BLOCK 64
void detect_count_block(struct detector *detector, const uint32_t *slots, size_t low,
                        size_t high, const uint32_t *next, size_t next_count);

/* The same for any number of them. */
void detect_count(struct detector *detector, const uint32_t *slots, size_t low,
                  size_t high);

/* Candidates whose order is not known to be a proof get one as they are counted. Those that an
 * edge has ended at have their turn at once; the others wait while a block of later ones is
 * looked at, which may refer to them. So a structure of some tens of objects needs no mark,
 * whatever order its parts were made in. */
struct arrangement {
    uint32_t *slots;
    size_t done,
        end; /* the candidates up to `done` had their turns, others up to `end` wait */
};

/* slots[end] and on are the next candidates, at most DETECT_BLOCK, as for detect_count_block(). */
void arrange_block(struct detector *detector, struct arrangement *order, size_t count,
                   const uint32_t *next, size_t next_count);

/* Those that still wait have their turns. */
void arrange_rest(struct detector *detector, struct arrangement *order);

/* Arrange slots[low] to slots[high - 1]. */
void detect_arrange(struct detector *detector, uint32_t *slots, size_t low, size_t high);

/* Remember those slots that an edge has ended at. */
void detect_early(struct detector *detector, const uint32_t *slots, size_t count);

#endif
