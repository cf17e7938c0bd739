/* SPDX-License-Identifier: MIT */
/* The objects of a graph by type, and compared with an earlier graph. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static int
compare_growth(const void *a, const void *b)
{
    const struct ouro_table_row *x = a, *y = b;
    int64_t of_x = (int64_t)x->bytes - x->bytes_before;
    int64_t of_y = (int64_t)y->bytes - y->bytes_before;
    return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : strcmp(x->name, y->name);
}

static void
count_nodes(const struct ouro_graph *graph, struct ouro_table_row *rows)
{
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        struct ouro_table_row *row = &rows[graph->nodes[n].type];
        row->name = ouro_graph_type_name(graph, n);
        row->objects++;
        row->bytes += graph->nodes[n].size;
    }
}

/* --- what all objects of a type retain together ------------------------------------------------------ */

/* The tree of dominators, and how many nodes of each type are above the current one. */
struct tree {
    uint32_t *child, *sibling; /* by node; 0 for none: the root is no child */
    uint32_t *above;           /* by type */
};

static void
link_children(const struct ouro_graph *graph, const struct ouro_dominators *dominators,
              const struct tree *tree)
{
    for (uint32_t n = 1; n < graph->count; n++) {
        uint32_t parent = dominators->dominator[n];
        tree->sibling[n] = tree->child[parent];
        tree->child[parent] = n;
    }
}

/* Enter a node: count what it retains, unless a node of its type above it retains that already. */
static void
enter_in_tree(const struct ouro_graph *graph, const struct ouro_dominators *dominators,
              const struct tree *tree, uint32_t n, struct ouro_table_row *rows)
{
    uint32_t type = graph->nodes[n].type;
    if (tree->above[type]++ == 0 && n >= OURO_GROUPS) {
        rows[type].retained += dominators->retained[n];
    }
}

static void
walk_tree(const struct ouro_graph *graph, const struct ouro_dominators *dominators,
          const struct tree *tree, struct ouro_table_row *rows)
{
    uint32_t n = 0;
    enter_in_tree(graph, dominators, tree, n, rows);
    for (;;) {
        uint32_t next = tree->child[n];
        while (next == 0 && n != 0) { /* leave */
            tree->above[graph->nodes[n].type]--;
            next = tree->sibling[n];
            n = dominators->dominator[n];
        }
        if (next == 0) {
            return;
        }
        tree->child[n] = 0; /* entered: not again after its siblings */
        n = next;
        enter_in_tree(graph, dominators, tree, n, rows);
    }
}

static bool
sum_retained(const struct ouro_graph *graph, const struct ouro_dominators *dominators,
             struct ouro_table_row *rows)
{
    struct tree tree = {
        calloc(graph->count, sizeof(uint32_t)),
        calloc(graph->count, sizeof(uint32_t)),
        calloc(graph->names.count, sizeof(uint32_t)),
    };
    bool is_done = tree.child != NULL && tree.sibling != NULL && tree.above != NULL;
    if (is_done) {
        link_children(graph, dominators, &tree);
        walk_tree(graph, dominators, &tree, rows);
    }
    free(tree.child);
    free(tree.sibling);
    free(tree.above);
    return is_done;
}

/* --- the table ----------------------------------------------------------------------------------------- */

static uint32_t
pack_rows(struct ouro_table_row *rows, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].name != NULL) {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

static int
compare_row_names(const void *a, const void *b)
{
    const struct ouro_table_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Add the rows of `before` to those of the table; both are ordered by name. */
static bool
join_before(struct ouro_table *table, const struct ouro_table *before)
{
    size_t most = (size_t)table->count + before->count + 1;
    struct ouro_table_row *rows = realloc(table->rows, most * sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    table->rows = rows;
    uint32_t own = table->count;
    for (uint32_t i = 0; i < before->count; i++) {
        const struct ouro_table_row *old = &before->rows[i];
        struct ouro_table_row *row =
            bsearch(old, rows, own, sizeof *rows, compare_row_names);
        if (row == NULL) {
            row = &rows[table->count++];
            *row = (struct ouro_table_row){.name = old->name};
        }
        row->objects_before = (int64_t)old->objects;
        row->bytes_before = (int64_t)old->bytes;
    }
    return true;
}

static bool
tabulate_one(const struct ouro_graph *graph, const struct ouro_dominators *dominators,
             struct ouro_table *table)
{
    table->rows = calloc((size_t)graph->names.count + 1, sizeof *table->rows);
    if (table->rows == NULL) {
        return false;
    }
    count_nodes(graph, table->rows);
    if (dominators != NULL && !sum_retained(graph, dominators, table->rows)) {
        return false;
    }
    table->count = pack_rows(table->rows, graph->names.count);
    qsort(table->rows, table->count, sizeof *table->rows, compare_row_names);
    return true;
}

bool
ouro_graph_tabulate(const struct ouro_graph *graph, const struct ouro_graph *before,
                    const struct ouro_dominators *dominators, struct ouro_table *table)
{
    struct ouro_table old = {NULL, 0};
    *table = (struct ouro_table){NULL, 0};
    bool is_done = tabulate_one(graph, dominators, table) &&
                   (before == NULL ||
                    (tabulate_one(before, NULL, &old) && join_before(table, &old)));
    if (is_done) {
        qsort(table->rows, table->count, sizeof *table->rows, compare_growth);
    } else {
        ouro_table_free(table);
    }
    free(old.rows);
    return is_done;
}

void
ouro_table_free(struct ouro_table *table)
{
    free(table->rows);
    *table = (struct ouro_table){NULL, 0};
}
