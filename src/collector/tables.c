/* SPDX-License-Identifier: MIT */
/* The memory of a sliced cycle: there while the cycle runs, and given back in slices. */
#include "cycle.h"

/* What is given back between two looks at the clock, and what that costs, in objects. */
#define RELEASE_STEP ((size_t)512 << 10) /* bytes of tables */
#define TRIM_STEP    8                   /* pages of the heap */
#define RELEASE_WORK 256

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
    cy->tables[cy->table_count++] = (struct cycle_table){start, bytes};
    return start;
}

/* Unmapping a large table at once takes milliseconds; without memory behind it, none. */
bool
ouro_cycle_release(struct cycle *cy)
{
    while (cy->released < cy->table_count) {
        const struct cycle_table *table = &cy->tables[cy->released];
        size_t left = table->size - cy->released_bytes;
        size_t step = left < RELEASE_STEP ? left : RELEASE_STEP;
        ouro_platform_discard(table->start + cy->released_bytes, step);
        cy->released_bytes += step;
        if (cy->released_bytes == table->size) {
            cy->released++;
            cy->released_bytes = 0;
        }
        if (ouro_slice_is_over(cy, RELEASE_WORK)) {
            return false;
        }
    }
    while (!ouro_heap_trim(cy->c.heap, TRIM_STEP)) {
        if (ouro_slice_is_over(cy, RELEASE_WORK)) {
            return false;
        }
    }
    return true;
}

void
ouro_cycle_free_tables(struct cycle *cy)
{
    for (uint32_t i = 0; i < cy->table_count; i++) {
        ouro_platform_release(cy->tables[i].start, cy->tables[i].size);
    }
    cy->table_count = 0;
}
