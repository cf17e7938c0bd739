/* SPDX-License-Identifier: MIT */
/* Heaps with holes, where the cost must depend on the objects and not on the memory.
 *
 *   sparse       `n` objects are made. One in 2,048, chosen at random, stays: one in each of
 *                our pages of two-reference objects. Full collections of these objects.
 *   fragmented   2,000 objects, spread over `n` old ones, are freed and made again: young
 *                objects in the holes of old pages. Collections of generation 0 that they
 *                survive ("survive") or do not ("garbage"). */
#include "graph.h"
#include "measure.h"

#include <string.h>

void
run_sparse(const struct job *job)
{
    static struct samples first, steady;
    const uint32_t stride = 2048;
    uint32_t left = job->n / stride;
    node *all = bench_array(job->n, sizeof *all), last = NULL;
    for (uint32_t i = 0; i < job->n; i++) {
        all[i] = peer_new();
    }
    uint32_t chosen = 0;
    random_seed(1);
    for (uint32_t i = 0; i < job->n; i++) {
        if (i % stride == 0) {
            chosen = i + random_below(stride);
        }
        if (i != chosen || i / stride >= left) {
            peer_drop(all[i]);
        } else if (last != NULL) {
            peer_link(all[i], 0, last);
            peer_drop(last);
            last = all[i];
        } else {
            last = all[i];
        }
    }
    graph_collect(&first, 0);
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        graph_collect(&steady, 0);
    }
    uint32_t alive = 0;
    for (node n = last; n != NULL; n = ((Couple *)n)->ref[0]) {
        alive += (uint32_t)peer_is_alive(n);
    }
    if (alive != left) {
        bench_fail("%u objects are alive instead of %u", alive, left);
    }
    samples_print("first", &first);
    samples_print("steady", &steady);
    value_print("objects", left);
}

enum { HOLES = 2000 };

/* Fill the holes with a ring. */
static void
fill_holes(node *hole)
{
    for (uint32_t i = 0; i < HOLES; i++) {
        hole[i] = peer_new();
    }
    for (uint32_t i = 0; i < HOLES; i++) {
        peer_link(hole[i], 0, hole[(i + 1) % HOLES]);
    }
}

static void
drop_holes(node *hole)
{
    for (uint32_t i = 0; i < HOLES; i++) {
        peer_drop(hole[i]);
    }
}

void
run_fragmented(const struct job *job)
{
    static struct samples steady;
    int survive = strcmp(job->shape, "survive") == 0;
    node *all = bench_array(job->n, sizeof *all);
    static node hole[HOLES];
    for (uint32_t i = 0; i < job->n; i++) {
        all[i] = peer_new();
    }
    peer_collect();
    for (uint32_t i = 0; i < HOLES; i++) {
        uint32_t at = (uint32_t)((uint64_t)job->n * i / HOLES);
        peer_drop(all[at]);
        all[at] = NULL;
    }
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        fill_holes(hole);
        if (!survive) {
            drop_holes(hole);
        }
        double start = clock_read();
        long found = peer_collect_young(0);
        samples_add(&steady, start, clock_read());
        if (found != (survive ? 0 : HOLES)) {
            bench_fail("a young collection found %ld objects", found);
        }
        if (survive) {
            drop_holes(hole);
            if (peer_collect_young(1) != HOLES) {
                bench_fail("the survivors cannot be collected");
            }
        }
    }
    for (uint32_t i = 0; i < job->n; i++) {
        if (all[i] != NULL && !peer_is_alive(all[i])) {
            bench_fail("an old object died");
        }
    }
    samples_print("steady", &steady);
    value_print("objects", HOLES);
}
