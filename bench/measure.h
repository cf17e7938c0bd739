/* SPDX-License-Identifier: MIT */
/* What every workload needs to measure: clock, random numbers, memory, results.
 *
 * A benchmark process measures one thing. It prints lines "key value value ...": samples in
 * nanoseconds (or bytes), in the order of measuring. The driver, run.py, does the statistics. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* For functions that are counted or profiled alone: they must not be inlined. */
#define BENCH_NOINLINE __attribute__((noinline))

/* CPU time of this thread in nanoseconds. Time of other threads on this core does not count. */
double clock_read(void);
/* What reading the clock twice costs; subtracted from every sample. */
double clock_cost(void);

/* xorshift: the same sequence for every peer. */
void random_seed(uint64_t seed);
uint32_t random_below(uint32_t n);

/* Bytes of this process that are resident, exactly (not the kernel's batched count). */
double resident_bytes(void);

/* The largest number of resident bytes so far. getrusage has another figure: it includes the
 * program that ran in this process before exec. */
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
/* Whether to take another sample: until `seconds` are spent, but at least `least` samples. */
int samples_wanted(const struct samples *s, int least, double seconds);

/* The benchmark did not do its work, so its figures are worthless: say so and exit. */
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
