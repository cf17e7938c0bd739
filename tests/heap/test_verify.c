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
    ouro_block_set_next(first, NULL);
    page->free = first;
    page->left--;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_pointer_between_slots_in_the_free_list_is_seen) /* [page.inv.free] */
{
    two_blocks();
    page->free = (PyObject *)((char *)first + 16);
    page->left--;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_wrong_notify_mark_is_seen) /* [page.inv.notify] */
{
    two_blocks();
    page->notify = 5;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_page_with_room_that_nobody_lists_is_seen) /* [heap.inv.listed] */
{
    two_blocks();
    heap.current[page->size_class] = &heap.pages[0];
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(a_used_page_marked_unused_is_seen) /* [heap.inv.unused] */
{
    two_blocks();
    heap.unused[0] |= 2;
    EXPECT(!ouro_heap_verify(&heap));
}

TEST(pages_touched_beyond_the_committed_ones_are_seen) /* [heap.inv.commit] */
{
    two_blocks();
    heap.touched = heap.committed + 1;
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
