/* SPDX-License-Identifier: MIT */
/* The shadow: one byte for each 16 bytes of address space in which objects live.
 *
 * Address space is cut into windows of 64 MiB. A window in which an object of interest lies
 * gets a block of the shadow. All other windows share block 0, which is never read. So the byte of
 * any address is found with two loads, and it does not matter what is at the address.
 *
 *   slot number   32 bits: block, then place in the window. Objects of interest have slot numbers
 *                 of their own, and an address can be made from a number again.
 *
 * Objects are aligned to 16, so no two share a byte. (A byte for each 32 would not do: an
 * instance whose attributes are kept elsewhere is followed by another object after 16 bytes.)
 *   shadow.inv.windows   windows[w] is 0 or the first slot number of the block of window w;
 *                        bases[block] is the first address of that window */
#ifndef OURO_GC_SHADOW_H
#define OURO_GC_SHADOW_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_WINDOW_BITS  26 /* 64 MiB */
#define SHADOW_PLACE_BITS   (SHADOW_WINDOW_BITS - 4)
#define SHADOW_PLACE_MASK   ((UINT32_C(1) << SHADOW_PLACE_BITS) - 1)
#define SHADOW_ADDRESS_BITS 48
#define SHADOW_WINDOWS      ((size_t)1 << (SHADOW_ADDRESS_BITS - SHADOW_WINDOW_BITS))
#define SHADOW_BLOCKS       ((size_t)1 << (32 - SHADOW_PLACE_BITS))

#define SHADOW_RUNS 1024

struct shadow {
    uint8_t *bytes;    /* by slot number: shadow_byte() */
    uint32_t *windows; /* by address >> SHADOW_WINDOW_BITS */
    uintptr_t bases[SHADOW_BLOCKS];
    size_t blocks; /* in use, block 0 among them */
    size_t most_blocks;
    bool is_dirty; /* some bytes may not be zero */
    struct page_run {
        uint32_t first, count;
    } runs[SHADOW_RUNS]; /* pages that take memory, or took it before they were dropped */
    size_t run_count;
    bool is_dropped;
};

/* False without memory or address space. */
bool shadow_init(struct shadow *shadow);
void shadow_free(struct shadow *shadow);

/* All bytes become zero. */
void shadow_clear(struct shadow *shadow);

/* All bytes become zero, and take no memory. The next shadow_clear() gets the memory at once. */
void shadow_drop(struct shadow *shadow);

/* A part of the bytes becomes zero, from *place on, which is 0 at first. False at the end. */
bool shadow_clear_part(struct shadow *shadow, size_t *place);

/* Bytes of memory that the shadow takes. */
size_t shadow_size(const struct shadow *shadow);

/* The window of this address gets a block. False if no block is left, or if slot numbers cannot
 * express the address. */
bool shadow_add_window(struct shadow *shadow, uintptr_t address);

/* The byte of a slot. */
static inline uint8_t *
shadow_byte(uint8_t *bytes, uint32_t slot)
{
    return &bytes[slot];
}

/* For any address below 2^48. 0 and the other numbers of block 0 mean nothing. */
static inline uint32_t
slot_number(const uint32_t *windows, const void *address)
{
    uintptr_t word = (uintptr_t)address;
    return windows[word >> SHADOW_WINDOW_BITS] |
           ((uint32_t)(word >> 4) & SHADOW_PLACE_MASK);
}

static inline PyObject *
slot_object(const uintptr_t *bases, uint32_t number)
{
    return (PyObject *)(bases[number >> SHADOW_PLACE_BITS] |
                        (uintptr_t)(number & SHADOW_PLACE_MASK) << 4);
}

/* The slot number of an object, which gets one if it has none; 0 if that is impossible. */
static inline uint32_t
shadow_enroll(struct shadow *shadow, const PyObject *object)
{
    uintptr_t word = (uintptr_t)object;
    if ((word & 15) != 0 || word >> SHADOW_ADDRESS_BITS != 0) {
        return 0;
    }
    if (shadow->windows[word >> SHADOW_WINDOW_BITS] == 0 &&
        !shadow_add_window(shadow, word)) {
        return 0;
    }
    return slot_number(shadow->windows, object);
}

#endif
