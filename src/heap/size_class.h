/* SPDX-License-Identifier: MIT */
/* Size -> size class -> slot size.
 *
 * Steps of 16 bytes to 512, sixteen classes per doubling to 8 KiB, then as many equal slots
 * as fit a page (7 to 2). Larger blocks have no class (large.c). Classes come twice: plain,
 * and with a 16-byte lead before the object for the words of a managed dict and managed
 * weak references. */
#ifndef OURO_HEAP_SIZE_CLASS_H
#define OURO_HEAP_SIZE_CLASS_H

#include <stddef.h>
#include <stdint.h>

#define OURO_GRAIN_SHIFT 5 /* slots are at least 32 bytes: offset >> 5 numbers them */
#define OURO_SLOT_MIN    ((size_t)1 << OURO_GRAIN_SHIFT)
#define OURO_SMALL_MAX   512
#define OURO_LEAD        16

#define OURO_FINE_CLASSES (OURO_SMALL_MAX / 16 + 1) /* class c holds 16 * c bytes */
#define OURO_STEP_CLASSES (4 * 16)
#define OURO_CLASSES      (OURO_FINE_CLASSES + OURO_STEP_CLASSES + 6)
#define OURO_ALL_CLASSES  (2 * OURO_CLASSES) /* those with a lead follow the others */

#define OURO_MEDIUM_MAX 32768 /* two slots in a page */

/* The class of blocks of `size` bytes (lead included), 0 < size <= OURO_MEDIUM_MAX. */
static inline unsigned
ouro_size_class(size_t size)
{
    if (size <= OURO_SMALL_MAX) {
        return size <= OURO_SLOT_MIN ? OURO_SLOT_MIN / 16 : (unsigned)((size + 15) / 16);
    }
    if (size <= 8192) { /* top bit and the four below it, rounded up */
        unsigned top = 63 - (unsigned)__builtin_clzll(size - 1);
        unsigned sixteenth = (unsigned)((size - 1) >> (top - 4)) & 15;
        return OURO_FINE_CLASSES + (top - 9) * 16 + sixteenth;
    }
    unsigned slots = (unsigned)(65536 / ((size + 15) & ~(size_t)15)); /* 7 .. 2 */
    return OURO_FINE_CLASSES + OURO_STEP_CLASSES + (7 - slots);
}

/* The slot size of a class without lead; the inverse of the above. */
static inline uint32_t
ouro_class_slot_size(unsigned size_class)
{
    if (size_class < OURO_FINE_CLASSES) {
        return size_class * 16;
    }
    unsigned step = size_class - OURO_FINE_CLASSES;
    if (step < OURO_STEP_CLASSES) {
        return (17u + step % 16) << (5 + step / 16);
    }
    return (65536u / (7 - (step - OURO_STEP_CLASSES))) & ~15u;
}

#endif
