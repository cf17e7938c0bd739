/* SPDX-License-Identifier: MIT */
/* The explanation in words, and as JSON. */
#include <unistd.h>

#include "../platform/platform.h"
#include "explain.h"

#define PATH_MOST  12
#define CYCLE_MOST 12

static bool
has_colours(FILE *file)
{
    return isatty(fileno(file)) && ouro_platform_getenv("NO_COLOR") == NULL;
}

static const struct record *
record_of(const struct graph *graph, int index)
{
    return graph->nodes[index].record;
}

/* The nodes from `index` to what holds it at last, in `path`. */
static int
path_to_holder(const struct graph *graph, int index, int *path)
{
    int count = 0;
    while (index >= 0 && count < PATH_MOST) {
        path[count++] = index;
        index = graph->nodes[index].parent;
    }
    return count;
}

/* --- words ------------------------------------------------------------------------------------ */

static void
write_object(const struct graph *graph, int index, FILE *file)
{
    const struct record *record = record_of(graph, index);
    fprintf(file, "'%s' #%llu at %p", record->info->name,
            (unsigned long long)record->serial, record->block);
}

static void
write_path(const struct graph *graph, const struct group *group, FILE *file)
{
    int path[PATH_MOST];
    int count = path_to_holder(graph, group->example, path);
    fprintf(file, "    for example ");
    write_object(graph, group->example, file);
    for (int i = 1; i < count; i++) {
        fprintf(file, "\n      held by ");
        write_object(graph, path[i], file);
    }
    long unaccounted = graph->nodes[path[count - 1]].unaccounted;
    if (unaccounted > 0) {
        fprintf(file, "\n      held by %ld reference%s that nobody accounts for",
                unaccounted, unaccounted == 1 ? "" : "s");
    }
    fprintf(file, "\n");
}

static void
write_cycle(struct graph *graph, const struct group *group, FILE *file)
{
    int members[CYCLE_MOST];
    int count = ouro_graph_cycle(graph, group->example, members, CYCLE_MOST);
    if (count == 0) {
        return;
    }
    fprintf(file, "    in a cycle of %d: ", count);
    for (int i = count - 1; i >= 0; i--) {
        write_object(graph, members[i], file);
        fprintf(file, " -> ");
    }
    fprintf(file, "itself\n");
}

void
ouro_graph_write_text(struct graph *graph, FILE *file)
{
    int count;
    struct group *groups = ouro_graph_groups(graph, &count);
    const char *bold = has_colours(file) ? "\033[1m" : "";
    const char *plain = has_colours(file) ? "\033[0m" : "";
    fprintf(file, "%d object%s alive\n", graph->count, graph->count == 1 ? "" : "s");
    for (int g = 0; g < count; g++) {
        const struct record *example = record_of(graph, groups[g].example);
        fprintf(
            file,
            "  %s%d '%s'%s: %ld unaccounted reference%s, %d held only by themselves\n",
            bold, groups[g].objects, groups[g].name, plain, groups[g].unaccounted,
            groups[g].unaccounted == 1 ? "" : "s", groups[g].self_held);
        write_path(graph, &groups[g], file);
        write_cycle(graph, &groups[g], file);
        ouro_site_print(file, "  allocated at", example->allocated.frames,
                        example->allocated.count);
    }
    free(groups);
    fflush(file);
}

/* --- JSON --------------------------------------------------------------------------------------- */

static void
write_json_text(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

static void
write_json_object(const struct graph *graph, int index, FILE *file)
{
    const struct node *node = &graph->nodes[index];
    const PyObject *op = node->record->block;
    fprintf(file, "{\"type\": ");
    write_json_text(node->record->info->name, file);
    fprintf(
        file,
        ", \"serial\": %llu, \"address\": \"%p\", \"references\": %u, \"visited\": %u, "
        "\"unaccounted\": %ld}",
        (unsigned long long)node->record->serial, node->record->block, op->ob_refcnt,
        node->visits, node->unaccounted);
}

static void
write_json_list(const struct graph *graph, const char *name, const int *indexes,
                int count, FILE *file)
{
    fprintf(file, ", \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        fprintf(file, i != 0 ? ", " : "");
        write_json_object(graph, indexes[i], file);
    }
    fprintf(file, "]");
}

void
ouro_graph_write_json(struct graph *graph, FILE *file)
{
    int count;
    struct group *groups = ouro_graph_groups(graph, &count);
    fprintf(file, "{\"objects\": %d, \"groups\": [", graph->count);
    for (int g = 0; g < count; g++) {
        int path[PATH_MOST], members[CYCLE_MOST];
        fprintf(file, g != 0 ? ",\n  {\"type\": " : "\n  {\"type\": ");
        write_json_text(groups[g].name, file);
        fprintf(file, ", \"objects\": %d, \"unaccounted\": %ld, \"self_held\": %d",
                groups[g].objects, groups[g].unaccounted, groups[g].self_held);
        write_json_list(graph, "path", path,
                        path_to_holder(graph, groups[g].example, path), file);
        write_json_list(graph, "cycle", members,
                        ouro_graph_cycle(graph, groups[g].example, members, CYCLE_MOST),
                        file);
        fprintf(file, "}");
    }
    fprintf(file, "\n]}\n");
    free(groups);
    fflush(file);
}
