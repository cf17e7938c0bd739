/* SPDX-License-Identifier: MIT */
/* The memory of a cycle: which tables stay for the next cycle, and which do not. */
#include "cycles.h"

#include <math.h>
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

static const struct gc_table *
spare_of(enum cycle_table which)
{
    return &gc_now()->slices.spares[which];
}

TEST_PY(the_side_words_stay_for_the_next_cycle_and_are_zeros)
{
    drive_by_hand(8, 6);
    Py_DECREF(drop_old_ring(&N, 3000));
    start_cycle();
    char *words = (char *)gc_now()->cycle->words;
    EXPECT_NULL(spare_of(TABLE_WORDS)->start);
    finish_cycle();
    EXPECT_EQ(spare_of(TABLE_WORDS)->start, words);
    EXPECT(are_zeros(words, spare_of(TABLE_WORDS)->size));
    start_cycle();
    EXPECT_EQ((char *)gc_now()->cycle->words, words);
    EXPECT_NULL(spare_of(TABLE_WORDS)->start);
    finish_cycle();
}

TEST_PY(words_for_a_larger_heap_are_made_anew)
{
    enum { LARGE = 40 };
    PyObject *large[LARGE];
    drive_by_hand(8, 6);
    start_cycle();
    finish_cycle();
    const char *words = spare_of(TABLE_WORDS)->start;
    size_t before = spare_of(TABLE_WORDS)->size;
    for (int i = 0; i < LARGE; i++) {
        large[i] = PyTuple_New(1 << 16); /* 512 KiB */
        REQUIRE_NOT_NULL(large[i]);
    }
    start_cycle();
    EXPECT_EQ(spare_of(TABLE_WORDS)->start, words);
    REQUIRE(step_to(CYCLE_RELEASE));
    run_one_step(); /* given back in slices */
    EXPECT_EQ(gc_now()->cycle->tables.list[TABLES_OF_CYCLE + TABLE_WORDS].start, words);
    finish_cycle();
    EXPECT_GT(spare_of(TABLE_WORDS)->size, before);
    EXPECT(are_zeros(spare_of(TABLE_WORDS)->start, spare_of(TABLE_WORDS)->size));
    for (int i = 0; i < LARGE; i++) {
        Py_DECREF(large[i]);
    }
}

/* One cycle that finds a ring of so many objects. */
static void
run_cycle_with_garbage(int size)
{
    Py_DECREF(drop_old_ring(&N, size));
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    REQUIRE(gc_now()->cycle == NULL);
}

/* The heap grows by a quarter from one whole cycle to the next. Tables are not made anew each time, and yet
 * short cycles could follow if it became half as large again. */
TEST_PY(words_have_room_for_a_heap_that_grows_while_cycles_are_short)
{
    enum { PAGES = 20, TIMES = 10, LARGE = 200 };
    static PyObject *large[LARGE];
    int count = 0, made_anew = 0;
    const char *words = NULL;
    drive_by_hand(8, 6);
    for (int time = 0; time < TIMES; time++) {
        int wanted = PAGES + count / 4;
        for (int i = 0; i < wanted && count < LARGE; i++) {
            large[count] = PyTuple_New((1 << 13) - 16); /* most of a page */
            REQUIRE_NOT_NULL(large[count++]);
        }
        start_cycle();
        finish_cycle();
        size_t bytes = (size_t)ouro_current.interp->heap.touched * OURO_PAGE_GRAINS *
                       sizeof(uint16_t);
        EXPECT_GE(spare_of(TABLE_WORDS)->size, bytes + bytes / 2);
        made_anew += spare_of(TABLE_WORDS)->start != words;
        words = spare_of(TABLE_WORDS)->start;
    }
    EXPECT_LE(made_anew, TIMES / 2);
    for (int i = 0; i < count; i++) {
        Py_DECREF(large[i]);
    }
}

TEST_PY(all_tables_stay_for_the_next_cycle_and_those_that_must_be_are_zeros)
{
    SKIP_CHECKED("has tables of its own");
    static const enum cycle_table zeros[] = {TABLE_PROPOSED, TABLE_EXACT, TABLE_PARENT};
    drive_by_hand(8, 6);
    run_cycle_with_garbage(3000);
    char *before[TABLES_OF_CYCLE];
    for (int i = 0; i < TABLES_OF_CYCLE; i++) {
        before[i] = gc_now()->slices.spares[i].start;
        EXPECT(i == TABLE_FINGERPRINTS || before[i] != NULL);
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(zeros); i++) {
        EXPECT(are_zeros(spare_of(zeros[i])->start, spare_of(zeros[i])->size));
    }
    run_cycle_with_garbage(3000);
    for (int i = 0; i < TABLE_FINGERPRINTS; i++) {
        EXPECT_EQ(gc_now()->slices.spares[i].start, before[i]);
    }
}

TEST_PY(what_the_next_cycle_is_not_likely_to_need_is_given_back)
{
    drive_by_hand(8, 6);
    run_cycle_with_garbage(30000); /* many more than are alive */
    EXPECT_LT(spare_of(TABLE_ORDER)->resident, 30000 * sizeof(uint32_t));
    unsigned char is_resident = 1;
    size_t last = 30000 * sizeof(uint32_t) / 4096 * 4096 - 4096;
    EXPECT_EQ(mincore(spare_of(TABLE_ORDER)->start + last, 1, &is_resident), 0);
    EXPECT_EQ(is_resident & 1, 0);
}

TEST_PY(a_table_that_a_cycle_does_not_ask_for_is_given_back)
{
    drive_by_hand(8, 6);
    run_cycle_with_garbage(3000);
    REQUIRE_NOT_NULL(spare_of(TABLE_ORDER)->start);
    start_cycle(); /* nothing is proposed */
    finish_cycle();
    EXPECT_NULL(spare_of(TABLE_ORDER)->start);
}

TEST_PY(a_cycle_that_ends_early_keeps_no_words)
{
    drive_by_hand(8, 6);
    start_cycle();
    REQUIRE(step_to(CYCLE_MARK));
    Ouro_GCCollect(2);
    EXPECT_NULL(spare_of(TABLE_WORDS)->start);
}

/* Those of a whole cycle are the words of its own objects. */
TEST(words_behind_the_slots_of_a_short_cycle_are_for_what_becomes_old_in_new_pages)
{
    static struct cycle cy;
    cy.slots = 100;
    cy.tables.list[TABLE_WORDS].size = 150 * sizeof *cy.words;
    EXPECT_EQ(ouro_cycle_word_count(&cy), 100);
    cy.is_short = true;
    EXPECT_EQ(ouro_cycle_word_count(&cy), 150);
    cy.tables.list[TABLE_WORDS].size = 50 * sizeof *cy.words;
    EXPECT_EQ(ouro_cycle_word_count(&cy), 100);
}

TEST_PY(the_end_of_the_mode_frees_the_words)
{
    drive_by_hand(8, 6);
    start_cycle();
    finish_cycle();
    char *words = spare_of(TABLE_WORDS)->start;
    REQUIRE_NOT_NULL(words);
    unsigned char is_resident;
    EXPECT_EQ(mincore(words, 1, &is_resident), 0);
    Ouro_GCSetPauseBudget(0);
    EXPECT_NULL(spare_of(TABLE_WORDS)->start);
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
    EXPECT(are_zeros(spare_of(TABLE_WORDS)->start, spare_of(TABLE_WORDS)->size));
    for (int i = 0; i < 2000; i++) {
        Py_DECREF(nodes[i]);
    }
}
