/* SPDX-License-Identifier: MIT */
/* Random programs: how one is made up and run, and what is printed about one that fails. The tests
 * (test_collect_model.c, test_shrink.c) choose by seeds, the fuzzer (tests/fuzz/model.c) by
 * bytes. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_RANDOM_H
#define OURO_TESTS_COLLECTOR_MODEL_RANDOM_H

#include "shrink.h"

/* A little of everything, on small graphs. */
static const struct mix small_graphs = {
    .make = 30,
    .link = 30,
    .unlink = 8,
    .hold = 4,
    .drop = 25,
    .track = 5,
    .weak = 6,
    .structure = 1,
    .freeze = 1,
    .other = 4,
    .automatic = 2,
    .fork = 1,
    .collect = {4, 3, 4},
    .steps = 300,
};

/* Make up operations and do them, until all steps are done or nothing is left to choose. */
static void
run_mix(const struct mix *mix)
{
    record_begin();
    model_start();
    sizes_are_large = mix->large;
    if (mix->slices) {
        model_budget(1000);
    }
    for (model_step = 0; model_step < mix->steps && !model_failed &&
                         !choices_are_used_up() && thing_count < THINGS_MAX / 2;
         model_step++) {
        generate_step(mix);
        model_check_step();
    }
    choose_by_seed(1); /* the remaining choices do not depend on the input */
    model_finish();
}

struct seeded {
    const struct mix *mix;
    unsigned seed;
};

/* The argument is a struct seeded. */
static inline void
run_seeded(const void *arg)
{
    const struct seeded *program = arg;
    model_seed = program->seed;
    choose_by_seed(program->seed);
    run_mix(program->mix);
}

/* The program failed in a child, but its record is in shared memory. Shorten it, and print it as a
 * test in C. Returns the shortened program. */
static inline struct program
explain_failure(FILE *out, const char *name)
{
    char why[300];
    int all = recorded->count;
    record_end();
    struct program program = {recorded->operations, all};
    program.count = shrink_program(program.operations, all);
    snprintf(why, sizeof why, "%.200s: %d of %d operations", name, program.count, all);
    print_program(out, program.operations, program.count, why);
    return program;
}

#endif
