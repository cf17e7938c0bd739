/* SPDX-License-Identifier: MIT */
/* Which objects a collection looks at, and where they go afterwards.
 *
 * Generations are merged page by page, so gathering costs what pages there are, not what
 * objects: all of 0..g becomes the set OURO_CANDIDATES, and that becomes generation g + 1
 * when the collection ends. The generation in each header is set in between, before any
 * user code runs, so that objects born later are told apart. */
#include "collection.h"

int
ouro_next_generation(const struct collection *c)
{
    return c->generation < OURO_OLD ? c->generation + 1 : OURO_OLD;
}

void
ouro_gather_candidates(struct collection *c)
{
    struct heap *heap = c->heap;
    bool others = c->generation < OURO_OLD;
    c->pages = heap->touched;
    for (uint32_t n = 1; n < c->pages; n++) {
        heap->pages[n].promote = heap->scan[OURO_YOUNG][n] != OURO_SCAN_NONE ||
                                 heap->scan[OURO_MIDDLE][n] != OURO_SCAN_NONE;
        for (int g = 0; g <= c->generation; g++) {
            if (heap->scan[g][n] != OURO_SCAN_NONE) {
                ouro_scan_merge(heap, n, g, OURO_CANDIDATES);
            }
        }
        others |= heap->scan[OURO_PERMANENT][n] != OURO_SCAN_NONE ||
                  heap->scan[OURO_CANDIDATES][n] == OURO_SCAN_BITS;
    }
    c->filtered = others;
}

static void
promote_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)page;
    if (ouro_is_candidate(c, op)) {
        ouro_object_set_generation(op, ouro_next_generation(c));
    }
}

void
ouro_promote_candidates(struct collection *c)
{
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        if (c->heap->pages[n].promote) {
            ouro_each_in_page(c, n, promote_body);
        }
    }
}

/* A page that is mostly old is scanned whole, a nearly empty one by bits. */
static void
choose_scan(struct collection *c, uint32_t number)
{
    struct page *page = &c->heap->pages[number];
    if (page->state != OURO_PAGE_SLOTS) {
        return;
    }
    uint32_t slots = (page->untouched - page->lead) / page->slot_size;
    if (page->used * 16u < slots) {
        ouro_scan_thin(c->heap, page);
    } else if (c->generation == OURO_OLD && page->used * 4u > slots) {
        ouro_scan_forget(c->heap, number, OURO_OLD);
        c->heap->scan[OURO_OLD][number] = OURO_SCAN_ALL;
    }
}

void
ouro_release_candidates(struct collection *c)
{
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        ouro_scan_merge(c->heap, n, OURO_CANDIDATES, ouro_next_generation(c));
        choose_scan(c, n);
    }
}
