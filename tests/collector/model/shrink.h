/* SPDX-License-Identifier: MIT */
/* Shortens a program that fails: operations are left out as long as it still fails.
 *
 * Each attempt runs in a child, where it may crash or hang. Halves are left out first, then
 * quarters and so on; then numbers are made small. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_SHRINK_H
#define OURO_TESTS_COLLECTOR_MODEL_SHRINK_H

#include <fcntl.h>
#include <sys/resource.h>

#include "../model.h"

/* Run the function in a child, silently. Returns whether it ended with another status than 0. */
static bool
fails_in_child(void (*function)(const void *arg), const void *arg, int seconds)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit no_core = {0, 0};
        int nowhere = open("/dev/null", O_WRONLY);
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(nowhere, STDERR_FILENO);
        model_is_quiet = true;
        alarm((unsigned)seconds);
        function(arg);
        _exit(model_failed);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

struct program {
    struct operation *operations;
    int count;
};

static void
replay_program(const void *arg)
{
    const struct program *program = arg;
    model_start();
    for (int i = 0; i < program->count && !model_failed; i++) {
        replay_operation(&program->operations[i]);
        model_check_step();
    }
    model_finish();
}

static bool
program_fails(const struct program *program)
{
    return fails_in_child(replay_program, program, 20);
}

/* Leave out operations first .. first+count-1. Undo this if the program no longer fails. */
static bool
leave_out(struct program *program, int first, int count)
{
    struct operation *copy = malloc((size_t)program->count * sizeof *copy);
    REQUIRE_NOT_NULL(copy);
    memcpy(copy, program->operations, (size_t)first * sizeof *copy);
    memcpy(copy + first, program->operations + first + count,
           (size_t)(program->count - first - count) * sizeof *copy);
    struct program shorter = {copy, program->count - count};
    bool fails = program_fails(&shorter);
    if (fails) {
        memcpy(program->operations, copy, (size_t)shorter.count * sizeof *copy);
        program->count = shorter.count;
    }
    free(copy);
    return fails;
}

/* Try a smaller number in one place. */
static void
make_smaller(struct program *program, int *number, int smaller)
{
    int old = *number;
    if (old > smaller) {
        *number = smaller;
        if (!program_fails(program)) {
            *number = old;
        }
    }
}

static void
simplify_numbers(struct program *program)
{
    for (int i = 0; i < program->count; i++) {
        struct operation *operation = &program->operations[i];
        switch (operation->code) {
        case OP_MAKE:
            make_smaller(program, &operation->args[2], NOTHING);
            make_smaller(program, &operation->args[1], 2);
            break;
        case OP_HOLD:
        case OP_DROP:
            make_smaller(program, &operation->args[1], 1);
            break;
        default:
            break;
        }
    }
}

/* Changes the operations in place. Returns how many are left: all of them if the program does not
 * fail at all. */
static int
shrink_program(struct operation *operations, int count)
{
    struct program program = {operations, count};
    if (!program_fails(&program)) {
        return count;
    }
    for (int part = count / 2; part >= 1;) {
        bool shorter = false;
        for (int end = program.count; end > 0; end -= part) {
            int first = end > part ? end - part : 0;
            if (end <= program.count) {
                shorter |= leave_out(&program, first, end - first);
            }
        }
        part = shorter && part == 1 ? 1 : part / 2;
    }
    simplify_numbers(&program);
    return program.count;
}

#endif
