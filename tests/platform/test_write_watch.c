/* SPDX-License-Identifier: MIT */
/* The write-watch of the system: it says which pages were written. */
#include "../../src/platform/platform.h"
#include "../harness.h"

#include <string.h>
#include <sys/mman.h>

#define PAGES 32

static struct ouro_watch watch;
static char *memory;
static size_t unit;

static struct ouro_span
span_of(size_t first, size_t last)
{
    return (struct ouro_span){(uintptr_t)memory + first * unit,
                              (uintptr_t)memory + last * unit};
}

/* All pages have memory; those from 4 to 27 are armed. */
static void
arm_some_pages(void)
{
    unit = ouro_platform_page_size();
    memory = ouro_platform_reserve(PAGES * unit, unit);
    REQUIRE_NOT_NULL(memory);
    REQUIRE(ouro_platform_commit(memory, PAGES * unit));
    memset(memory, 1, PAGES * unit);
    if (!ouro_platform_watch_begin(&watch, span_of(0, PAGES))) {
        ouro_platform_release(memory, PAGES * unit);
        SKIP("the system has no write-watch, or refuses it");
    }
    REQUIRE(ouro_platform_watch_arm(&watch, span_of(4, 28)));
}

static void
end_watch(void)
{
    ouro_platform_watch_end(&watch);
    ouro_platform_release(memory, PAGES * unit);
}

/* The written pages of the range, one bit each. */
static uint32_t
written_pages(size_t first, size_t last, size_t most)
{
    struct ouro_span spans[OURO_WATCH_SPANS], rest = span_of(first, last);
    uint32_t pages = 0;
    while (rest.start < rest.end) {
        int count = ouro_platform_watch_read(&watch, &rest, most, spans);
        REQUIRE(count >= 0);
        for (int i = 0; i < count; i++) {
            for (uintptr_t at = spans[i].start; at < spans[i].end; at += unit) {
                pages |= 1u << ((at - (uintptr_t)memory) / unit);
            }
        }
    }
    return pages;
}

TEST(pages_written_since_they_were_armed_are_seen)
{
    arm_some_pages();
    EXPECT_EQ(written_pages(4, 28, 0), 0);
    memory[5 * unit] = 2;
    memory[7 * unit + 100] = 2;
    memory[20 * unit + unit - 1] = memory[6 * unit];
    EXPECT_EQ(written_pages(4, 28, 0), 1u << 5 | 1u << 7 | 1u << 20);
    EXPECT_EQ(written_pages(4, 28, 1), 1u << 5 | 1u << 7 | 1u << 20);
    EXPECT_EQ(written_pages(6, 20, 0), 1u << 7);
    REQUIRE(ouro_platform_watch_arm(&watch, span_of(7, 8)));
    EXPECT_EQ(written_pages(4, 28, 0), 1u << 5 | 1u << 20);
    EXPECT_EQ(memory[7 * unit + 100], 2);
    end_watch();
}

TEST(pages_that_were_never_armed_count_as_written)
{
    arm_some_pages();
    EXPECT_EQ(written_pages(0, 8, 0), 0xF);
    end_watch();
}

TEST(memory_is_as_writable_after_a_watch_as_before)
{
    arm_some_pages();
    ouro_platform_watch_end(&watch);
    memset(memory, 3, PAGES * unit);
    EXPECT_EQ(memory[10 * unit], 3);
    EXPECT(!ouro_platform_watch_arm(&watch, span_of(4, 28)));
    struct ouro_span spans[OURO_WATCH_SPANS], rest = span_of(0, 4);
    EXPECT(ouro_platform_watch_read(&watch, &rest, 0, spans) < 0);
    ouro_platform_watch_end(&watch); /* a second time does nothing */
    ouro_platform_release(memory, PAGES * unit);
}

TEST(memory_that_is_not_there_cannot_be_watched)
{
    unit = ouro_platform_page_size();
    memory = ouro_platform_reserve(unit, unit);
    ouro_platform_release(memory, unit);
    EXPECT(!ouro_platform_watch_begin(&watch, span_of(0, 1)));
    EXPECT_EQ(watch.faults, -1);
    EXPECT_EQ(watch.pages, -1);
}
