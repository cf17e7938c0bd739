/* SPDX-License-Identifier: MIT */
/* What is alive, and why: the objects of a graph by type, a path to one of each, a cycle. */
#include "graph.h"

#include <stdlib.h>

#define PATH_MOST  12
#define CYCLE_MOST 12

/* --- finding out ------------------------------------------------------------------------------------------ */

static int
compare_explained(const void *a, const void *b)
{
    const struct ouro_explained *x = a, *y = b;
    return y->objects != x->objects
               ? (y->objects > x->objects) - (y->objects < x->objects)
               : (x->type > y->type) - (x->type < y->type);
}

/* The names of the edges say how many references they stand for. */
static void
count_unexplained_references(struct ouro_explanation *explanation)
{
    const struct ouro_graph *graph = explanation->graph;
    for (size_t e = graph->nodes[OURO_GROUP_UNEXPLAINED].edges;
         e < ouro_graph_edges_end(graph, OURO_GROUP_UNEXPLAINED); e++) {
        const char *name = ouro_graph_string(graph, graph->edges[e].name);
        explanation->unexplained[graph->edges[e].to] = (uint32_t)strtoul(name, NULL, 10);
    }
}

/* Mark in `is_self_held` the nodes that only the group of cycles reaches. */
static uint8_t *
find_self_held(const struct ouro_explanation *explanation)
{
    const struct ouro_graph *graph = explanation->graph;
    uint8_t *kind = calloc((size_t)graph->count + 1, 1);
    enum { UNKNOWN, HELD, SELF_HELD };
    for (uint32_t n = OURO_GROUPS; kind != NULL && n < graph->count; n++) {
        uint32_t top = n;
        while (top >= OURO_GROUPS && kind[top] == UNKNOWN) {
            top = explanation->before[top];
        }
        uint8_t answer = top >= OURO_GROUPS         ? kind[top]
                         : top == OURO_GROUP_CYCLES ? SELF_HELD
                                                    : HELD;
        for (uint32_t on = n; on >= OURO_GROUPS && kind[on] == UNKNOWN;
             on = explanation->before[on]) {
            kind[on] = answer;
        }
    }
    for (uint32_t n = 0; kind != NULL && n < graph->count; n++) {
        kind[n] = kind[n] == SELF_HELD;
    }
    return kind;
}

static void
group_nodes(struct ouro_explanation *explanation, const uint8_t *is_self_held)
{
    const struct ouro_graph *graph = explanation->graph;
    struct ouro_explained *groups = explanation->groups;
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        struct ouro_explained *group = &groups[graph->nodes[n].type];
        if (group->objects++ == 0) {
            group->type = graph->nodes[n].type;
            group->example = n;
        }
        group->self_held += is_self_held[n];
        group->unexplained += explanation->unexplained[n];
        if (explanation->unexplained[group->example] == 0 &&
            explanation->unexplained[n] > 0) {
            group->example = n;
        }
    }
    for (uint32_t i = 0; i < graph->names.count; i++) {
        if (groups[i].objects > 0) {
            groups[explanation->count++] = groups[i];
        }
    }
    qsort(groups, explanation->count, sizeof *groups, compare_explained);
}

bool
ouro_explain(const struct ouro_graph *graph, struct ouro_explanation *explanation)
{
    *explanation = (struct ouro_explanation){
        .graph = graph,
        .before = ouro_graph_shortest(graph),
        .unexplained = calloc((size_t)graph->count + 1, sizeof(uint32_t)),
        .groups = calloc((size_t)graph->names.count + 1, sizeof(struct ouro_explained)),
    };
    uint8_t *is_self_held =
        explanation->before != NULL ? find_self_held(explanation) : NULL;
    bool is_done = explanation->before != NULL && explanation->unexplained != NULL &&
                   explanation->groups != NULL && is_self_held != NULL;
    if (is_done) {
        count_unexplained_references(explanation);
        group_nodes(explanation, is_self_held);
    } else {
        ouro_explanation_free(explanation);
    }
    free(is_self_held);
    return is_done;
}

void
ouro_explanation_free(struct ouro_explanation *explanation)
{
    free(explanation->before);
    free(explanation->unexplained);
    free(explanation->groups);
    *explanation = (struct ouro_explanation){0};
}

/* Store the nodes from `node` up to its ultimate holder in `path`. */
static int
path_to_holder(const struct ouro_explanation *explanation, uint32_t node, uint32_t *path)
{
    int count = 0;
    do {
        path[count++] = node;
        node = explanation->before[node];
    } while (node >= OURO_GROUPS && node != OURO_NO_NODE && count < PATH_MOST);
    return count;
}

static const char *
plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* --- words -------------------------------------------------------------------------------------------------- */

static void
write_object(const struct ouro_explanation *explanation, uint32_t node, FILE *file)
{
    const struct ouro_graph *graph = explanation->graph;
    const char *label = ouro_graph_label(graph, node);
    fprintf(file, "'%s'", ouro_graph_type_name(graph, node));
    if (label != NULL) {
        fprintf(file, " %s", label);
    }
    if (explanation->write_object != NULL) {
        explanation->write_object(graph, node, false, file);
    }
    fprintf(file, " at 0x%llx", (unsigned long long)graph->nodes[node].object);
}

/* What holds the last node of a path. */
static void
write_holder(const struct ouro_explanation *explanation, uint32_t last, FILE *file)
{
    const struct ouro_graph *graph = explanation->graph;
    uint32_t group = explanation->before[last];
    uint32_t unexplained = explanation->unexplained[last];
    char name[100];
    if (group == OURO_GROUP_UNEXPLAINED && unexplained > 0) {
        fprintf(file, "\n      held by %u reference%s that nobody accounts for",
                unexplained, plural(unexplained));
    } else if (group < OURO_GROUPS && group != OURO_GROUP_CYCLES) {
        ouro_graph_edge_text(graph, ouro_graph_edge_name(graph, group, last), name,
                             sizeof name);
        fprintf(file, "\n      held by %s %s", ouro_graph_type_name(graph, group),
                name[0] == '.' ? name + 1 : name);
    }
}

static void
write_path_to(const struct ouro_explanation *explanation, uint32_t example, FILE *file)
{
    const struct ouro_graph *graph = explanation->graph;
    uint32_t path[PATH_MOST];
    char name[100];
    int count = path_to_holder(explanation, example, path);
    fprintf(file, "    for example ");
    write_object(explanation, example, file);
    for (int i = 1; i < count; i++) {
        uint32_t edge = ouro_graph_edge_name(graph, path[i], path[i - 1]);
        ouro_graph_edge_text(graph, edge, name, sizeof name);
        fprintf(file, "\n      held by %s%s", name, name[0] != '\0' ? " of " : "");
        write_object(explanation, path[i], file);
    }
    write_holder(explanation, path[count - 1], file);
    fprintf(file, "\n");
}

static void
write_cycle(const struct ouro_explanation *explanation, uint32_t example, FILE *file)
{
    uint32_t members[CYCLE_MOST];
    int count = ouro_graph_cycle(explanation->graph, example, members, CYCLE_MOST);
    if (count <= 0) {
        return;
    }
    fprintf(file, "    in a cycle of %d: ", count);
    for (int i = count - 1; i >= 0; i--) {
        write_object(explanation, members[i], file);
        fprintf(file, " -> ");
    }
    fprintf(file, "itself\n");
}

static void
write_explanation(const struct ouro_explanation *explanation, FILE *file)
{
    const struct ouro_graph *graph = explanation->graph;
    bool has_colours = explanation->has_colours;
    uint32_t objects = graph->count - OURO_GROUPS;
    fprintf(file, "%u object%s alive\n", objects, plural(objects));
    for (uint32_t g = 0; g < explanation->count; g++) {
        const struct ouro_explained *group = &explanation->groups[g];
        fprintf(
            file,
            "  %s%u '%s'%s: %llu unaccounted reference%s, %u held only by themselves\n",
            has_colours ? "\033[1m" : "", group->objects,
            ouro_graph_string(graph, group->type), has_colours ? "\033[0m" : "",
            (unsigned long long)group->unexplained, plural(group->unexplained),
            group->self_held);
        write_path_to(explanation, group->example, file);
        write_cycle(explanation, group->example, file);
        if (explanation->write_group != NULL) {
            explanation->write_group(graph, group->example, file);
        }
    }
}

/* --- JSON ------------------------------------------------------------------------------------------------------ */

static void
write_json_object(const struct ouro_explanation *explanation, uint32_t node, FILE *file)
{
    const struct ouro_graph *graph = explanation->graph;
    const char *label = ouro_graph_label(graph, node);
    fprintf(file, "{\"type\": ");
    ouro_json_text(ouro_graph_type_name(graph, node), file);
    if (label != NULL) {
        fprintf(file, ", \"label\": ");
        ouro_json_text(label, file);
    }
    if (explanation->write_object != NULL) {
        explanation->write_object(graph, node, true, file);
    }
    fprintf(file, ", \"address\": \"0x%llx\", \"unaccounted\": %u}",
            (unsigned long long)graph->nodes[node].object,
            explanation->unexplained[node]);
}

static void
write_json_list(const struct ouro_explanation *explanation, const char *name,
                const uint32_t *nodes, int count, FILE *file)
{
    fprintf(file, ", \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        fprintf(file, i != 0 ? ", " : "");
        write_json_object(explanation, nodes[i], file);
    }
    fprintf(file, "]");
}

static void
write_json_explanation(const struct ouro_explanation *explanation, FILE *file)
{
    const struct ouro_graph *graph = explanation->graph;
    fprintf(file, "{\"objects\": %u, \"groups\": [", graph->count - OURO_GROUPS);
    for (uint32_t g = 0; g < explanation->count; g++) {
        const struct ouro_explained *group = &explanation->groups[g];
        uint32_t path[PATH_MOST], members[CYCLE_MOST];
        fprintf(file, g != 0 ? ",\n  {\"type\": " : "\n  {\"type\": ");
        ouro_json_text(ouro_graph_string(graph, group->type), file);
        fprintf(file, ", \"objects\": %u, \"unaccounted\": %llu, \"self_held\": %u",
                group->objects, (unsigned long long)group->unexplained, group->self_held);
        write_json_list(explanation, "path", path,
                        path_to_holder(explanation, group->example, path), file);
        write_json_list(explanation, "cycle", members,
                        ouro_graph_cycle(graph, group->example, members, CYCLE_MOST),
                        file);
        fprintf(file, "}");
    }
    fprintf(file, "\n]}\n");
}

void
ouro_explanation_write(const struct ouro_explanation *explanation, bool is_json,
                       FILE *file)
{
    if (is_json) {
        write_json_explanation(explanation, file);
    } else {
        write_explanation(explanation, file);
    }
    fflush(file);
}
