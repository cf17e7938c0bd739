/* SPDX-License-Identifier: MIT */
/* Watches a program from outside, the same way for every peer: the CPU time of its steps, in
 * which a pause shows as a long one, and the garbage that has not been freed yet.
 *
 * Reading the clock costs as much as making several objects, so that a watch can be off. */
#ifndef BENCH_WATCH_H
#define BENCH_WATCH_H

#include <stdint.h>

#define NOT_PAUSE 20000.0 /* nanoseconds: a step's own cost may vary by this much */

struct pause {
    double end, length;
};

struct watch {
    int is_on;
    double first, last; /* when the watch, and the step, began */
    struct pause *pauses;
    uint32_t pause_count, pause_room;
    long most_garbage;
};

void watch_start(struct watch *watch);
/* A step ends, of which `work` nanoseconds were its own; the next one begins. */
void watch_step(struct watch *watch, double work);
/* Report that this many objects are garbage now. */
void watch_garbage(struct watch *watch, long garbage);
/* Prints "longest", which is NOT_PAUSE if there was none, and "garbage" if that was ever
 * said. */
void watch_print(struct watch *watch);
/* Prints also "p99", "p999" and "paused"; "share", the share of all its time that was not
 * paused, and "mmu20", the least such share of 1, 20 and 100 ms; and "histogram": the number of
 * pauses of 2^(i/2) to 2^((i+1)/2) microseconds for i = 0, 1, ... */
void watch_print_all(struct watch *watch);

#endif
