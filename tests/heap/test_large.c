/* SPDX-License-Identifier: MIT */
#include "helpers.h"

TEST(a_large_block_is_a_run_of_pages)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 5 * OURO_PAGE_SIZE + 1);
    REQUIRE_NOT_NULL(block);
    memset(block + 1, 7, 5 * OURO_PAGE_SIZE);
    EXPECT_EQ(heap.used_pages, 6);
    EXPECT_EQ(ouro_heap_block_size(&heap, block), 6 * OURO_PAGE_SIZE);
    EXPECT(ouro_heap_verify(&heap));
    give_block(&heap, block);
    EXPECT_EQ(heap.used_pages, 0);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_run_is_reused_and_split_by_smaller_ones)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *large = take_block(&heap, 8 * OURO_PAGE_SIZE);
    PyObject *guard = take_block(&heap, 40000);
    give_block(&heap, large);
    PyObject *half = take_block(&heap, 4 * OURO_PAGE_SIZE);
    PyObject *other = take_block(&heap, 4 * OURO_PAGE_SIZE);
    EXPECT_EQ(half, large);
    EXPECT_EQ((char *)other, (char *)large + 4 * OURO_PAGE_SIZE);
    EXPECT_NOT_NULL(guard);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(more_than_the_range_is_refused)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    EXPECT_NULL(ouro_heap_allocate(&heap, heap.size, 0));
    EXPECT_NULL(ouro_heap_allocate(&heap, heap.size * 4, 0));
    EXPECT_NULL(ouro_heap_allocate(&heap, (size_t)PY_SSIZE_T_MAX, 0));
    EXPECT_NOT_NULL(ouro_heap_allocate(&heap, heap.size - OURO_PAGE_SIZE, 0));
    ouro_heap_destroy(&heap);
}

TEST(the_memory_of_a_long_run_goes_back_at_once)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 32 * OURO_PAGE_SIZE);
    memset(block + 1, 1, 1000);
    give_block(&heap, block);
    EXPECT_EQ(heap.resident_unused, 0);
    block = take_block(&heap, 32 * OURO_PAGE_SIZE);
    EXPECT_EQ(((char *)(block + 1))[100], 0);
    ouro_heap_destroy(&heap);
}
