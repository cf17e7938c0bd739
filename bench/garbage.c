/* SPDX-License-Identifier: MIT */
/* The collection that frees everything: the graph is built, dropped, and collected, again and
 * again. The objects that counts alone free are gone before the clock starts.
 *
 *   garbage      plain objects
 *   finalizers   every object with two references has a tp_finalize, which counts its calls
 *   weakrefs     every object with two references has a weak reference from outside; one in
 *                ten of these has a callback, which counts its calls */
#include "graph.h"
#include "measure.h"

#include <stdlib.h>

static void
build_and_collect(const struct shape *shape, node (*make)(void), struct samples *steady,
                  uint32_t cyclic)
{
    struct graph graph;
    long before = peer_objects();
    graph_build(&graph, shape, make);
    graph_drop(&graph);
    graph_collect(steady, cyclic);
    peer_forget_weakrefs();
    long left = peer_objects() - before;
    if (left > 1000 || left < -1000) {
        bench_fail("%ld objects more than before the graph was built", left);
    }
}

static void
collect_garbage(const struct job *job, node (*make)(void))
{
    static struct samples steady;
    struct shape shape;
    shape_draw(&shape, job->shape, job->n);
    uint32_t cyclic = shape_cyclic(&shape);
    while (samples_wanted(&steady, job->samples, job->seconds)) {
        build_and_collect(&shape, make, &steady, cyclic);
    }
    samples_print("steady", &steady);
    value_print("objects", cyclic);
}

void
run_garbage(const struct job *job)
{
    collect_garbage(job, peer_new);
}

void
run_finalizers(const struct job *job)
{
    collect_garbage(job, peer_new_finalized);
    if (peer_finalized() < job->n / 4) {
        bench_fail("only %ld finalizers were called", peer_finalized());
    }
}

void
run_weakrefs(const struct job *job)
{
    collect_garbage(job, peer_new_watched);
    if (peer_callbacks() < job->n / 40) {
        bench_fail("only %ld callbacks were called", peer_callbacks());
    }
}
