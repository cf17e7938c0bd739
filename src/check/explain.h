/* SPDX-License-Identifier: MIT */
/* The graph of what is alive (explain.c), for the two ways to write it down
 * (explain_write.c). */
#ifndef OURO_CHECK_EXPLAIN_H
#define OURO_CHECK_EXPLAIN_H

#include "check.h"

struct node {
    struct record *record;
    uint32_t visits;  /* by containers */
    long unaccounted; /* its count less the visits */
    int parent;       /* on a shortest path; -1: held by somebody unknown, or by itself */
    bool is_reached;  /* from objects with unaccounted references */
};

struct graph {
    struct heap *heap;
    struct node *nodes;
    int count, room;
    int *slots; /* from address to node: an open table; -1 is free */
    size_t slot_count;
    int *queue;
    int queued;
    int from;               /* the node whose edges are followed */
    int start, last, *back; /* while a cycle is looked for */
};

struct group {
    struct type_info *info;
    const char *name;
    int objects;
    long unaccounted;
    int example;
    int self_held; /* objects that nothing outside refers to */
};

void ouro_graph_make(struct graph *graph, struct _is *interp);
void ouro_graph_free(struct graph *graph);
/* One for each type, most objects first; for the caller to free. */
struct group *ouro_graph_groups(const struct graph *graph, int *count);
/* A shortest way from a node back to itself: the number of nodes on it, 0 when none. */
int ouro_graph_cycle(struct graph *graph, int start, int *members, int most);

void ouro_graph_write_text(struct graph *graph, FILE *file);
void ouro_graph_write_json(struct graph *graph, FILE *file);

#endif
