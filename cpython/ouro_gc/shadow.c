/* SPDX-License-Identifier: MIT */
/* Reserving and clearing the shadow; shadow.h says what it is. */
#include "shadow.h"

#include "memory.h"

#define BLOCK_SIZE   ((size_t)1 << SHADOW_PLACE_BITS)
#define LEAST_BLOCKS 16 /* of 64 MiB each: enough for a program under a tight limit */

/* 4 GiB of address space, or what a limit leaves. */
bool
shadow_init(struct shadow *shadow)
{
    *shadow = (struct shadow){.blocks = 1};
    shadow->windows = memory_map(SHADOW_WINDOWS * sizeof(shadow->windows[0]));
    if (shadow->windows == NULL) {
        return false;
    }
    for (size_t most = SHADOW_BLOCKS; most >= LEAST_BLOCKS; most /= 2) {
        shadow->bytes = memory_map(most * BLOCK_SIZE);
        if (shadow->bytes != NULL) {
            shadow->most_blocks = most;
            return true;
        }
    }
    shadow_free(shadow);
    return false;
}

void
shadow_free(struct shadow *shadow)
{
    memory_unmap(shadow->windows, SHADOW_WINDOWS * sizeof(shadow->windows[0]));
    memory_unmap(shadow->bytes, shadow->most_blocks * BLOCK_SIZE);
    *shadow = (struct shadow){0};
}

void
shadow_clear(struct shadow *shadow)
{
    if (shadow->is_dirty) {
        memory_drop(shadow->bytes, shadow->blocks * BLOCK_SIZE);
        shadow->is_dirty = false;
    }
}

bool
shadow_add_window(struct shadow *shadow, uintptr_t address)
{
    if (shadow->blocks == shadow->most_blocks) {
        return false;
    }
    uintptr_t window = address >> SHADOW_WINDOW_BITS;
    shadow->bases[shadow->blocks] = window << SHADOW_WINDOW_BITS;
    shadow->windows[window] = (uint32_t)(shadow->blocks << SHADOW_PLACE_BITS);
    shadow->blocks++;
    return true;
}

#define BLOCK_PAGES (BLOCK_SIZE / MEMORY_PAGE)
#define RUN_GAP     4 /* pages that are not in use do not end a run */

static void
remember_page(struct shadow *shadow, uint32_t page)
{
    struct page_run *last = &shadow->runs[shadow->run_count - 1];
    if (shadow->run_count != 0 && page < last->first + last->count + RUN_GAP) {
        last->count = page + 1 - last->first;
    } else if (shadow->run_count < SHADOW_RUNS) {
        shadow->runs[shadow->run_count++] = (struct page_run){page, 1};
    }
}

void
shadow_remember(struct shadow *shadow)
{
    unsigned char pages[BLOCK_PAGES];
    shadow->run_count = 0;
    for (size_t block = 0; block < shadow->blocks; block++) {
        if (!memory_resident(shadow->bytes + block * BLOCK_SIZE, BLOCK_SIZE, pages)) {
            return;
        }
        for (size_t i = 0; i < BLOCK_PAGES; i++) {
            if ((pages[i] & 1) != 0) {
                remember_page(shadow, (uint32_t)(block * BLOCK_PAGES + i));
            }
        }
    }
}

void
shadow_populate(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->run_count; i++) {
        memory_populate(shadow->bytes + (size_t)shadow->runs[i].first * MEMORY_PAGE,
                        (size_t)shadow->runs[i].count * MEMORY_PAGE);
    }
}
