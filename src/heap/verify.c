/* SPDX-License-Identifier: MIT */
/* The invariants of page.h and heap.h, checked one by one. For tests and paranoid builds;
 * each function returns false at the first that does not hold. */
#include "heap.h"

/* Each of the links, as many as there are free slots, leads to a free slot. */
static bool
verify_free_list(const struct page *page)
{
    uint64_t seen[OURO_PAGE_BIT_WORDS] = {0};
    const PyObject *block = page->free;
    for (uint32_t left = ouro_page_free_slots(page); left > 0; left--) {
        size_t at = (size_t)((const char *)block - ouro_page_start(page));
        bool is_slot = at < page->untouched && at >= page->lead &&
                       (at - page->lead) % page->slot_size == 0;
        uint64_t bit = (uint64_t)1 << (at >> OURO_GRAIN_SHIFT) % 64;
        uint64_t link = is_slot ? _Py_FreeLink(ouro_sanitize_peek_header(block)) : 0;
        if (!_Py_IsFreeLink(link) || (seen[(at >> OURO_GRAIN_SHIFT) / 64] & bit) != 0) {
            return false; /* page.inv.free */
        }
        seen[(at >> OURO_GRAIN_SHIFT) / 64] |= bit;
        block = (PyObject *)(page->before + link);
    }
    return true;
}

static uint32_t
count_allocated(const struct heap *heap, const struct page *page)
{
    char *start = ouro_heap_page_start(heap, page);
    uint32_t count = 0;
    for (uint32_t at = page->lead; at < page->untouched; at += page->slot_size) {
        count +=
            (ouro_sanitize_peek_gc((PyObject *)(start + at)) & OURO_BLOCK_ALLOCATED) != 0;
    }
    return count;
}

static bool
verify_notify(const struct heap *heap, const struct page *page)
{
    if (heap->current[page->size_class] == page) {
        bool is_fresh = heap->fresh[page->size_class] == page;
        return page->notify == OURO_NOTIFY_NEVER &&
               is_fresh == (page->birth == _Py_GC_BIRTH); /* heap.inv.fresh */
    }
    if (ouro_page_used(page) == page->capacity) {
        return page->notify == page->capacity - 1;
    }
    uint32_t number = (uint32_t)(page - heap->pages);
    uint32_t n = heap->available[page->size_class];
    while (n != OURO_NO_PAGE && n != number) {
        n = heap->pages[n].next;
    }
    return page->notify <= ouro_page_used(page) && n == number; /* heap.inv.listed */
}

/* One block, described as page.h says, behind the one that reaches into the page. */
static bool
verify_large(const struct heap *heap, const struct page *page)
{
    uint32_t start = ouro_page_large_start(page);
    return ouro_page_used(page) == 1 && count_allocated(heap, page) == 1 &&
           start % OURO_LARGE_UNIT == 0 && start / OURO_LARGE_UNIT >= page->head &&
           page->extent != 0; /* page.inv.large */
}

static bool
verify_slots(const struct heap *heap, const struct page *page)
{
    return ouro_page_start(page) == ouro_heap_page_start(heap, page) &&
           count_allocated(heap, page) == ouro_page_used(page) && /* page.inv.count */
           verify_free_list(page) && verify_notify(heap, page);
}

bool
ouro_page_verify(const struct heap *heap, uint32_t number)
{
    const struct page *page = &heap->pages[number];
    switch (page->state) {
    case OURO_PAGE_SLOTS:
        return verify_slots(heap, page);
    case OURO_PAGE_LARGE:
        return verify_large(heap, page);
    default:
        return true;
    }
}

/* The block before reaches to offset `reach`. Does the page say so, and may a block reach into
 * it? */
static bool
verify_head(const struct heap *heap, uint32_t number, size_t reach)
{
    const struct page *page = &heap->pages[number];
    size_t start = (size_t)number << OURO_PAGE_SHIFT;
    size_t inside = reach <= start                   ? 0
                    : reach - start < OURO_PAGE_SIZE ? reach - start
                                                     : OURO_PAGE_SIZE;
    bool is_inside = page->state == OURO_PAGE_INSIDE;
    return page->head * (size_t)OURO_LARGE_UNIT == inside &&
           (page->state == OURO_PAGE_LARGE || is_inside == (inside != 0));
}

/* A page in which a large block could begin is open, or there is too little room. */
static bool
verify_room(const struct heap *heap, uint32_t number)
{
    const struct page *page = &heap->pages[number], *next = page + 1;
    bool is_open = ouro_page_bit(heap->room.open, number);
    bool is_unused = ouro_page_bit(heap->room.unused, number);
    if (page->state != OURO_PAGE_INSIDE || page->head == OURO_PAGE_UNITS) {
        return !is_open && (!is_unused || number >= heap->room.first_room);
    }
    bool is_last = number + 1 == heap->touched;
    size_t room = OURO_PAGE_SIZE - (size_t)page->head * OURO_LARGE_UNIT;
    if (is_last || next->state == OURO_PAGE_UNUSED) {
        room += OURO_PAGE_SIZE;
    } else if (next->state == OURO_PAGE_LARGE && next->head == 0) {
        room += ouro_page_large_start(next);
    }
    return is_open ? number >= heap->room.first_room : room <= OURO_MEDIUM_MAX;
}

bool
ouro_heap_verify(const struct heap *heap)
{
    uint32_t used = 0;
    size_t reach = 0; /* where the last large block ends */
    if (heap->size == 0) {
        return true;
    }
    if (heap->touched > heap->committed || heap->committed > heap->page_count) {
        return false; /* heap.inv.commit */
    }
    for (uint32_t n = 1; n < heap->touched; n++) {
        const struct page *page = &heap->pages[n];
        bool unused = ouro_page_bit(heap->room.unused, n);
        if (unused != (page->state == OURO_PAGE_UNUSED)) {
            return false; /* heap.inv.unused */
        }
        used += !unused;
        if (!verify_head(heap, n, reach) || /* page.inv.large */
            !verify_room(heap, n) ||        /* heap.inv.room */
            !ouro_page_verify(heap, n)) {
            return false;
        }
        if (page->state == OURO_PAGE_LARGE) {
            reach = ((size_t)n << OURO_PAGE_SHIFT) + ouro_page_large_start(page) +
                    ouro_page_large_bytes(page);
        }
    }
    return used == heap->used_pages && reach <= (size_t)heap->touched << OURO_PAGE_SHIFT;
}
