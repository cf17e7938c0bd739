/* SPDX-License-Identifier: MIT */
/* What every workload needs to measure: clock, random numbers, memory, results.
 *
 * A benchmark process measures one thing and prints lines "key value value ...": samples in nanoseconds (or bytes), in the order of measuring. The driver, run.py, does the statistics. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* What is counted or profiled alone must be a function that stays one. */
#define BENCH_NOINLINE __attribute__((noinline))

/* CPU time of this thread in nanoseconds: what others do with the core does not count. */
double clock_read(void);
/* What reading the clock twice costs; subtracted from every sample. */
double clock_cost(void);

/* xorshift: the same sequence for every peer. */
void random_seed(uint64_t seed);
uint32_t random_below(uint32_t n);

/* Bytes of this process that are resident, exactly (not the kernel's batched count). */
double resident_bytes(void);

/* The most that ever was resident. Not getrusage's, which starts with that of the program
 * that ran in this process before exec. */
double peak_bytes(void);

/* Samples of one quantity. */
struct samples {
    double value[1000];
    int count;
    double spent; /* their sum */
};

void samples_add(struct samples *s, double start, double end);
void samples_print(const char *key, const struct samples *s);
/* A result that is one number. */
void value_print(const char *key, double value);
/* Another sample? Not after `seconds` are spent, but at least `least`. */
int samples_wanted(const struct samples *s, int least, double seconds);

/* A benchmark that does not do its job must not be believed: say so and exit. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2), noreturn))
#endif
void
bench_fail(const char *format, ...);

/* calloc or bench_fail; every page is resident. */
void *bench_array(size_t count, size_t size);

/* The command line: `peer workload shape n [samples [seconds]]`. */
struct job {
    const char *workload, *shape;
    uint32_t n;
    int samples;
    double seconds;
};

void run_alloc(const struct job *job);
void run_bytes(const struct job *job);
void run_live(const struct job *job);
void run_frozen(const struct job *job);
void run_garbage(const struct job *job);
void run_finalizers(const struct job *job);
void run_weakrefs(const struct job *job);
void run_young(const struct job *job);
void run_sparse(const struct job *job);
void run_fragmented(const struct job *job);
void run_pauses(const struct job *job);
void run_programs(const struct job *job);
void run_churn(const struct job *job);
void run_trees(const struct job *job);
void run_queue(const struct job *job);
void run_application(const struct job *job);

#endif
