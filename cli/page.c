/* SPDX-License-Identifier: MIT */
/* A snapshot as a page of one file: heap.html with the data in it. The page draws; what an object
 * retains, and what dominates it, comes from the library.
 *
 * A large snapshot is aggregated: the objects that retain least are left out, and their sizes
 * stand as one node for each type below the nearest object that dominates them and is shown. */
#include "cli.h"

#include <ouroboros.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_MOST 100000 /* objects: a browser draws and sorts them at once */

static const char page_text[] = {
#include <heap_page.inc>
};

struct page {
    Ouro_Snapshot *snapshot;
    FILE *file;
    size_t count;    /* nodes of the snapshot */
    bool *is_shown;  /* by node */
    size_t *numbers; /* in the page, by node */
    size_t shown;
};

/* --- text ------------------------------------------------------------------------------------ */

/* As JSON, and without what could end the script around it. */
static void
put_json(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20 || c == '<' || c == '>' || c == '&') {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

/* --- which objects are shown ------------------------------------------------------------------ */

static int
compare_sizes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* At most SHOWN_MOST are shown, and the roots: those that retain most. */
static bool
choose_nodes(struct page *page)
{
    uint64_t *sizes = malloc(page->count * sizeof(*sizes));
    page->is_shown = calloc(page->count, sizeof(*page->is_shown));
    page->numbers = calloc(page->count, sizeof(*page->numbers));
    if (sizes == NULL || page->is_shown == NULL || page->numbers == NULL) {
        free(sizes);
        return false;
    }
    Ouro_SnapshotNode node;
    for (size_t n = 0; n < page->count; n++) {
        Ouro_SnapshotGetNode(page->snapshot, n, &node);
        sizes[n] = node.retained;
    }
    qsort(sizes, page->count, sizeof(*sizes), compare_sizes);
    uint64_t least = page->count > SHOWN_MOST ? sizes[SHOWN_MOST] : 0;
    size_t more =
        0; /* retain more than that; as many others as there is room for are shown, too */
    while (more < page->count && sizes[more] > least) {
        more++;
    }
    size_t others = SHOWN_MOST - more;
    free(sizes);
    for (size_t n = 0; n < page->count; n++) {
        Ouro_SnapshotGetNode(page->snapshot, n, &node);
        bool is_other = node.retained == least && others > 0;
        others -= is_other;
        page->is_shown[n] = node.is_root || node.retained > least || is_other;
        if (page->is_shown[n]) {
            page->numbers[n] = page->shown++;
        }
    }
    return true;
}

/* The nearest node that dominates a node and is shown. */
static size_t
shown_above(const struct page *page, size_t n)
{
    Ouro_SnapshotNode node;
    do {
        Ouro_SnapshotGetNode(page->snapshot, n, &node);
        n = node.dominator;
    } while (!page->is_shown[n]);
    return n;
}

/* --- the data ---------------------------------------------------------------------------------- */

static void
put_node(struct page *page, size_t n)
{
    Ouro_SnapshotNode node;
    Ouro_SnapshotGetNode(page->snapshot, n, &node);
    fputc('[', page->file);
    put_json(node.type, page->file);
    fputc(',', page->file);
    put_json(node.label, page->file);
    fprintf(page->file, ",\"0x%" PRIx64 "\",%" PRIu64 ",%" PRIu64 ",%zu],\n",
            node.address, node.size, node.retained, page->numbers[shown_above(page, n)]);
}

/* What is left out: its size, by type and by the nearest object above that is shown. */
struct rest {
    size_t above;
    const char *type;
    uint64_t objects, size;
};

static int
compare_rests(const void *a, const void *b)
{
    const struct rest *x = a, *y = b;
    return x->above != y->above ? (x->above > y->above) - (x->above < y->above)
                                : strcmp(x->type, y->type);
}

static void
put_rest(struct page *page, const struct rest *rest)
{
    fputc('[', page->file);
    put_json(rest->type, page->file);
    fprintf(page->file, ",%" PRIu64 ",%" PRIu64 ",%zu],\n", rest->objects, rest->size,
            page->numbers[rest->above]);
}

static bool
put_rests(struct page *page)
{
    size_t count = page->count - page->shown;
    struct rest *rests = calloc(count + 1, sizeof(*rests));
    if (rests == NULL) {
        return false;
    }
    for (size_t n = 0, i = 0; n < page->count; n++) {
        if (!page->is_shown[n]) {
            Ouro_SnapshotNode node;
            Ouro_SnapshotGetNode(page->snapshot, n, &node);
            rests[i++] = (struct rest){shown_above(page, n), node.type, 1, node.size};
        }
    }
    qsort(rests, count, sizeof(*rests), compare_rests);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && compare_rests(&rests[i], &rests[i + 1]) == 0) {
            rests[i + 1].objects += rests[i].objects;
            rests[i + 1].size += rests[i].size;
        } else {
            put_rest(page, &rests[i]);
        }
    }
    free(rests);
    return true;
}

static bool
put_edges(struct page *page)
{
    size_t room = 1024;
    Ouro_SnapshotEdge *edges = malloc(room * sizeof(*edges));
    for (size_t n = 0; n < page->count && edges != NULL; n++) {
        size_t count = Ouro_SnapshotGetReferents(page->snapshot, n, NULL, 0);
        if (!page->is_shown[n] || count == 0) {
            continue;
        }
        if (count > room) {
            room = count * 2;
            free(edges);
            edges = malloc(room * sizeof(*edges));
            if (edges == NULL) {
                break;
            }
        }
        Ouro_SnapshotGetReferents(page->snapshot, n, edges, room);
        for (size_t i = 0; i < count; i++) {
            if (page->is_shown[edges[i].to]) {
                fprintf(page->file, "%zu,%zu,", page->numbers[n],
                        page->numbers[edges[i].to]);
                put_json(edges[i].name, page->file);
                fputs(",\n", page->file);
            }
        }
    }
    free(edges);
    return edges != NULL;
}

static bool
put_types(struct page *page)
{
    size_t count = Ouro_SnapshotGetTypes(page->snapshot, NULL, NULL, 0);
    Ouro_SnapshotType *rows = calloc(count + 1, sizeof(*rows));
    if (rows == NULL) {
        return false;
    }
    Ouro_SnapshotGetTypes(page->snapshot, NULL, rows, count);
    for (size_t i = 0; i < count; i++) {
        fputc('[', page->file);
        put_json(rows[i].name, page->file);
        fprintf(page->file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "],\n", rows[i].objects,
                rows[i].bytes, rows[i].retained);
    }
    free(rows);
    return true;
}

static bool
put_data(struct page *page, const char *name)
{
    fputs("{name:", page->file);
    put_json(name, page->file);
    fprintf(page->file, ",objects:%zu,\ntypes:[", page->count);
    bool is_done = put_types(page);
    fputs("],\nnodes:[", page->file);
    for (size_t n = 0; n < page->count; n++) {
        if (page->is_shown[n]) {
            put_node(page, n);
        }
    }
    fputs("],\nrest:[", page->file);
    is_done = is_done && put_rests(page);
    fputs("],\nedges:[", page->file);
    is_done = is_done && put_edges(page);
    fputs("]}", page->file);
    return is_done;
}

/* --- the page ------------------------------------------------------------------------------------ */

static const char data_mark[] = "/*DATA*/";

static bool
put_page(struct page *page, const char *name)
{
    const char *mark = strstr(page_text, data_mark);
    fwrite(page_text, 1, (size_t)(mark - page_text), page->file);
    bool is_done = choose_nodes(page) && put_data(page, name);
    fputs(mark + strlen(data_mark), page->file);
    free(page->is_shown);
    free(page->numbers);
    return is_done;
}

int
write_page(Ouro_Snapshot *snapshot, const char *name, const char *path)
{
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct page page = {
        .snapshot = snapshot,
        .file = handle >= 0 ? fdopen(handle, "w") : NULL,
        .count = Ouro_SnapshotCount(snapshot),
    };
    if (page.file == NULL) {
        fprintf(stderr, "ouro: %s: %s\n", path, strerror(errno));
        return STATUS_NOT_CHECKED;
    }
    bool is_done = put_page(&page, name);
    is_done = ferror(page.file) == 0 && is_done;
    is_done = fclose(page.file) == 0 && is_done;
    if (!is_done) {
        fprintf(stderr, "ouro: %s could not be written\n", path);
        unlink(path);
        return STATUS_NOT_CHECKED;
    }
    return STATUS_CLEAN;
}
