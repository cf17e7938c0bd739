/* SPDX-License-Identifier: MIT */
/* Large blocks: runs of whole pages, one block each.
 *
 * The first page's descriptor describes the block; the others only say that they are
 * inside one. Memory of long runs goes back to the system as soon as they are freed. */
#include "heap.h"

#include "../platform/platform.h"

#define DISCARD_FROM 16 /* pages: 1 MiB */

PyObject *
ouro_heap_allocate_large(struct heap *heap, size_t total, size_t lead)
{
    if (total > heap->size) {
        return NULL;
    }
    uint32_t run = (uint32_t)((total + OURO_PAGE_SIZE - 1) >> OURO_PAGE_SHIFT);
    uint32_t first = ouro_heap_use_pages(heap, run);
    if (first == OURO_NO_PAGE) {
        return NULL;
    }
    for (uint32_t n = first + 1; n < first + run; n++) {
        heap->pages[n].state = OURO_PAGE_INSIDE;
    }
    struct page *page = &heap->pages[first];
    char *start = ouro_heap_page_start(heap, page);
    page->free = NULL;
    page->slot_size = (uint32_t)OURO_PAGE_SIZE;
    page->capacity = 1;
    page->size_class = 0;
    page->lead = (uint8_t)lead;
    page->untouched = page->lead + 1;
    page->limit = page->untouched;
    page->left = 1;
    page->notify = 0;
    page->run = run;
    page->inverse = 0; /* slot 0 is the only one */
    page->state = OURO_PAGE_LARGE;
    ouro_scan_set(heap, first, OURO_YOUNG, OURO_SCAN_ALL);
    ouro_sanitize_pages(start, (size_t)run << OURO_PAGE_SHIFT, true);
    ouro_sanitize_live((PyObject *)(start + lead), lead, (size_t)run << OURO_PAGE_SHIFT);
    PyObject *block = (PyObject *)(start + lead);
    block->ob_header = page->birth;
    return block;
}

void
ouro_heap_free_large(struct heap *heap, struct page *page)
{
    uint32_t first = (uint32_t)(page - heap->pages);
    uint32_t run = page->run;
    ouro_heap_unuse_pages(heap, first, run);
    if (run >= DISCARD_FROM) {
        for (uint32_t n = first; n < first + run; n++) {
            heap->pages[n].resident = 0;
        }
        heap->resident_unused -= run;
        heap->discards++;
        ouro_platform_discard(heap->base + ((size_t)first << OURO_PAGE_SHIFT),
                              (size_t)run << OURO_PAGE_SHIFT);
    }
}
