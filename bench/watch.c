/* SPDX-License-Identifier: MIT */
/* Steps, pauses and garbage: see watch.h. */
#define _GNU_SOURCE 1 /* RUSAGE_THREAD */
#include "watch.h"

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BUCKETS = 48 };

/* The eighth number of the first line of /proc/stat, in nanoseconds; 0 where there is none. */
static double
read_stolen(void)
{
    unsigned long long ticks = 0;
    FILE *stat = fopen("/proc/stat", "r");
    if (stat != NULL) {
        if (fscanf(stat, "cpu %*s %*s %*s %*s %*s %*s %*s %llu", &ticks) != 1) {
            ticks = 0;
        }
        fclose(stat);
    }
    return 1e9 * (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* What the system did for this thread, or to it, since the last call. */
static struct pause
read_system(struct watch *watch)
{
    struct rusage usage = {.ru_minflt = 0};
    (void)getrusage(RUSAGE_THREAD, &usage);
    struct pause since = {.faults = usage.ru_minflt - watch->faults,
                          .preempted = usage.ru_nivcsw - watch->preempted};
    watch->faults = usage.ru_minflt;
    watch->preempted = usage.ru_nivcsw;
    return since;
}

void
watch_start(struct watch *watch)
{
    watch->is_on = 1;
    watch->stolen = read_stolen();
    (void)read_system(watch);
    watch->pause_count = 0;
    watch->most_garbage = -1;
    watch->first = watch->last = clock_read();
}

static void
note_pause(struct watch *watch, double end, double length)
{
    if (watch->pause_count == watch->pause_room) {
        watch->pause_room = watch->pause_room * 2 + 65536;
        watch->pauses = realloc(watch->pauses, watch->pause_room * sizeof *watch->pauses);
        if (watch->pauses == NULL) {
            bench_fail("no memory for %u pauses", watch->pause_room);
        }
    }
    struct pause pause = read_system(watch);
    pause.end = end;
    pause.length = length;
    watch->pauses[watch->pause_count++] = pause;
}

void
watch_step(struct watch *watch, double work)
{
    if (!watch->is_on) {
        return;
    }
    double now = clock_read(), beyond = now - watch->last - work;
    if (beyond > NOT_PAUSE) {
        note_pause(watch, now, beyond);
        now = clock_read(); /* the time for noting the pause is not the program's */
    }
    watch->last = now;
}

void
watch_garbage(struct watch *watch, long garbage)
{
    if (garbage > watch->most_garbage) {
        watch->most_garbage = garbage;
    }
}

static int
compare_pauses(const void *a, const void *b)
{
    double x = ((const struct pause *)a)->length, y = ((const struct pause *)b)->length;
    return (x > y) - (x < y);
}

/* The least share of any window of CPU time without pauses. The pauses are in order of time. */
static double
utilisation(const struct watch *watch, double window)
{
    double paused = 0, worst = 0;
    uint32_t first = 0;
    const struct pause *p = watch->pauses;
    for (uint32_t i = 0; i < watch->pause_count; i++) {
        double begin = p[i].end - window;
        paused += p[i].length;
        while (p[first].end <= begin) {
            paused -= p[first++].length;
        }
        double outside = begin - (p[first].end - p[first].length);
        double inside = paused - (outside > 0 ? outside : 0);
        worst = inside > worst ? inside : worst;
    }
    return worst < window ? 1 - worst / window : 0;
}

void
watch_print(struct watch *watch)
{
    double longest = NOT_PAUSE; /* shorter pauses were not measured */
    for (uint32_t i = 0; i < watch->pause_count; i++) {
        longest = watch->pauses[i].length > longest ? watch->pauses[i].length : longest;
    }
    value_print("longest", longest);
    if (watch->most_garbage >= 0) {
        value_print("garbage", (double)watch->most_garbage);
    }
}

static void
print_histogram(const struct watch *watch)
{
    long count[BUCKETS] = {0};
    int bucket = 0; /* the pauses are in order of length */
    double end = 1000 * 1.4142135623730951;
    for (uint32_t i = 0; i < watch->pause_count; i++) {
        while (watch->pauses[i].length >= end && bucket < BUCKETS - 1) {
            end *= 1.4142135623730951;
            bucket++;
        }
        count[bucket]++;
    }
    printf("histogram");
    for (int i = 0; i < BUCKETS; i++) {
        printf(" %ld", count[i]);
    }
    printf("\n");
}

static void
print_long(const struct watch *watch)
{
    for (uint32_t i = 0; i < watch->pause_count; i++) {
        const struct pause *p = &watch->pauses[i];
        if (p->length > LONG_PAUSE) {
            printf("long %.0f %ld %ld\n", p->length, p->faults, p->preempted);
        }
    }
    value_print("stolen", read_stolen() - watch->stolen);
}

void
watch_print_all(struct watch *watch)
{
    uint32_t n = watch->pause_count;
    double sum = 0;
    watch_print(watch);
    print_long(watch);
    value_print("mmu1", 100 * utilisation(watch, 1e6));
    value_print("mmu20", 100 * utilisation(watch, 2e7));
    value_print("mmu100", 100 * utilisation(watch, 1e8));
    for (uint32_t i = 0; i < n; i++) {
        sum += watch->pauses[i].length;
    }
    value_print("paused", sum);
    value_print("share", 100 * (1 - sum / (watch->last - watch->first)));
    qsort(watch->pauses, n, sizeof *watch->pauses, compare_pauses);
    value_print("p99", n != 0 ? watch->pauses[(uint32_t)(n * 0.99)].length : NOT_PAUSE);
    value_print("p999", n != 0 ? watch->pauses[(uint32_t)(n * 0.999)].length : NOT_PAUSE);
    print_histogram(watch);
}
