/* SPDX-License-Identifier: MIT */
/* The graph of a heap: objects, named edges, roots; and the questions that it answers.
 *
 * These files use only the public C API and libc. A source, a set of callbacks, supplies the
 * rest. So the same files serve this library, the contract checker, the program `ouro`, which
 * reads a graph from a file, and, compiled into extension modules, CPython.
 *
 * Words: a *node* is an object, or one of the groups of roots with which the graph begins. An
 * *edge* is a reference that a tp_traverse handler visits, or a root. A node's *size* is its
 * own. What it *retains* is the size of everything that would be freed if the last reference to
 * it were dropped. *Unexplained* references of an object are those in its count that no edge
 * accounts for: C variables, fields that are not visited, leaks.
 *
 *   graph.inv.groups   nodes [0, OURO_GROUPS) are the groups of roots; node 0 refers to the others
 *   graph.inv.edges    the edges of node n are [nodes[n].edges, nodes[n + 1].edges)
 *
 * A graph holds addresses, not references. While it is taken, no object may be made or
 * destroyed; afterwards the addresses are names only. */
#ifndef OURO_INSPECT_GRAPH_H
#define OURO_INSPECT_GRAPH_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ouro_group {
    OURO_GROUP_ALL,
    OURO_GROUP_THREADS,
    OURO_GROUP_MODULES,
    OURO_GROUP_STATIC,
    OURO_GROUP_UNEXPLAINED,
    OURO_GROUP_CYCLES, /* what nothing outside refers to */
    OURO_GROUPS,
};

#define OURO_NO_NODE      UINT32_MAX
#define OURO_NAME_IS_ITEM ((uint32_t)1 << 31) /* the rest is the index of an item */

struct ouro_node {
    uint64_t object; /* its address; of a group, its number */
    uint64_t size;   /* bytes, without what it refers to */
    uint32_t type;   /* the name of its type: a number in names */
    uint32_t edges;  /* the first */
};

struct ouro_edge {
    uint32_t to;
    uint32_t name; /* number in names, 0 for none; or an index and OURO_NAME_IS_ITEM */
};

/* Texts, each once. */
struct ouro_texts {
    char *bytes; /* one behind the other, each with its NUL; number 0 is "" */
    uint32_t *starts, *slots;
    uint32_t count, room, slot_count;
    size_t used, space;
};

/* What is known of a node besides its type: the name of a module, the text of a str. */
struct ouro_label {
    uint32_t node, text;
};

struct ouro_graph {
    struct ouro_node *nodes; /* one more than count: where the edges end */
    uint32_t count;
    size_t room;
    struct ouro_edge *edges;
    size_t edge_count, edge_room;
    struct ouro_label *labels; /* ordered by node */
    size_t label_count, label_room;
    struct ouro_texts names;

    bool failed;                /* there is no memory */
    struct ouro_taking *taking; /* what only taking it needs, until it is sealed */
};

/* --- taking a graph: graph.c ------------------------------------------------------------------ */

struct ouro_graph_source {
    void *context;
    /* Call ouro_graph_add for every object to begin with. False with an exception. */
    bool (*objects)(struct ouro_graph *graph, void *context);
    /* Call ouro_graph_root for everything that is known to be held, with its holder; or NULL. */
    void (*roots)(struct ouro_graph *graph, void *context);
    /* May the handlers of the object be called, or is the object to be left out? */
    bool (*is_traversed)(PyObject *object, void *context);
    bool (*is_left_out)(PyObject *object, void *context);          /* or NULL: none is */
    int (*traverse)(PyObject *object, visitproc visit, void *arg); /* or NULL */
    /* The name of its type; or NULL: tp_name. */
    const char *(*type_name)(PyObject *object, void *context);
    /* Name references of the object with ouro_graph_name, besides those that the C API tells;
     * or NULL. */
    void (*names)(PyObject *object, void *names, void *context);
    PyObject *modules; /* sys.modules, borrowed, or NULL: its keys are no secrets */
    bool only_these;   /* no object but those of objects() */
    bool no_names;     /* edges, sizes and labels do not matter */
    bool with_values;  /* keys of all dicts, and texts of strings and numbers */
};

/* Fill the empty graph. False without memory, or with the exception of objects(). */
bool ouro_graph_take(struct ouro_graph *graph, const struct ouro_graph_source *source);
void ouro_graph_free(struct ouro_graph *graph);

void ouro_graph_add(struct ouro_graph *graph, PyObject *object);
/* Something called `name` in a group holds `object`, if that is a node. */
void ouro_graph_root(struct ouro_graph *graph, enum ouro_group group, PyObject *object,
                     const char *name);
/* Among the roots: does the container have a reference that no edge and no root explains so
 * far? Asked before a root is added that is only probable. Immortal objects have none. */
bool ouro_graph_misses(const struct ouro_graph *graph, PyObject *object);
void ouro_graph_name(void *names, const PyObject *target, const char *name);

/* The node of an address, or OURO_NO_NODE. Until ouro_graph_seal(). */
uint32_t ouro_graph_find(const struct ouro_graph *graph, const void *address);
/* How often edges refer to each node: an array for the caller to free; NULL without memory. */
uint32_t *ouro_graph_count_visits(const struct ouro_graph *graph);
/* Give back what only taking it needs. Afterwards finding an address takes a walk. */
void ouro_graph_seal(struct ouro_graph *graph);
uint32_t ouro_graph_search(const struct ouro_graph *graph, const void *address);

/* --- for graph.c and read.c ------------------------------------------------------------------ */

/* The number of a text. Without memory all of these set graph->failed. */
uint32_t ouro_graph_text(struct ouro_graph *graph, const char *text);
void ouro_graph_put_node(struct ouro_graph *graph, struct ouro_node node);
void ouro_graph_put_edge(struct ouro_graph *graph, struct ouro_edge edge);
void ouro_graph_put_label(struct ouro_graph *graph, uint32_t node, const char *text);
/* The groups of roots, the first nodes of an empty graph. */
bool ouro_graph_begin(struct ouro_graph *graph);

bool ouro_texts_init(struct ouro_texts *texts);
void ouro_texts_free(struct ouro_texts *texts);
/* The number of the text; 0, and *failed, without memory. */
uint32_t ouro_texts_put(struct ouro_texts *texts, const char *text, bool *failed);

/* --- names of edges, sizes, labels: describe.c ------------------------------------------------- */

/* Call `named` for each reference of the object that has a name, in the order of the visits
 * where there is one. Runs no code but that of the C API. */
typedef void (*ouro_named)(void *arg, const PyObject *target, uint32_t name);
void ouro_describe_names(struct ouro_graph *graph, PyObject *object, ouro_named named,
                         void *arg);
/* May the keys of the dict be shown? They may be secrets unless they are names of attributes. */
bool ouro_graph_shows_keys(const struct ouro_graph *graph, const PyObject *dict);
/* The dict of attributes that the object has, borrowed, or NULL. */
PyObject *ouro_describe_dict(PyObject *object);
/* Does the type leave its size to `object`? And the size, by that answer. */
bool ouro_describe_has_plain_size(PyTypeObject *type);
size_t ouro_describe_size(PyObject *object, bool is_plain);
/* What __sizeof__ returns, if it is a function written in C. One in Python would run, and
 * change the heap; then 0. */
size_t ouro_describe_asked_size(PyObject *object);
/* A label of at most `room` bytes; false when there is none. */
bool ouro_describe_label(PyObject *object, bool with_values, char *label, size_t room);

/* --- reading a graph ---------------------------------------------------------------------------- */

static inline const char *
ouro_graph_string(const struct ouro_graph *graph, uint32_t number)
{
    return graph->names.bytes + graph->names.starts[number];
}

static inline const char *
ouro_graph_type_name(const struct ouro_graph *graph, uint32_t node)
{
    return ouro_graph_string(graph, graph->nodes[node].type);
}

static inline size_t
ouro_graph_edges_end(const struct ouro_graph *graph, uint32_t node)
{
    return graph->nodes[node + 1].edges;
}

/* The label of a node, or NULL. */
const char *ouro_graph_label(const struct ouro_graph *graph, uint32_t node);
/* An edge's name as people write it: .field, [3], ['key']; "" when it has none. */
const char *ouro_graph_edge_text(const struct ouro_graph *graph, uint32_t name,
                                 char *text, size_t room);

/* --- what holds what: paths.c ----------------------------------------------------------------------- */

/* The edges, by their targets. */
struct ouro_referrers {
    uint32_t *starts; /* those of node n are [starts[n], starts[n + 1]) */
    uint32_t *from;
};

bool ouro_graph_refer(const struct ouro_graph *graph, struct ouro_referrers *referrers);
void ouro_referrers_free(struct ouro_referrers *referrers);
/* The name of the first edge between two nodes that has one. */
uint32_t ouro_graph_edge_name(const struct ouro_graph *graph, uint32_t from, uint32_t to);

/* For each node, the one before it on a shortest path from the roots; OURO_NO_NODE where there
 * is none. Known holders come before unexplained references. For the caller to free. */
uint32_t *ouro_graph_shortest(const struct ouro_graph *graph);
/* A shortest path from a node back to itself, in reverse order: the number of nodes on it, 0
 * when there is none; -1 without memory. */
int ouro_graph_cycle(const struct ouro_graph *graph, uint32_t start, uint32_t *members,
                     int most);

/* --- retained sizes: dominators.c ------------------------------------------------------------------- */

struct ouro_dominators {
    uint32_t *
        dominator; /* the nearest node that all paths from the roots pass; of node 0, 0 */
    uint64_t *retained;
};

bool ouro_graph_dominate(const struct ouro_graph *graph,
                         struct ouro_dominators *dominators);
void ouro_dominators_free(struct ouro_dominators *dominators);

/* --- by type, and what grew: table.c --------------------------------------------------------------- */

struct ouro_table_row {
    const char *name;
    uint64_t objects, bytes;
    uint64_t retained; /* by all objects of the type together; 0 without dominators */
    int64_t objects_before, bytes_before;
};

struct ouro_table {
    struct ouro_table_row *rows;
    uint32_t count;
};

/* One row for each name of a type; the most bytes, or what grew most, first. `before` and
 * `dominators` may be NULL. */
bool ouro_graph_tabulate(const struct ouro_graph *graph, const struct ouro_graph *before,
                         const struct ouro_dominators *dominators,
                         struct ouro_table *table);
void ouro_table_free(struct ouro_table *table);

/* --- what is alive, and why: explain.c ------------------------------------------------------------- */

/* The objects of one type. */
struct ouro_explained {
    uint32_t type; /* a number in names */
    uint32_t objects;
    uint32_t self_held; /* objects that nothing outside refers to */
    uint32_t example;   /* one that is held by unexplained references, if there is one */
    uint64_t unexplained;
};

struct ouro_explanation {
    const struct ouro_graph *graph;
    uint32_t *before;              /* ouro_graph_shortest() */
    uint32_t *unexplained;         /* references, by node */
    struct ouro_explained *groups; /* the most objects first */
    uint32_t count;
    bool has_colours;
    /* Written behind each object and each group, as text or as members of JSON; or NULL. */
    void (*write_object)(const struct ouro_graph *graph, uint32_t node, bool is_json,
                         FILE *file);
    void (*write_group)(const struct ouro_graph *graph, uint32_t example, FILE *file);
};

/* False without memory. */
bool ouro_explain(const struct ouro_graph *graph, struct ouro_explanation *explanation);
void ouro_explanation_free(struct ouro_explanation *explanation);
void ouro_explanation_write(const struct ouro_explanation *explanation, bool is_json,
                            FILE *file);

/* --- files: write.c, read.c -------------------------------------------------------------- */

/* Write the graph as a .heapsnapshot, which Chrome's developer tools open; as JSON for scripts;
 * or what is near a node, for Graphviz. False without memory; the file's errors are its own. */
bool ouro_graph_write_v8(const struct ouro_graph *graph, FILE *file);
bool ouro_graph_write_json(const struct ouro_graph *graph, FILE *file);
bool ouro_graph_write_dot(const struct ouro_graph *graph, FILE *file);

/* Read a .heapsnapshot that ouro_graph_write_v8 wrote. False, with the reason in `error`. */
bool ouro_graph_read(struct ouro_graph *graph, FILE *file, char *error, size_t room);

/* Create the file, with mode 0600, never replacing another one, and write to it. It is removed
 * again when `write` fails for lack of memory, or the system fails. 0; or an errno. */
typedef bool (*ouro_file_function)(const void *what, const char *path, FILE *file);
int ouro_file_write(const char *path, ouro_file_function write, const void *what);
bool ouro_file_ends_with(const char *path, const char *end);

/* The graph in such a file: by the end of the name, .json, .dot, or else a .heapsnapshot. */
int ouro_graph_save(const struct ouro_graph *graph, const char *path);

/* A piece of text as JSON writes it, with its quotes. */
void ouro_json_text(const char *text, FILE *file);

#endif
