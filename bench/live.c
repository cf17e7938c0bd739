/* SPDX-License-Identifier: MIT */
/* Full collections of a heap in which everything is alive: the first collection after building,
 * and the later ones. Also of a heap that was frozen before, a hundred in each sample. */
#include "graph.h"
#include "measure.h"

void
run_live(const struct job *job)
{
    static struct samples first, steady;
    struct shape shape;
    struct graph graph;
    shape_draw(&shape, job->shape, job->n);
    graph_build(&graph, &shape, peer_new);
    shape_forget(&shape);

    long examined = peer_examined();
    graph_collect(&first, 0);
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        graph_collect(&steady, 0);
    }
    if (examined >= 0 && peer_examined() - examined < (long)job->n * (steady.count + 1)) {
        bench_fail("%d collections looked at %ld objects only", steady.count + 1,
                   peer_examined() - examined);
    }
    graph_check_alive(&graph);
    samples_print("first", &first);
    samples_print("steady", &steady);
}

#if PEER_COUNTS

enum { REPEAT = 100 };

void
run_frozen(const struct job *job)
{
    static struct samples steady;
    struct shape shape;
    struct graph graph;
    shape_draw(&shape, "chain", job->n);
    graph_build(&graph, &shape, peer_new);
    shape_forget(&shape);
    peer_freeze();
    graph_drop(&graph); /* frozen: this garbage must stay */

    long found = 0, objects = peer_objects();
    peer_collect();
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        double start = clock_read();
        for (int i = 0; i < REPEAT; i++) {
            found += peer_collect();
        }
        samples_add(&steady, start, clock_read());
    }
    if (found != 0 || objects - peer_objects() > 1000) {
        bench_fail("frozen objects were collected");
    }
    samples_print("steady", &steady);
    value_print("objects", REPEAT);
}

#endif
