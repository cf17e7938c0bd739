/* SPDX-License-Identifier: MIT */
/* Reserving and clearing the shadow; shadow.h says what it is. */
#include "shadow.h"

#include "memory.h"

#include <string.h>

#define BLOCK_SIZE   ((size_t)1 << SHADOW_PLACE_BITS)
#define WINDOWS_SIZE (SHADOW_WINDOWS * sizeof(uint32_t))
#define LEAST_BLOCKS 16 /* of 64 MiB each: enough for a program under a tight limit */

/* Reserve 4 GiB of address space, or less under a limit. */
bool
shadow_init(struct shadow *shadow)
{
    *shadow = (struct shadow){.blocks = 1};
    shadow->windows = memory_reserve(WINDOWS_SIZE);
    for (size_t most = SHADOW_BLOCKS; shadow->bytes == NULL && most >= LEAST_BLOCKS;
         most /= 2) {
        shadow->bytes = memory_reserve(most * BLOCK_SIZE);
        shadow->most_blocks = most;
    }
    if (shadow->windows != NULL && shadow->bytes != NULL &&
        memory_use(shadow->windows, WINDOWS_SIZE) &&
        memory_use(shadow->bytes, BLOCK_SIZE)) {
        return true;
    }
    shadow_free(shadow);
    return false;
}

void
shadow_free(struct shadow *shadow)
{
    memory_unmap(shadow->windows, WINDOWS_SIZE);
    memory_unmap(shadow->bytes, shadow->most_blocks * BLOCK_SIZE);
    *shadow = (struct shadow){0};
}

bool
shadow_add_window(struct shadow *shadow, uintptr_t address)
{
    if (shadow->blocks == shadow->most_blocks ||
        !memory_use(shadow->bytes + shadow->blocks * BLOCK_SIZE, BLOCK_SIZE)) {
        return false;
    }
    uintptr_t window = address >> SHADOW_WINDOW_BITS;
    shadow->bases[shadow->blocks] = window << SHADOW_WINDOW_BITS;
    shadow->windows[window] = (uint32_t)(shadow->blocks << SHADOW_PLACE_BITS);
    shadow->blocks++;
    return true;
}

#define BLOCK_PAGES (BLOCK_SIZE / MEMORY_PAGE)
#define CLEAR_PAGES 64 /* pages that are cleared at once, if a slice must be short */
#define RUN_GAP     4  /* this many unused pages do not end a run */

/* If there are no runs left, the last one gets longer: no page with memory is forgotten. */
static void
remember_page(struct shadow *shadow, uint32_t page)
{
    struct page_run *last =
        shadow->run_count == 0 ? NULL : &shadow->runs[shadow->run_count - 1];
    if (last != NULL && (page < last->first + last->count + RUN_GAP ||
                         shadow->run_count == SHADOW_RUNS)) {
        last->count = page + 1 - last->first;
    } else {
        shadow->runs[shadow->run_count++] = (struct page_run){page, 1};
    }
}

/* Find the pages that take memory. */
static void
find_runs(struct shadow *shadow)
{
    unsigned char pages[BLOCK_PAGES];
    shadow->run_count = 0;
    for (size_t block = 0; block < shadow->blocks; block++) {
        if (!memory_resident(shadow->bytes + block * BLOCK_SIZE, BLOCK_SIZE, pages)) {
            memset(pages, 1, sizeof(pages));
        }
        for (size_t i = 0; i < BLOCK_PAGES; i++) {
            if ((pages[i] & 1) != 0) {
                remember_page(shadow, (uint32_t)(block * BLOCK_PAGES + i));
            }
        }
    }
}

static void
populate_runs(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->run_count; i++) {
        memory_populate(shadow->bytes + (size_t)shadow->runs[i].first * MEMORY_PAGE,
                        (size_t)shadow->runs[i].count * MEMORY_PAGE);
    }
}

static void
clear_runs(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->run_count; i++) {
        memset(shadow->bytes + (size_t)shadow->runs[i].first * MEMORY_PAGE, 0,
               (size_t)shadow->runs[i].count * MEMORY_PAGE);
    }
}

/* Few pages got memory since the shadow was dropped: those that young collections wrote. */
void
shadow_clear(struct shadow *shadow)
{
    if (!shadow->is_dirty) {
        return;
    }
    if (shadow->is_dropped && memory_drop(shadow->bytes, shadow->blocks * BLOCK_SIZE)) {
        populate_runs(shadow);
    } else {
        find_runs(shadow);
        clear_runs(shadow);
    }
    shadow->is_dirty = shadow->is_dropped = false;
}

void
shadow_drop(struct shadow *shadow)
{
    find_runs(shadow);
    if (memory_drop(shadow->bytes, shadow->blocks * BLOCK_SIZE)) {
        shadow->is_dirty = false;
        shadow->is_dropped = true;
    }
}

bool
shadow_clear_part(struct shadow *shadow, size_t *place)
{
    unsigned char pages[CLEAR_PAGES];
    size_t end = shadow->blocks * BLOCK_SIZE;
    uint8_t *start = shadow->bytes + *place;
    if (*place == end) {
        return false;
    }
    if (!memory_resident(start, sizeof(pages) * MEMORY_PAGE, pages)) {
        memset(pages, 1, sizeof(pages));
    }
    for (size_t i = 0; i < sizeof(pages); i++) {
        if ((pages[i] & 1) != 0) {
            memset(start + i * MEMORY_PAGE, 0, MEMORY_PAGE);
        }
    }
    *place += sizeof(pages) * MEMORY_PAGE;
    return true;
}

size_t
shadow_size(const struct shadow *shadow)
{
    size_t pages = 0;
    for (size_t i = 0; i < shadow->run_count && !shadow->is_dropped; i++) {
        pages += shadow->runs[i].count;
    }
    return pages * MEMORY_PAGE;
}
