/* SPDX-License-Identifier: MIT */
/* The invariants of page.h and heap.h, checked one by one. For tests and paranoid builds;
 * each function returns false at the first that does not hold. */
#include "heap.h"

static bool
verify_free_list(const struct heap *heap, const struct page *page, uint32_t *length)
{
    char *start = ouro_heap_page_start(heap, page);
    for (PyObject *block = page->free; block != NULL; block = ouro_sanitize_next(block)) {
        size_t at = (size_t)((char *)block - start);
        bool is_slot = at < page->untouched && at >= page->lead &&
                       (at - page->lead) % page->slot_size == 0;
        if (!is_slot || (ouro_sanitize_peek_gc(block) & OURO_BLOCK_ALLOCATED) != 0 ||
            ++*length > page->capacity) {
            return false; /* page.inv.free */
        }
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

bool
ouro_page_verify(const struct heap *heap, uint32_t number)
{
    const struct page *page = &heap->pages[number];
    if (page->state == OURO_PAGE_LARGE) {
        return ouro_page_used(page) == 1 && count_allocated(heap, page) == 1;
    }
    if (page->state != OURO_PAGE_SLOTS) {
        return true;
    }
    uint32_t free_slots = 0;
    if (!verify_free_list(heap, page, &free_slots)) {
        return false;
    }
    uint32_t untouched = (page->limit - page->untouched) / page->slot_size;
    return ouro_page_used(page) + free_slots + untouched ==
               page->capacity && /* page.inv.count */
           count_allocated(heap, page) == ouro_page_used(page) &&
           verify_notify(heap, page);
}

bool
ouro_heap_verify(const struct heap *heap)
{
    uint32_t used = 0;
    if (heap->size == 0) {
        return true;
    }
    if (heap->touched > heap->committed || heap->committed > heap->page_count) {
        return false; /* heap.inv.commit */
    }
    for (uint32_t n = 1; n < heap->touched; n++) {
        bool unused = (heap->unused[n / 64] >> (n % 64)) & 1;
        if (unused != (heap->pages[n].state == OURO_PAGE_UNUSED)) {
            return false; /* heap.inv.unused */
        }
        used += !unused;
        if (!ouro_page_verify(heap, n)) {
            return false;
        }
    }
    return used == heap->used_pages;
}
