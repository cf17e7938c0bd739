/* SPDX-License-Identifier: MIT */
/* Clock, random numbers, memory, results: see measure.h. */
#define _GNU_SOURCE 1
#include "measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double
clock_read(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double
clock_cost(void)
{
    static double cost = -1;
    if (cost < 0) {
        cost = 1e9;
        for (int i = 0; i < 1000; i++) {
            double start = clock_read(), took = clock_read() - start;
            cost = took < cost ? took : cost;
        }
    }
    return cost;
}

static uint64_t random_state;

void
random_seed(uint64_t seed)
{
    random_state = 88172645463325252u + seed;
}

uint32_t
random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(((random_state >> 32) * n) >> 32);
}

/* The number of KiB behind `name` in a file of /proc/self. */
static double
read_kib(const char *path, const char *name)
{
    char line[256];
    double kib = -1;
    FILE *file = fopen(path, "r");
    while (file != NULL && kib < 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kib = strtod(line + strlen(name), NULL);
        }
    }
    if (file == NULL || kib < 0) {
        bench_fail("cannot read %s in %s", name, path);
    }
    fclose(file);
    return kib * 1024;
}

double
resident_bytes(void)
{
    return read_kib("/proc/self/smaps_rollup", "Rss:");
}

double
peak_bytes(void)
{
    return read_kib("/proc/self/status", "VmHWM:");
}

void
samples_add(struct samples *s, double start, double end)
{
    double took = end - start - clock_cost();
    took = took > 1 ? took : 1;
    if (s->count < (int)(sizeof s->value / sizeof s->value[0])) {
        s->value[s->count++] = took;
    }
    s->spent += took;
}

void
samples_print(const char *key, const struct samples *s)
{
    printf("%s", key);
    for (int i = 0; i < s->count; i++) {
        printf(" %.0f", s->value[i]);
    }
    printf("\n");
}

void
value_print(const char *key, double value)
{
    printf("%s %.9g\n", key, value);
}

int
samples_wanted(const struct samples *s, int least, double seconds)
{
    int room = (int)(sizeof s->value / sizeof s->value[0]) - s->count;
    return room > 0 && (s->count < least || s->spent < seconds * 1e9);
}

void
bench_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "bench: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

void *
bench_array(size_t count, size_t size)
{
    void *array = malloc(count * size + 1);
    if (array == NULL) {
        bench_fail("no memory for %zu bytes of bookkeeping", count * size);
    }
    memset(array, 1, count * size);
    /* The compiler must keep the memset, which makes the pages resident. */
    __asm__ volatile("" : "+r"(array) : : "memory");
    memset(array, 0, count * size);
    return array;
}
