/* SPDX-License-Identifier: MIT */
/* Random programs, checked against the model (model.h).
 *
 * A program that fails is shortened and printed as a test in C. The test also prints
 * OURO_MODEL_SEED=n. With this in the environment each test runs only that program. Each
 * program has a process of its own, so programs that ran before do not change what it does. */
#include "model/random.h"

static void
report_failure(unsigned seed)
{
    char name[40];
    snprintf(name, sizeof name, "OURO_MODEL_SEED=%u", seed);
    test_fail(__FILE__, __LINE__, "%s", name);
    struct program left = explain_failure(stderr, name);
    if (program_fails(&left)) {
        replay_program(&left); /* once more, with its message */
    }
}

static void
run_programs(const struct mix *mix, unsigned count)
{
    const char *only = getenv("OURO_MODEL_SEED");
    const char *wanted = getenv("OURO_MODEL_COUNT");
    count = wanted != NULL ? (unsigned)atoi(wanted) : UNDER_ASAN ? count / 4 + 1 : count;
    unsigned first = only != NULL ? (unsigned)atoi(only) : 1;
    record_begin(); /* the memory is shared with the children */
    for (unsigned seed = first; seed < first + (only != NULL ? 1 : count); seed++) {
        struct seeded program = {mix, seed};
        if (UNDER_ASAN) { /* now, so that LeakSanitizer sees what is left */
            run_seeded(&program);
            REQUIRE(!model_failed);
        } else if (fails_in_child(run_seeded, &program, 100)) {
            report_failure(seed);
            return;
        }
    }
}

/* ---- the tests -------------------------------------------------------------------------------- */

TEST(random_small_graphs_behave_as_the_model, .timeout = 240)
{
    run_programs(&small_graphs, 300);
}

TEST(random_graphs_in_sparse_pages_behave_as_the_model, .timeout = 240)
{
    static const struct mix mix = {
        .make = 30,
        .link = 20,
        .unlink = 5,
        .hold = 2,
        .drop = 25,
        .track = 5,
        .weak = 2,
        .structure = 4,
        .burst = 4,
        .freeze = 1,
        .other = 2,
        .collect = {6, 4, 4},
        .steps = 150,
    };
    run_programs(&mix, 60);
}

/* Most objects are alive, and few change between full collections, as certificates need it. */
TEST(random_changes_between_full_collections_behave_as_the_model, .timeout = 240)
{
    static const struct mix mix = {
        .make = 10,
        .link = 25,
        .unlink = 5,
        .hold = 3,
        .drop = 6,
        .track = 1,
        .weak = 1,
        .structure = 6,
        .burst = 1,
        .other = 1,
        .collect = {1, 1, 25},
        .steps = 150,
    };
    run_programs(&mix, 100);
}

TEST(random_graphs_in_all_generations_behave_as_the_model, .timeout = 240)
{
    static const struct mix mix = {
        .make = 40,
        .link = 30,
        .unlink = 5,
        .hold = 3,
        .drop = 25,
        .track = 8,
        .weak = 3,
        .structure = 3,
        .burst = 1,
        .freeze = 4,
        .automatic = 3,
        .other = 3,
        .collect = {20, 8, 3},
        .steps = 250,
    };
    run_programs(&mix, 100);
}

/* Large blocks lie side by side, begin anywhere in a page and grow where they are. */
TEST(random_graphs_of_large_objects_behave_as_the_model, .timeout = 240)
{
    static const struct mix mixes[] = {
        {.make = 50,
         .link = 30,
         .drop = 40,
         .track = 5,
         .weak = 3,
         .other = 20,
         .collect = {10, 5, 5},
         .large = true,
         .steps = 200},
        {.make = 50,
         .link = 30,
         .drop = 40,
         .track = 5,
         .other = 20,
         .collect = {4, 3, 12},
         .slices = true,
         .large = true,
         .steps = 150},
    };
    run_programs(&mixes[0], 150);
    run_programs(&mixes[1], 60);
}

TEST(random_graphs_in_slices_behave_as_the_model, .timeout = 240)
{
    static const struct mix mix = {
        .make = 40,
        .link = 30,
        .unlink = 8,
        .hold = 4,
        .drop = 25,
        .track = 5,
        .weak = 6,
        .structure = 3,
        .burst = 1,
        .freeze = 1,
        .other = 4,
        .collect = {4, 3, 12},
        .slices = true,
        .steps = 250,
    };
    run_programs(&mix, 100);
}

/* ---- all small programs of one kind ------------------------------------------------------------ */

/* Two things with finalizers, and an untracked third thing that holds them during a cycle and
 * drops them before the next. Each choice is one digit of the number. */
static int
digit(int *number, int base)
{
    int value = *number % base;
    *number /= base;
    return value;
}

/* -1, or one of the three. */
static int
thing_or_none(int *number)
{
    return digit(number, 4) - 1;
}

enum { LET_GO_PROGRAMS = ACTIONS * ACTIONS * 4 * 4 * 4 * 4 };

static void
run_let_go_program(int number)
{
    int first = model_make(PAIR_FINAL, 2, (enum action)digit(&number, ACTIONS));
    int second = model_make(PAIR_FINAL, 2, (enum action)digit(&number, ACTIONS));
    int holder = model_make(PAIR, 2, NOTHING);
    int field_of_first = thing_or_none(&number), field_of_second = thing_or_none(&number);
    model_track(first);
    model_track(second);
    model_link(holder, 0, first);
    model_link(holder, 1, second);
    model_link(first, 0, field_of_first);
    model_link(second, 0, field_of_second);
    model_drop(first, 1);
    model_drop(second, 1);
    model_cycle(19);
    model_check_step();
    for (int field = 0; field < 2; field++) {
        int to = thing_or_none(&number);
        if (to < 0 || things[to].alive) {
            model_link(holder, field, to);
        }
    }
    model_cycle(11);
}

/* This holds whatever the finalizers do: drop, save, link, or make more objects. */
TEST(what_an_untracked_object_lets_go_after_a_cycle_dies_in_the_next, .mistakes = true,
     .timeout = 240)
{
    for (int number = 0; number < LET_GO_PROGRAMS && !model_failed; number++) {
        model_seed = (unsigned)number;
        record_begin();
        model_start();
        model_budget(1000);
        run_let_go_program(number);
        model_finish();
    }
}
