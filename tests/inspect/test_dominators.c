/* SPDX-License-Identifier: MIT */
/* Dominators, retained sizes and paths of random graphs, compared with their definitions. */
#include "../../src/inspect/graph.h"

#include <stdlib.h>
#include <string.h>

#include "../harness.h"

#define NODES 40

static uint64_t random_state;

static uint32_t
random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

/* Every node is reached: node n has an edge from a smaller one. */
static void
make_random_graph(struct ouro_graph *graph, uint32_t seed)
{
    uint8_t edges[NODES][NODES] = {{0}};
    random_state = seed;
    for (uint32_t n = 1; n < NODES; n++) {
        edges[n < OURO_GROUPS ? 0 : random_below(n)][n] = 1;
    }
    for (int i = 0; i < NODES; i++) {
        edges[random_below(NODES)][OURO_GROUPS + random_below(NODES - OURO_GROUPS)] = 1;
    }
    REQUIRE(ouro_graph_begin(graph));
    uint32_t names[2] = {ouro_graph_text(graph, "even"), ouro_graph_text(graph, "odd")};
    for (uint32_t n = OURO_GROUPS; n < NODES; n++) {
        ouro_graph_put_node(graph, (struct ouro_node){.object = n * 16,
                                                      .size = random_below(100),
                                                      .type = names[random_below(2)]});
    }
    for (uint32_t n = 0; n < NODES; n++) {
        graph->nodes[n].edges = (uint32_t)graph->edge_count;
        for (uint32_t to = 0; to < NODES; to++) {
            if (edges[n][to]) {
                ouro_graph_put_edge(graph, (struct ouro_edge){to, 0});
            }
        }
    }
    graph->nodes[NODES].edges = (uint32_t)graph->edge_count;
}

/* Which nodes the roots reach when the nodes of `without` are removed. */
static void
reach(const struct ouro_graph *graph, const uint8_t *without, uint8_t *reached)
{
    uint32_t stack[NODES], height = 0;
    memset(reached, 0, NODES);
    if (!without[0]) {
        reached[0] = 1;
        stack[height++] = 0;
    }
    while (height > 0) {
        uint32_t n = stack[--height];
        for (size_t e = graph->nodes[n].edges; e < graph->nodes[n + 1].edges; e++) {
            uint32_t to = graph->edges[e].to;
            if (!reached[to] && !without[to]) {
                reached[to] = 1;
                stack[height++] = to;
            }
        }
    }
}

static uint64_t
size_without(const struct ouro_graph *graph, const uint8_t *without)
{
    uint8_t reached[NODES];
    uint64_t lost = 0;
    reach(graph, without, reached);
    for (uint32_t n = 0; n < NODES; n++) {
        lost += reached[n] ? 0 : graph->nodes[n].size;
    }
    return lost;
}

TEST(a_node_retains_what_is_not_reached_without_it)
{
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct ouro_graph graph;
        struct ouro_dominators dominators;
        make_random_graph(&graph, seed);
        REQUIRE(ouro_graph_dominate(&graph, &dominators));
        for (uint32_t n = 0; n < NODES; n++) {
            uint8_t without[NODES] = {0}, reached[NODES];
            without[n] = 1;
            EXPECT_EQ(dominators.retained[n], size_without(&graph, without));
            memset(without, 0, sizeof without);
            without[dominators.dominator[n]] = 1;
            reach(&graph, without, reached);
            EXPECT_EQ(reached[n], 0);
        }
        ouro_dominators_free(&dominators);
        ouro_graph_free(&graph);
    }
}

TEST(a_type_retains_what_is_not_reached_without_its_objects)
{
    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct ouro_graph graph;
        struct ouro_dominators dominators;
        struct ouro_table table;
        make_random_graph(&graph, seed);
        REQUIRE(ouro_graph_dominate(&graph, &dominators));
        REQUIRE(ouro_graph_tabulate(&graph, NULL, &dominators, &table));
        for (uint32_t i = 0; i < table.count; i++) {
            /* Each object by itself: what only two objects together hold counts for neither. */
            uint64_t expected = 0;
            for (uint32_t n = OURO_GROUPS; n < NODES; n++) {
                bool is_inside = false;
                for (uint32_t above = dominators.dominator[n]; above >= OURO_GROUPS;
                     above = dominators.dominator[above]) {
                    is_inside |= graph.nodes[above].type == graph.nodes[n].type;
                }
                bool is_its =
                    strcmp(ouro_graph_type_name(&graph, n), table.rows[i].name) == 0;
                expected += is_its && !is_inside ? dominators.retained[n] : 0;
            }
            EXPECT_EQ(table.rows[i].retained, expected);
        }
        ouro_table_free(&table);
        ouro_dominators_free(&dominators);
        ouro_graph_free(&graph);
    }
}

/* The distance of each node from the roots, by repeated passes over all edges. */
static void
measure(const struct ouro_graph *graph, uint32_t *far)
{
    for (uint32_t n = 0; n < NODES; n++) {
        far[n] = n < OURO_GROUPS ? 0 : NODES;
    }
    for (uint32_t round = 0; round < NODES; round++) {
        for (uint32_t n = 1; n < NODES; n++) {
            for (size_t e = graph->nodes[n].edges; e < graph->nodes[n + 1].edges; e++) {
                uint32_t to = graph->edges[e].to;
                far[to] = far[n] + 1 < far[to] ? far[n] + 1 : far[to];
            }
        }
    }
}

TEST(paths_are_the_shortest_among_known_roots)
{
    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct ouro_graph graph;
        uint32_t far[NODES];
        make_random_graph(&graph, seed);
        /* Without unexplained references and cycles, all groups count the same. */
        graph.nodes[OURO_GROUP_UNEXPLAINED].edges = graph.nodes[OURO_GROUP_CYCLES].edges =
            graph.nodes[OURO_GROUPS].edges;
        measure(&graph, far);
        uint32_t *before = ouro_graph_shortest(&graph);
        REQUIRE_NOT_NULL(before);
        for (uint32_t n = OURO_GROUPS; n < NODES; n++) {
            uint32_t steps = 0;
            for (uint32_t on = n; on != OURO_NO_NODE && on >= OURO_GROUPS;
                 on = before[on]) {
                steps++;
            }
            EXPECT(before[n] == OURO_NO_NODE || steps == far[n]);
        }
        free(before);
        ouro_graph_free(&graph);
    }
}
