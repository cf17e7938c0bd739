/* SPDX-License-Identifier: MIT */
#include "helpers.h"

static struct heap heap;

static bool
has_bit(int set, const PyObject *block)
{
    size_t slot = ouro_heap_offset(&heap, block) >> OURO_GRAIN_SHIFT;
    return (heap.sets.bits[set][slot / 64] >> (slot % 64)) & 1;
}

static void
track(PyObject *block)
{
    block->ob_gc |= OURO_BLOCK_TRACKED;
    size_t offset = ouro_heap_offset(&heap, block);
    if (heap.birth_scan[offset >> OURO_PAGE_SHIFT] != OURO_SCAN_ALL) {
        ouro_scan_note_birth(&heap, offset);
    }
}

TEST(a_fresh_page_is_scanned_whole_for_young_objects)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 32);
    track(block);
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][1], OURO_SCAN_ALL);
}

TEST(a_page_that_is_scanned_whole_needs_no_bit)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    track(take_block(&heap, 32));
    PyObject *block = take_block(&heap, 32);
    ouro_scan_note_birth(&heap, ouro_heap_offset(&heap, block));
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][1], OURO_SCAN_ALL);
    EXPECT(!has_bit(OURO_YOUNG, block));
}

TEST(a_young_object_in_a_hole_of_an_old_page_is_found_by_its_bit)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *old = take_block(&heap, 32);
    track(old);
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_OLD);
    EXPECT_EQ(heap.sets.scan[OURO_OLD][1], OURO_SCAN_ALL);
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][1], OURO_SCAN_NONE);
    PyObject *young = take_block(&heap, 32);
    track(young);
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][1], OURO_SCAN_BITS);
    EXPECT(has_bit(OURO_YOUNG, young));
    EXPECT(!has_bit(OURO_YOUNG, old));
}

TEST(young_objects_in_more_than_a_quarter_of_an_old_page_are_many)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    track(take_block(&heap, 32));
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_OLD);
    uint32_t quarter = heap.pages[1].capacity / 4u;
    for (uint32_t i = 0; i < quarter; i++) {
        track(take_block(&heap, 32));
    }
    EXPECT(!ouro_scan_is_dense(&heap, 1, OURO_YOUNG));
    track(take_block(&heap, 32));
    EXPECT(ouro_scan_is_dense(&heap, 1, OURO_YOUNG));
}

TEST(sets_that_are_exchanged_keep_their_pages_and_bits)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    take_block(&heap, 48);
    PyObject *block = take_block(&heap, 48);
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_PERMANENT); /* the page is not all young */
    track(block);
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_OLD);
    ouro_scan_exchange(&heap, OURO_OLD, OURO_CANDIDATES);
    EXPECT_EQ(heap.sets.scan[OURO_OLD][1], OURO_SCAN_NONE);
    EXPECT_EQ(heap.sets.pages[OURO_OLD], 0);
    EXPECT_EQ(heap.sets.scan[OURO_CANDIDATES][1], OURO_SCAN_BITS);
    EXPECT_EQ(heap.sets.pages[OURO_CANDIDATES], 1);
    EXPECT(has_bit(OURO_CANDIDATES, block));
    EXPECT(!has_bit(OURO_OLD, block));
}

TEST(merging_bits_keeps_those_of_both_sets)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = take_block(&heap, 48);
    }
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_PERMANENT); /* the page is not all young */
    track(blocks[0]);
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_MIDDLE);
    track(blocks[1]);
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_MIDDLE);
    EXPECT_EQ(heap.sets.scan[OURO_MIDDLE][1], OURO_SCAN_BITS);
    EXPECT(has_bit(OURO_MIDDLE, blocks[0]));
    EXPECT(has_bit(OURO_MIDDLE, blocks[1]));
    EXPECT(!has_bit(OURO_MIDDLE, blocks[2]));
    EXPECT(!has_bit(OURO_YOUNG, blocks[1]));
}

TEST(a_page_that_stays_sparse_while_another_becomes_so_is_scanned_by_bits)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    enum { COUNT = 2048 * 3 };
    static PyObject *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = take_block(&heap, 32);
        track(blocks[i]);
    }
    PyObject *survivor = blocks[100];
    size_t number = ouro_heap_offset(&heap, survivor) >> OURO_PAGE_SHIFT;
    for (int i = 0; i < 2 * 2048; i++) {
        if (i == 2048) { /* everything may be freed right after this */
            EXPECT_EQ(heap.sets.scan[OURO_YOUNG][number], OURO_SCAN_ALL);
        }
        if (blocks[i] != survivor) {
            give_block(&heap, blocks[i]);
        }
    }
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][number], OURO_SCAN_BITS);
    EXPECT(has_bit(OURO_YOUNG, survivor));
    EXPECT(ouro_heap_verify(&heap));
}

TEST(an_empty_page_forgets_what_it_was_scanned_for)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 5 * OURO_PAGE_SIZE);
    track(block);
    size_t number = ouro_heap_offset(&heap, block) >> OURO_PAGE_SHIFT;
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][number], OURO_SCAN_ALL);
    give_block(&heap, block);
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][number], OURO_SCAN_NONE);
}

/* The page has bits for objects that died, and for one that is in another set by now. */
TEST(refreshing_keeps_the_bits_of_those_that_are_left)
{
    enum { COUNT = 1000 };
    static PyObject *blocks[COUNT];
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = take_block(&heap, 32);
    }
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_PERMANENT); /* the page is not all young */
    for (int i = 0; i < COUNT; i++) {
        track(blocks[i]);
    }
    PyObject *left[] = {blocks[3], blocks[4], blocks[500], blocks[999]};
    left[1]->ob_gc |= OURO_OLD << OURO_BLOCK_SET_SHIFT;
    for (int i = 0; i < COUNT; i++) {
        if (blocks[i] != left[0] && blocks[i] != left[1] && blocks[i] != left[2] &&
            blocks[i] != left[3]) {
            give_block(&heap, blocks[i]);
        }
    }
    uint32_t words = heap.sets.words[OURO_YOUNG][1];
    ouro_scan_refresh(&heap, 1, OURO_YOUNG);
    EXPECT(has_bit(OURO_YOUNG, left[0]));
    EXPECT(!has_bit(OURO_YOUNG, left[1])); /* old */
    EXPECT(has_bit(OURO_YOUNG, left[2]));
    EXPECT(has_bit(OURO_YOUNG, left[3]));
    EXPECT(!has_bit(OURO_YOUNG, blocks[5]));
    EXPECT_EQ(__builtin_popcount(words), 16);
    EXPECT_EQ(__builtin_popcount(heap.sets.words[OURO_YOUNG][1]), 3);
}

TEST(blocks_are_fresh_in_pages_that_are_scanned_whole_only)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *first = take_block(&heap, 32);
    EXPECT_NE(first->ob_gc & OURO_BLOCK_FRESH, 0);
    track(first);
    ouro_scan_merge(&heap, 1, OURO_YOUNG, OURO_OLD);
    PyObject *second = take_block(&heap, 32); /* not scanned for young objects */
    EXPECT_EQ(second->ob_gc & OURO_BLOCK_FRESH, 0);
    track(second);
    EXPECT_EQ(heap.sets.scan[OURO_YOUNG][1], OURO_SCAN_BITS);
    EXPECT_EQ(take_block(&heap, 32)->ob_gc & OURO_BLOCK_FRESH, 0); /* by bits */
}
