/* SPDX-License-Identifier: MIT */
/* `ouro heap`: what a snapshot of a heap says, in words. page.c has the page. */
#include "cli.h"

#include <ouroboros.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGES_MOST 20

struct heap_options {
    const char *file, *before, *html;
    const char *object; /* an address, or NULL */
    size_t top;         /* lines of a table */
    bool is_explained, is_json;
};

/* --- pieces -------------------------------------------------------------------------------- */

/* 1234567 as "1,234,567", in `text`. */
static const char *
grouped(uint64_t number, char *text)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

static const char *
signed_growth(uint64_t now, uint64_t before, char *text)
{
    text[0] = now >= before ? '+' : '-';
    grouped(now >= before ? now - before : before - now, text + 1);
    return text;
}

static void
print_node(Ouro_Snapshot *snapshot, size_t number)
{
    Ouro_SnapshotNode node;
    Ouro_SnapshotGetNode(snapshot, number, &node);
    if (node.is_root) {
        printf("%s", node.type);
    } else {
        printf("%s%s%s 0x%" PRIx64, node.type, node.label[0] != '\0' ? " " : "",
               node.label, node.address);
    }
}

/* --- tables -------------------------------------------------------------------------------- */

static void
print_types(Ouro_Snapshot *snapshot, const struct heap_options *options)
{
    Ouro_SnapshotType *rows = calloc(options->top + 1, sizeof(*rows));
    size_t count =
        rows == NULL ? 0 : Ouro_SnapshotGetTypes(snapshot, NULL, rows, options->top);
    printf("\n%14s %16s %16s  type\n", "objects", "bytes", "retained");
    for (size_t i = 0; i < count && i < options->top; i++) {
        char texts[3][32];
        printf("%14s %16s %16s  %s\n", grouped(rows[i].objects, texts[0]),
               grouped(rows[i].bytes, texts[1]), grouped(rows[i].retained, texts[2]),
               rows[i].name);
    }
    if (count > options->top) {
        printf("%14s %zu more types; --top %zu shows all\n", "", count - options->top,
               count);
    }
    free(rows);
}

static void
print_path(Ouro_Snapshot *snapshot, size_t number)
{
    Ouro_SnapshotEdge edges[EDGES_MOST];
    size_t count = Ouro_SnapshotGetPath(snapshot, number, edges, EDGES_MOST);
    for (size_t i = 0; i < count && i < EDGES_MOST; i++) {
        Ouro_SnapshotNode node;
        Ouro_SnapshotGetNode(snapshot, edges[i].from, &node);
        bool is_dotted = node.is_root && edges[i].name[0] == '.';
        printf("      held by %s of ",
               edges[i].name[0] != '\0' ? edges[i].name + is_dotted : "a reference");
        print_node(snapshot, edges[i].from);
        printf("\n");
    }
    if (count > EDGES_MOST) {
        printf("      and %zu steps more\n", count - EDGES_MOST);
    }
}

/* The objects that retain most, of those that no other one of the list retains but the roots. */
static void
print_largest(Ouro_Snapshot *snapshot, const struct heap_options *options)
{
    size_t *largest = calloc(options->top + 1, sizeof(*largest));
    uint64_t *retained = calloc(options->top + 1, sizeof(*retained));
    size_t count = 0;
    for (size_t n = 0;
         n < Ouro_SnapshotCount(snapshot) && largest != NULL && retained != NULL; n++) {
        Ouro_SnapshotNode node;
        Ouro_SnapshotGetNode(snapshot, n, &node);
        size_t at = count;
        while (at > 0 && retained[at - 1] < node.retained) {
            at--;
        }
        if (!node.is_root && at < options->top) {
            count += count < options->top;
            memmove(largest + at + 1, largest + at, (count - 1 - at) * sizeof(*largest));
            memmove(retained + at + 1, retained + at,
                    (count - 1 - at) * sizeof(*retained));
            largest[at] = n;
            retained[at] = node.retained;
        }
    }
    printf("\nobjects that retain most\n");
    for (size_t i = 0; i < count; i++) {
        char text[32];
        printf("  %s bytes: ", grouped(retained[i], text));
        print_node(snapshot, largest[i]);
        printf("\n");
        print_path(snapshot, largest[i]);
    }
    free(largest);
    free(retained);
}

/* --- one object ---------------------------------------------------------------------------- */

static void
print_edges(Ouro_Snapshot *snapshot, size_t number, bool is_to)
{
    Ouro_SnapshotEdge edges[EDGES_MOST];
    size_t count =
        (is_to ? Ouro_SnapshotGetReferrers(snapshot, number, edges, EDGES_MOST)
               : Ouro_SnapshotGetReferents(snapshot, number, edges, EDGES_MOST));
    printf("%zu %s\n", count, is_to ? "referrers" : "references");
    for (size_t i = 0; i < count && i < EDGES_MOST; i++) {
        printf("  %-20s %s ", edges[i].name, is_to ? "of" : "to");
        print_node(snapshot, is_to ? edges[i].from : edges[i].to);
        printf("\n");
    }
}

static int
print_object(Ouro_Snapshot *snapshot, const char *address)
{
    char *end, texts[2][32];
    uint64_t wanted = strtoull(address, &end, 16);
    size_t number = Ouro_SnapshotFind(snapshot, (const void *)(uintptr_t)wanted);
    if (*end != '\0' || number == OURO_SNAPSHOT_NONE) {
        fprintf(stderr, "ouro: the snapshot has no object at %s\n", address);
        return STATUS_NOT_CHECKED;
    }
    Ouro_SnapshotNode node;
    Ouro_SnapshotGetNode(snapshot, number, &node);
    print_node(snapshot, number);
    printf(": %s bytes, retains %s\n", grouped(node.size, texts[0]),
           grouped(node.retained, texts[1]));
    print_path(snapshot, number);
    print_edges(snapshot, number, true);
    print_edges(snapshot, number, false);
    return STATUS_CLEAN;
}

/* --- two snapshots --------------------------------------------------------------------------- */

static void
print_growth(Ouro_Snapshot *snapshot, const Ouro_Snapshot *before,
             const struct heap_options *options)
{
    Ouro_SnapshotType *rows = calloc(options->top + 1, sizeof(*rows));
    size_t count =
        rows == NULL ? 0 : Ouro_SnapshotGetTypes(snapshot, before, rows, options->top);
    printf("%14s %16s  type (what grew most first)\n", "objects", "bytes");
    for (size_t i = 0; i < count && i < options->top; i++) {
        char texts[2][32];
        printf("%14s %16s  %s\n",
               signed_growth(rows[i].objects, rows[i].objects_before, texts[0]),
               signed_growth(rows[i].bytes, rows[i].bytes_before, texts[1]),
               rows[i].name);
    }
    free(rows);
}

/* --- the command ------------------------------------------------------------------------------ */

static Ouro_Snapshot *
read_snapshot(const char *file)
{
    char error[200];
    Ouro_Snapshot *snapshot = Ouro_SnapshotRead(file, error, sizeof(error));
    if (snapshot == NULL) {
        fprintf(stderr, "ouro: %s: %s\n", file, error);
    }
    return snapshot;
}

static void
print_summary(Ouro_Snapshot *snapshot, const struct heap_options *options)
{
    Ouro_SnapshotNode roots;
    char texts[2][32];
    Ouro_SnapshotGetNode(snapshot, 0, &roots);
    printf("%s: %s objects, %s bytes\n", options->file,
           grouped(Ouro_SnapshotCount(snapshot), texts[0]),
           grouped(roots.retained, texts[1]));
    print_types(snapshot, options);
    print_largest(snapshot, options);
}

static int
show_snapshot(Ouro_Snapshot *snapshot, const struct heap_options *options)
{
    if (options->html != NULL) {
        return write_page(snapshot, options->file, options->html);
    }
    if (options->object != NULL) {
        return print_object(snapshot, options->object);
    }
    if (options->is_explained) {
        return Ouro_SnapshotExplain(snapshot, stdout, options->is_json) == 0
                   ? STATUS_CLEAN
                   : STATUS_NOT_CHECKED;
    }
    print_summary(snapshot, options);
    return STATUS_CLEAN;
}

static int
run_heap(const struct heap_options *options)
{
    Ouro_Snapshot *snapshot = read_snapshot(options->file);
    Ouro_Snapshot *before = options->before != NULL && snapshot != NULL
                                ? read_snapshot(options->before)
                                : NULL;
    int status = STATUS_NOT_CHECKED;
    if (snapshot != NULL && before != NULL) {
        print_growth(snapshot, before, options);
        status = STATUS_CLEAN;
    } else if (snapshot != NULL && options->before == NULL) {
        status = show_snapshot(snapshot, options);
    }
    Ouro_SnapshotFree(snapshot);
    Ouro_SnapshotFree(before);
    return status;
}

static bool
read_top(const char *text, size_t *top)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *top = number;
    return *end == '\0' && end != text && number > 0 && number <= 1000000;
}

int
heap_command(char **arguments)
{
    struct heap_options options = {.top = 10};
    for (int i = 0; arguments[i] != NULL; i++) {
        const char *value;
        if (strcmp(arguments[i], "--explain") == 0) {
            options.is_explained = true;
        } else if (strcmp(arguments[i], "--json") == 0) {
            options.is_json = true;
        } else if ((value = option_value("--diff", arguments, &i)) != NULL) {
            options.before = value;
        } else if ((value = option_value("--html", arguments, &i)) != NULL) {
            options.html = value;
        } else if ((value = option_value("--object", arguments, &i)) != NULL) {
            options.object = value;
        } else if ((value = option_value("--top", arguments, &i)) != NULL) {
            if (!read_top(value, &options.top)) {
                return fail("--top takes a number of lines, not '%s'", value);
            }
        } else if (arguments[i][0] == '-') {
            return fail("'%s' is no option of heap, or lacks its value", arguments[i]);
        } else if (options.file != NULL) {
            return fail("one snapshot at a time: '%s'; --diff OLD NEW compares two",
                        arguments[i]);
        } else {
            options.file = arguments[i];
        }
    }
    return options.file == NULL ? fail("%s", "which snapshot?") : run_heap(&options);
}
