/* SPDX-License-Identifier: MIT */
/* Reading a .heapsnapshot again. It may come from another machine, so nothing in it is trusted:
 * every number is compared with what it may be before it is used. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define NODE_FIELDS_MOST 20

enum { FIELD_NAME, FIELD_SIZE, FIELD_EDGES, FIELD_LABEL, FIELD_LOW, FIELD_HIGH, FIELDS };

static const char *const field_names[FIELDS] = {
    "name", "self_size", "edge_count", "label", "address_low", "address_high",
};

struct reader {
    struct ouro_graph *graph;
    FILE *file;
    int next;           /* the character that comes next */
    const char *reason; /* why it failed, or NULL */
    int fields[FIELDS]; /* where they are in a node */
    int field_count;
    char *text; /* the string that was read last */
    size_t room;
};

static bool
fail_reading(struct reader *reader, const char *reason)
{
    reader->reason = reader->reason != NULL ? reader->reason : reason;
    return false;
}

/* --- JSON ---------------------------------------------------------------------------------------------------- */

static void
advance(struct reader *reader)
{
    reader->next = getc_unlocked(reader->file);
}

static void
skip_space(struct reader *reader)
{
    while (reader->next == ' ' || reader->next == '\n' || reader->next == '\t' ||
           reader->next == '\r') {
        advance(reader);
    }
}

/* Is this the next character? Then it is read. */
static bool
take_character(struct reader *reader, int wanted)
{
    skip_space(reader);
    if (reader->next != wanted) {
        return false;
    }
    advance(reader);
    return true;
}

static bool
require_character(struct reader *reader, int wanted)
{
    return take_character(reader, wanted) ||
           fail_reading(reader, "it is no .heapsnapshot, or is cut off");
}

static bool
read_number(struct reader *reader, uint64_t *number)
{
    skip_space(reader);
    if (reader->next < '0' || reader->next > '9') {
        return fail_reading(reader, "a number is missing");
    }
    *number = 0;
    for (; reader->next >= '0' && reader->next <= '9'; advance(reader)) {
        *number = *number * 10 + (uint64_t)(reader->next - '0');
    }
    return true;
}

static bool
keep_character(struct reader *reader, size_t length, int c)
{
    if (length >= reader->room) {
        size_t room = reader->room * 2 + 256;
        char *text = realloc(reader->text, room);
        if (text == NULL) {
            return fail_reading(reader, "there is not enough memory");
        }
        reader->text = text;
        reader->room = room;
    }
    reader->text[length] = (char)c;
    return true;
}

/* Control characters are all that is written as \u. */
static int
read_escape(struct reader *reader)
{
    int c = reader->next;
    if (c == 'u') {
        c = 0;
        for (int i = 0; i < 4; i++) {
            advance(reader);
            const char *digits = "0123456789abcdef";
            const char *digit =
                reader->next > 0 ? strchr(digits, reader->next | 32) : NULL;
            c = c * 16 + (digit != NULL ? (int)(digit - digits) : 0);
        }
        c = c > 0 && c < 0x80 ? c : '?';
    }
    return c;
}

static bool
read_string(struct reader *reader)
{
    size_t length = 0;
    if (!require_character(reader, '"')) {
        return false;
    }
    for (; reader->next != '"' && reader->next > 0; advance(reader)) {
        if (reader->next == '\\') {
            advance(reader);
            reader->next = read_escape(reader);
        }
        if (!keep_character(reader, length++, reader->next)) {
            return false;
        }
    }
    return keep_character(reader, length, '\0') && require_character(reader, '"');
}

/* Skip a value, whatever it is. */
static bool
skip_value(struct reader *reader)
{
    int depth = 0;
    do {
        skip_space(reader);
        if (reader->next == '"') {
            if (!read_string(reader)) {
                return false;
            }
        } else if (reader->next < 0) {
            return fail_reading(reader, "it ends too early");
        } else {
            depth += (reader->next == '{' || reader->next == '[') -
                     (reader->next == '}' || reader->next == ']');
            bool is_word = strchr("{}[],:", reader->next) == NULL;
            advance(reader);
            while (is_word && reader->next > 0 &&
                   strchr("{}[],: \n\r\t\"", reader->next) == NULL) {
                advance(reader);
            }
        }
    } while (depth > 0);
    return true;
}

/* --- the parts ------------------------------------------------------------------------------------------------- */

static bool
read_node_fields(struct reader *reader)
{
    bool goes_on = require_character(reader, '[') && !take_character(reader, ']');
    reader->field_count = 0;
    for (int i = 0; i < FIELDS; i++) {
        reader->fields[i] = -1;
    }
    while (goes_on && read_string(reader)) {
        for (int i = 0; i < FIELDS; i++) {
            if (strcmp(reader->text, field_names[i]) == 0) {
                reader->fields[i] = reader->field_count;
            }
        }
        reader->field_count++;
        goes_on = take_character(reader, ',') && reader->field_count < NODE_FIELDS_MOST;
    }
    return require_character(reader, ']');
}

static bool
read_meta(struct reader *reader)
{
    bool goes_on = require_character(reader, '{');
    while (goes_on && read_string(reader) && require_character(reader, ':')) {
        if (strcmp(reader->text, "node_fields") == 0) {
            goes_on = read_node_fields(reader);
        } else if (strcmp(reader->text, "meta") == 0) {
            goes_on = read_meta(reader);
        } else {
            goes_on = skip_value(reader);
        }
        goes_on = goes_on && take_character(reader, ',');
    }
    return require_character(reader, '}');
}

static bool
put_read_node(struct reader *reader, const uint64_t *values)
{
    struct ouro_graph *graph = reader->graph;
    const int *fields = reader->fields;
    uint64_t edges = values[fields[FIELD_EDGES]];
    uint64_t begin = graph->count > 0 ? graph->nodes[graph->count].edges : 0;
    struct ouro_node node = {
        .object = values[fields[FIELD_HIGH]] << 32 | values[fields[FIELD_LOW]],
        .size = values[fields[FIELD_SIZE]],
        .type = (uint32_t)values[fields[FIELD_NAME]],
        .edges = (uint32_t)begin,
    };
    if (edges > UINT32_MAX || begin + edges > UINT32_MAX ||
        values[fields[FIELD_NAME]] > UINT32_MAX) {
        return fail_reading(reader, "a node has a number that is too large");
    }
    ouro_graph_put_node(graph, node);
    if (graph->failed) {
        return fail_reading(reader, "there is not enough memory");
    }
    graph->nodes[graph->count].edges = (uint32_t)(begin + edges);
    return true;
}

static bool
put_read_label(struct reader *reader, uint64_t text)
{
    struct ouro_graph *graph = reader->graph;
    if (graph->label_count == graph->label_room) {
        size_t room = graph->label_room * 2 + 256;
        struct ouro_label *labels = realloc(graph->labels, room * sizeof *labels);
        if (labels == NULL) {
            return fail_reading(reader, "there is not enough memory");
        }
        graph->labels = labels;
        graph->label_room = room;
    }
    graph->labels[graph->label_count++] =
        (struct ouro_label){graph->count - 1, (uint32_t)text};
    return true;
}

static bool
read_nodes(struct reader *reader)
{
    for (int i = 0; i < FIELDS; i++) {
        if (reader->field_count == 0 || reader->fields[i] < 0) {
            return fail_reading(reader, "it was not written by Ouroboros");
        }
    }
    if (!require_character(reader, '[')) {
        return false;
    }
    do {
        uint64_t values[NODE_FIELDS_MOST] = {0};
        for (int i = 0; i < reader->field_count; i++) {
            if ((i > 0 && !require_character(reader, ',')) ||
                !read_number(reader, &values[i])) {
                return false;
            }
        }
        uint64_t label = values[reader->fields[FIELD_LABEL]];
        if (!put_read_node(reader, values) ||
            (label != 0 && !put_read_label(reader, label))) {
            return false;
        }
    } while (take_character(reader, ','));
    return require_character(reader, ']');
}

static bool
read_edges(struct reader *reader)
{
    struct ouro_graph *graph = reader->graph;
    uint64_t kind, name, to;
    bool goes_on = require_character(reader, '[') && !take_character(reader, ']');
    while (goes_on && read_number(reader, &kind) && require_character(reader, ',') &&
           read_number(reader, &name) && require_character(reader, ',') &&
           read_number(reader, &to)) {
        if (to % (uint64_t)reader->field_count != 0 ||
            to / (uint64_t)reader->field_count >= graph->count ||
            name >= OURO_NAME_IS_ITEM) {
            return fail_reading(reader, "an edge leads nowhere");
        }
        uint32_t text = kind == 1 ? (uint32_t)name | OURO_NAME_IS_ITEM : (uint32_t)name;
        ouro_graph_put_edge(
            graph,
            (struct ouro_edge){(uint32_t)(to / (uint64_t)reader->field_count), text});
        goes_on = take_character(reader, ',');
    }
    return reader->reason == NULL && !graph->failed &&
           (graph->edge_count == 0 || require_character(reader, ']'));
}

static bool
read_strings(struct reader *reader)
{
    struct ouro_graph *graph = reader->graph;
    bool goes_on = require_character(reader, '[');
    for (uint32_t i = 0; goes_on && read_string(reader); i++) {
        if (ouro_graph_text(graph, reader->text) != i) {
            return fail_reading(reader, "two of its strings are the same");
        }
        goes_on = take_character(reader, ',');
    }
    return require_character(reader, ']');
}

static bool
read_part(struct reader *reader)
{
    if (strcmp(reader->text, "snapshot") == 0) {
        return read_meta(reader);
    }
    if (strcmp(reader->text, "nodes") == 0) {
        return read_nodes(reader);
    }
    if (strcmp(reader->text, "edges") == 0) {
        return read_edges(reader);
    }
    return strcmp(reader->text, "strings") == 0 ? read_strings(reader)
                                                : skip_value(reader);
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

/* Strings are the last part: only now can the numbers of strings be compared. */
static bool
check_strings(struct reader *reader)
{
    const struct ouro_graph *graph = reader->graph;
    bool is_fine = graph->count >= OURO_GROUPS &&
                   graph->edge_count == graph->nodes[graph->count].edges;
    for (uint32_t n = 0; n < graph->count && is_fine; n++) {
        is_fine = graph->nodes[n].type < graph->names.count;
    }
    for (size_t e = 0; e < graph->edge_count && is_fine; e++) {
        uint32_t name = graph->edges[e].name;
        is_fine = (name & OURO_NAME_IS_ITEM) != 0 || name < graph->names.count;
    }
    for (size_t i = 0; i < graph->label_count && is_fine; i++) {
        is_fine = graph->labels[i].text < graph->names.count;
    }
    if (!is_fine || strcmp(ouro_graph_type_name(graph, 0), "(roots)") != 0) {
        return fail_reading(reader, "its parts do not fit together");
    }
    return true;
}

bool
ouro_graph_read(struct ouro_graph *graph, FILE *file, char *error, size_t room)
{
    struct reader reader = {.graph = graph, .file = file};
    *graph = (struct ouro_graph){0};
    bool goes_on = ouro_texts_init(&graph->names);
    advance(&reader);
    goes_on = goes_on && require_character(&reader, '{');
    while (goes_on && read_string(&reader) && require_character(&reader, ':')) {
        goes_on = read_part(&reader) && take_character(&reader, ',');
    }
    bool is_read = reader.reason == NULL && !graph->failed &&
                   require_character(&reader, '}') && check_strings(&reader);
    free(reader.text);
    if (!is_read) {
        snprintf(error, room, "%s",
                 reader.reason != NULL ? reader.reason : "there is not enough memory");
        ouro_graph_free(graph);
    }
    return is_read;
}
