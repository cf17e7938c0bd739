/* SPDX-License-Identifier: MIT */
/* A queue of cyclic structures with payload, with automatic collection: a new structure is
 * added, the oldest is dropped. `n` objects are alive at any time. They are replaced four times,
 * or more often if they are few, to measure the time, and as often again under watch.
 *
 * The shape names the structure, its number of objects and the payload of each in bytes:
 * "ring-100-64" is rings of 100 objects with 64 bytes, "tree-10000-0" binary trees of 10,000
 * whose nodes refer to their parents. */
#include "measure.h"
#include "peer.h"
#include "watch.h"

#include <stdio.h>
#include <string.h>

enum { TURNS = 4, LEAST = 400000 };

struct queue {
    int is_tree;
    uint32_t size;    /* objects of a structure */
    uint32_t payload; /* bytes of an object */
    uint32_t step;    /* objects between two looks at the clock */
    node *at;         /* the structures that are alive */
    uint32_t room, next;
    node *parts; /* of the structure that is being made */
    long made;
    struct watch watch;
};

static struct queue
parse_queue(const struct job *job)
{
    struct queue queue = {0};
    char kind[16];
    if (sscanf(job->shape, "%15[a-z]-%u-%u", kind, &queue.size, &queue.payload) != 3 ||
        queue.size < 2) {
        bench_fail("no queue %s", job->shape);
    }
    queue.is_tree = strcmp(kind, "tree") == 0;
    queue.room = job->n / queue.size > 0 ? job->n / queue.size : 1;
    queue.step = queue.payload > 1024 ? 1 : 16;
    return queue;
}

static void
link_ring(node *part, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        peer_link_wide(part[i], 0, part[(i + 1) % size]);
    }
}

static void
link_tree(node *part, uint32_t size)
{
    for (uint32_t i = 1; i < size; i++) {
        uint32_t parent = (i - 1) / 2;
        peer_link_wide(part[parent], (i - 1) % 2, part[i]);
        peer_link_wide(part[i], 2, part[parent]);
    }
}

static void
end_step(struct queue *queue)
{
    peer_safe_point();
    watch_step(&queue->watch, 0);
}

/* The caller holds the structure by its first object alone. */
static node
make_structure(struct queue *queue)
{
    node *part = queue->parts;
    for (uint32_t i = 0; i < queue->size; i++) {
        part[i] = peer_new_branch(queue->payload);
        if (++queue->made % queue->step == 0) {
            end_step(queue);
        }
    }
    if (queue->is_tree) {
        link_tree(part, queue->size);
    } else {
        link_ring(part, queue->size);
    }
    for (uint32_t i = 1; i < queue->size; i++) {
        peer_drop(part[i]);
    }
    end_step(queue);
    return part[0];
}

static void
drop_structure(struct queue *queue, node first)
{
#if PEER_MANUAL
    if (queue->is_tree) {
        for (int side = 0; side < 2; side++) {
            if (peer_ref(first, side) != NULL) {
                drop_structure(queue, peer_ref(first, side));
            }
        }
    } else {
        node each = peer_ref(first, 0);
        while (each != first) {
            node next = peer_ref(each, 0);
            peer_free(each);
            each = next;
        }
    }
    peer_free(first);
#else
    (void)queue;
    peer_drop(first);
#endif
}

static void
turn_queue(struct queue *queue, uint32_t structures)
{
    for (uint32_t i = 0; i < structures; i++) {
        uint32_t at = queue->next++ % queue->room;
        node fresh = make_structure(queue);
        if (queue->at[at] != NULL) {
            drop_structure(queue, queue->at[at]);
        }
        queue->at[at] = fresh;
        if (PEER_COUNTS && queue->watch.is_on) {
            watch_garbage(&queue->watch,
                          queue->made - peer_deaths() - (long)queue->room * queue->size);
        }
    }
}

/* How many structures to make, so that several collections of old objects run: at least four
 * times the live ones, and at least `times` as many objects as LEAST, or as fit in 2 GiB. */
static uint32_t
structures_to_make(const struct queue *queue, uint32_t times)
{
    uint32_t bytes = queue->payload + 64;
    uint32_t most = (uint32_t)(((size_t)2 << 30) / bytes);
    uint32_t structures = times * (LEAST < most ? LEAST : most) / queue->size;
    return structures > TURNS * queue->room ? structures : TURNS * queue->room;
}

void
run_queue(const struct job *job)
{
    struct queue queue = parse_queue(job);
    uint32_t structures = structures_to_make(&queue, 1);
    peer_count_deaths();
    queue.at = peer_array(queue.room);
    queue.parts = peer_array(queue.size);
    peer_automatic();
    turn_queue(&queue, structures_to_make(&queue, 3)); /* the heap grows to its size */

    double start = clock_read();
    turn_queue(&queue, structures);
    value_print("total", clock_read() - start);
    value_print("objects", (double)structures * queue.size);
    watch_start(&queue.watch);
    turn_queue(&queue, structures);
    for (uint32_t i = 0; i < queue.room; i++) {
        if (!peer_is_alive(queue.at[i])) {
            bench_fail("structure %u of the queue died", i);
        }
    }
    value_print("rss", peak_bytes());
    watch_print(&queue.watch);
}
