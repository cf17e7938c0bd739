/* SPDX-License-Identifier: MIT */
/* Which objects a collection looks at, and where they go afterwards.
 *
 * Generations are merged page by page, so the time depends on the number of pages, not of
 * objects. Generations 0..g become the set OURO_CANDIDATES; when the collection ends, that set
 * becomes generation g + 1. The old generation, most of the heap, only changes its name. The
 * generation in each header is set in between, before any user code runs, so that objects born
 * later can be distinguished. */
#include "collection.h"

/* If a page holds many candidates among other objects, looking at each slot is faster than
 * reading the bits. */
static void
look_at_all_of_dense(struct heap *heap, uint32_t number)
{
    if (heap->sets.scan[OURO_CANDIDATES][number] == OURO_SCAN_BITS &&
        ouro_scan_is_dense(heap, number, OURO_CANDIDATES)) {
        ouro_scan_forget(heap, number, OURO_CANDIDATES);
        ouro_scan_set(heap, number, OURO_CANDIDATES, OURO_SCAN_ALL);
    }
}

static void
gather_set(struct collection *c, int set)
{
    const uint8_t *scan = c->heap->sets.scan[set];
    if (c->heap->sets.pages[set] == 0) {
        return;
    }
    for (uint32_t n = ouro_scan_next(scan, 1, c->pages); n < c->pages;
         n = ouro_scan_next(scan, n + 1, c->pages)) {
        if (set != OURO_CANDIDATES) {
            ouro_scan_merge(c->heap, n, set, OURO_CANDIDATES);
            look_at_all_of_dense(c->heap, n);
        }
        c->first = n < c->first ? n : c->first;
        c->last = n > c->last ? n : c->last;
    }
}

/* Exchange the set of candidates and the old generation; the same call exchanges them back. */
static void
exchange_with_old(struct collection *c)
{
    OURO_ASSERT(c->interp->gc.cycle == NULL);
    ouro_scan_exchange(c->heap, OURO_OLD, OURO_CANDIDATES);
}

/* Do pages hold objects that are no candidates? Then the visit functions must filter. */
static bool
pages_are_mixed(const struct collection *c)
{
    return c->generation < OURO_OLD || c->heap->sets.pages[OURO_PERMANENT] != 0 ||
           memchr(c->scan, OURO_SCAN_BITS, c->pages) != NULL;
}

/* The range of the candidates, if every page in it is scanned whole. Then an address alone
 * tells whether it may be a candidate's. */
static void
find_range(struct collection *c)
{
    uint32_t pages = c->last + 1 - c->first;
    bool is_whole =
        !c->filtered || (c->heap->sets.pages[OURO_CANDIDATES] == pages &&
                         memchr(c->scan + c->first, OURO_SCAN_BITS, pages) == NULL);
    c->range_start = (size_t)c->first << OURO_PAGE_SHIFT;
    c->range_size = is_whole ? (size_t)pages << OURO_PAGE_SHIFT : 0;
    c->has_range = is_whole;
}

bool
ouro_gather_candidates(struct collection *c)
{
    c->pages = c->heap->touched;
    c->first = c->pages;
    c->last = 0;
    if (c->generation == OURO_OLD) {
        exchange_with_old(c);
        gather_set(c, OURO_CANDIDATES);
    }
    c->scan = c->heap->sets.scan[OURO_CANDIDATES];
    c->bits = c->heap->sets.bits[OURO_CANDIDATES];
    c->words = c->heap->sets.words[OURO_CANDIDATES];
    for (int set = OURO_YOUNG; set <= c->generation; set++) {
        gather_set(c, set);
    }
    if (c->heap->sets.pages[OURO_CANDIDATES] == 0) {
        return false;
    }
    c->filtered = pages_are_mixed(c);
    find_range(c);
    return true;
}

/* A page that is mostly old is scanned whole, a nearly empty one by bits. */
static void
choose_scan(struct collection *c, uint32_t number)
{
    struct page *page = &c->heap->pages[number];
    if (page->state != OURO_PAGE_SLOTS) {
        return;
    }
    if (ouro_page_used(page) == 0) {
        for (int set = 0; set < OURO_CANDIDATES; set++) {
            ouro_scan_forget(c->heap, number, set);
        }
        return;
    }
    uint32_t slots = (page->untouched - page->lead) / page->slot_size;
    int next = ouro_next_generation(c);
    /* A few slots are scanned quickly. One page with bits would make every visit read bits. */
    bool is_sparse =
        slots >= OURO_SPARSE_SLOTS && ouro_page_used(page) * OURO_SPARSE_SHARE < slots;
    if (is_sparse && c->heap->sets.scan[next][number] == OURO_SCAN_ALL) {
        ouro_scan_thin(c->heap, page);
    } else if (c->generation == OURO_OLD &&
               ouro_page_used(page) * OURO_DENSE_SHARE > slots) {
        ouro_scan_forget(c->heap, number, OURO_OLD);
        ouro_scan_set(c->heap, number, OURO_OLD, OURO_SCAN_ALL);
    } else if (c->heap->sets.scan[next][number] == OURO_SCAN_BITS) {
        ouro_scan_refresh(c->heap, number, next);
    }
}

void
ouro_release_candidates(struct collection *c)
{
    bool renames = c->generation == OURO_OLD && c->heap->sets.pages[OURO_OLD] == 0;
    if (renames) {
        exchange_with_old(c);
    }
    for (uint32_t n = ouro_next_page(c, 1); n < c->pages; n = ouro_next_page(c, n + 1)) {
        c->heap->pages[n].noted = 0;
        if (!renames) {
            ouro_scan_merge(c->heap, n, OURO_CANDIDATES, ouro_next_generation(c));
        }
        choose_scan(c, n);
    }
}
