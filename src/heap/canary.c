/* SPDX-License-Identifier: MIT */
/* Canaries: with OURO_HEAP_CANARIES=1 in the environment every block ends with bytes that nothing
 * may write. Freeing a block compares these bytes.
 *
 *   object | CANARY_BYTE, at least eight | how long the object is, sealed
 *
 * A heap without canaries pays nothing. Freeing compares with `bare` instead of `size`, and the
 * alarm decides whether an allocation takes the fast path. In a heap with canaries the alarm is
 * always on. */
#include <string.h>

#include "heap.h"

#define CANARY_BYTE 0xC5

/* The length is multiplied, so that changing a few bits of the seal does not give another valid
 * length. The address is added, so that the seal of one block is not valid in another. */
#define SEAL   UINT64_C(0x9E3779B97F4A7C15)
#define UNSEAL UINT64_C(0xF1DE83E19937733D) /* SEAL * UNSEAL is 1 */

static uint64_t
seal(const PyObject *block, size_t size)
{
    return ((uintptr_t)block + size) * SEAL;
}

static uint64_t
unseal(const PyObject *block, uint64_t sealed)
{
    return sealed * UNSEAL - (uintptr_t)block;
}

static char *
end_of_canary(const struct heap *heap, const PyObject *block)
{
    return (char *)block + ouro_heap_block_size(heap, block) - sizeof(uint64_t);
}

void
ouro_canary_put(const struct heap *heap, PyObject *block, size_t size)
{
    char *start = (char *)block + size, *end = end_of_canary(heap, block);
    uint64_t sealed = seal(block, size);
    memset(start, CANARY_BYTE, (size_t)(end - start));
    memcpy(end, &sealed, sizeof sealed);
}

static bool
canary_is_whole(const struct heap *heap, const PyObject *block)
{
    const char *end = end_of_canary(heap, block);
    size_t most = (size_t)(end - (const char *)block);
    uint64_t sealed;
    memcpy(&sealed, end, sizeof sealed);
    uint64_t size = unseal(block, sealed);
    for (; size < most; size++) {
        if (((const unsigned char *)block)[size] != CANARY_BYTE) {
            return false;
        }
    }
    return size == most;
}

void
ouro_canary_check(const struct heap *heap, const PyObject *block)
{
    unsigned page = (unsigned)(ouro_heap_page_of(heap, block) - heap->pages);
    OURO_REQUIRE(
        canary_is_whole(heap, block),
        "the '%s' object at %p, in page %u, is freed, and something wrote beyond its "
        "end",
        ouro_heap_type_name(heap, block), (const void *)block, page);
}
