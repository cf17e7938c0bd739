/* SPDX-License-Identifier: MIT */
/* Run many jobs, each in a process group of its own, several at a time. */
#ifndef OURO_TESTS_POOL_H
#define OURO_TESTS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct job {
    /* Set by the caller. */
    void (*run)(struct job *job);   /* in the child; it ends the process */
    bool (*judge)(struct job *job); /* in the parent, afterwards; false: it failed */
    const void *subject;            /* what the job is about */
    void *extra;
    double timeout; /* seconds */

    /* Known to judge(); the texts are freed after it. */
    int status; /* as from waitpid() */
    bool timed_out;
    double seconds;
    char *stdout_text;
    char *stderr_text;

    /* While it runs. */
    pid_t pid;
    int stdout_file;
    int stderr_file;
    double started;
};

/* Run all jobs, at most `width` at once, starting them in order. After a failure and with
 * `stop_on_failure`, the rest is killed or not started. Returns false if it was
 * interrupted by a signal; every job's processes are gone when it returns. */
bool pool_run(struct job *jobs, size_t count, int width, bool stop_on_failure);

#endif
