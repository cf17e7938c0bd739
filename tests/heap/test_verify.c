/* SPDX-License-Identifier: MIT */
/* Each invariant is broken once, and the checker sees it. */
#include "../../src/thread/interpreter.h"
#include "helpers.h"

static struct heap heap;
static struct page *page;
static PyObject *first, *second;

static void
two_blocks(void)
{
    REQUIRE(ouro_heap_init(&heap, SMALL_RANGE));
    first = take_block(&heap, 64);
    second = take_block(&heap, 64);
    page = ouro_heap_page_of(&heap, first);
    REQUIRE(ouro_heap_verify(&heap));
}

TEST(a_wrong_count_is_seen) /* [page.inv.count] */
{
    two_blocks();
    page->left++;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(an_allocated_block_in_the_free_list_is_seen) /* [page.inv.free] */
{
    two_blocks();
    page->free = first;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_pointer_between_slots_in_the_free_list_is_seen) /* [page.inv.free] */
{
    two_blocks();
    page->free = (PyObject *)((char *)page->free + 16);
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_wrong_notify_mark_is_seen) /* [page.inv.notify] */
{
    two_blocks();
    page->notify = 5;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_current_page_that_would_notify_is_seen) /* [page.inv.notify] */
{
    two_blocks();
    ouro_page_notify_at(page, 0);
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_page_with_room_that_nobody_lists_is_seen) /* [heap.inv.listed] */
{
    two_blocks();
    heap.current[page->size_class] = &heap.pages[0];
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_fresh_page_that_inline_allocation_does_not_know_is_seen) /* [heap.inv.fresh] */
{
    two_blocks();
    EXPECT(heap.fresh[page->size_class] == page);
    heap.fresh[page->size_class] = &heap.pages[0];
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(
    a_page_of_blocks_that_are_not_fresh_is_kept_from_inline_allocation) /* [heap.inv.fresh] */
{
    two_blocks();
    ouro_scan_set(&heap, 1, OURO_YOUNG, OURO_SCAN_BITS);
    EXPECT(heap.fresh[page->size_class] != page);
    EXPECT(ouro_heap_verify(&heap));
    ouro_scan_set(&heap, 1, OURO_YOUNG, OURO_SCAN_ALL);
    EXPECT(heap.fresh[page->size_class] == page);
}

TEST(a_used_page_marked_unused_is_seen) /* [heap.inv.unused] */
{
    two_blocks();
    heap.room.unused[0] |= 2;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(pages_touched_beyond_the_committed_ones_are_seen) /* [heap.inv.commit] */
{
    two_blocks();
    heap.touched = heap.committed + 1;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(more_pages_committed_than_there_are_is_seen) /* [heap.inv.commit] */
{
    two_blocks();
    heap.committed = heap.page_count + 1;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_heap_without_range_is_valid)
{
    ouro_heap_init_empty(&heap);
    EXPECT(ouro_heap_verify(&heap));
}

TEST(a_free_block_that_was_never_cut_is_seen) /* [page.inv.free] */
{
    two_blocks();
    PyObject *beyond = (PyObject *)(ouro_heap_page_start(&heap, page) + page->untouched);
    ouro_sanitize_live(beyond, page->lead, page->slot_size);
    ouro_block_set_free(beyond, page->free);
    page->free = beyond;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_free_block_in_the_lead_of_its_page_is_seen) /* [page.inv.free] */
{
    two_blocks();
    page = ouro_heap_page_of(&heap, ouro_heap_allocate(&heap, 64, OURO_LEAD));
    REQUIRE(ouro_heap_verify(&heap));
    ouro_sanitize_live((PyObject *)ouro_page_start(page), 0, sizeof(PyObject));
    ouro_block_set_free((PyObject *)ouro_page_start(page), page->free);
    page->free = (PyObject *)ouro_page_start(page);
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_circle_in_the_free_list_is_seen) /* [page.inv.free] */
{
    two_blocks();
    ouro_sanitize_live(page->free, page->lead, page->slot_size);
    ouro_block_set_free(page->free, page->free);
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_free_block_without_its_mark_is_seen) /* [page.inv.free] */
{
    two_blocks();
    ouro_sanitize_live(page->free, page->lead, page->slot_size);
    page->free->ob_refcnt--;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_page_that_does_not_know_where_it_is_is_seen)
{
    two_blocks();
    page->before += OURO_PAGE_SIZE;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_block_in_use_without_its_bit_is_seen) /* [page.inv.count] */
{
    two_blocks();
    first->ob_gc = 0;
    EXPECT(!ouro_heap_verify(&heap));
}

/* Two slots in a page: one in use, so the page is listed. */
TEST(a_listed_page_that_tells_of_frees_too_early_is_seen) /* [page.inv.notify] */
{
    two_blocks();
    PyObject *block = take_block(&heap, OURO_MEDIUM_MAX);
    PyObject *other = take_block(&heap, OURO_MEDIUM_MAX);
    take_block(&heap, OURO_MEDIUM_MAX); /* another page is current now */
    give_block(&heap, other);
    page = ouro_heap_page_of(&heap, block);
    REQUIRE(ouro_heap_verify(&heap));
    ouro_page_notify_at(page, 2);
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_wrong_count_of_a_large_block_is_seen) /* [page.inv.count] */
{
    two_blocks();
    PyObject *large = take_block(&heap, 3 * OURO_PAGE_SIZE);
    REQUIRE(ouro_heap_verify(&heap));
    ouro_heap_page_of(&heap, large)->left = 2;
    EXPECT(!ouro_heap_verify(&heap));
    ouro_heap_page_of(&heap, large)->left = 1;
    large->ob_gc = 0;
    EXPECT(!ouro_heap_verify(&heap));
}

/* Three large blocks side by side; `page` is where the second begins and the first ends. */
static void
three_large_blocks(void)
{
    two_blocks();
    first = take_block(&heap, OURO_PAGE_SIZE + 1000);
    second = take_block(&heap, OURO_PAGE_SIZE + 1000);
    take_block(&heap, OURO_PAGE_SIZE + 1000);
    page = ouro_heap_page_of(&heap, second);
    REQUIRE(ouro_heap_verify(&heap));
    REQUIRE_EQ(page->head, 1024 / OURO_LARGE_UNIT);
}

TEST(
    a_page_that_does_not_know_how_far_a_large_block_reaches_is_seen) /* [page.inv.large] */
{
    three_large_blocks();
    page->head--;
    EXPECT(!ouro_heap_verify(&heap));
    page->head++;
    ouro_heap_page_of(&heap, first)->extent++;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_large_block_that_reaches_beyond_the_touched_pages_is_seen) /* [page.inv.large] */
{
    three_large_blocks();
    heap.pages[heap.touched - 2].extent += OURO_PAGE_UNITS;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_large_block_that_ends_beyond_a_full_last_page_is_seen) /* [page.inv.large] */
{
    three_large_blocks();
    uint32_t last = heap.touched - 1;
    heap.pages[last - 1].extent += OURO_PAGE_UNITS;
    heap.pages[last].head =
        OURO_PAGE_UNITS; /* no page contradicts, and there is none behind */
    heap.room.open[last / 64] &= ~((uint64_t)1 << last % 64);
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_wrong_count_of_used_pages_is_seen)
{
    two_blocks();
    heap.used_pages++;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(large_blocks_that_overlap_are_seen) /* [page.inv.large] */
{
    three_large_blocks();
    page->lead = (uint16_t)(page->lead - OURO_LARGE_UNIT);
    page->untouched = page->lead + 1u;
    page->extent++; /* but the block ends where it did before */
    ((PyObject *)((char *)second - OURO_LARGE_UNIT))->ob_gc = OURO_BLOCK_ALLOCATED;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_large_block_of_odd_place_or_size_is_seen) /* [page.inv.large] */
{
    three_large_blocks();
    page->front = OURO_LEAD;
    EXPECT(!ouro_heap_verify(&heap));
    page->front = 0;
    page->extent = 0;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_page_inside_a_large_block_that_nobody_reaches_is_seen) /* [page.inv.large] */
{
    three_large_blocks();
    page->state = OURO_PAGE_INSIDE;
    EXPECT(!ouro_heap_verify(&heap));
    two_blocks();
    page->state = OURO_PAGE_INSIDE;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(room_for_a_large_block_that_nobody_finds_is_seen) /* [heap.inv.room] */
{
    three_large_blocks();
    give_block(&heap, second);
    REQUIRE(ouro_heap_verify(&heap));
    uint32_t number = (uint32_t)(page - heap.pages);
    heap.room.first_room = number + 1;
    EXPECT(!ouro_heap_verify(&heap));
    heap.room.first_room = number;
    REQUIRE(ouro_heap_verify(&heap));
    heap.room.open[number / 64] &= ~((uint64_t)1 << number % 64);
    EXPECT(!ouro_heap_verify(&heap));
}

static void
expect_closed_is_seen(uint32_t number)
{
    REQUIRE(ouro_heap_verify(&heap));
    REQUIRE(ouro_page_bit(heap.room.open, number));
    heap.room.open[number / 64] &= ~((uint64_t)1 << number % 64);
    EXPECT(!ouro_heap_verify(&heap));
    heap.room.open[number / 64] |= (uint64_t)1 << number % 64;
}

/* The rest of the page itself is too small for a large block. */
TEST(room_that_continues_in_the_next_page_and_nobody_finds_is_seen) /* [heap.inv.room] */
{
    two_blocks();
    first = take_block(&heap, 2 * OURO_PAGE_SIZE - 1024);
    uint32_t number = heap.touched - 1;
    expect_closed_is_seen(number);                     /* untouched pages follow */
    second = take_block(&heap, OURO_PAGE_SIZE + 1024); /* begins in the same page */
    PyObject *third = take_block(&heap, OURO_PAGE_SIZE);
    give_block(&heap, second);
    expect_closed_is_seen(number); /* an unused page follows */
    second = take_block(&heap, 33280);
    PyObject *behind = take_block(&heap, 33280); /* begins where the second ends */
    REQUIRE_EQ((char *)behind - (char *)second, 33280);
    give_block(&heap, second);
    expect_closed_is_seen(number); /* the free beginning of a page follows */
    give_block(&heap, behind);
    give_block(&heap, third);
}

TEST(unused_pages_before_the_first_room_are_seen) /* [heap.inv.room] */
{
    three_large_blocks();
    give_block(&heap, first);
    REQUIRE(ouro_heap_verify(&heap));
    heap.room.first_room = (uint32_t)(page - heap.pages);
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(an_open_page_in_which_a_block_begins_is_seen) /* [heap.inv.room] */
{
    three_large_blocks();
    uint32_t number = (uint32_t)(page - heap.pages);
    heap.room.open[number / 64] |= (uint64_t)1 << number % 64;
    heap.room.first_room = 1;
    EXPECT(!ouro_heap_verify(&heap));
}

static void
collect_with_a_wrong_count(void)
{
    PyObject *list = PyList_New(0);
    struct heap *own = &ouro_current.interp->heap;
    ouro_heap_page_of(own, list)->left++;
    PyGC_Collect();
}

TEST_PY(a_paranoid_collection_verifies_the_heap)
{
    if (!OURO_PARANOID) {
        SKIP("needs the paranoid build");
    }
    EXPECT_FATAL(collect_with_a_wrong_count(), "ouro_heap_verify");
}
