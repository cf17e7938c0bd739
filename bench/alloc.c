/* SPDX-License-Identifier: MIT */
/* Allocation without cycles: `n` objects are made, tracked and dropped in order, again and
 * again. Also the memory that objects need after a collection has looked at them. */
#include "measure.h"
#include "peer.h"

BENCH_NOINLINE static void
make_and_drop(node *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        at[i] = peer_new();
    }
    for (uint32_t i = 0; i < n; i++) {
        peer_drop(at[i]);
    }
}

void
run_alloc(const struct job *job)
{
    static struct samples steady;
    const uint32_t n = job->n, repeat = n < 100000 ? 100000 / n : 1;
    node *at = bench_array(n, sizeof *at);
    make_and_drop(at, n);
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        double start = clock_read();
        for (uint32_t r = 0; r < repeat; r++) {
            make_and_drop(at, n);
        }
        samples_add(&steady, start, clock_read());
    }
    samples_print("steady", &steady);
    value_print("objects", (double)n * repeat);
}

void
run_bytes(const struct job *job)
{
    node *at = bench_array(job->n, sizeof *at);
    node root = peer_new();
    double before = resident_bytes();
    for (uint32_t i = 0; i < job->n; i++) {
        at[i] = peer_new();
        peer_link(at[i], 0, root);
    }
#if PEER_COLLECTS
    peer_collect();
#endif
    value_print("bytes", resident_bytes() - before);
    for (uint32_t i = 0; i < job->n; i++) {
        peer_drop(at[i]);
    }
}
