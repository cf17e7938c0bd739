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
/* Allocations seen since the last ouro_fault_arm(). */
int64_t ouro_fault_seen(void);
/* True when allocations are being counted. */
bool ouro_fault_is_armed(void);

bool ouro_fault_hits(void);

/* To be asked by every allocation: must this one fail? */
static inline bool
ouro_fault(void)
{
    return OURO_DEBUG && ouro_fault_hits();
}

#endif
