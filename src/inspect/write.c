/* SPDX-License-Identifier: MIT */
/* A graph as a file: .heapsnapshot, JSON, Graphviz. docs/heap.md describes all three. */
#include "graph.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOT_MOST 60 /* nodes: more cannot be read */

/* --- numbers and texts ---------------------------------------------------------------------------------- */

/* printf would take most of the time. */
static void
put_digits(uint64_t number, FILE *file)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) {
        putc_unlocked(digits[--count], file);
    }
}

void
ouro_json_text(const char *text, FILE *file)
{
    putc_unlocked('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            putc_unlocked(c, file);
        }
    }
    putc_unlocked('"', file);
}

static void
put_row(const uint64_t *numbers, int count, bool is_first, FILE *file)
{
    for (int i = 0; i < count; i++) {
        if (i != 0 || !is_first) {
            putc_unlocked(',', file);
        }
        put_digits(numbers[i], file);
    }
    putc_unlocked('\n', file);
}

static void
put_strings(const struct ouro_graph *graph, FILE *file)
{
    for (uint32_t i = 0; i < graph->names.count; i++) {
        fputs(i != 0 ? ",\n" : "", file);
        ouro_json_text(ouro_graph_string(graph, i), file);
    }
}

/* --- .heapsnapshot ---------------------------------------------------------------------------------------- */

enum { V8_NODE_OBJECT = 3, V8_NODE_SYNTHETIC = 9 };
enum {
    V8_EDGE_ELEMENT = 1,
    V8_EDGE_PROPERTY = 2,
    V8_EDGE_INTERNAL = 3,
    V8_EDGE_HIDDEN = 4
};

#define V8_NODE_FIELDS 9

static const char v8_head[] =
    "{\"snapshot\":{\"meta\":{"
    "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","
    "\"detachedness\",\"label\",\"address_low\",\"address_high\"],"
    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\","
    "\"regexp\",\"number\",\"native\",\"synthetic\",\"concatenated string\","
    "\"sliced string\",\"symbol\",\"bigint\",\"object shape\"],\"string\",\"number\","
    "\"number\",\"number\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\","
    "\"shortcut\",\"weak\"],\"string_or_number\",\"node\"],"
    "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\","
    "\"script_id\",\"line\",\"column\"],"
    "\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\","
    "\"children\"],"
    "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},";

/* Chrome's tools keep everything in 32 bits, and use this number to find an object of one
 * snapshot in another. So it is made from the address. If a second object would get the same
 * number, it gets the next free one. */
struct numbers {
    uint32_t *slots; /* an open table; 0 is free */
    size_t slot_count;
};

static bool
begin_numbers(struct numbers *numbers, uint32_t count)
{
    numbers->slot_count = 64;
    while (numbers->slot_count < 2 * (size_t)count) {
        numbers->slot_count *= 2;
    }
    numbers->slots = calloc(numbers->slot_count, sizeof(uint32_t));
    return numbers->slots != NULL;
}

static bool
take_number(struct numbers *numbers, uint32_t number)
{
    size_t at = (size_t)(number * 2654435769u) & (numbers->slot_count - 1);
    while (numbers->slots[at] != 0) {
        if (numbers->slots[at] == number) {
            return false;
        }
        at = (at + 1) & (numbers->slot_count - 1);
    }
    numbers->slots[at] = number;
    return true;
}

static uint32_t
number_of_node(struct numbers *numbers, const struct ouro_node *node, bool is_group)
{
    uint32_t number =
        is_group ? (uint32_t)node->object + 1 : (uint32_t)(node->object >> 4);
    while (number == 0 || !take_number(numbers, number)) {
        number++;
    }
    return number;
}

static void
put_v8_nodes(const struct ouro_graph *graph, struct numbers *numbers, FILE *file)
{
    size_t label = 0;
    for (uint32_t n = 0; n < graph->count; n++) {
        const struct ouro_node *node = &graph->nodes[n];
        bool has_label = label < graph->label_count && graph->labels[label].node == n;
        uint64_t fields[V8_NODE_FIELDS] = {
            n < OURO_GROUPS ? V8_NODE_SYNTHETIC : V8_NODE_OBJECT,
            node->type,
            number_of_node(numbers, node, n < OURO_GROUPS),
            node->size,
            ouro_graph_edges_end(graph, n) - node->edges,
            0,
            has_label ? graph->labels[label].text : 0,
            node->object & UINT32_MAX,
            node->object >> 32,
        };
        put_row(fields, V8_NODE_FIELDS, n == 0, file);
        label += has_label;
    }
}

static uint64_t
v8_kind_of_name(const struct ouro_graph *graph, uint32_t name)
{
    if (name & OURO_NAME_IS_ITEM) {
        return V8_EDGE_ELEMENT;
    }
    if (name == 0) {
        return V8_EDGE_HIDDEN;
    }
    return ouro_graph_string(graph, name)[0] == '(' ? V8_EDGE_INTERNAL : V8_EDGE_PROPERTY;
}

static void
put_v8_edges(const struct ouro_graph *graph, FILE *file)
{
    for (size_t e = 0; e < graph->edge_count; e++) {
        uint32_t name = graph->edges[e].name;
        uint64_t fields[] = {
            v8_kind_of_name(graph, name),
            name & ~OURO_NAME_IS_ITEM,
            (uint64_t)graph->edges[e].to * V8_NODE_FIELDS,
        };
        put_row(fields, 3, e == 0, file);
    }
}

bool
ouro_graph_write_v8(const struct ouro_graph *graph, FILE *file)
{
    struct numbers numbers;
    if (!begin_numbers(&numbers, graph->count)) {
        return false;
    }
    fputs(v8_head, file);
    fprintf(
        file,
        "\"node_count\":%u,\"edge_count\":%zu,\"trace_function_count\":0},\n\"nodes\":[",
        graph->count, graph->edge_count);
    put_v8_nodes(graph, &numbers, file);
    fputs("],\n\"edges\":[", file);
    put_v8_edges(graph, file);
    fputs("],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n"
          "\"locations\":[],\n\"strings\":[",
          file);
    put_strings(graph, file);
    fputs("]}\n", file);
    free(numbers.slots);
    return true;
}

/* --- JSON for scripts --------------------------------------------------------------------------------------- */

bool
ouro_graph_write_json(const struct ouro_graph *graph, FILE *file)
{
    size_t label = 0;
    fprintf(file,
            "{\"format\":\"ouroboros-heap\",\"version\":1,\"roots\":%d,\n"
            "\"node_fields\":[\"address\",\"size\",\"type\",\"label\",\"first_edge\"],\n"
            "\"edge_fields\":[\"to\",\"name\",\"is_index\"],\n\"nodes\":[",
            OURO_GROUPS);
    for (uint32_t n = 0; n < graph->count; n++) {
        const struct ouro_node *node = &graph->nodes[n];
        bool has_label = label < graph->label_count && graph->labels[label].node == n;
        uint64_t fields[] = {node->object, node->size, node->type,
                             has_label ? graph->labels[label].text : 0, node->edges};
        put_row(fields, Py_ARRAY_LENGTH(fields), n == 0, file);
        label += has_label;
    }
    fputs("],\n\"edges\":[", file);
    for (size_t e = 0; e < graph->edge_count; e++) {
        uint32_t name = graph->edges[e].name;
        uint64_t fields[] = {graph->edges[e].to, name & ~OURO_NAME_IS_ITEM,
                             (name & OURO_NAME_IS_ITEM) != 0};
        put_row(fields, Py_ARRAY_LENGTH(fields), e == 0, file);
    }
    fputs("],\n\"strings\":[", file);
    put_strings(graph, file);
    fputs("]}\n", file);
    return true;
}

/* --- Graphviz ----------------------------------------------------------------------------------------------- */

/* The nodes that retain most, in `chosen`; how many. */
static int
choose_largest(const struct ouro_graph *graph, const struct ouro_dominators *dominators,
               uint32_t chosen[DOT_MOST])
{
    int count = 0;
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        int at = count;
        while (at > 0 && dominators->retained[chosen[at - 1]] < dominators->retained[n]) {
            at--;
        }
        if (at == DOT_MOST) {
            continue;
        }
        count += count < DOT_MOST;
        memmove(chosen + at + 1, chosen + at, (size_t)(count - 1 - at) * sizeof *chosen);
        chosen[at] = n;
    }
    return count;
}

static void
put_dot_node(const struct ouro_graph *graph, const struct ouro_dominators *dominators,
             uint32_t n, FILE *file)
{
    const char *label = ouro_graph_label(graph, n);
    char text[200];
    snprintf(text, sizeof text, "%s%s%s (%llu bytes, retains %llu)",
             ouro_graph_type_name(graph, n), label != NULL ? " " : "",
             label != NULL ? label : "", (unsigned long long)graph->nodes[n].size,
             (unsigned long long)dominators->retained[n]);
    fprintf(file, "  n%u [label=", n);
    ouro_json_text(text, file);
    fputs("];\n", file);
}

static void
put_dot_edges(const struct ouro_graph *graph, const uint8_t *is_chosen, FILE *file)
{
    char text[100];
    for (uint32_t n = 1; n < graph->count; n++) {
        for (size_t e = graph->nodes[n].edges;
             is_chosen[n] && e < ouro_graph_edges_end(graph, n); e++) {
            uint32_t to = graph->edges[e].to;
            if (is_chosen[to]) {
                fprintf(file, "  n%u -> n%u [label=", n, to);
                ouro_json_text(
                    ouro_graph_edge_text(graph, graph->edges[e].name, text, sizeof text),
                    file);
                fputs("];\n", file);
            }
        }
    }
}

bool
ouro_graph_write_dot(const struct ouro_graph *graph, FILE *file)
{
    struct ouro_dominators dominators;
    uint32_t chosen[DOT_MOST];
    uint8_t *is_chosen = calloc((size_t)graph->count + 1, 1);
    bool is_done = is_chosen != NULL && ouro_graph_dominate(graph, &dominators);
    if (is_done) {
        int count = choose_largest(graph, &dominators, chosen);
        fputs("digraph heap {\n  node [shape=box, fontname=\"sans-serif\"];\n", file);
        for (uint32_t group = 1; group < OURO_GROUPS; group++) {
            is_chosen[group] = 1;
            put_dot_node(graph, &dominators, group, file);
        }
        for (int i = 0; i < count; i++) {
            is_chosen[chosen[i]] = 1;
            put_dot_node(graph, &dominators, chosen[i], file);
        }
        put_dot_edges(graph, is_chosen, file);
        fputs("}\n", file);
        ouro_dominators_free(&dominators);
    }
    free(is_chosen);
    return is_done;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

bool
ouro_file_ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

static bool
write_by_name(const void *graph, const char *path, FILE *file)
{
    if (ouro_file_ends_with(path, ".json")) {
        return ouro_graph_write_json(graph, file);
    }
    if (ouro_file_ends_with(path, ".dot")) {
        return ouro_graph_write_dot(graph, file);
    }
    return ouro_graph_write_v8(graph, file);
}

int
ouro_file_write(const char *path, ouro_file_function write, const void *what)
{
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (file == NULL) {
        int error = errno;
        if (handle >= 0) {
            close(handle);
            unlink(path);
        }
        return error;
    }
    errno = 0;
    bool is_written = write(what, path, file);
    bool has_error = ferror(file) != 0;
    has_error |= fclose(file) != 0;
    if (is_written && !has_error) {
        return 0;
    }
    int error = !is_written ? ENOMEM : errno != 0 ? errno : EIO;
    unlink(path); /* half a file is useless */
    return error;
}

int
ouro_graph_save(const struct ouro_graph *graph, const char *path)
{
    return ouro_file_write(path, write_by_name, graph);
}
