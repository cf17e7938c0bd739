/* SPDX-License-Identifier: MIT */
/* Rings are made and dropped beside a live background, with automatic collection.
 *
 * The background is a random graph of `n` objects. Then 2n objects are made as rings of 2
 * to 10, once as fast as possible ("total") and once more under watch. The shape says how
 * long a ring lives:
 *
 *   now      it is dropped at once: garbage that is young
 *   window   until n / 50 newer rings exist: most rings are old by then, so only a full
 *            collection finds them */
#include "graph.h"
#include "measure.h"
#include "peer.h"
#include "watch.h"

#include <string.h>

struct churn {
    node *window; /* the rings that are alive, each held by one reference */
    uint32_t room, next;
    long live, made;
    struct watch watch;
};

static uint32_t
length_of_ring(uint32_t number)
{
    return 2 + number % 9;
}

static node
make_ring(uint32_t length)
{
    node first = peer_new(), last = first;
    for (uint32_t i = 1; i < length; i++) {
        node next = peer_new();
        peer_link(last, 0, next);
        peer_drop(next);
        last = next;
    }
    peer_link(last, 0, first);
    return first;
}

/* Drop the last reference from outside; a peer without a collector frees the ring. */
static void
drop_ring(node first)
{
#if PEER_MANUAL
    node each = peer_ref(first, 0);
    while (each != first) {
        node next = peer_ref(each, 0);
        peer_free(each);
        each = next;
    }
    peer_free(first);
#else
    peer_drop(first);
#endif
}

/* Make a ring and drop the ring whose place it takes. */
static void
turn_ring(struct churn *churn)
{
    uint32_t number = churn->next++, at = number % churn->room;
    uint32_t length = length_of_ring(number);
    node ring = make_ring(length);
    churn->made += length;
    churn->live += length;
    if (churn->window[at] != NULL) {
        drop_ring(churn->window[at]);
        churn->live -= length_of_ring(number - churn->room);
    }
    churn->window[at] = ring;
    peer_safe_point();
}

static void
turn_rings(struct churn *churn, long objects)
{
    for (long end = churn->made + objects; churn->made < end;) {
        turn_ring(churn);
        watch_step(&churn->watch, 0);
        if (PEER_COUNTS && churn->watch.is_on && churn->next % 16 == 0) {
            watch_garbage(&churn->watch, churn->made - peer_deaths() - churn->live);
        }
    }
}

void
run_churn(const struct job *job)
{
    struct shape shape;
    struct graph background;
    struct churn churn = {.room = 1, .live = job->n, .made = job->n};
    if (strcmp(job->shape, "window") == 0) {
        churn.room = job->n / 50;
    } else if (strcmp(job->shape, "now") != 0) {
        bench_fail("no churn %s", job->shape);
    }
    peer_count_deaths();
    churn.window = peer_array(churn.room);
    shape_draw(&shape, "random", job->n);
    graph_build(&background, &shape, peer_new);
    shape_forget(&shape);
    peer_collect();
    peer_automatic();
    turn_rings(&churn, job->n / 2); /* fills the window; the heap grows to its size */

    long objects = 2 * (long)job->n;
    double start = clock_read();
    turn_rings(&churn, objects);
    value_print("total", clock_read() - start);
    value_print("objects", (double)objects);
    watch_start(&churn.watch);
    turn_rings(&churn, objects);
    graph_check_alive(&background);
    value_print("rss", peak_bytes());
    watch_print_all(&churn.watch);
}
