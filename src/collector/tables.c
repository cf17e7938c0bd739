/* SPDX-License-Identifier: MIT */
/* The memory of a sliced cycle: it exists while the cycle runs, and is given back in slices. */
#include "cycle.h"

#define PAGE_WORDS (OURO_PAGE_GRAINS * sizeof(uint16_t)) /* bytes of words of one page */

void *
ouro_cycle_table(struct cycle *cy, size_t count, size_t size)
{
    size_t unit = ouro_platform_page_size();
    size_t bytes = (count * size + unit - 1) & ~(unit - 1);
    bytes = bytes == 0 ? unit : bytes;
    char *start = ouro_platform_reserve(bytes, unit);
    if (start == NULL) {
        return NULL;
    }
    if (!ouro_platform_commit(start, bytes)) {
        ouro_platform_release(start, bytes);
        return NULL;
    }
    ouro_platform_prefer_small(start, bytes);
    cy->tables.list[cy->tables.count++] = (struct cycle_table){start, bytes};
    return start;
}

/* --- the side words --------------------------------------------------------------------------- */

/* Getting a page of memory costs ten times as much as clearing it, or more. So the largest
 * table stays for the next cycle, full of zeros, where the heap is in use. It has room for a
 * heap that grows. A table that is too small is given back with the others, in slices. */
void *
ouro_cycle_words(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    struct cycle_table spare = {gc->slices.spare_words, gc->slices.spare_words_size};
    void *words = spare.start;
    gc->slices.spare_words = NULL;
    if (words == NULL || spare.size < cy->slots * sizeof *cy->words) {
        words = ouro_cycle_table(cy, cy->slots + cy->slots / 4, sizeof *cy->words);
    }
    if (spare.start != NULL) {
        cy->tables.list[cy->tables.count++] = spare;
    }
    return words;
}

/* The end of a cycle: the words are zeros. */
static void
keep_words(struct cycle *cy)
{
    struct gc_state *gc = &cy->c.interp->gc;
    OURO_ASSERT(cy->tables.list[0].start == (char *)cy->words &&
                gc->slices.spare_words == NULL);
    gc->slices.spare_words = cy->tables.list[0].start;
    gc->slices.spare_words_size = cy->tables.list[0].size;
    cy->tables.list[0] = cy->tables.list[--cy->tables.count];
    cy->words = NULL;
}

void
ouro_collector_free_words(struct _is *interp)
{
    if (interp->gc.slices.spare_words != NULL) {
        ouro_platform_release(interp->gc.slices.spare_words,
                              interp->gc.slices.spare_words_size);
        interp->gc.slices.spare_words = NULL;
    }
}

/* Are these the words of pages at least half of which are in use? */
static bool
words_are_of_use(const struct cycle *cy, size_t from, size_t bytes)
{
    size_t page = from / PAGE_WORDS, end = (from + bytes) / PAGE_WORDS, used = 0;
    size_t pages = end - page;
    for (end = end < cy->pages ? end : cy->pages; page < end; page++) {
        used += ouro_page_used(&cy->c.heap->pages[page]) != 0;
    }
    return 2 * used >= pages;
}

/* --- giving back -------------------------------------------------------------------------------- */

static void
clear_part(const struct cycle *cy, const struct cycle_table *table, size_t from,
           size_t bytes)
{
    bool are_words = table->start == (char *)cy->words;
    if (are_words && words_are_of_use(cy, from, bytes)) {
        memset(table->start + from, 0, bytes);
    } else {
        ouro_platform_discard(table->start + from, bytes);
    }
}

/* Unmapping a large table at once takes milliseconds; with no memory behind it, no time. */
enum step
ouro_cycle_release(struct cycle *cy)
{
    while (cy->tables.released < cy->tables.count) {
        const struct cycle_table *table = &cy->tables.list[cy->tables.released];
        size_t left = table->size - cy->tables.released_bytes;
        size_t step = left < OURO_RELEASE_STEP ? left : OURO_RELEASE_STEP;
        clear_part(cy, table, cy->tables.released_bytes, step);
        cy->tables.released_bytes += step;
        if (cy->tables.released_bytes == table->size) {
            cy->tables.released++;
            cy->tables.released_bytes = 0;
        }
        if (ouro_slice_is_over(cy, OURO_RELEASE_WORK)) {
            return STEP_MORE;
        }
    }
    while (!ouro_heap_trim(cy->c.heap, OURO_TRIM_STEP)) {
        if (ouro_slice_is_over(cy, OURO_RELEASE_WORK)) {
            return STEP_MORE;
        }
    }
    keep_words(cy);
    return STEP_DONE;
}

void
ouro_cycle_free_tables(struct cycle *cy)
{
    for (uint32_t i = 0; i < cy->tables.count; i++) {
        ouro_platform_release(cy->tables.list[i].start, cy->tables.list[i].size);
    }
    cy->tables.count = 0;
}
