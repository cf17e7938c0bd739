/* SPDX-License-Identifier: MIT */
/* A failing program must be shortened. Mistakes are planted. They must be found, reduced to the
 * few operations that show them, and printed as a test in C. */
#include "model/random.h"

/* The first failing program that the generator makes, shortened as far as possible. */
static int
find_and_shrink(void)
{
    record_begin();
    for (unsigned seed = 1; seed < 200; seed++) {
        struct seeded program = {&small_graphs, seed};
        if (fails_in_child(run_seeded, &program, 60)) {
            record_end();
            return shrink_program(recorded->operations, recorded->count);
        }
    }
    test_fail(__FILE__, __LINE__, "no program found the mistake");
    return 0;
}

static char *
printed(int count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    print_program(out, recorded->operations, count, "shrunk");
    fclose(out);
    return text;
}

TEST(a_planted_mistake_is_found_and_shrunk_to_a_few_operations, .timeout = 240)
{
    planted_mistake = true; /* heap_pair does not visit its second field */
    int count = find_and_shrink();
    EXPECT_LE(count, 8); /* of about 100; the compiler orders the choices of a seed */
    char *text = printed(count);
    EXPECT_HAS(text, "model_make(HEAP_PAIR, ");
    EXPECT_HAS(text, ", 1, t"); /* the field that traverse forgets */
    EXPECT_HAS(text, "model_finish();");
    free(text);
}

TEST(a_program_that_does_not_fail_is_left_alone, .mistakes = true)
{
    record_begin();
    recorded->on = true;
    model_start();
    int x = model_make(PAIR, 2, NOTHING);
    model_track(x);
    model_link(x, 0, x);
    model_drop(x, 1);
    model_collect(2);
    model_finish();
    EXPECT_EQ(recorded->count, 5);
    EXPECT_EQ(shrink_program(recorded->operations, recorded->count), 5);
}

TEST(a_recorded_program_does_the_same_again, .mistakes = true)
{
    struct seeded seeded = {&small_graphs, 7};
    run_seeded(&seeded);
    int things_made = thing_count, weaks_made = weak_count;
    record_end();
    struct program program = {recorded->operations, recorded->count};
    thing_count = weak_count = 0;
    replay_program(&program);
    EXPECT(!model_failed);
    EXPECT_EQ(weak_count, weaks_made);
    EXPECT_EQ(thing_count, things_made);
}
