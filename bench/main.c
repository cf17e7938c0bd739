/* SPDX-License-Identifier: MIT */
/* One peer: `peer workload shape n [samples [seconds]]` measures one thing; `peer version`
 * tells its version. */
#define _GNU_SOURCE 1
#include "measure.h"
#include "peer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(const struct job *);
} workloads[] = {
    {"alloc", run_alloc},
    {"bytes", run_bytes},
    {"trees", run_trees},
    {"queue", run_queue},
    {"churn", run_churn},
#if PEER_COLLECTS
    {"live", run_live},
#endif
#if PEER_COUNTS
    {"garbage", run_garbage},
    {"finalizers", run_finalizers},
    {"weakrefs", run_weakrefs},
    {"frozen", run_frozen},
    {"young", run_young},
    {"sparse", run_sparse},
    {"fragmented", run_fragmented},
    {"pauses", run_pauses},
    {"programs", run_programs},
#endif
#if BENCH_SCHEME
    {"application", run_application},
#endif
};

static void *
run_job(void *job_)
{
    const struct job *job = job_;
    clock_cost();
    peer_start();
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        if (strcmp(workloads[i].name, job->workload) == 0) {
            workloads[i].run(job);
            /* No clean-up: the time to destroy a heap is not measured here. */
            fflush(stdout);
            _Exit(0);
        }
    }
    bench_fail("this peer has no workload %s", job->workload);
}

int bench_main(int argc, char **argv);

int
bench_main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        puts(peer_version());
        return 0;
    }
    if (argc < 4) {
        bench_fail("usage: %s workload shape n [samples [seconds]]", argv[0]);
    }
    struct job job = {
        .workload = argv[1],
        .shape = argv[2],
        .n = (uint32_t)strtod(argv[3], NULL),
        .samples = argc > 4 ? atoi(argv[4]) : 3,
        .seconds = argc > 5 ? strtod(argv[5], NULL) : 0.5,
    };
    if (PEER_STACK == 0) {
        run_job(&job);
    }
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, PEER_STACK) != 0 ||
        pthread_create(&thread, &attributes, run_job, &job) != 0) {
        bench_fail("no thread with %zu bytes of stack", (size_t)PEER_STACK);
    }
    pthread_join(thread, NULL);
    return 1;
}
