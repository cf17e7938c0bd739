/* SPDX-License-Identifier: MIT */
/* Fault injection: make the n-th allocation of the library fail.
 *
 * Debug builds only; elsewhere ouro_fault() is the constant false. Armed by a test, or by
 * OURO_FAIL_ALLOC=n in the environment when the library is initialised. */
#ifndef OURO_BASE_FAULT_H
#define OURO_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Let the n-th allocation from now fail, and only that one; 0 disarms. */
void ouro_fault_arm(int64_t n);
/* Let the n-th and every later one fail: memory is gone. */
void ouro_fault_arm_from(int64_t n);
/* Allocations seen since the last of these. */
int64_t ouro_fault_seen(void);
/* True when allocations are being counted. */
bool ouro_fault_is_armed(void);

/* A function that is told of every allocation and whether it will fail, armed or not; its
 * answer decides. NULL for none. The test runner uses it to learn which calls of the library
 * allocate, and to let each of them fail (tests/sites.c). */
extern bool (*ouro_fault_witness)(bool fails);
/* True when every allocation must ask ouro_fault(), including those with a fast path. */
bool ouro_fault_is_watched(void);

bool ouro_fault_hits(void);

/* To be asked by every allocation: must this one fail? */
static inline bool
ouro_fault(void)
{
    return OURO_DEBUG && ouro_fault_hits();
}

#endif
