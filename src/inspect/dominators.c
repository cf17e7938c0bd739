/* SPDX-License-Identifier: MIT */
/* Dominators by the algorithm of Lengauer and Tarjan, with path compression, and what each node
 * retains.
 *
 * A depth-first search numbers the nodes from 1 on; 0 stands for none. Arrays are indexed by
 * these numbers, all but `number`. Nothing recurses. */
#include "graph.h"

#include <stdlib.h>

struct depth_search {
    const struct ouro_graph *graph;
    struct ouro_referrers referrers;
    uint32_t *number; /* by node */
    uint32_t *node;
    uint32_t *parent;
    uint32_t *semi;
    uint32_t *ancestor, *label; /* the forest of the nodes that are done */
    uint32_t *bucket, *next;    /* nodes whose semidominator is this one, linked */
    uint32_t *dominator;
    uint32_t *stack; /* of the compression; while searching, the next edge of each node */
    uint32_t count;
};

/* --- memory ---------------------------------------------------------------------------------------------- */

#define ARRAYS 10

static uint32_t **
array_of_search(struct depth_search *search, int i)
{
    uint32_t **arrays[ARRAYS] = {
        &search->number,    &search->node,  &search->parent, &search->semi,
        &search->ancestor,  &search->label, &search->bucket, &search->next,
        &search->dominator, &search->stack,
    };
    return arrays[i];
}

static void
end_search(struct depth_search *search)
{
    for (int i = 0; i < ARRAYS; i++) {
        free(*array_of_search(search, i));
    }
    ouro_referrers_free(&search->referrers);
}

static bool
begin_search(struct depth_search *search, const struct ouro_graph *graph)
{
    *search = (struct depth_search){.graph = graph};
    bool is_ready = ouro_graph_refer(graph, &search->referrers);
    for (int i = 0; i < ARRAYS; i++) {
        *array_of_search(search, i) = calloc((size_t)graph->count + 1, sizeof(uint32_t));
        is_ready = is_ready && *array_of_search(search, i) != NULL;
    }
    if (!is_ready) {
        end_search(search);
    }
    return is_ready;
}

/* --- in depth --------------------------------------------------------------------------------------------- */

static void
enter_node(struct depth_search *search, uint32_t node, uint32_t parent)
{
    uint32_t v = ++search->count;
    search->number[node] = v;
    search->node[v] = node;
    search->parent[v] = parent;
    search->semi[v] = search->label[v] = v;
    search->stack[v] = search->graph->nodes[node].edges;
}

static void
search_in_depth(struct depth_search *search)
{
    const struct ouro_graph *graph = search->graph;
    enter_node(search, OURO_GROUP_ALL, 0);
    for (uint32_t v = 1; v != 0;) {
        if (search->stack[v] == ouro_graph_edges_end(graph, search->node[v])) {
            v = search->parent[v];
            continue;
        }
        uint32_t to = graph->edges[search->stack[v]++].to;
        if (search->number[to] == 0) {
            enter_node(search, to, v);
            v = search->count;
        }
    }
}

/* --- dominators -------------------------------------------------------------------------------------------- */

static void
compress_path(struct depth_search *search, uint32_t v)
{
    uint32_t *ancestor = search->ancestor, *label = search->label;
    uint32_t height = 0;
    for (; ancestor[ancestor[v]] != 0; v = ancestor[v]) {
        search->stack[height++] = v;
    }
    while (height > 0) {
        v = search->stack[--height];
        uint32_t above = ancestor[v];
        if (search->semi[label[above]] < search->semi[label[v]]) {
            label[v] = label[above];
        }
        ancestor[v] = ancestor[above];
    }
}

/* The node with the least semidominator on the way from v to the root of its tree. */
static uint32_t
least_on_path(struct depth_search *search, uint32_t v)
{
    if (search->ancestor[v] == 0) {
        return v;
    }
    compress_path(search, v);
    return search->label[v];
}

static void
find_semidominator(struct depth_search *search, uint32_t w)
{
    const struct ouro_referrers *referrers = &search->referrers;
    uint32_t node = search->node[w];
    for (uint32_t i = referrers->starts[node]; i < referrers->starts[node + 1]; i++) {
        uint32_t v = search->number[referrers->from[i]];
        if (v != 0) {
            uint32_t u = least_on_path(search, v);
            search->semi[w] =
                search->semi[u] < search->semi[w] ? search->semi[u] : search->semi[w];
        }
    }
    search->next[w] = search->bucket[search->semi[w]];
    search->bucket[search->semi[w]] = w;
}

static void
empty_bucket(struct depth_search *search, uint32_t of)
{
    for (uint32_t v = search->bucket[of]; v != 0; v = search->next[v]) {
        uint32_t u = least_on_path(search, v);
        search->dominator[v] = search->semi[u] < search->semi[v] ? u : of;
    }
    search->bucket[of] = 0;
}

static void
find_dominators(struct depth_search *search)
{
    for (uint32_t w = search->count; w > 1; w--) {
        find_semidominator(search, w);
        search->ancestor[w] = search->parent[w];
        empty_bucket(search, search->parent[w]);
    }
    for (uint32_t w = 2; w <= search->count; w++) {
        if (search->dominator[w] != search->semi[w]) {
            search->dominator[w] = search->dominator[search->dominator[w]];
        }
    }
    search->dominator[1] = 1;
}

/* --- retained sizes ------------------------------------------------------------------------------------------ */

static void
sum_sizes(const struct depth_search *search, struct ouro_dominators *dominators)
{
    for (uint32_t n = 0; n < search->graph->count; n++) {
        dominators->retained[n] = search->graph->nodes[n].size;
    }
    for (uint32_t w = search->count; w > 0; w--) {
        uint32_t node = search->node[w];
        uint32_t above = search->node[search->dominator[w]];
        dominators->dominator[node] = above;
        if (w > 1) {
            dominators->retained[above] += dominators->retained[node];
        }
    }
}

bool
ouro_graph_dominate(const struct ouro_graph *graph, struct ouro_dominators *dominators)
{
    struct depth_search search;
    *dominators = (struct ouro_dominators){
        calloc((size_t)graph->count + 1, sizeof(uint32_t)),
        calloc((size_t)graph->count + 1, sizeof(uint64_t)),
    };
    if (dominators->dominator == NULL || dominators->retained == NULL ||
        !begin_search(&search, graph)) {
        ouro_dominators_free(dominators);
        return false;
    }
    search_in_depth(&search);
    find_dominators(&search);
    sum_sizes(&search, dominators);
    end_search(&search);
    return true;
}

void
ouro_dominators_free(struct ouro_dominators *dominators)
{
    free(dominators->dominator);
    free(dominators->retained);
    *dominators = (struct ouro_dominators){NULL, NULL};
}
