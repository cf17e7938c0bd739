/* SPDX-License-Identifier: MIT */
/* Collections of the young generation beside a chain of `n` old objects.
 *
 * The shape says how many objects are young, whether they die or survive, and where their
 * second reference goes: "2000-garbage-young", "10000-survive-old". The first references make
 * a ring. Survivors are dropped before the next round, outside of the measured time. */
#include "graph.h"
#include "measure.h"

#include <stdio.h>
#include <string.h>

struct young {
    uint32_t count;
    int survive, to_old;
};

static struct young
parse_young(const char *text)
{
    struct young young = {0};
    char fate[16], target[16];
    if (sscanf(text, "%u-%15[a-z]-%15[a-z]", &young.count, fate, target) != 3) {
        bench_fail("no young shape %s", text);
    }
    young.survive = strcmp(fate, "survive") == 0;
    young.to_old = strcmp(target, "old") == 0;
    return young;
}

/* Makes a ring of young objects and returns one of them. It is held if the ring shall
 * survive. */
static node
make_young(const struct young *young, node *at, const struct graph *old)
{
    uint32_t count = young->count;
    for (uint32_t i = 0; i < count; i++) {
        at[i] = peer_new();
    }
    for (uint32_t i = 0; i < count; i++) {
        peer_link(at[i], 0, at[(i + 1) % count]);
        peer_link(at[i], 1,
                  young->to_old ? old->all[random_below(old->n)]
                                : at[random_below(count)]);
    }
    for (uint32_t i = young->survive ? 1 : 0; i < count; i++) {
        peer_drop(at[i]);
    }
    return at[0];
}

static void
collect_expecting(int generation, long expected)
{
    long found = peer_collect_young(generation);
    if (found != expected) {
        bench_fail("a collection of generation %d found %ld objects instead of %ld",
                   generation, found, expected);
    }
}

void
run_young(const struct job *job)
{
    static struct samples steady;
    struct young young = parse_young(job->shape);
    struct shape shape;
    struct graph old;
    shape_draw(&shape, "chain", job->n);
    graph_build(&old, &shape, peer_new);
    shape_forget(&shape);
    collect_expecting(2, 0);

    node *at = bench_array(young.count, sizeof *at);
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        node first = make_young(&young, at, &old);
        double start = clock_read();
        collect_expecting(0, young.survive ? 0 : young.count);
        samples_add(&steady, start, clock_read());
        if (young.survive) {
            peer_drop(first);
            collect_expecting(1, young.count);
        }
    }
    graph_check_alive(&old);
    samples_print("steady", &steady);
    value_print("objects", young.count);
}
