/* SPDX-License-Identifier: MIT */
/* What is alive, and why.
 *
 * Every reference to an object is either one that a container visits, or one that nobody
 * accounts for: a C variable, a field that is not visited, a count that was never given
 * back. So the objects with unaccounted references hold everything else, and a walk in
 * breadth from them finds for each object a shortest path. What the walk does not reach
 * holds itself: cycles that the collector could not see or not break. */
#include "explain.h"


#include "../collector/collector.h"

/* --- the graph ------------------------------------------------------------------------------ */

static bool
is_explained_kind(const struct record *record)
{
    const PyObject *op = record->block;
    return record->state == BLOCK_LIVE && record->info != NULL && !_Py_IsImmortal(op) &&
           !record->is_at_start &&
           (record->family == BLOCK_CONTAINER || !record->info->is_ours);
}

static void
count_node(struct record *record, void *arg)
{
    struct graph *graph = arg;
    graph->room += record->home == graph->heap && is_explained_kind(record);
}

static size_t
slot_of_node(const struct graph *graph, const PyObject *op)
{
    size_t at =
        (size_t)((uintptr_t)op * 0x9E3779B97F4A7C15u >> 24) & (graph->slot_count - 1);
    while (graph->slots[at] >= 0 && graph->nodes[graph->slots[at]].record->block != op) {
        at = (at + 1) & (graph->slot_count - 1);
    }
    return at;
}

static void
add_node(struct record *record, void *arg)
{
    struct graph *graph = arg;
    if (graph->count < graph->room && record->home == graph->heap &&
        is_explained_kind(record)) {
        graph->slots[slot_of_node(graph, record->block)] = graph->count;
        graph->nodes[graph->count++] = (struct node){.record = record, .parent = -1};
    }
}

static struct node *
find_node(struct graph *graph, const PyObject *op)
{
    int index = graph->slots[slot_of_node(graph, op)];
    return index >= 0 ? &graph->nodes[index] : NULL;
}

static int
count_edge(PyObject *op, void *arg)
{
    struct node *node = find_node(arg, op);
    if (node != NULL) {
        node->visits++;
    }
    return 0;
}

/* The fields of an untracked object may not be valid, unless its type is the library's. */
static bool
may_be_traversed(const struct record *record)
{
    const PyObject *op = record->block;
    return record->family == BLOCK_CONTAINER &&
           (ouro_object_is_tracked(op) || record->info->is_ours) &&
           Py_TYPE(op)->tp_traverse != NULL;
}

static void
follow_edges(struct graph *graph, const struct node *node, visitproc visit)
{
    if (may_be_traversed(node->record)) {
        graph->from = (int)(node - graph->nodes);
        ouro_traverse_checked(node->record->block, visit, graph);
    }
}

static int
reach_node(PyObject *op, void *arg)
{
    struct graph *graph = arg;
    struct node *node = find_node(graph, op);
    if (node != NULL && !node->is_reached) {
        node->is_reached = true;
        node->parent = graph->from;
        graph->queue[graph->queued++] = (int)(node - graph->nodes);
    }
    return 0;
}

static void
walk_in_breadth(struct graph *graph)
{
    for (int i = 0; i < graph->count; i++) {
        struct node *node = &graph->nodes[i];
        const PyObject *op = node->record->block;
        node->unaccounted = (long)op->ob_refcnt - (long)node->visits;
        if (node->unaccounted > 0) {
            node->is_reached = true;
            graph->queue[graph->queued++] = i;
        }
    }
    for (int at = 0; at < graph->queued; at++) {
        follow_edges(graph, &graph->nodes[graph->queue[at]], reach_node);
    }
}

void
ouro_graph_make(struct graph *graph, struct _is *interp)
{
    *graph = (struct graph){.heap = &interp->heap};
    ouro_record_each(count_node, graph);
    graph->slot_count = 64;
    while (graph->slot_count < 2 * (size_t)graph->room) {
        graph->slot_count *= 2;
    }
    graph->nodes = calloc((size_t)graph->room + 1, sizeof *graph->nodes);
    graph->queue = calloc((size_t)graph->room + 1, sizeof *graph->queue);
    graph->slots = malloc(graph->slot_count * sizeof *graph->slots);
    OURO_REQUIRE(graph->nodes != NULL && graph->queue != NULL && graph->slots != NULL,
                 "the contract checker: out of memory");
    memset(graph->slots, 0xFF, graph->slot_count * sizeof *graph->slots);
    ouro_record_each(add_node, graph);
    for (int i = 0; i < graph->count; i++) {
        follow_edges(graph, &graph->nodes[i], count_edge);
    }
    walk_in_breadth(graph);
}

void
ouro_graph_free(struct graph *graph)
{
    free(graph->nodes);
    free(graph->queue);
    free(graph->slots);
}

/* --- groups ---------------------------------------------------------------------------------- */

static int
compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return y->objects != x->objects ? y->objects - x->objects : strcmp(x->name, y->name);
}

/* One group for each type; the example is an object that somebody unknown holds, if any. */
struct group *
ouro_graph_groups(const struct graph *graph, int *count)
{
    struct group *groups = calloc((size_t)graph->count + 1, sizeof *groups);
    OURO_REQUIRE(groups != NULL, "the contract checker: out of memory");
    *count = 0;
    for (int i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        int g = 0;
        while (g < *count && groups[g].info != node->record->info) {
            g++;
        }
        if (g == *count) {
            groups[(*count)++] =
                (struct group){node->record->info, node->record->info->name, 0, 0, i, 0};
        }
        groups[g].objects++;
        groups[g].self_held += !node->is_reached;
        if (node->unaccounted > 0) {
            groups[g].unaccounted += node->unaccounted;
            if (graph->nodes[groups[g].example].unaccounted <= 0) {
                groups[g].example = i;
            }
        }
    }
    qsort(groups, (size_t)*count, sizeof *groups, compare_groups);
    return groups;
}

/* --- cycles ------------------------------------------------------------------------------------ */

/* A way from `start` back to it, found in breadth: indexes in `members`; 0 when there is
 * none. Changes the parents of nodes that were not reached. */
static int
reach_in_cycle(PyObject *op, void *arg)
{
    struct graph *graph = arg;
    const struct node *node = find_node(graph, op);
    if (node == NULL) {
        return 0;
    }
    int index = (int)(node - graph->nodes);
    if (index == graph->start) {
        graph->last = graph->from;
        return 1;
    }
    if (graph->back[index] == -1) {
        graph->back[index] = graph->from;
        graph->queue[graph->queued++] = index;
    }
    return 0;
}

int
ouro_graph_cycle(struct graph *graph, int start, int *members, int most)
{
    graph->back = malloc(((size_t)graph->count + 1) * sizeof *graph->back);
    OURO_REQUIRE(graph->back != NULL, "the contract checker: out of memory");
    memset(graph->back, 0xFF, ((size_t)graph->count + 1) * sizeof *graph->back);
    graph->start = start;
    graph->last = -1;
    graph->queued = 0;
    graph->queue[graph->queued++] = start;
    for (int at = 0; at < graph->queued && graph->last < 0; at++) {
        follow_edges(graph, &graph->nodes[graph->queue[at]], reach_in_cycle);
    }
    int count = 0;
    for (int i = graph->last; i >= 0 && count < most; i = graph->back[i]) {
        members[count++] = i;
        if (i == start) {
            break;
        }
    }
    free(graph->back);
    return count;
}

/* --- asked for, and at the end -------------------------------------------------------------------- */

Py_ssize_t
Ouro_CheckExplain(FILE *file, int is_json)
{
    struct _is *interp = ouro_current.interp;
    struct graph graph;
    ouro_collect(interp, OURO_OLD, OURO_REASON_MANUAL);
    ouro_graph_make(&graph, interp);
    if (file != NULL) {
        (is_json ? ouro_graph_write_json : ouro_graph_write_text)(&graph, file);
    }
    Py_ssize_t count = graph.count;
    ouro_graph_free(&graph);
    return count;
}

/* Do static data hold each object of the group that is held from outside? */
static bool
is_kept_by_static_data(const struct graph *graph, const struct group *group)
{
    for (int i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        if (node->record->info == group->info && node->unaccounted > 0 &&
            node->unaccounted > ouro_count_kept(node->record->block)) {
            return false;
        }
    }
    return true;
}

static void
report_group(const struct graph *graph, const struct group *group)
{
    const PyObject *example = graph->nodes[group->example].record->block;
    const char *plural = group->objects == 1 ? "" : "s";
    if (is_kept_by_static_data(graph, group)) {
        ouro_report(OURO_GC_L71, example, -1,
                    "%d '%s' object%s kept alive at shutdown, by static data",
                    group->objects, group->name, plural);
    } else {
        ouro_report(OURO_GC_L67, example, -1,
                    "%d '%s' object%s kept alive at shutdown, by %ld reference%s that "
                    "nobody accounts for",
                    group->objects, group->name, plural, group->unaccounted,
                    group->unaccounted == 1 ? "" : "s");
    }
}

/* What an empty interpreter holds nobody can release any more. Programs that keep a module or
 * a list in a variable to their end are many: objects of the library's types are told of
 * when asked for. */
static void
report_leaks(const struct graph *graph)
{
    int count;
    struct group *groups = ouro_graph_groups(graph, &count);
    for (int g = 0; g < count; g++) {
        bool is_told = !groups[g].info->is_ours || ouro_check_settings.explains;
        if (groups[g].unaccounted > 0 && is_told) {
            report_group(graph, &groups[g]);
        }
    }
    free(groups);
    for (int i = 0; i < graph->count; i++) {
        struct record *record = graph->nodes[i].record;
        if (record->was_dropped && graph->nodes[i].unaccounted > 0) {
            ouro_report(OURO_GC_K29, record->block, -1,
                        "a reference to it was in an item that PyObject_GC_Resize cut "
                        "off, and nobody released it");
        }
        ouro_judge_untracked(record);
    }
}

void
ouro_event_emptied(struct _is *interp)
{
    struct graph graph;
    ouro_graph_make(&graph, interp);
    report_leaks(&graph);
    if (ouro_check_settings.explains && graph.count != 0) {
        ouro_graph_write_text(&graph, stderr);
    }
    ouro_graph_free(&graph);
}
