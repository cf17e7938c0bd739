/* SPDX-License-Identifier: MIT */
/* Pauses of a program with `n` live objects that replaces them, as a server does.
 *
 * The live objects are rings of ten. An operation replaces a ring: the old one, mostly in
 * the oldest generation by then, is garbage that only a full collection finds. Each new
 * object comes with three microseconds of work. Everything is measured from outside, in CPU
 * time of the thread, the same way for every peer: an operation that takes longer than its
 * work was paused by the rest.
 *
 * The shape is "whole" or "sliced"; "+drop" drops one ring of n / 10 objects in the middle. */
#include "measure.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define RING      10
#define WORK      3000.0  /* nanoseconds per new object */
#define NOT_PAUSE 20000.0 /* an operation's own cost may vary by this much */

struct pause {
    double end, length;
};

struct server {
    node *rings; /* each held by one reference */
    uint32_t count;
    long live, made, most_garbage;
    double work_loops; /* of WORK nanoseconds */
    struct pause *pauses;
    uint32_t pause_count, pause_room;
};

static volatile uint32_t sink;

static void
work(const struct server *server)
{
    for (double i = server->work_loops; i > 0; i--) {
        sink++;
    }
}

static void
calibrate(struct server *server)
{
    double best = 1e18;
    server->work_loops = 1e5;
    for (int i = 0; i < 20; i++) {
        double start = clock_read();
        work(server);
        double took = clock_read() - start;
        best = took < best ? took : best;
    }
    server->work_loops *= WORK / best;
}

static node
new_ring(struct server *server, uint32_t length, int with_work)
{
    node first = peer_new(), last = first;
    for (uint32_t i = 1; i < length; i++) {
        node next = peer_new();
        peer_link(last, 0, next);
        peer_link(next, 1, first);
        peer_drop(next);
        last = next;
        if (with_work) {
            work(server);
        }
    }
    peer_link(last, 0, first);
    server->made += length;
    return first;
}

static void
note_pause(struct server *server, double end, double length)
{
    if (server->pause_count == server->pause_room) {
        server->pause_room = server->pause_room * 2 + 65536;
        server->pauses =
            realloc(server->pauses, server->pause_room * sizeof *server->pauses);
    }
    server->pauses[server->pause_count++] = (struct pause){end, length};
}

static void
note_garbage(struct server *server)
{
    long garbage = server->made - peer_deaths() - server->live;
    server->most_garbage =
        garbage > server->most_garbage ? garbage : server->most_garbage;
}

/* Replace a ring; the time beyond the work is a pause if it is more than noise. */
static void
serve(struct server *server)
{
    uint32_t i = random_below(server->count);
    double start = clock_read();
    node fresh = new_ring(server, RING, 1);
    node old = server->rings[i];
    server->rings[i] = fresh;
    peer_drop(old);
    peer_safe_point();
    double end = clock_read();
    double beyond = end - start - (RING - 1) * WORK;
    if (beyond > NOT_PAUSE) {
        note_pause(server, end, beyond);
    }
}

static int
compare_lengths(const void *a, const void *b)
{
    double x = ((const struct pause *)a)->length, y = ((const struct pause *)b)->length;
    return (x > y) - (x < y);
}

/* The least share of a window of CPU time that was not pause. */
static double
utilisation(const struct server *server, double window)
{
    double paused = 0, worst = 0;
    uint32_t first = 0;
    const struct pause *p = server->pauses;
    for (uint32_t i = 0; i < server->pause_count; i++) {
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

static void
print_value(const char *key, double value)
{
    printf("%s %.6g\n", key, value);
}

static void
print_pauses(struct server *server, double start, double end)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_value("mmu1", 100 * utilisation(server, 1e6));
    print_value("mmu20", 100 * utilisation(server, 2e7));
    print_value("mmu100", 100 * utilisation(server, 1e8));
    double sum = 0;
    for (uint32_t i = 0; i < server->pause_count; i++) {
        sum += server->pauses[i].length;
    }
    uint32_t n = server->pause_count;
    qsort(server->pauses, n, sizeof *server->pauses, compare_lengths);
    print_value("longest", n != 0 ? server->pauses[n - 1].length : 0);
    print_value("p999", n != 0 ? server->pauses[(uint32_t)(n * 0.999)].length : 0);
    print_value("paused", sum);
    print_value("total", end - start);
    print_value("rss", (double)usage.ru_maxrss * 1024);
    print_value("garbage", (double)server->most_garbage);
    print_value("objects", 1);
    peer_print_cycles();
}

void
run_pauses(const struct job *job)
{
    struct server server = {.count = job->n / RING, .live = job->n};
    int drops = strstr(job->shape, "+drop") != NULL;
    random_seed(1);
    calibrate(&server);
    peer_automatic(strncmp(job->shape, "sliced", 6) == 0);
    server.rings = peer_array(server.count);
    for (uint32_t i = 0; i < server.count; i++) {
        server.rings[i] = new_ring(&server, RING, 0);
        peer_safe_point();
    }
    node big = drops ? new_ring(&server, job->n / 10, 0) : NULL;
    peer_collect(); /* and automatic ones are off again */
    peer_automatic(strncmp(job->shape, "sliced", 6) == 0);
    peer_forget_cycles();
    uint32_t operations = (uint32_t)(0.8 * server.count);
    server.most_garbage = 0;
    server.live += drops ? job->n / 10 : 0;
    double start = clock_read();
    for (uint32_t i = 0; i < operations; i++) {
        if (drops && i == operations / 3) {
            peer_drop(big);
            server.live -= job->n / 10;
        }
        serve(&server);
        if (i % 64 == 0) {
            note_garbage(&server);
        }
    }
    print_pauses(&server, start, clock_read());
}
