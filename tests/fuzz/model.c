/* SPDX-License-Identifier: MIT */
/* The model of the collector (tests/collector/model.h) as a target for libFuzzer, and as a
 * program of its own: the bytes of the input are the choices of the generator.
 *
 *   make fuzz SECONDS=60          libFuzzer, with a corpus in build/fuzz/corpus
 *   build/fuzz/replay FILE ...    run inputs; one that fails is printed as a test in C
 *   build/fuzz/replay --random N  run N inputs made up from seeds
 *
 * Expectations of the harness end the program: the fuzzer sees a crash. */
#include "../collector/model/random.h"

#include <limits.h>
#include <stdarg.h>

/* ---- in place of the harness -------------------------------------------------------------- */

void
test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

void
test_give_up(void)
{
    abort();
}

bool
test_compare(const char *file, int line, const char *left, const char *operator,
             const char * right, intptr_t a, intptr_t b)
{
    bool equal = a == b, wanted = strcmp(operator, "==") == 0;
    if (equal != wanted) {
        test_fail(file, line, "not true: %s %s %s", left, operator, right);
    }
    return equal == wanted;
}

/* ---- one input ------------------------------------------------------------------------------ */

struct input {
    const uint8_t *bytes;
    size_t size;
};

static void
run_input(const void *arg)
{
    const struct input *input = arg;
    struct mix mix = small_graphs;
    mix.fork = 0; /* the fuzzer watches one process */
    mix.steps = INT_MAX;
    choose_by_bytes(input->bytes, input->size);
    if (one_in(2)) { /* full collections in slices; allocations begin none */
        mix.slices = true;
        mix.automatic = 0;
    }
    run_mix(&mix);
}

#ifdef OURO_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size};
    run_input(&input);
    if (model_failed) {
        abort();
    }
    return 0;
}

#else

/* Whether the input fails. If so, it is printed as a test in C. */
static bool
try_input(const struct input *input, const char *name)
{
    if (!fails_in_child(run_input, input, 60)) {
        return false;
    }
    explain_failure(stdout, name);
    return true;
}

static bool
try_file(const char *name)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        perror(name);
        return true;
    }
    struct input input = {bytes, fread(bytes, 1, sizeof bytes, file)};
    fclose(file);
    return try_input(&input, name);
}

static int
try_random(int count)
{
    uint8_t bytes[4000];
    int failures = 0;
    for (int seed = 1; seed <= count && failures == 0; seed++) {
        char name[40];
        choose_by_seed((unsigned)seed);
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)below(256);
        }
        struct input input = {bytes, (size_t)below((int)sizeof bytes)};
        snprintf(name, sizeof name, "random input %d", seed);
        failures += try_input(&input, name);
    }
    return failures;
}

int
main(int argc, char **argv)
{
    int failures = 0, inputs = argc - 1;
    record_begin(); /* the memory is shared with the children */
    if (argc == 3 && strcmp(argv[1], "--random") == 0) {
        inputs = atoi(argv[2]);
        failures = try_random(inputs);
    } else {
        for (int i = 1; i < argc; i++) {
            failures += try_file(argv[i]);
        }
    }
    printf("%d inputs, %d failed\n", inputs, failures);
    return failures != 0;
}

#endif
