/* SPDX-License-Identifier: MIT */
/* Large blocks: side by side, over as many pages as each needs.
 *
 * A block is put into the first room that it fits. Room is the free end of a page in which
 * another block ends, then unused pages, then the free beginning of a page in which another
 * block begins, or any part of these. So no OS page is wasted on the last bytes of a block, and
 * the blocks of a program do not all begin at the same lines of the caches. At most one begins
 * in a page: the descriptor of that page is like one of a page with one slot. The descriptors
 * of the other pages only say how far the block reaches.
 *
 * The memory of a block is requested in one call, which takes a third less time than one fault
 * for each of its OS pages. Only long runs get theirs when it is touched; it goes back to the
 * system as soon as they are freed.
 *
 * With OURO_HEAP_GUARDS=1 in the environment each block ends with an OS page that nobody can read
 * or write, and begins where it must for its last unit to be right before that. Such blocks do not
 * grow. */
#include "heap.h"

#include "../platform/platform.h"

#define LONG_RUN 16 /* pages: 1 MiB */

static void
close_page(struct heap *heap, uint32_t number)
{
    heap->room.open[number / 64] &= ~((uint64_t)1 << (number % 64));
}

/* The end of the room that begins at offset `from` and continues in page `n`; or less, if
 * `bytes` already fit. */
static size_t
end_of_room(const struct heap *heap, size_t from, uint32_t n, size_t bytes)
{
    while (n < heap->touched && ouro_page_bit(heap->room.unused, n) &&
           ((size_t)n << OURO_PAGE_SHIFT) - from < bytes) {
        n++;
    }
    if (n >= heap->touched) {
        return from + bytes; /* nothing is behind */
    }
    const struct page *page = &heap->pages[n]; /* into which no block reaches */
    uint32_t head = page->state == OURO_PAGE_LARGE ? ouro_page_large_start(page) : 0;
    return ((size_t)n << OURO_PAGE_SHIFT) + head;
}

/* The offset of the first room for this many bytes, perhaps beyond the pages touched so far.
 * Room that is too small for any large block is never searched again. */
static size_t
find_room(struct heap *heap, size_t bytes)
{
    const uint64_t *unused = heap->room.unused, *open = heap->room.open;
    uint32_t n = ouro_page_next_bit(unused, open, heap->room.first_room, heap->touched);
    heap->room.first_room = n;
    while (n < heap->touched) {
        size_t from = ((size_t)n << OURO_PAGE_SHIFT) +
                      (size_t)heap->pages[n].head * OURO_LARGE_UNIT;
        size_t end = end_of_room(heap, from, n + 1, bytes);
        if (end - from >= bytes) {
            return from;
        }
        if (end - from <= OURO_MEDIUM_MAX) {
            close_page(heap, n);
        }
        n = ouro_page_next_bit(unused, open, (uint32_t)(end >> OURO_PAGE_SHIFT),
                               heap->touched);
    }
    return (size_t)heap->touched << OURO_PAGE_SHIFT;
}

/* Does one of these unused pages have no memory? */
static bool
needs_memory(const struct heap *heap, uint32_t first, uint32_t behind)
{
    while (first < behind && first < heap->touched && heap->pages[first].resident) {
        first++;
    }
    return first < behind;
}

/* Bring the unused pages between offsets `start` and `end` into use; false when there is no
 * memory for them. */
static bool
use_room(struct heap *heap, size_t start, size_t end)
{
    uint32_t first = (uint32_t)((start + OURO_PAGE_SIZE - 1) >> OURO_PAGE_SHIFT);
    uint32_t last = (uint32_t)((end - 1) >> OURO_PAGE_SHIFT);
    bool is_shared = last < heap->touched && heap->pages[last].state == OURO_PAGE_LARGE;
    uint32_t behind = is_shared ? last : last + 1;
    if (end > heap->size) {
        return false;
    }
    if (first >= behind) {
        return true;
    }
    bool is_short = behind - first < LONG_RUN;
    bool is_cold = is_short && needs_memory(heap, first, behind);
    if (!ouro_heap_use_pages(heap, first, behind - first, end - start > OURO_PAGE_SIZE)) {
        return false;
    }
    if (is_cold) {
        ouro_platform_populate(heap->base + start, end - start);
    }
    return true;
}

/* Set the size of the block that begins in the page. The pages before page `n`, if there are
 * any, have been set. */
static void
set_extent(struct heap *heap, struct page *page, uint32_t n, size_t bytes)
{
    uint32_t first = (uint32_t)(page - heap->pages);
    size_t end = ((size_t)first << OURO_PAGE_SHIFT) + ouro_page_large_start(page) + bytes;
    uint32_t last = (uint32_t)((end - 1) >> OURO_PAGE_SHIFT);
    page->extent = (uint32_t)(bytes / OURO_LARGE_UNIT);
    page->slot_size = (uint32_t)(bytes < OURO_PAGE_SIZE ? bytes : OURO_PAGE_SIZE);
    for (n = n == first ? n + 1 : n; n <= last; n++) {
        bool is_shared = heap->pages[n].state == OURO_PAGE_LARGE;
        size_t inside = end - ((size_t)n << OURO_PAGE_SHIFT);
        inside = inside < OURO_PAGE_SIZE ? inside : OURO_PAGE_SIZE;
        heap->pages[n].state = is_shared ? OURO_PAGE_LARGE : OURO_PAGE_INSIDE;
        heap->pages[n].head = (uint16_t)(inside / OURO_LARGE_UNIT);
        close_page(heap, n);
    }
    if (last != first && heap->pages[last].state == OURO_PAGE_INSIDE) {
        ouro_heap_open_page(heap, last);
    }
}

/* The page in which a block begins at offset `start`. */
static struct page *
describe_large(struct heap *heap, size_t start, size_t bytes, size_t lead)
{
    uint32_t number = (uint32_t)(start >> OURO_PAGE_SHIFT);
    struct page *page = &heap->pages[number];
    close_page(heap, number);
    page->capacity = 1;
    page->size_class = 0;
    page->front = (uint8_t)lead;
    page->lead = (uint16_t)((start & (OURO_PAGE_SIZE - 1)) + lead);
    page->untouched = page->lead + 1u;
    page->left = 1;
    page->notify = 0;
    page->inverse = 0; /* slot 0 is the only one */
    page->state = OURO_PAGE_LARGE;
    ouro_scan_set(heap, number, OURO_BIRTH_SET, OURO_SCAN_ALL);
    set_extent(heap, page, number, bytes);
    return page;
}

static size_t
round_to_units(size_t bytes)
{
    return (bytes + OURO_LARGE_UNIT - 1) & ~(size_t)(OURO_LARGE_UNIT - 1);
}

/* Where in the room from offset `room` on a block of this many bytes ends with an OS page. With
 * guards every room begins with an OS page, so that this is in the same page of ours. */
static size_t
place_before_guard(const struct heap *heap, size_t room, size_t bytes)
{
    size_t part = heap->guard != 0 ? (room + bytes) & (heap->guard - 1) : 0;
    return part != 0 ? room + heap->guard - part : room;
}

static void
set_guard(const struct heap *heap, size_t at, bool guarded)
{
    if (heap->guard != 0) {
        ouro_platform_guard(heap->base + at, heap->guard, guarded);
    }
}

PyObject *
ouro_heap_allocate_large(struct heap *heap, size_t total, size_t lead)
{
    if (total > heap->size) {
        return NULL;
    }
    size_t bytes = round_to_units(total);
    size_t room = find_room(heap, bytes + 2 * heap->guard); /* one to move in */
    size_t start = place_before_guard(heap, room, bytes);
    if (!use_room(heap, room, start + bytes + heap->guard)) {
        return NULL;
    }
    const struct page *page = describe_large(heap, start, bytes + heap->guard, lead);
    PyObject *block = (PyObject *)(heap->base + start + lead);
    set_guard(heap, start + bytes, true);
    ouro_sanitize_pages(heap->base + start, bytes, true);
    ouro_sanitize_live(block, lead, bytes);
    block->ob_refcnt = 1;
    block->ob_gc = page->birth;
    return block;
}

/* The end of the room behind the block of `page`, which ends at offset `end` in page `last`; or
 * less, if `bytes` already fit. */
static size_t
end_of_room_behind(const struct heap *heap, const struct page *page, uint32_t last,
                   size_t end, size_t bytes)
{
    const struct page *other = &heap->pages[last];
    if (other != page && other->state == OURO_PAGE_LARGE) {
        return ((size_t)last << OURO_PAGE_SHIFT) + ouro_page_large_start(other);
    }
    return end_of_room(heap, end, last + 1, bytes);
}

bool
ouro_heap_extend(struct heap *heap, PyObject *block, size_t size)
{
    struct page *page = ouro_heap_page_of(heap, block);
    if (page->state != OURO_PAGE_LARGE || size > heap->size || heap->guard != 0) {
        return false;
    }
    size_t start = ouro_heap_offset(heap, block) - page->front;
    size_t before = ouro_page_large_bytes(page), end = start + before;
    size_t bytes = round_to_units(size + page->front), more = bytes - before;
    uint32_t last = (uint32_t)((end - 1) >> OURO_PAGE_SHIFT);
    bool fits = end_of_room_behind(heap, page, last, end, more) - end >= more;
    if (!fits || !use_room(heap, end, end + more)) {
        return false;
    }
    ouro_sanitize_pages(heap->base + start, before, false);
    set_extent(heap, page, last, bytes);
    ouro_sanitize_pages(heap->base + start, bytes, true);
    ouro_sanitize_live(block, page->front, bytes);
    return true;
}

void
ouro_heap_free_large(struct heap *heap, struct page *page)
{
    uint32_t first = (uint32_t)(page - heap->pages);
    uint32_t behind = first + ouro_page_run(page), last = behind - 1;
    size_t start = ((size_t)first << OURO_PAGE_SHIFT) + ouro_page_large_start(page);
    size_t bytes = ouro_page_large_bytes(page) - heap->guard;
    ouro_sanitize_pages(heap->base + start, bytes, false);
    set_guard(heap, start + bytes, false);
    for (uint32_t n = first + 1; n < behind; n++) {
        heap->pages[n].head = 0;
    }
    if (last != first && heap->pages[last].state == OURO_PAGE_LARGE) {
        behind--;
    }
    if (page->head != 0) {
        page->state = OURO_PAGE_INSIDE;
        ouro_heap_forget_page(heap, first);
        ouro_heap_open_page(heap, first);
        first++;
    }
    if (first < behind) {
        ouro_heap_unuse_pages(heap, first, behind - first);
    }
    if (first + LONG_RUN <= behind) {
        ouro_heap_discard(heap, first, behind - first);
    }
}
