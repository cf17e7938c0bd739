/* SPDX-License-Identifier: MIT */
/* Shapes made of objects: see graph.h. */
#include "graph.h"

#include "measure.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
width_of(const struct shape *shape, uint32_t i)
{
    return shape->width != NULL ? shape->width[i] : 2;
}

static void
link_all(const struct graph *g, const struct shape *shape)
{
    const uint32_t *edge = shape->edge;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t width = width_of(shape, i);
        for (uint32_t k = 0; k < width; k++, edge++) {
            if (*edge == NO_EDGE) {
                continue;
            }
            if (width == 2) {
                peer_link(g->all[i], (int)k, g->all[*edge]);
            } else {
                peer_link_wide(g->all[i], k, g->all[*edge]);
            }
        }
    }
}

/* Keep the references from outside that the shape wants, and end all others. */
static void
keep_held(struct graph *g, const struct shape *shape)
{
    for (uint32_t i = 0; i < g->n; i++) {
        g->n_held += shape->held[i];
    }
    g->held = peer_array(g->n_held);
    uint32_t at = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        if (shape->held[i]) {
            g->held[at++] = g->all[i];
        } else {
            peer_drop(g->all[i]);
        }
    }
}

void
graph_build(struct graph *g, const struct shape *shape, node (*make)(void))
{
    *g = (struct graph){.n = shape->n};
    g->all = bench_array(g->n, sizeof *g->all);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t width = width_of(shape, i);
        g->all[i] = width == 2 ? make() : peer_new_wide(width);
    }
    link_all(g, shape);
    keep_held(g, shape);
}

void
graph_drop(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_held; i++) {
        node n = g->held[i];
        g->held[i] = NULL;
        peer_drop(n);
    }
    free(g->all);
    g->all = NULL;
}

void
graph_check_alive(const struct graph *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        if (!peer_is_alive(g->all[i])) {
            bench_fail("object %u of %u is not alive any more", i, g->n);
        }
    }
}

void
graph_collect(struct samples *samples, uint32_t expected)
{
    double start = clock_read();
    long found = peer_collect();
    samples_add(samples, start, clock_read());
    if (PEER_COUNTS && found != (long)expected) {
        bench_fail("a full collection found %ld objects instead of %u", found, expected);
    }
}
