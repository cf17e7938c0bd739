/* SPDX-License-Identifier: MIT */
/* The collection that frees everything: the graph is built, let go of, and collected,
 * again and again. What counts alone free is gone before the clock starts. */
#include "graph.h"
#include "measure.h"

#include <stdlib.h>

void
run_garbage(const struct job *job)
{
    static struct samples steady;
    struct shape shape;
    shape_draw(&shape, job->shape, job->n);
    uint32_t cyclic = shape_cyclic(&shape);
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        struct graph graph;
        long before = peer_objects();
        graph_build(&graph, &shape);
        graph_drop(&graph);
        graph_collect(&steady, cyclic);
        long left = peer_objects() - before;
        if (PEER_COUNTS && (left > 1000 || left < -1000)) {
            bench_fail("%ld objects more than before the graph was built", left);
        }
    }
    samples_print("steady", &steady);
    samples_print("objects", &(struct samples){.value = {cyclic}, .count = 1});
}
