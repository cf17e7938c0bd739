/* SPDX-License-Identifier: MIT */
/* The functions of the system that the heap, the destructors and the switches rely on. */
#include "../harness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/platform/platform.h"

#define MIB ((size_t)1 << 20)

TEST(a_reservation_is_aligned_and_costs_nothing_until_committed)
{
    char *range = ouro_platform_reserve(64 * MIB, 2 * MIB);
    REQUIRE_NOT_NULL(range);
    EXPECT_EQ((uintptr_t)range % (2 * MIB), 0);
    EXPECT(ouro_platform_commit(range + MIB, MIB));
    range[MIB] = 1;
    range[2 * MIB - 1] = 1;
    if (!UNDER_ASAN && !UNDER_TSAN) {
        EXPECT_DIES(range[8 * MIB] = 1, "");
    }
    ouro_platform_release(range, 64 * MIB);
}

TEST(committed_memory_is_zero_and_committing_again_keeps_it)
{
    char *range = ouro_platform_reserve(MIB, 64 << 10);
    REQUIRE_NOT_NULL(range);
    REQUIRE(ouro_platform_commit(range, 100)); /* rounded to whole OS pages */
    for (size_t i = 0; i < ouro_platform_page_size(); i++) {
        EXPECT_EQ(range[i], 0);
    }
    memset(range, 7, ouro_platform_page_size());
    REQUIRE(ouro_platform_commit(range, MIB));
    EXPECT_EQ(range[0], 7);
    EXPECT_EQ(range[MIB - 1], 0);
    ouro_platform_release(range, MIB);
}

TEST(discarded_memory_stays_usable_and_only_whole_os_pages_go)
{
    size_t unit = ouro_platform_page_size();
    char *range = ouro_platform_reserve(16 * unit, unit);
    REQUIRE_NOT_NULL(range);
    REQUIRE(ouro_platform_commit(range, 16 * unit));
    memset(range, 7, 16 * unit);
    ouro_platform_discard(range + 1, 3 * unit);
    EXPECT_EQ(range[1], 7); /* shares its OS page with the bytes that were kept */
    EXPECT_EQ(range[unit], 0);
    EXPECT_EQ(range[3 * unit], 7);
    range[unit] = 1;
    ouro_platform_discard(range + 1, unit / 2); /* contains no whole OS page */
    EXPECT_EQ(range[1], 7);
    ouro_platform_release(range, 16 * unit);
}

/* Where a range would be reserved, by a call at this depth of the stack. */
__attribute__((noinline)) static void *
place_of_range(int depth)
{
    if (depth > 0) {
        void *place = place_of_range(depth - 1);
        __asm__ volatile("" ::: "memory"); /* no tail call: the frame must exist */
        return place;
    }
    void *range = ouro_platform_reserve(64 * MIB, 64 << 10);
    REQUIRE_NOT_NULL(range);
    ouro_platform_release(range, 64 * MIB);
    return range;
}

TEST(the_place_of_a_range_is_as_random_as_that_of_the_stack)
{
    int places = 0;
    for (int depth = 1; depth < 10; depth++) {
        places += place_of_range(depth) != place_of_range(0);
    }
    EXPECT_GE(places, 8);
}

TEST(more_than_there_is_cannot_be_reserved)
{
    EXPECT_NULL(ouro_platform_reserve((size_t)1 << 62, 2 * MIB));
}

static void *
look_at_stack(void *Py_UNUSED(arg))
{
    char *low, *high;
    char here;
    ouro_platform_stack_bounds(&low, &high);
    EXPECT(low < &here && &here < high);
    EXPECT_LE((size_t)(high - low), 256 << 10);
    EXPECT_GT((size_t)(high - low), 128 << 10);
    pthread_attr_t attributes;
    void *start;
    size_t size;
    REQUIRE_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    REQUIRE_EQ(pthread_attr_getstack(&attributes, &start, &size), 0);
    pthread_attr_destroy(&attributes);
    EXPECT_EQ(high, (char *)start + size); /* the guard is below `low` */
    return NULL;
}

TEST(each_thread_learns_the_bounds_of_its_own_stack)
{
    if (UNDER_ASAN || UNDER_TSAN) {
        SKIP("sanitizers have their own ideas of stacks");
    }
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    REQUIRE_EQ(pthread_create(&thread, &attributes, look_at_stack, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

TEST(clocks_go_forward)
{
    double wall = ouro_platform_clock();
    double cpu = ouro_platform_thread_clock();
    while (ouro_platform_thread_clock() == cpu) {
    }
    EXPECT(ouro_platform_thread_clock() > cpu);
    EXPECT(ouro_platform_clock() > wall);
}

static int64_t
size_from(const char *text)
{
    setenv("OURO_TEST_SIZE", text, 1);
    return ouro_platform_getenv_size("OURO_TEST_SIZE", -1);
}

TEST(sizes_in_the_environment_take_a_unit)
{
    unsetenv("OURO_TEST_SIZE");
    EXPECT_NULL(ouro_platform_getenv("OURO_TEST_SIZE"));
    EXPECT_EQ(ouro_platform_getenv_size("OURO_TEST_SIZE", 42), 42);
    EXPECT_EQ(size_from("0"), 0);
    EXPECT_EQ(size_from("4097"), 4097);
    EXPECT_EQ(size_from("3K"), 3 << 10);
    EXPECT_EQ(size_from("64M"), 64 << 20);
    EXPECT_EQ(size_from("64G"), (int64_t)64 << 30);
    EXPECT_EQ(size_from("2T"), (int64_t)2 << 40);
}

TEST(what_is_no_size_counts_as_unset)
{
    const char *wrong[] = {"", "G", "-1", "12X", "1KB", "9999999T", "many"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT_EQ(size_from(wrong[i]), -1);
    }
}

TEST(a_library_that_cannot_be_loaded_is_named_with_the_reason)
{
    char error[200] = "";
    EXPECT_NULL(ouro_platform_load("/no/such/library.so", error, sizeof error));
    EXPECT_NOT_NULL(strstr(error, "/no/such/library.so"));
}
