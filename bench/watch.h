/* SPDX-License-Identifier: MIT */
/* Watches a program from outside, the same way for every peer. It measures the CPU time of the
 * program's steps, where a long step means a pause, and the garbage that has not been freed yet.
 *
 * Reading the clock costs as much as making several objects, so a watch can be switched off. */
#ifndef BENCH_WATCH_H
#define BENCH_WATCH_H

#include <stdint.h>

#define NOT_PAUSE 20000.0 /* nanoseconds: a step's own cost may vary by this much */

#define LONG_PAUSE 1e6 /* nanoseconds: of such it is told what the system did meanwhile */

struct pause {
    double end, length;
    long faults; /* pages that the system had to find or clear, since the pause before */
    long preempted; /* how often another thread ran instead */
};

struct watch {
    int is_on;
    double first, last; /* when the watch, and the step, began */
    struct pause *pauses;
    uint32_t pause_count, pause_room;
    long most_garbage;
    long faults, preempted; /* of this thread, up to the last pause */
    double stolen;          /* nanoseconds, at the start */
};

void watch_start(struct watch *watch);
/* A step ends and the next one begins. The step itself worked for `work` nanoseconds. */
void watch_step(struct watch *watch, double work);
/* Report that this many objects are garbage now. */
void watch_garbage(struct watch *watch, long garbage);
/* Prints "longest", which is NOT_PAUSE if there was no pause, and "garbage" if watch_garbage
 * was ever called. */
void watch_print(struct watch *watch);
/* Also prints
 *   "long"        for each pause longer than LONG_PAUSE: its length, and what the system counted since
 *                 the pause before it: page faults, and how often another thread ran instead
 *   "stolen"      what the host of a virtual machine took meanwhile, from all processors
 *   "p99", "p999", "paused"
 *   "share"       the share of the whole time without pauses
 *   "mmu20" ...   the least such share of any window of 1, 20 and 100 ms
 *   "histogram"   the number of pauses of 2^(i/2) to 2^((i+1)/2) microseconds, i = 0, 1, ... */
void watch_print_all(struct watch *watch);

#endif
