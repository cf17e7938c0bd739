/* SPDX-License-Identifier: MIT */
/* Snapshots of the calling thread's interpreter, and the questions that a program may ask of
 * one. The graph and its algorithms are in the other files; here is what this library knows of
 * objects and roots, and the public functions. */
#include <ouroboros.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../object/header.h"
#include "../platform/platform.h"
#include "../thread/interpreter.h"
#include "../thread/registry.h"
#include "graph.h"
#include "statics.h"
#include "tracked.h"

/* What is computed from the graph is made when it is first asked for. */
struct Ouro_Snapshot {
    struct ouro_graph graph;
    struct ouro_referrers referrers;
    struct ouro_dominators dominators;
    uint32_t *before;
};

/* --- the source -------------------------------------------------------------------------------------------- */

/* The fields of an untracked object may not be valid yet, but for types that are untracked on
 * purpose. */
static bool
has_valid_fields(PyObject *object, void *Py_UNUSED(context))
{
    return ouro_object_is_tracked(object) || PyTuple_CheckExact(object) ||
           PyDict_CheckExact(object) || PyList_CheckExact(object);
}

static void
add_roots_of_threads(struct ouro_graph *graph, const struct _is *interp)
{
    ouro_registry_lock();
    for (const struct _ts *thread = interp->threads; thread != NULL;
         thread = thread->next) {
        const struct {
            PyObject *object;
            const char *what;
        } held[] = {{thread->dict, "dict"},
                    {thread->error, "pending exception"},
                    {thread->handled, "exception being handled"}};
        for (size_t i = 0; i < Py_ARRAY_LENGTH(held); i++) {
            char name[80];
            snprintf(name, sizeof name, "thread %llu: %s", (unsigned long long)thread->id,
                     held[i].what);
            ouro_graph_root(graph, OURO_GROUP_THREADS, held[i].object, name);
        }
    }
    ouro_registry_unlock();
}

static void
add_roots_of_interpreter(struct ouro_graph *graph, const struct _is *interp)
{
    const struct {
        PyObject *object;
        const char *name;
    } held[] = {
        {interp->modules, "sys.modules"},
        {interp->modules_by_index, "PyState_FindModule"},
        {interp->single_phase, "modules made in one phase"},
        {interp->sys_dict, "sys.__dict__"},
        {interp->builtins, "builtins.__dict__"},
        {interp->survivors, "modules that live on"},
        {interp->dict, "PyInterpreterState_GetDict"},
        {interp->memory_error, "the MemoryError made in advance"},
        {interp->gc.garbage, "gc.garbage"},
        {interp->gc.callbacks, "gc.callbacks"},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(held); i++) {
        ouro_graph_root(graph, OURO_GROUP_MODULES, held[i].object, held[i].name);
    }
    for (int i = 0; i < _Py_CACHE_COUNT; i++) {
        ouro_graph_root(graph, OURO_GROUP_MODULES, interp->cache[i],
                        "a cache of the library");
    }
}

static void
add_roots(struct ouro_graph *graph, void *Py_UNUSED(context))
{
    const struct _is *interp = ouro_current.interp;
    struct ouro_span skipped = {(uintptr_t)interp, (uintptr_t)(interp + 1)};
    add_roots_of_threads(graph, interp);
    add_roots_of_interpreter(graph, interp);
    ouro_statics_root(graph, &skipped, 1);
}

/* --- taking, reading, writing --------------------------------------------------------------------------------- */

Ouro_Snapshot *
Ouro_SnapshotTake(int flags)
{
    const struct ouro_graph_source source = {
        .objects = tracked_list,
        .roots = add_roots,
        .is_traversed = has_valid_fields,
        .modules = ouro_current.interp->modules,
        .with_values = (flags & OURO_SNAPSHOT_VALUES) != 0,
    };
    PyObject *pending = PyErr_GetRaisedException();
    Ouro_Snapshot *snapshot = calloc(1, sizeof *snapshot);
    bool is_taken = snapshot != NULL;
    if (is_taken) {
        int was_enabled = PyGC_Disable();
        is_taken = ouro_graph_take(&snapshot->graph, &source);
        ouro_graph_seal(&snapshot->graph);
        if (was_enabled) {
            PyGC_Enable();
        }
    }
    if (!is_taken) {
        Ouro_SnapshotFree(snapshot);
        Py_XDECREF(pending);
        PyErr_NoMemory();
        return NULL;
    }
    PyErr_SetRaisedException(pending);
    return snapshot;
}

Ouro_Snapshot *
Ouro_SnapshotRead(const char *path, char *error, size_t size)
{
    FILE *file = fopen(path, "re");
    Ouro_Snapshot *snapshot = calloc(1, sizeof *snapshot);
    bool is_read = false;
    if (file == NULL || snapshot == NULL) {
        snprintf(error, size, "%s", strerror(file == NULL ? errno : ENOMEM));
    } else {
        is_read = ouro_graph_read(&snapshot->graph, file, error, size);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!is_read) {
        free(snapshot);
        return NULL;
    }
    return snapshot;
}

void
Ouro_SnapshotFree(Ouro_Snapshot *snapshot)
{
    if (snapshot != NULL) {
        ouro_graph_free(&snapshot->graph);
        ouro_referrers_free(&snapshot->referrers);
        ouro_dominators_free(&snapshot->dominators);
        free(snapshot->before);
        free(snapshot);
    }
}

int
Ouro_SnapshotWrite(const Ouro_Snapshot *snapshot, const char *path)
{
    return ouro_graph_save(&snapshot->graph, path);
}

size_t
Ouro_ObjectSize(PyObject *object)
{
    PyObject *pending = PyErr_GetRaisedException();
    size_t size =
        ouro_describe_size(object, ouro_describe_has_plain_size(Py_TYPE(object)));
    PyErr_SetRaisedException(pending);
    return size;
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

static bool
has_dominators(Ouro_Snapshot *snapshot)
{
    return snapshot->dominators.dominator != NULL ||
           ouro_graph_dominate(&snapshot->graph, &snapshot->dominators);
}

static bool
has_referrers(Ouro_Snapshot *snapshot)
{
    return snapshot->referrers.starts != NULL ||
           ouro_graph_refer(&snapshot->graph, &snapshot->referrers);
}

static bool
has_paths(Ouro_Snapshot *snapshot)
{
    if (snapshot->before == NULL) {
        snapshot->before = ouro_graph_shortest(&snapshot->graph);
    }
    return snapshot->before != NULL;
}

size_t
Ouro_SnapshotCount(const Ouro_Snapshot *snapshot)
{
    return snapshot->graph.count;
}

size_t
Ouro_SnapshotFind(const Ouro_Snapshot *snapshot, const void *address)
{
    uint32_t node = ouro_graph_search(&snapshot->graph, address);
    return node == OURO_NO_NODE ? OURO_SNAPSHOT_NONE : node;
}

int
Ouro_SnapshotGetNode(Ouro_Snapshot *snapshot, size_t number, Ouro_SnapshotNode *node)
{
    const struct ouro_graph *graph = &snapshot->graph;
    if (number >= graph->count || !has_dominators(snapshot)) {
        *node = (Ouro_SnapshotNode){.type = "", .label = ""};
        return -1;
    }
    const char *label = ouro_graph_label(graph, (uint32_t)number);
    *node = (Ouro_SnapshotNode){
        .address = graph->nodes[number].object,
        .type = ouro_graph_type_name(graph, (uint32_t)number),
        .label = label != NULL ? label : "",
        .size = graph->nodes[number].size,
        .retained = snapshot->dominators.retained[number],
        .dominator = snapshot->dominators.dominator[number],
        .is_root = number < OURO_GROUPS,
    };
    return 0;
}

/* --- edges --------------------------------------------------------------------------------------------------------- */

static void
fill_edge(const struct ouro_graph *graph, Ouro_SnapshotEdge *edge, uint32_t from,
          uint32_t to, uint32_t name)
{
    edge->from = from;
    edge->to = to;
    ouro_graph_edge_text(graph, name, edge->name, sizeof edge->name);
}

size_t
Ouro_SnapshotGetReferents(const Ouro_Snapshot *snapshot, size_t number,
                          Ouro_SnapshotEdge *edges, size_t room)
{
    const struct ouro_graph *graph = &snapshot->graph;
    if (number >= graph->count) {
        return 0;
    }
    uint32_t from = (uint32_t)number;
    size_t first = graph->nodes[from].edges;
    size_t count = ouro_graph_edges_end(graph, from) - first;
    for (size_t i = 0; i < count && i < room; i++) {
        const struct ouro_edge *edge = &graph->edges[first + i];
        fill_edge(graph, &edges[i], from, edge->to, edge->name);
    }
    return count;
}

size_t
Ouro_SnapshotGetReferrers(Ouro_Snapshot *snapshot, size_t number,
                          Ouro_SnapshotEdge *edges, size_t room)
{
    const struct ouro_graph *graph = &snapshot->graph;
    if (number >= graph->count || !has_referrers(snapshot)) {
        return 0;
    }
    uint32_t first = snapshot->referrers.starts[number];
    size_t count = snapshot->referrers.starts[number + 1] - first;
    for (size_t i = 0; i < count && i < room; i++) {
        uint32_t from = snapshot->referrers.from[first + i];
        fill_edge(graph, &edges[i], from, (uint32_t)number,
                  ouro_graph_edge_name(graph, from, (uint32_t)number));
    }
    return count;
}

size_t
Ouro_SnapshotGetPath(Ouro_Snapshot *snapshot, size_t number, Ouro_SnapshotEdge *edges,
                     size_t room)
{
    const struct ouro_graph *graph = &snapshot->graph;
    size_t count = 0;
    if (number >= graph->count || !has_paths(snapshot)) {
        return 0;
    }
    uint32_t to = (uint32_t)number;
    for (uint32_t from;
         (from = snapshot->before[to]) != OURO_NO_NODE && from != OURO_GROUP_ALL;
         to = from) {
        if (count < room) {
            fill_edge(graph, &edges[count], from, to,
                      ouro_graph_edge_name(graph, from, to));
        }
        count++;
    }
    return count;
}

/* --- by type --------------------------------------------------------------------------------------------------------- */

size_t
Ouro_SnapshotGetTypes(Ouro_Snapshot *snapshot, const Ouro_Snapshot *before,
                      Ouro_SnapshotType *types, size_t room)
{
    struct ouro_table table;
    if (!has_dominators(snapshot) ||
        !ouro_graph_tabulate(&snapshot->graph, before != NULL ? &before->graph : NULL,
                             &snapshot->dominators, &table)) {
        return 0;
    }
    for (size_t i = 0; i < table.count && i < room; i++) {
        const struct ouro_table_row *row = &table.rows[i];
        types[i] = (Ouro_SnapshotType){
            .name = row->name,
            .objects = row->objects,
            .bytes = row->bytes,
            .retained = row->retained,
            .objects_before = (uint64_t)row->objects_before,
            .bytes_before = (uint64_t)row->bytes_before,
        };
    }
    size_t count = table.count;
    ouro_table_free(&table);
    return count;
}

int
Ouro_SnapshotExplain(const Ouro_Snapshot *snapshot, FILE *file, int is_json)
{
    struct ouro_explanation explanation;
    if (!ouro_explain(&snapshot->graph, &explanation)) {
        return -1;
    }
    explanation.has_colours =
        isatty(fileno(file)) && ouro_platform_getenv("NO_COLOR") == NULL;
    ouro_explanation_write(&explanation, is_json != 0, file);
    ouro_explanation_free(&explanation);
    return 0;
}
