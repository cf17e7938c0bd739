/* SPDX-License-Identifier: MIT */
/* Decides whether a walk prefetches the targets of objects before it reaches these objects.
 *
 * This is worth it if references are scattered: a prefetch then hides most of a cache miss. In
 * lists and trees that were built in one go, neighbours refer to neighbours. There the processor
 * fetches by itself, and our prefetches would waste one instruction in ten. The first objects of
 * a page show which case it is. */
#include "collection.h"

static bool
references_are_scattered(const struct collection *c, const struct page *page)
{
    const char *body =
        ouro_heap_page_start(c->heap, page) + page->lead + sizeof(PyObject);
    int scattered = 0;
    for (int i = 0; i < OURO_ASKED_PAIRS; i++, body += page->slot_size) {
        uintptr_t here[2], next[2];
        memcpy(here, body, sizeof here);
        memcpy(next, body + page->slot_size, sizeof next);
        for (int j = 0; j < 2; j++) {
            bool are_ours = here[j] - (uintptr_t)c->base < c->size &&
                            next[j] - (uintptr_t)c->base < c->size;
            scattered +=
                are_ours && here[j] - next[j] + OURO_NEAR_BYTES > 2 * OURO_NEAR_BYTES;
        }
    }
    return scattered >= OURO_SCATTERED_PAIRS;
}

void
ouro_look_ahead(struct collection *c, const struct page *page, bool backwards)
{
    size_t bytes = (size_t)OURO_AHEAD * page->slot_size;
    uint32_t first = page->lead + (uint32_t)sizeof(PyObject);
    uint32_t end = page->untouched - 2 * (uint32_t)sizeof(void *);
    uint32_t number = (uint32_t)(page - c->heap->pages);
    bool is_short =
        c->scan[number] != OURO_SCAN_ALL ||
        page->untouched < page->lead + (OURO_ASKED_PAIRS + 2) * page->slot_size;
    c->ahead.bytes = (backwards ? -bytes : bytes) + sizeof(PyObject);
    c->ahead.offset =
        c->ahead.bytes - (uintptr_t)(ouro_heap_page_start(c->heap, page) + first);
    c->ahead.size = !OURO_ASAN && !is_short && references_are_scattered(c, page)
                        ? end - first + 1
                        : 0;
}
