/* SPDX-License-Identifier: MIT */
/* Looking for blocks of the collector's heap that nothing points to any more.
 *
 * LeakSanitizer does this for malloc, but knows nothing of blocks inside a page. Here every
 * word that the program can write, its stack above the caller, and every block in use are
 * searched for words that could be the address of a block, or lie in one. What is never found
 * has been lost: its owner forgot the reference. A stale word may hide a loss. A false alarm is
 * impossible, unless the test itself throws a pointer away; so blocks that are lost at the
 * beginning do not count. */
#include "lost.h"

#include "harness.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../src/heap/heap.h"
#include "../src/platform/platform.h"
#include "../src/thread/interpreter.h"

#define NO_ASAN     __attribute__((no_sanitize("address")))
#define REGION_MOST ((size_t)1 << 30) /* larger regions are tables of a sanitizer */

struct marks {
    const struct heap *heap;
    unsigned char *bytes; /* one for each grain of the pages touched */
    size_t count;
};

/* `known` has the marks at the beginning of the test. */
enum { IN_USE = 1, FOUND = 2 };
static struct marks known;

static size_t
grain_of(const struct heap *heap, const void *address)
{
    return (size_t)((const char *)address - heap->base) / OURO_SLOT_MIN;
}

static void
new_marks(struct marks *marks, const struct heap *heap)
{
    marks->heap = heap;
    marks->count = ((size_t)heap->touched << OURO_PAGE_SHIFT) / OURO_SLOT_MIN;
    marks->bytes = mmap(NULL, marks->count + 1, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (marks->bytes == MAP_FAILED) {
        abort();
    }
}

/* --- finding words -------------------------------------------------------------------------- */

NO_ASAN static void
mark_word(struct marks *marks, uintptr_t word)
{
    const struct heap *heap = marks->heap;
    uintptr_t offset = word - (uintptr_t)heap->base;
    if (offset >= (uintptr_t)heap->touched << OURO_PAGE_SHIFT) {
        return;
    }
    const struct page *page = &heap->pages[offset >> OURO_PAGE_SHIFT];
    uintptr_t start = offset & ~(uintptr_t)(OURO_PAGE_SIZE - 1);
    if (page->state == OURO_PAGE_SLOTS) {
        uintptr_t inside = offset - start;
        start += inside - inside % page->slot_size + page->lead;
    } else if (page->state == OURO_PAGE_LARGE) {
        start += page->lead;
    } else {
        return;
    }
    marks->bytes[start / OURO_SLOT_MIN] |= FOUND;
}

NO_ASAN static void
mark_words(struct marks *marks, const void *from, const void *to)
{
    const uintptr_t *word = from;
    for (; (const char *)(word + 1) <= (const char *)to; word++) {
        mark_word(marks, *word);
    }
}

/* The same for the OS pages that have memory behind them: most of a region may never have
 * been touched. */
static void
mark_resident_words(struct marks *marks, uintptr_t low, uintptr_t high)
{
    uintptr_t unit = ouro_platform_page_size();
    uintptr_t page = low & ~(unit - 1);
    unsigned char is_resident[1024];
    while (page < high) {
        size_t count = (high - page) / unit;
        count = count < sizeof(is_resident) ? count : sizeof(is_resident);
        if (mincore((void *)page, count * unit, is_resident) != 0) {
            return; /* the region is gone since the list was read */
        }
        for (size_t i = 0; i < count; i++, page += unit) {
            if (is_resident[i]) {
                mark_words(marks, (void *)(page > low ? page : low),
                           (void *)(page + unit));
            }
        }
    }
}

static bool
mark_from_block(PyObject *block, void *arg)
{
    struct marks *marks = arg;
    size_t size = ouro_heap_block_size(marks->heap, block);
    size_t lead = ouro_heap_page_of(marks->heap, block)->front;
    marks->bytes[grain_of(marks->heap, block)] |= IN_USE;
    mark_words(marks, (char *)block - lead, (char *)block + size);
    return true;
}

/* Reads one line of /proc/self/maps. Regions that the program can write are searched, except the
 * heaps themselves. */
static void
mark_from_region(struct marks *marks, const char *line, const char *stack)
{
    uintptr_t low, high;
    char access[8];
    if (sscanf(line, "%zx-%zx %7s", &low, &high, access) != 3 ||
        strncmp(access, "rw-p", 4) != 0 || high - low > REGION_MOST) {
        return;
    }
    uintptr_t base = (uintptr_t)marks->heap->base;
    uintptr_t own = (uintptr_t)marks->bytes, before = (uintptr_t)known.bytes;
    if ((low >= base && low < base + marks->heap->reservation_size) ||
        (own >= low && own < high) || (before >= low && before < high)) {
        return;
    }
    if ((uintptr_t)stack >= low && (uintptr_t)stack < high) {
        low = (uintptr_t)stack;
    }
    mark_resident_words(marks, low, high);
}

static void
find_everything(struct marks *marks, const char *stack)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) {
        perror("/proc/self/maps");
        exit(2);
    }
    new_marks(marks, &ouro_current.interp->heap);
    while (fgets(line, sizeof(line), maps) != NULL) {
        mark_from_region(marks, line, stack);
    }
    fclose(maps);
    ouro_heap_each(&ouro_current.interp->heap, mark_from_block, marks);
}

/* --- comparing ------------------------------------------------------------------------------- */

void
lost_blocks_begin(void)
{
    jmp_buf registers; /* callee-saved registers hold pointers, too */
    setjmp(registers);
    find_everything(&known, (const char *)&registers);
}

struct loss {
    struct marks now;
    size_t count;
};

static bool
is_lost(const struct marks *now, size_t grain)
{
    bool was_lost = grain < known.count && known.bytes[grain] == IN_USE;
    return now->bytes[grain] == IN_USE && !was_lost;
}

static bool
count_lost(PyObject *block, void *arg)
{
    struct loss *loss = arg;
    if (is_lost(&loss->now, grain_of(loss->now.heap, block)) && loss->count++ < 5) {
        fprintf(stderr, "lost: a '%s' at %p with %zd references\n",
                Py_TYPE(block) != NULL ? Py_TYPE(block)->tp_name : "?", (void *)block,
                Py_REFCNT(block));
    }
    return true;
}

size_t
lost_blocks_report(void)
{
    jmp_buf registers;
    struct loss loss = {.count = 0};
    if (known.heap != &ouro_current.interp->heap) {
        return 0; /* the thread went to another interpreter */
    }
    setjmp(registers);
    find_everything(&loss.now, (const char *)&registers);
    ouro_heap_each(&ouro_current.interp->heap, count_lost, &loss);
    return loss.count;
}
