/* SPDX-License-Identifier: MIT */
/* The memory of a cycle: which tables stay for the next cycle, and which do not. */
#include "cycles.h"

#include <sys/mman.h>

static bool
are_zeros(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

TEST_PY(the_side_words_stay_for_the_next_cycle_and_are_zeros)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 3000));
    start_cycle();
    char *words = (char *)gc_now()->cycle->words;
    EXPECT_NULL(gc_now()->slices.spare_words);
    finish_cycle();
    EXPECT_EQ(gc_now()->slices.spare_words, words);
    EXPECT(are_zeros(words, gc_now()->slices.spare_words_size));
    start_cycle();
    EXPECT_EQ((char *)gc_now()->cycle->words, words);
    EXPECT_NULL(gc_now()->slices.spare_words);
    finish_cycle();
}

TEST_PY(words_for_a_larger_heap_are_made_anew)
{
    enum { LARGE = 40 };
    PyObject *large[LARGE];
    drive_by_hand(8, 6);
    start_cycle();
    finish_cycle();
    const char *words = gc_now()->slices.spare_words;
    size_t before = gc_now()->slices.spare_words_size;
    for (int i = 0; i < LARGE; i++) {
        large[i] = PyTuple_New(1 << 16); /* 512 KiB */
        REQUIRE_NOT_NULL(large[i]);
    }
    start_cycle();
    EXPECT_EQ(gc_now()->cycle->tables.list[1].start, words); /* given back in slices */
    finish_cycle();
    EXPECT_GT(gc_now()->slices.spare_words_size, before);
    EXPECT(are_zeros(gc_now()->slices.spare_words, gc_now()->slices.spare_words_size));
    for (int i = 0; i < LARGE; i++) {
        Py_DECREF(large[i]);
    }
}

TEST_PY(a_cycle_that_ends_early_keeps_no_words)
{
    drive_by_hand(8, 6);
    start_cycle();
    REQUIRE(step_to(CYCLE_MARK));
    Ouro_GCCollect(2);
    EXPECT_NULL(gc_now()->slices.spare_words);
}

TEST_PY(the_end_of_the_mode_frees_the_words)
{
    drive_by_hand(8, 6);
    start_cycle();
    finish_cycle();
    char *words = gc_now()->slices.spare_words;
    REQUIRE_NOT_NULL(words);
    unsigned char is_resident;
    EXPECT_EQ(mincore(words, 1, &is_resident), 0);
    Ouro_GCSetPauseBudget(0);
    EXPECT_NULL(gc_now()->slices.spare_words);
    EXPECT_EQ(mincore(words, 1, &is_resident), -1); /* nothing is mapped there */
}

TEST_PY(what_is_promoted_while_the_words_are_cleared_is_not_noted_in_them)
{
    static PyObject *nodes[2000];
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 3000));
    start_cycle();
    REQUIRE(step_to(CYCLE_RELEASE));
    run_one_step(); /* the words come first */
    REQUIRE_NOT_NULL(gc_now()->cycle);
    for (int i = 0; i < 2000; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    Ouro_GCCollect(1);
    finish_cycle();
    EXPECT(are_zeros(gc_now()->slices.spare_words, gc_now()->slices.spare_words_size));
    for (int i = 0; i < 2000; i++) {
        Py_DECREF(nodes[i]);
    }
}
