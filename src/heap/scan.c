/* SPDX-License-Identifier: MIT */
/* Sets of blocks, page by page. scan.h explains the three modes. */
#include "heap.h"

#include "../base/bits.h"

#include <string.h>

static uint64_t *
page_bits(const struct heap *heap, uint32_t number, int set)
{
    return heap->sets.bits[set] + (size_t)number * OURO_PAGE_BIT_WORDS;
}

static void
set_bit(struct heap *heap, int set, size_t slot)
{
    size_t word = slot / 64;
    heap->sets.bits[set][word] |= (uint64_t)1 << (slot % 64);
    heap->sets.words[set][word / OURO_PAGE_BIT_WORDS] |= 1u
                                                         << (word % OURO_PAGE_BIT_WORDS);
}

void
ouro_scan_set(struct heap *heap, uint32_t number, int set, enum ouro_scan mode)
{
    bool had = heap->sets.scan[set][number] != OURO_SCAN_NONE;
    heap->sets.pages[set] += (uint32_t)(mode != OURO_SCAN_NONE) - (uint32_t)had;
    heap->sets.scan[set][number] = (uint8_t)mode;
    if (set == OURO_BIRTH_SET) {
        unsigned fresh = mode == OURO_SCAN_ALL ? OURO_BLOCK_FRESH : 0;
        struct page *page = &heap->pages[number];
        page->birth = OURO_BLOCK_ALLOCATED | fresh;
        ouro_heap_note_birth(heap, page);
    }
}

/* The first object in a page that was empty: forget how the page was scanned. */
static void
forget_the_dead(struct heap *heap, uint32_t number)
{
    if (ouro_page_used(&heap->pages[number]) == 1 && !heap->hold.count) {
        for (int set = OURO_BIRTH_SET + 1; set < OURO_BLOCK_SETS; set++) {
            ouro_scan_forget(heap, number, set);
        }
    }
}

/* The first block of the page that is born since the set was emptied. */
__attribute__((noinline)) static void
note_first_birth(struct heap *heap, size_t offset)
{
    uint32_t number = (uint32_t)(offset >> OURO_PAGE_SHIFT);
    bool only_born = true;
    forget_the_dead(heap, number);
    for (int set = OURO_BIRTH_SET + 1; set < OURO_BLOCK_SETS; set++) {
        only_born = only_born && heap->sets.scan[set][number] == OURO_SCAN_NONE;
    }
    enum ouro_scan mode = only_born ? OURO_SCAN_ALL : OURO_SCAN_BITS;
    ouro_scan_set(heap, number, OURO_BIRTH_SET, mode);
    if (mode == OURO_SCAN_BITS) {
        set_bit(heap, OURO_BIRTH_SET, offset >> OURO_GRAIN_SHIFT);
    }
}

void
ouro_scan_note_birth(struct heap *heap, size_t offset)
{
    uint8_t mode = heap->birth_scan[offset >> OURO_PAGE_SHIFT];
    if (OURO_LIKELY(mode == OURO_SCAN_BITS)) { /* often: nothing is saved for the rest */
        set_bit(heap, OURO_BIRTH_SET, offset >> OURO_GRAIN_SHIFT);
    } else if (mode == OURO_SCAN_NONE) {
        note_first_birth(heap, offset);
    }
}

void
ouro_scan_forget(struct heap *heap, uint32_t number, int set)
{
    uint64_t *bits = page_bits(heap, number, set);
    for (uint32_t words = heap->sets.words[set][number]; words != 0; words &= words - 1) {
        bits[__builtin_ctz(words)] = 0;
    }
    heap->sets.words[set][number] = 0;
    ouro_scan_set(heap, number, set, OURO_SCAN_NONE);
}

#define EXCHANGE(a, b)                                                                   \
    do {                                                                                 \
        __typeof__(a) was_ = (a);                                                        \
        (a) = (b);                                                                       \
        (b) = was_;                                                                      \
    } while (0)

void
ouro_scan_exchange(struct heap *heap, int one, int other)
{
    OURO_ASSERT(one != OURO_BIRTH_SET && other != OURO_BIRTH_SET); /* birth_scan, birth */
    EXCHANGE(heap->sets.scan[one], heap->sets.scan[other]);
    EXCHANGE(heap->sets.bits[one], heap->sets.bits[other]);
    EXCHANGE(heap->sets.words[one], heap->sets.words[other]);
    EXCHANGE(heap->sets.pages[one], heap->sets.pages[other]);
}

void
ouro_scan_merge(struct heap *heap, uint32_t number, int from, int into)
{
    uint8_t mode = heap->sets.scan[from][number];
    if (mode == OURO_SCAN_BITS && heap->sets.scan[into][number] != OURO_SCAN_ALL) {
        uint64_t *target = page_bits(heap, number, into);
        const uint64_t *source = page_bits(heap, number, from);
        uint32_t words = heap->sets.words[from][number];
        heap->sets.words[into][number] |= words;
        for (; words != 0; words &= words - 1) {
            int i = __builtin_ctz(words);
            target[i] |= source[i];
        }
        ouro_scan_set(heap, number, into, OURO_SCAN_BITS);
    } else if (mode == OURO_SCAN_ALL) {
        ouro_scan_forget(heap, number, into);
        ouro_scan_set(heap, number, into, OURO_SCAN_ALL);
    }
    ouro_scan_forget(heap, number, from);
}

static uint32_t
count_bits(const struct heap *heap, uint32_t number, int set)
{
    const uint64_t *bits = page_bits(heap, number, set);
    uint32_t count = 0;
    for (uint32_t words = heap->sets.words[set][number]; words != 0; words &= words - 1) {
        count += ouro_bit_count(bits[__builtin_ctz(words)]);
    }
    return count;
}

bool
ouro_scan_is_dense(const struct heap *heap, uint32_t number, int set)
{
    return count_bits(heap, number, set) * 4u > heap->pages[number].capacity;
}

/* Bits of blocks that were freed or moved to another set are dropped once there are more than a
 * few. Otherwise every collection would look at them. */
void
ouro_scan_refresh(struct heap *heap, uint32_t number, int set)
{
    uint64_t *bits = page_bits(heap, number, set);
    if (count_bits(heap, number, set) <= ouro_page_used(&heap->pages[number])) {
        return;
    }
    for (uint32_t words = heap->sets.words[set][number]; words != 0; words &= words - 1) {
        int i = __builtin_ctz(words);
        for (uint64_t word = bits[i]; word != 0; word &= word - 1) {
            size_t slot = ((size_t)number * OURO_PAGE_BIT_WORDS + (size_t)i) * 64 +
                          (size_t)__builtin_ctzll(word);
            uint32_t gc = ouro_sanitize_peek_gc(ouro_heap_block_of_slot(heap, slot));
            uint32_t found = (gc & OURO_BLOCK_SET) >> OURO_BLOCK_SET_SHIFT;
            if ((gc & OURO_BLOCK_TRACKED) == 0 || found != (uint32_t)set) {
                bits[i] &= ~(word & -word);
            }
        }
        if (bits[i] == 0) {
            heap->sets.words[set][number] &= ~(1u << i);
        }
    }
}

void
ouro_scan_thin(struct heap *heap, struct page *page)
{
    uint32_t number = (uint32_t)(page - heap->pages);
    char *start = ouro_heap_page_start(heap, page);
    for (uint32_t at = page->lead; at < page->untouched; at += page->slot_size) {
        PyObject *block = (PyObject *)(start + at);
        uint32_t gc = ouro_sanitize_peek_gc(block);
        if (OURO_LIKELY((gc & OURO_BLOCK_ALLOCATED) == 0)) {
            continue; /* most slots are free */
        }
        ouro_block_age(block, gc);
        uint32_t set = (gc & OURO_BLOCK_SET) >> OURO_BLOCK_SET_SHIFT;
        if ((gc & OURO_BLOCK_TRACKED) != 0 &&
            heap->sets.scan[set][number] == OURO_SCAN_ALL) {
            set_bit(heap, (int)set,
                    (size_t)number * OURO_PAGE_GRAINS + (at >> OURO_GRAIN_SHIFT));
        }
    }
    for (int set = 0; set < OURO_HEADER_SETS; set++) {
        if (heap->sets.scan[set][number] == OURO_SCAN_ALL) {
            ouro_scan_set(heap, number, set, OURO_SCAN_BITS);
        }
    }
}
