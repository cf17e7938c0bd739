/* SPDX-License-Identifier: MIT */
/* What holds what: referrers, shortest paths from the roots, cycles. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* --- referrers ---------------------------------------------------------------------------------------- */

bool
ouro_graph_refer(const struct ouro_graph *graph, struct ouro_referrers *referrers)
{
    uint32_t *starts = calloc((size_t)graph->count + 2, sizeof *starts);
    uint32_t *from = malloc((graph->edge_count + 1) * sizeof *from);
    *referrers = (struct ouro_referrers){starts, from};
    if (starts == NULL || from == NULL) {
        ouro_referrers_free(referrers);
        return false;
    }
    /* Counts are stored two places further, sums one place further: filling moves each start to
     * the beginning of the node's own edges. */
    for (size_t e = 0; e < graph->edge_count; e++) {
        starts[graph->edges[e].to + 2]++;
    }
    for (size_t n = 2; n < (size_t)graph->count + 2; n++) {
        starts[n] += starts[n - 1];
    }
    for (uint32_t n = 0; n < graph->count; n++) {
        for (size_t e = graph->nodes[n].edges; e < ouro_graph_edges_end(graph, n); e++) {
            from[starts[graph->edges[e].to + 1]++] = n;
        }
    }
    return true;
}

void
ouro_referrers_free(struct ouro_referrers *referrers)
{
    free(referrers->starts);
    free(referrers->from);
    *referrers = (struct ouro_referrers){NULL, NULL};
}

uint32_t
ouro_graph_edge_name(const struct ouro_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t name = 0;
    for (size_t e = graph->nodes[from].edges;
         e < ouro_graph_edges_end(graph, from) && name == 0; e++) {
        name = graph->edges[e].to == to ? graph->edges[e].name : 0;
    }
    return name;
}

const char *
ouro_graph_edge_text(const struct ouro_graph *graph, uint32_t name, char *text,
                     size_t room)
{
    const char *string = name & OURO_NAME_IS_ITEM ? "" : ouro_graph_string(graph, name);
    if (name & OURO_NAME_IS_ITEM) {
        snprintf(text, room, "[%u]", (unsigned)(name & ~OURO_NAME_IS_ITEM));
    } else {
        bool is_field = string[0] != '\0' && strchr("[(", string[0]) == NULL;
        snprintf(text, room, is_field ? ".%s" : "%s", string);
    }
    return text;
}

/* --- in breadth ------------------------------------------------------------------------------------------ */

struct breadth {
    const struct ouro_graph *graph;
    uint32_t *before, *queue;
    uint32_t queued, next;
};

static void
reach_all(struct breadth *breadth)
{
    const struct ouro_graph *graph = breadth->graph;
    for (; breadth->next < breadth->queued; breadth->next++) {
        uint32_t n = breadth->queue[breadth->next];
        for (size_t e = graph->nodes[n].edges; e < ouro_graph_edges_end(graph, n); e++) {
            uint32_t to = graph->edges[e].to;
            if (breadth->before[to] == OURO_NO_NODE) {
                breadth->before[to] = n;
                breadth->queue[breadth->queued++] = to;
            }
        }
    }
}

static bool
begin_breadth(struct breadth *breadth, const struct ouro_graph *graph)
{
    size_t bytes = ((size_t)graph->count + 1) * sizeof(uint32_t);
    *breadth =
        (struct breadth){.graph = graph, .before = malloc(bytes), .queue = malloc(bytes)};
    if (breadth->before == NULL || breadth->queue == NULL) {
        free(breadth->before);
        free(breadth->queue);
        return false;
    }
    memset(breadth->before, 0xFF, bytes);
    return true;
}

uint32_t *
ouro_graph_shortest(const struct ouro_graph *graph)
{
    struct breadth breadth;
    if (!begin_breadth(&breadth, graph)) {
        return NULL;
    }
    breadth.before[OURO_GROUP_ALL] = OURO_GROUP_ALL;
    for (uint32_t group = OURO_GROUP_ALL + 1; group < OURO_GROUPS; group++) {
        breadth.before[group] = OURO_GROUP_ALL;
        breadth.queue[breadth.queued++] = group;
        /* The known groups together, then each of the others. */
        if (group >= OURO_GROUP_STATIC) {
            reach_all(&breadth);
        }
    }
    breadth.before[OURO_GROUP_ALL] = OURO_NO_NODE;
    free(breadth.queue);
    return breadth.before;
}

int
ouro_graph_cycle(const struct ouro_graph *graph, uint32_t start, uint32_t *members,
                 int most)
{
    struct breadth breadth;
    if (!begin_breadth(&breadth, graph)) {
        return -1;
    }
    breadth.queue[breadth.queued++] = start;
    reach_all(&breadth);
    int count = 0;
    for (uint32_t n = breadth.before[start]; n != OURO_NO_NODE && count < most;
         n = breadth.before[n]) {
        members[count++] = n;
        if (n == start) {
            break;
        }
    }
    free(breadth.before);
    free(breadth.queue);
    return count;
}
