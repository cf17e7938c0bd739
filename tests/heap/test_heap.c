/* SPDX-License-Identifier: MIT */
#include "helpers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../src/base/fault.h"

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
    EXPECT_EQ(ouro_heap_measure(&heap, NULL).objects, 0);
    ouro_heap_trim(&heap, UINT32_MAX);
    EXPECT_EQ(heap.used_pages, 0);
    EXPECT_LE(heap.trim.resident_unused, 16);
    REQUIRE(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

/* Grow by `pages`, let a full collection begin, shrink again, and trim. Returns how many
 * unused pages still have their memory. */
static uint32_t
grow_and_shrink(struct heap *heap, int pages, bool was_asked_for)
{
    static PyObject *blocks[400];
    REQUIRE(pages <= 400);
    for (int i = 0; i < pages; i++) {
        blocks[i] = take_block(heap, OURO_PAGE_SIZE / 2 + 1000);
    }
    ouro_heap_expect(heap, was_asked_for);
    for (int i = 0; i < pages; i++) {
        give_block(heap, blocks[i]);
    }
    EXPECT(ouro_heap_trim(heap, UINT32_MAX));
    EXPECT(ouro_heap_verify(heap));
    return heap->trim.resident_unused;
}

TEST(a_heap_keeps_the_memory_that_it_used_since_the_last_full_collection)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    EXPECT_EQ(grow_and_shrink(&heap, 400, false), 400);
    EXPECT_EQ(grow_and_shrink(&heap, 200, false), 200); /* 400 happened only once */
    ouro_heap_destroy(&heap);
}

TEST(a_heap_gives_back_what_it_used_once_when_a_collection_is_asked_for)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    EXPECT_LE(grow_and_shrink(&heap, 400, true), 16);
    EXPECT_EQ(grow_and_shrink(&heap, 400, true), 400); /* twice: it may happen again */
    EXPECT_LE(grow_and_shrink(&heap, 0, true), 16);
    EXPECT_LE(grow_and_shrink(&heap, 400, true), 16);
    PyObject *blocks[100]; /* which live for long */
    for (int i = 0; i < 100; i++) {
        blocks[i] = take_block(&heap, OURO_PAGE_SIZE / 2 + 1000);
    }
    for (int i = 0; i < 4; i++) {
        ouro_heap_expect(&heap, true);
        EXPECT(i == 3 || ouro_heap_trim(&heap, UINT32_MAX));
    }
    for (int i = 0; i < 100; i++) {
        give_block(&heap, blocks[i]);
    }
    EXPECT(ouro_heap_trim(&heap, UINT32_MAX));
    EXPECT_LE(heap.trim.resident_unused, 16);
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
    skip_without_limits();
    struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, OURO_HEAP_RANGE_DEFAULT));
    EXPECT_LE(heap.reservation_size, (size_t)1 << 29);
    EXPECT_GE(heap.size, (size_t)1 << 27);
    ouro_heap_destroy(&heap);
}

TEST(the_range_is_a_whole_number_of_pages)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE + 1));
    EXPECT_EQ(heap.size, SMALL_RANGE);
    ouro_heap_destroy(&heap);
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE - 1));
    EXPECT_EQ(heap.size, SMALL_RANGE - OURO_PAGE_SIZE);
    ouro_heap_destroy(&heap);
}

TEST(no_range_is_an_answer_not_a_crash)
{
    if (UNDER_ASAN || UNDER_TSAN || under_valgrind()) {
        SKIP("a sanitizer or valgrind needs the address space itself");
    }
    skip_without_limits();
    struct rlimit limit = {(rlim_t)8 << 20, (rlim_t)8 << 20};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    struct heap heap;
    EXPECT(!ouro_heap_init(&heap, OURO_HEAP_RANGE_DEFAULT));
}

/* Let the system grant no more than `more` bytes of memory from now on. */
static void
limit_memory(size_t more)
{
    /* Not fopen: it may need memory, and a limit may be in force already. */
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *used = strstr(text, "VmData:");
    if (UNDER_ASAN || UNDER_TSAN || under_valgrind() || used == NULL) {
        SKIP("needs to know how much memory there is");
    }
    struct rlimit limit = {(strtoul(used + 7, NULL, 10) << 10) + more, RLIM_INFINITY};
    REQUIRE(setrlimit(RLIMIT_DATA, &limit) == 0);
}

static void
lift_limit(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    REQUIRE(setrlimit(RLIMIT_DATA, &limit) == 0);
}

TEST(a_heap_that_gets_no_memory_does_not_start)
{
    struct heap heap;
    skip_without_limits();
    limit_memory(0);
    EXPECT(!ouro_heap_init(&heap, SMALL_RANGE));
    if (!OURO_PARANOID) { /* the queue is short there */
        /* Enough for pages and tables, not for the queue. */
        limit_memory((size_t)4 << 20);
        EXPECT(!ouro_heap_init(&heap, SMALL_RANGE));
    }
    EXPECT_EQ(heap.size, 0);
    lift_limit();
    EXPECT(ouro_heap_init(&heap, SMALL_RANGE));
    ouro_heap_destroy(&heap);
}

/* Take blocks of a page each, until the heap is full. */
static int
fill_heap(struct heap *heap)
{
    int count = 0;
    while (take_block(heap, OURO_PAGE_SIZE) != NULL) {
        count++;
    }
    return count;
}

TEST(memory_that_the_system_refuses_can_be_had_later)
{
    struct heap heap;
    skip_without_limits();
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    int committed = (int)heap.committed;
    limit_memory(0);
    EXPECT_EQ(fill_heap(&heap), committed - 1); /* page 0 is never used */
    EXPECT_NULL(take_block(&heap, 100));
    EXPECT_EQ(heap.committed, committed);
    EXPECT(ouro_heap_verify(&heap));
    /* Enough for the page that is needed, not for more in advance. */
    limit_memory((size_t)1 << 20);
    EXPECT_NOT_NULL(take_block(&heap, OURO_PAGE_SIZE));
    EXPECT_EQ(heap.committed, committed + 1);
    lift_limit();
    EXPECT_GT(fill_heap(&heap), committed);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

/* Map memory until no piece of `least` bytes is left. */
static void
fill_address_space(size_t least)
{
    for (size_t size = (size_t)1 << 46; size >= least; size /= 2) {
        while (mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0) != MAP_FAILED) {
        }
    }
}

TEST(the_range_is_halved_until_the_system_has_such_a_piece)
{
    struct heap heap;
    if (UNDER_ASAN || UNDER_TSAN || under_valgrind() || under_emulator()) {
        SKIP("needs the address space itself");
    }
    fill_address_space((size_t)1 << 30);
    REQUIRE(ouro_heap_init(&heap, OURO_HEAP_RANGE_DEFAULT));
    EXPECT_LT(heap.size, (size_t)1 << 30);
    EXPECT_GE(heap.size, OURO_HEAP_RANGE_MIN);
    ouro_heap_destroy(&heap);
}

/* ---- pages that become empty while the heap is held ------------------------------------------ */

/* Two slots in a page. */
static PyObject *
take_half(struct heap *heap)
{
    PyObject *block = take_block(heap, OURO_MEDIUM_MAX);
    REQUIRE_NOT_NULL(block);
    return block;
}

TEST(a_page_that_is_used_again_while_the_heap_is_held_stays_in_use)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *a = take_half(&heap), *b = take_half(&heap), *c = take_half(&heap);
    EXPECT_EQ(ouro_heap_page_of(&heap, a), ouro_heap_page_of(&heap, b));
    ouro_heap_hold(&heap);
    give_block(&heap, a);
    give_block(&heap, b);
    take_half(&heap); /* beside c */
    EXPECT_EQ(take_half(&heap), a);
    EXPECT_EQ(take_half(&heap), b);
    take_half(&heap); /* another page is current now */
    ouro_heap_unhold(&heap);
    EXPECT_EQ(heap.used_pages, 3);
    EXPECT(ouro_heap_verify(&heap));
    give_block(&heap, a);
    EXPECT_EQ(ouro_heap_page_of(&heap, b)->state, OURO_PAGE_SLOTS);
    EXPECT_NE(c, b);
    ouro_heap_destroy(&heap);
}

TEST(an_empty_page_that_became_current_while_the_heap_was_held_stays_in_use)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *a = take_half(&heap), *b = take_half(&heap);
    take_half(&heap);
    ouro_heap_hold(&heap);
    give_block(&heap, a);
    give_block(&heap, b);
    take_half(&heap);
    EXPECT_EQ(take_half(&heap), a);
    give_block(&heap, a); /* empty, and the next block is taken from here */
    ouro_heap_unhold(&heap);
    EXPECT_EQ(heap.used_pages, 2);
    EXPECT(ouro_heap_verify(&heap));
    EXPECT_EQ(take_half(&heap), a);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(pages_that_became_empty_while_the_heap_was_held_are_used_again_in_address_order)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *blocks[5];
    for (int i = 0; i < 5; i++) {
        blocks[i] = take_half(&heap);
    }
    ouro_heap_hold(&heap);
    for (int i = 4; i >= 0; i--) { /* the last one is in the current page */
        give_block(&heap, blocks[i]);
    }
    ouro_heap_unhold(&heap);
    EXPECT_EQ(heap.used_pages, 0);
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(take_half(&heap), blocks[i]);
    }
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_page_that_becomes_empty_twice_while_the_heap_is_held_is_retired_once)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *a = take_half(&heap), *b = take_half(&heap);
    take_half(&heap);
    ouro_heap_hold(&heap);
    give_block(&heap, a);
    give_block(&heap, b);
    take_half(&heap);
    take_half(&heap);
    take_half(&heap);
    take_half(&heap); /* a and b are in use again, and their page is full */
    give_block(&heap, a);
    give_block(&heap, b);
    ouro_heap_unhold(&heap);
    EXPECT_EQ(heap.used_pages, 2);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_page_that_becomes_empty_in_two_holds_is_retired_in_both)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < 3; i++) {
        PyObject *a = take_half(&heap), *b = take_half(&heap);
        PyObject *c = take_half(&heap); /* another page is current now */
        ouro_heap_hold(&heap);
        give_block(&heap, a);
        give_block(&heap, b);
        EXPECT_EQ(heap.used_pages, 2);
        ouro_heap_unhold(&heap);
        EXPECT_EQ(heap.used_pages, 1);
        EXPECT(ouro_heap_verify(&heap));
        give_block(&heap, c);
        ouro_heap_trim(&heap, UINT32_MAX); /* and the current one */
        EXPECT_EQ(heap.used_pages, 0);
    }
    ouro_heap_destroy(&heap);
}

/* ---- which pages are taken ----------------------------------------------------------------------- */

TEST(a_gap_that_is_too_small_for_a_run_is_used_by_the_next_page)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *gap = take_block(&heap, OURO_PAGE_SIZE);
    take_block(&heap, OURO_PAGE_SIZE);
    give_block(&heap, gap);
    PyObject *run = take_block(&heap, 2 * OURO_PAGE_SIZE);
    EXPECT_GT(run, gap);
    EXPECT_EQ(take_block(&heap, OURO_PAGE_SIZE), gap);
    ouro_heap_destroy(&heap);
}

TEST(a_gap_that_is_too_small_for_a_run_is_used_by_the_next_page_of_slots)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *gap = take_block(&heap, OURO_PAGE_SIZE);
    take_block(&heap, OURO_PAGE_SIZE);
    give_block(&heap, gap);
    EXPECT_GT(take_block(&heap, 2 * OURO_PAGE_SIZE), gap);
    EXPECT_EQ(take_block(&heap, 64), gap);
    ouro_heap_destroy(&heap);
}

TEST(the_lowest_unused_page_is_used_first_whatever_order_pages_became_unused_in)
{
    struct heap heap;
    PyObject *halves[8];
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < 8; i++) { /* four pages, and the last is current */
        halves[i] = take_half(&heap);
    }
    PyObject *current = take_half(&heap);
    static const int order[] = {2, 0, 1}; /* of the pages that become unused */
    for (int i = 0; i < 3; i++) {
        give_block(&heap, halves[2 * order[i]]);
        give_block(&heap, halves[2 * order[i] + 1]);
    }
    EXPECT_EQ(heap.used_pages, 2);
    take_half(&heap); /* beside the last one */
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(ouro_heap_page_of(&heap, take_half(&heap)),
                  ouro_heap_page_of(&heap, halves[2 * i]));
        take_half(&heap);
    }
    EXPECT(ouro_heap_verify(&heap));
    EXPECT_NE(current, halves[0]);
    ouro_heap_destroy(&heap);
}

/* The bytes from the lead of a block to its end belong to no other block, in use or not. */
TEST(blocks_with_a_lead_have_room_for_it)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (size_t size = 16; size < 20000; size = size * 3 / 2) {
        PyObject *blocks[3];
        size_t holds = 0;
        for (int i = 0; i < 3; i++) {
            blocks[i] = ouro_heap_allocate(&heap, size, OURO_LEAD);
            holds = ouro_heap_block_size(&heap, blocks[i]);
            EXPECT_GE(holds, size);
            memset((char *)blocks[i] - OURO_LEAD, 'a' + i, OURO_LEAD);
            memset(blocks[i] + 1, 'a' + i, holds - sizeof(PyObject));
        }
        give_block(&heap, blocks[0]);
        for (int i = 1; i < 3; i++) {
            const char *lead = (const char *)blocks[i] - OURO_LEAD;
            EXPECT(lead[0] == 'a' + i && lead[OURO_LEAD - 1] == 'a' + i);
            const char *end = (const char *)blocks[i] + holds;
            EXPECT(end[-1] == 'a' + i || holds == sizeof(PyObject));
        }
        REQUIRE(ouro_heap_verify(&heap));
        EXPECT_EQ(ouro_heap_allocate(&heap, size, OURO_LEAD), blocks[0]);
    }
    ouro_heap_destroy(&heap);
}

/* A free block, as code with a stale pointer sees it. */
static PyObject *
give_and_keep(struct heap *heap)
{
    PyObject *block = take_block(heap, 64);
    block->ob_type = &PyList_Type;
    give_block(heap, block);
    ouro_sanitize_live(block, 0, 64);
    return block;
}

static void
change_header_and_take(struct heap *heap, uint64_t header)
{
    give_and_keep(heap)->ob_header = header;
    take_block(heap, 64);
}

TEST(a_changed_header_of_a_free_block_is_fatal)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    uint64_t as_it_is = give_and_keep(&heap)->ob_header;
    EXPECT_FATAL(change_header_and_take(&heap, as_it_is - 1),
                 "the header of the 'list' object at ");
    EXPECT_FATAL(
        change_header_and_take(&heap, as_it_is + 1),
        "was changed after it was freed (page 1 of the heap, slots of 64 bytes)");
    EXPECT_FATAL(change_header_and_take(&heap, 0), "after it was freed");
    EXPECT_FATAL(change_header_and_take(&heap, (uintptr_t)&heap), "after it was freed");
    EXPECT_FATAL(change_header_and_take(&heap, UINT64_MAX), "after it was freed");
    change_header_and_take(&heap, as_it_is);
    ouro_heap_destroy(&heap);
}

static void
link_and_take_twice(struct heap *heap, const PyObject *next)
{
    PyObject *block = give_and_keep(heap);
    ouro_block_set_free(block, next);
    take_block(heap, 64);
    take_block(heap, 64);
}

TEST(a_free_block_that_leads_to_one_in_use_before_the_end_is_fatal)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *in_use = take_block(&heap, 64);
    in_use->ob_type = &PyList_Type;
    EXPECT_FATAL(link_and_take_twice(&heap, in_use), "after it was freed (page 1");
    ouro_heap_destroy(&heap);
}

TEST(a_page_with_damage_that_is_taken_into_use_again_is_fatal)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *blocks[OURO_PAGE_SIZE / 64 + 1];
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        blocks[i] = take_block(&heap, 64);
    }
    EXPECT_EQ(heap.used_pages, 2); /* and the second one is current */
    give_block(&heap, blocks[0]);
    ouro_sanitize_live(blocks[0], 0, 64);
    blocks[0]->ob_type = NULL;
    blocks[0]->ob_refcnt = 0;
    EXPECT_FATAL(
        {
            for (size_t i = 0; i < OURO_PAGE_SIZE / 64; i++) {
                take_block(&heap, 64);
            }
        },
        "the header of the '?' object at ");
    ouro_heap_destroy(&heap);
}

TEST(writes_to_a_free_block_behind_its_header_do_no_harm)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *other = take_block(&heap, 64);
    for (int byte = 0; byte < 256; byte += 85) {
        PyObject *block = give_and_keep(&heap);
        memset(block + 1, byte, 64 - sizeof *block);
        EXPECT(ouro_heap_verify(&heap));
        EXPECT_EQ(take_block(&heap, 64), block);
        PyObject *next = take_block(&heap, 64);
        EXPECT(next != block && next != other);
        give_block(&heap, next);
        give_block(&heap, block);
        EXPECT(ouro_heap_verify(&heap));
    }
    ouro_heap_destroy(&heap);
}

/* The end of the list is a block that was in use when the list was empty. */
TEST(blocks_are_handed_out_once_in_whatever_order_they_were_given)
{
    enum { COUNT = OURO_PAGE_SIZE / 64 };
    static PyObject *blocks[COUNT];
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = take_block(&heap, 64);
    }
    uint32_t random = 1;
    for (int round = 0; round < 300; round++) {
        int some = 1 + (int)(random % 30);
        int from = (int)(random / 64 % (COUNT - 30));
        for (int i = from; i < from + some; i++) {
            give_block(&heap, blocks[i]);
        }
        REQUIRE(ouro_heap_verify(&heap));
        for (int i = from; i < from + some; i++) {
            blocks[i] = take_block(&heap, 64);
            blocks[i]->ob_refcnt = 1 + (uint32_t)i;
        }
        REQUIRE(ouro_heap_verify(&heap));
        EXPECT_EQ(heap.used_pages, 1);
        random = random * 1664525 + 1013904223;
    }
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < i; k++) {
            REQUIRE(blocks[i] != blocks[k]);
        }
    }
    ouro_heap_destroy(&heap);
}

TEST(a_block_of_half_a_page_shares_its_page)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    PyObject *a = take_half(&heap), *b = take_half(&heap);
    EXPECT_EQ(ouro_heap_page_of(&heap, a), ouro_heap_page_of(&heap, b));
    EXPECT_EQ(heap.used_pages, 1);
    take_block(&heap, OURO_MEDIUM_MAX + 1);
    EXPECT_EQ(heap.used_pages, 2);
    ouro_heap_destroy(&heap);
}

TEST(trimming_gives_back_as_many_pages_as_it_may)
{
    enum { COUNT = 100, KEPT = 16 };
    struct heap heap;
    PyObject *blocks[COUNT];
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = take_block(&heap, OURO_PAGE_SIZE);
    }
    for (int i = 0; i < COUNT; i++) {
        give_block(&heap, blocks[i]);
    }
    EXPECT_EQ(heap.trim.resident_unused, COUNT);
    EXPECT(!ouro_heap_trim(&heap, 10));
    EXPECT_EQ(heap.trim.resident_unused, COUNT - 10);
    EXPECT(ouro_heap_trim(&heap, UINT32_MAX));
    EXPECT_EQ(heap.trim.resident_unused, KEPT);
    EXPECT_EQ(ouro_heap_measure(&heap, NULL).resident_bytes, KEPT * OURO_PAGE_SIZE);
    take_block(&heap, OURO_PAGE_SIZE);
    EXPECT_EQ(heap.trim.resident_unused, KEPT - 1);
    ouro_heap_destroy(&heap);
}

/* ---- walks ----------------------------------------------------------------------------------------- */

static bool
free_it(PyObject *block, void *arg)
{
    give_block(arg, block);
    return true;
}

TEST(a_refused_reservation_makes_the_range_half_as_large)
{
    struct heap heap;
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    ouro_fault_arm(1);
    REQUIRE(ouro_heap_init(&heap, (size_t)64 << 20));
    ouro_fault_arm(0);
    EXPECT_EQ(heap.size, (size_t)32 << 20);
    EXPECT_NOT_NULL(take_block(&heap, 48));
    ouro_heap_destroy(&heap);
}

TEST(a_heap_that_is_refused_anything_for_good_is_not_made)
{
    struct heap heap;
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    int64_t n = 0;
    bool is_made = false;
    while (!is_made && ++n < 100) {
        ouro_fault_arm_from(n);
        is_made = ouro_heap_init(&heap, SMALL_RANGE);
        ouro_fault_arm(0);
        EXPECT_EQ(heap.reservation != NULL, is_made);
    }
    EXPECT_GT(n, 10); /* the reservation, the pages, each table, the queue */
    REQUIRE(is_made);
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_refused_commit_is_tried_with_less_and_then_an_answer)
{
    struct heap heap;
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    while (heap.touched < heap.committed) {
        REQUIRE_NOT_NULL(take_block(&heap, 60000));
    }
    uint32_t committed = heap.committed;
    ouro_fault_arm_from(1);
    EXPECT_NULL(take_block(&heap, 60000));
    EXPECT_EQ(heap.committed, committed);
    EXPECT(ouro_heap_verify(&heap));
    ouro_fault_arm(1);
    EXPECT_NOT_NULL(take_block(&heap, 60000));
    EXPECT_EQ(heap.committed, committed + 1);
    ouro_fault_arm(0);
    EXPECT_NOT_NULL(take_block(&heap, 60000));
    EXPECT(ouro_heap_verify(&heap));
    ouro_heap_destroy(&heap);
}

TEST(a_walk_may_free_every_block_it_is_given)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < 10000; i++) {
        take_block(&heap, 32 + (size_t)(i % 10) * 100);
    }
    ouro_heap_each(&heap, free_it, &heap);
    EXPECT_EQ(ouro_heap_measure(&heap, NULL).objects, 0);
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
        other->ob_gc = 0;     /* not to be visited */
        other->ob_refcnt = 2; /* nor free */
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
    ouro_heap_destroy(&heap);
    EXPECT(!ouro_heap_contains(&heap, &heap));
}

TEST(a_heap_without_pages_in_use_is_not_fragmented)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    EXPECT_EQ(ouro_heap_measure(&heap, NULL).used_bytes, 0);
    EXPECT(ouro_heap_measure(&heap, NULL).fragmentation == 0);
    ouro_heap_destroy(&heap);
}

TEST(pages_of_a_heap_that_nobody_set_an_alarm_for_ring_none)
{
    struct heap heap;
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    for (int i = 0; i < 100; i++) {
        REQUIRE_NOT_NULL(take_block(&heap, 4000));
    }
    EXPECT_GT(heap.used_pages, 1);
    EXPECT_EQ(heap.alarm, INT64_MAX);
    ouro_heap_destroy(&heap);
}
