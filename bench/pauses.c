/* SPDX-License-Identifier: MIT */
/* Pauses of a program with `n` live objects that replaces them, as a server does.
 *
 * The live objects are rings of ten. An operation replaces a ring. The old ring is mostly in
 * the oldest generation by then: garbage that only a full collection finds. Each new object
 * comes with three microseconds of work. If an operation takes longer than its work, the
 * difference is a pause.
 *
 * The shape is "replace", or "drop": one ring of n / 10 objects is dropped during the run. */
#include "measure.h"
#include "peer.h"
#include "watch.h"
#include "work.h"

#include <string.h>

#define RING 10

struct server {
    node *rings; /* each held by one reference */
    uint32_t count;
    long live, made;
    struct watch watch;
};

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
            work_do();
        }
    }
    peer_link(last, 0, first);
    server->made += length;
    return first;
}

static void
serve(struct server *server)
{
    uint32_t i = random_below(server->count);
    node fresh = new_ring(server, RING, 1);
    node old = server->rings[i];
    server->rings[i] = fresh;
    peer_drop(old);
    peer_safe_point();
    watch_step(&server->watch, (RING - 1) * WORK);
}

static void
fill_server(struct server *server)
{
    server->rings = peer_array(server->count);
    for (uint32_t i = 0; i < server->count; i++) {
        server->rings[i] = new_ring(server, RING, 0);
        peer_safe_point();
    }
}

void
run_pauses(const struct job *job)
{
    struct server server = {.count = job->n / RING, .live = job->n};
    int drops = strcmp(job->shape, "drop") == 0;
    random_seed(1);
    peer_count_deaths();
    work_calibrate();
    peer_automatic();
    fill_server(&server);
    node big = drops ? new_ring(&server, job->n / 10, 0) : NULL;
    server.live += drops ? job->n / 10 : 0;
    peer_collect(); /* this also switches automatic collections off again */
    peer_automatic();
    peer_record_pauses();
    uint32_t operations = (uint32_t)(0.8 * server.count);
    watch_start(&server.watch);
    double start = clock_read();
    for (uint32_t i = 0; i < operations; i++) {
        if (drops && i == operations / 3) {
            peer_drop(big);
            server.live -= job->n / 10;
        }
        serve(&server);
        if (i % 64 == 0) {
            watch_garbage(&server.watch, server.made - peer_deaths() - server.live);
        }
    }
    value_print("total", clock_read() - start);
    value_print("rss", peak_bytes());
    watch_print_all(&server.watch);
    peer_print_cycles();
}
