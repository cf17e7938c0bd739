/* SPDX-License-Identifier: MIT */
/* The memory of a sliced cycle, and what of it stays for the next one.
 *
 * Getting a page of memory costs ten times as much as clearing it, or more. So tables stay, as far
 * as the cycle used them, and have room for a heap that grows. Those that have to begin with zeros are
 * cleared, in slices. What is beyond their use, a table that is too small and one that no phase
 * asked for are given back, in slices too: unmapping a large table at once takes milliseconds, and no
 * time if there is no memory behind it. */
#include "cycle.h"

#define PAGE_WORDS (OURO_PAGE_GRAINS * sizeof(uint16_t)) /* bytes of words of one page */

/* Whole pages of the system, at least one: only these can be given back. */
static size_t
whole_pages(size_t bytes)
{
    size_t unit = ouro_platform_page_size();
    return bytes == 0 ? unit : (bytes + unit - 1) & ~(unit - 1);
}

/* Short cycles need the words of the last whole one, although the heap grows: a table without room for
 * half as many again is too small for a whole cycle. Room that is not used has no memory. */
static size_t
least_size(enum cycle_table which, size_t bytes)
{
    return which == TABLE_WORDS ? bytes + bytes / 2 : bytes;
}

bool
ouro_cycle_map_table(struct gc_table *table, size_t bytes)
{
    size_t size = whole_pages(bytes + bytes / 2);
    char *start = ouro_platform_reserve(size, ouro_platform_page_size());
    if (start == NULL) {
        return false;
    }
    if (!ouro_platform_commit(start, size)) {
        ouro_platform_release(start, size);
        return false;
    }
    ouro_platform_prefer_small(start, size);
    *table = (struct gc_table){.start = start, .size = size};
    return true;
}

void
ouro_cycle_unmap_table(struct gc_table *table)
{
    if (table->start != NULL) {
        ouro_platform_release(table->start, table->size);
        *table = (struct gc_table){0};
    }
}

void *
ouro_cycle_table(struct cycle *cy, enum cycle_table which, size_t count, size_t size)
{
    struct gc_table *spare = &cy->c.interp->gc.slices.spares[which];
    struct gc_table *table = &cy->tables.list[which];
    size_t bytes = whole_pages(count * size);
    size_t least = cy->is_short ? bytes : least_size(which, bytes);
    if (spare->size >= least && (!spare->has_words || cy->is_short)) {
        *table = *spare;
        *spare = (struct gc_table){0};
    } else if (!ouro_cycle_map_table(table, least)) {
        return NULL;
    }
    table->used = bytes;
    table->resident = table->resident > bytes ? table->resident : bytes;
    return table->start;
}

static void
say_that_words_are_left(struct gc_slices *slices)
{
    struct gc_table *words = &slices->spares[TABLE_WORDS];
    words->has_words = true;
    slices->beliefs = (uint16_t *)(void *)words->start;
    slices->believed_slots = words->size / sizeof *slices->beliefs;
}

bool
ouro_cycle_spare_words(struct _is *interp, size_t slots)
{
    struct gc_table *spare = &interp->gc.slices.spares[TABLE_WORDS], table;
    size_t bytes = whole_pages(slots * sizeof(uint16_t));
    size_t least = least_size(TABLE_WORDS, bytes);
    if (spare->size < least) {
        if (!ouro_cycle_map_table(&table, least)) {
            return false;
        }
        ouro_cycle_unmap_table(spare);
        *spare = table;
    }
    spare->used = bytes;
    spare->resident = spare->resident > bytes ? spare->resident : bytes;
    say_that_words_are_left(&interp->gc.slices);
    return true;
}

void
ouro_collector_free_spares(struct _is *interp)
{
    interp->gc.slices.beliefs = NULL;
    ouro_settle_end(interp);
    for (int i = 0; i < TABLES_OF_CYCLE; i++) {
        ouro_cycle_unmap_table(&interp->gc.slices.spares[i]);
    }
}

size_t
ouro_cycle_word_count(const struct cycle *cy)
{
    size_t count = cy->tables.list[TABLE_WORDS].size / sizeof *cy->words;
    return cy->is_short && count > cy->slots ? count : cy->slots;
}

/* --- the end of a cycle --------------------------------------------------------------------------- */

/* Objects that became old in new pages have words behind those of the cycle. */
static void
use_words_of_new_pages(struct cycle *cy)
{
    struct gc_table *words = &cy->tables.list[TABLE_WORDS];
    size_t bytes = whole_pages((size_t)cy->c.heap->touched * PAGE_WORDS);
    bytes = bytes < words->size ? bytes : words->size;
    words->used = words->used > bytes ? words->used : bytes;
    words->resident = words->resident > bytes ? words->resident : bytes;
}

/* Spares that the cycle did not take. */
static void
take_old_spares(struct cycle *cy)
{
    for (int i = 0; i < TABLES_OF_CYCLE; i++) {
        struct gc_table *spare = &cy->c.interp->gc.slices.spares[i];
        if (spare->start != NULL) {
            cy->tables.list[TABLES_OF_CYCLE + i] = *spare;
            *spare = (struct gc_table){0};
        }
    }
}

/* The next cycle is not likely to propose more than half of what is alive now. */
static void
limit_spares(struct cycle *cy)
{
    size_t most = whole_pages((size_t)cy->live / 2 * sizeof *cy->order);
    for (int i = TABLE_EXACT; i <= TABLE_ORDER; i++) {
        struct gc_table *table = &cy->tables.list[i];
        table->used = table->used < most ? table->used : most;
    }
}

static void
keep_tables(struct cycle *cy)
{
    for (int i = 0; i < TABLES_OF_CYCLE; i++) {
        struct gc_table *table = &cy->tables.list[i];
        table->resident = table->used;
        cy->c.interp->gc.slices.spares[i] = *table;
        *table = (struct gc_table){0};
    }
    struct gc_slices *slices = &cy->c.interp->gc.slices;
    slices->spares[TABLE_WORDS].has_words = false;
    slices->beliefs = NULL;
    if (slices->short_left > 0) {
        say_that_words_are_left(slices);
    }
    cy->words = NULL;
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

/* The others are written before they are read, and a short cycle reads the words of the last one. */
static bool
must_be_zeros(const struct cycle *cy, enum cycle_table which)
{
    bool keeps_words = cy->c.interp->gc.slices.short_left > 0;
    return (which == TABLE_WORDS && !keeps_words) || which == TABLE_PROPOSED ||
           which == TABLE_EXACT || which == TABLE_PARENT;
}

static void
clear_part(const struct cycle *cy, uint32_t which, size_t from, size_t bytes)
{
    const struct gc_table *table = &cy->tables.list[which];
    if (bytes == 0) {
        return;
    }
    bool is_kept = which < TABLES_OF_CYCLE && from < table->used;
    is_kept = is_kept && (which != TABLE_WORDS || words_are_of_use(cy, from, bytes));
    if (!is_kept) {
        ouro_platform_discard(table->start + from, bytes);
    } else if (must_be_zeros(cy, (enum cycle_table)which)) {
        memset(table->start + from, 0, bytes);
    }
}

/* The next part of a table, which is used or is not. */
static size_t
next_part(const struct gc_table *table, size_t at)
{
    size_t end = at < table->used ? table->used : table->resident;
    return end - at < OURO_RELEASE_STEP ? end - at : OURO_RELEASE_STEP;
}

enum step
ouro_cycle_release(struct cycle *cy)
{
    if (cy->tables.released == 0 && cy->tables.released_bytes == 0) {
        take_old_spares(cy);
        use_words_of_new_pages(cy);
        limit_spares(cy);
    }
    while (cy->tables.released < 2 * TABLES_OF_CYCLE) {
        const struct gc_table *table = &cy->tables.list[cy->tables.released];
        size_t step = next_part(table, cy->tables.released_bytes);
        clear_part(cy, cy->tables.released, cy->tables.released_bytes, step);
        cy->tables.released_bytes += step;
        if (cy->tables.released_bytes == table->resident) {
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
    keep_tables(cy);
    return STEP_DONE;
}

void
ouro_cycle_free_tables(struct cycle *cy)
{
    for (int i = 0; i < 2 * TABLES_OF_CYCLE; i++) {
        ouro_cycle_unmap_table(&cy->tables.list[i]);
    }
}
