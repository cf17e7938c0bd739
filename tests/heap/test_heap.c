/* SPDX-License-Identifier: MIT */
#include "helpers.h"

#include <stdlib.h>
#include <sys/resource.h>

TEST(blocks_do_not_overlap_and_are_in_the_range)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    enum { COUNT = 5000 };
    static PyObject *blocks[COUNT];
    static size_t sizes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sizes[i] = 16 + (size_t)(i * 37) % 3000;
        blocks[i] = take_block(&heap, sizes[i]);
        REQUIRE_NOT_NULL(blocks[i]);
        REQUIRE(ouro_heap_contains(&heap, blocks[i]));
        memset(blocks[i] + 1, i & 0xFF, sizes[i] - sizeof(PyObject));
    }
    for (int i = 0; i < COUNT; i++) {
        unsigned char *body = (unsigned char *)(blocks[i] + 1);
        for (size_t k = 0; k < sizes[i] - sizeof(PyObject); k++) {
            REQUIRE(body[k] == (i & 0xFF));
        }
    }
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_freed_block_is_handed_out_again)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *block = take_block(&heap, 48);
    give_block(&heap, block);
    EXPECT_EQ(take_block(&heap, 48), block);
    ouro_heap_destroy(&heap);
}

TEST(slot_numbers_lead_back_to_their_blocks)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, 8 * SMALL_RANGE));
    for (size_t size = 16; size <= OURO_MEDIUM_MAX; size += size < 600 ? 16 : 1000) {
        for (size_t lead = 0; lead <= OURO_LEAD; lead += OURO_LEAD) {
            for (int i = 0; i < 70; i++) {
                PyObject *block = ouro_heap_allocate(&heap, size, lead);
                REQUIRE_NOT_NULL(block);
                size_t slot = ouro_heap_offset(&heap, block) >> OURO_GRAIN_SHIFT;
                REQUIRE_EQ(ouro_heap_block_of_slot(&heap, slot), block);
            }
        }
    }
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(random_allocation_and_freeing_keeps_every_invariant)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    enum { COUNT = 2000 };
    static PyObject *blocks[COUNT];
    unsigned state = 12345;
    for (int step = 0; step < 60000; step++) {
        state = state * 1664525 + 1013904223;
        unsigned i = (state >> 8) % COUNT;
        if (blocks[i] != NULL) {
            give_block(&heap, blocks[i]);
            blocks[i] = NULL;
        } else {
            size_t size = 32 + (state >> 20) % ((state >> 6) % 50 == 0 ? 200000 : 700);
            blocks[i] = take_block(&heap, size);
        }
        if (step % 5000 == 0) {
            REQUIRE(ouro_heap_verify(&heap));
        }
    }
    for (int i = 0; i < COUNT; i++) {
        if (blocks[i] != NULL) {
            give_block(&heap, blocks[i]);
        }
    }
    REQUIRE(ouro_heap_verify(&heap));
    EXPECT_EQ(ouro_heap_measure(&heap).blocks, 0);
    ouro_heap_trim(&heap, UINT32_MAX);
    EXPECT_EQ(heap.used_pages, 0);
    EXPECT_LE(heap.resident_unused, 16);
    REQUIRE(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_full_range_yields_null_and_freeing_makes_room)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, OURO_HEAP_RANGE_MIN));
    PyObject *last = NULL, *block;
    size_t count = 0;
    while ((block = take_block(&heap, 1024)) != NULL) {
        last = block;
        count++;
    }
    EXPECT_GE(count, (OURO_HEAP_RANGE_MIN / OURO_PAGE_SIZE - 1) * 64);
    give_block(&heap, last);
    EXPECT_EQ(take_block(&heap, 1024), last);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(the_limit_is_kept)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    heap.limit = 3 * OURO_PAGE_SIZE;
    EXPECT_NULL(take_block(&heap, 4 * OURO_PAGE_SIZE));
    EXPECT_NOT_NULL(take_block(&heap, 2 * OURO_PAGE_SIZE));
    EXPECT_NOT_NULL(take_block(&heap, 100));
    EXPECT_NULL(take_block(&heap, 200));
    EXPECT_EQ(heap.used_pages, 3);
    ouro_heap_destroy(&heap);
}

TEST(the_range_is_at_most_half_of_what_the_address_space_limit_leaves)
{
    if (UNDER_ASAN || UNDER_TSAN) {
        SKIP("a sanitizer needs the address space itself");
    }
    struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, OURO_HEAP_RANGE_DEFAULT));
    EXPECT_LE(heap.reservation_size, (size_t)1 << 29);
    EXPECT_GE(heap.size, (size_t)1 << 27);
    ouro_heap_destroy(&heap);
}

TEST(no_range_is_an_answer_not_a_crash)
{
    if (UNDER_ASAN || UNDER_TSAN) {
        SKIP("a sanitizer needs the address space itself");
    }
    struct rlimit limit = {(rlim_t)8 << 20, (rlim_t)8 << 20};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    struct heap heap;
    EXPECT(!ouro_heap_init(&heap, OURO_HEAP_RANGE_DEFAULT));
}

static bool
free_it(PyObject *block, void *arg)
{
    give_block(arg, block);
    return true;
}

TEST(a_walk_may_free_every_block_it_is_given)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < 10000; i++) {
        take_block(&heap, 32 + (size_t)(i % 10) * 100);
    }
    ouro_heap_each(&heap, free_it, &heap);
    EXPECT_EQ(ouro_heap_measure(&heap).blocks, 0);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

/* Frees the block, has the heap trimmed as a collection does, and fills the heap with blocks
 * whose insides look like headers. */
static bool
free_it_and_cut_pages_anew(PyObject *block, void *arg)
{
    struct heap *heap = arg;
    EXPECT_EQ(block->ob_refcnt, 1);
    give_block(heap, block);
    ouro_heap_trim(heap, UINT32_MAX);
    for (int i = 0; i < 400; i++) {
        PyObject *other = ouro_heap_allocate(heap, 208, OURO_LEAD);
        memset(other + 1, 0xFF, 208 - sizeof *other);
        memset((char *)other - OURO_LEAD, 0xFF, OURO_LEAD);
        other->ob_gc = 0; /* not to be visited */
    }
    return true;
}

TEST(a_walk_goes_on_when_the_page_under_it_could_be_cut_anew)
{
    struct heap heap;
    size_t sizes[] = {96, 1000, 100000, 400000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
        PyObject *first = take_block(&heap, sizes[i]);
        take_block(&heap, sizes[i]);
        give_block(&heap, first); /* what is left does not begin its page */
        ouro_heap_each(&heap, free_it_and_cut_pages_anew, &heap);
        ouro_heap_destroy(&heap);
    }
}

TEST(an_empty_heap_hands_out_nothing)
{
    struct heap heap;
    ouro_heap_init_empty(&heap);
    EXPECT_NULL(ouro_heap_allocate(&heap, 32, 0));
    EXPECT_NULL(ouro_heap_allocate(&heap, 100000, 0));
    EXPECT(!ouro_heap_contains(&heap, &heap));
    EXPECT(!ouro_heap_contains(&heap, NULL));
}
