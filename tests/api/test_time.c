/* SPDX-License-Identifier: MIT */
/* Clocks. */
#include "../harness.h"

TEST(clocks_count_nanoseconds_forwards)
{
    PyTime_t a, b, wall;
    EXPECT_EQ(PyTime_MonotonicRaw(&a), 0);
    EXPECT_EQ(PyTime_PerfCounterRaw(&b), 0);
    EXPECT_GE(b, a);
    EXPECT_EQ(PyTime_TimeRaw(&wall), 0);
    EXPECT_LE(wall / 1000000000 - time(NULL), 1);
    EXPECT(PyTime_AsSecondsDouble(1500000000) == 1.5);
    EXPECT(PyTime_MIN < 0 && PyTime_MAX > 0);
}

TEST_PY(an_attached_thread_reads_the_same_clocks)
{
    PyTime_t a, b, wall, raw;
    EXPECT_EQ(PyTime_Monotonic(&a), 0);
    EXPECT_EQ(PyTime_PerfCounter(&b), 0);
    EXPECT_GE(b, a);
    EXPECT_EQ(PyTime_Time(&wall), 0);
    PyTime_TimeRaw(&raw);
    EXPECT_LE(wall, raw);
}
