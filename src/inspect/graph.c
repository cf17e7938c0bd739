/* SPDX-License-Identifier: MIT */
/* Taking the graph of a heap; graph.h says what it is and what it needs.
 *
 * The objects that the source lists are the first nodes. The walk visits the nodes in order,
 * calls the handler of each, and appends the objects that it finds. Then the roots follow, as
 * edges of the groups: first those that the source knows, then references that no edge
 * explains, then the objects that none of these reaches. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_CACHE         1021
#define IS_ATTRIBUTES      ((uint32_t)1 << 31) /* in `type`, while it is taken */
#define SEARCHED_FOR_NAMES 256

struct root {
    uint32_t to, name;
    enum ouro_group group;
};

struct reference {
    const PyObject *target;
    uint32_t name;
};

struct references {
    struct reference *items;
    size_t count, room;
};

/* What is asked once for a type, and not for each of its objects. */
struct known_type {
    PyTypeObject *type;
    uint32_t name;
    bool has_plain_size;
};

struct ouro_taking {
    const struct ouro_graph_source *source;
    uint32_t *slots; /* from address to node, an open table; OURO_NO_NODE is free */
    size_t slot_count;
    struct known_type types[TYPE_CACHE];
    struct references visits, named;
    uint32_t *visits_of; /* by node, once all is walked; known roots count */
    struct root *roots;
    size_t root_count, root_room;
};

/* --- arrays ------------------------------------------------------------------------------------ */

/* The array, with room for one more item of this many bytes; without memory it is unchanged and
 * graph->failed is set. */
static void *
grow_array(struct ouro_graph *graph, void *items, size_t *room, size_t count,
           size_t bytes)
{
    if (count < *room) {
        return items;
    }
    size_t wanted = *room + *room / 2 + 256;
    void *larger = realloc(items, wanted * bytes);
    if (larger == NULL) {
        graph->failed = true;
        return items;
    }
    *room = wanted;
    return larger;
}

uint32_t
ouro_graph_text(struct ouro_graph *graph, const char *text)
{
    return ouro_texts_put(&graph->names, text, &graph->failed);
}

void
ouro_graph_put_node(struct ouro_graph *graph, struct ouro_node node)
{
    if (graph->count >= UINT32_MAX - 1) {
        graph->failed = true;
    }
    /* One more: the end of the edges. */
    graph->nodes = grow_array(graph, graph->nodes, &graph->room, (size_t)graph->count + 1,
                              sizeof *graph->nodes);
    if (!graph->failed) {
        graph->nodes[graph->count++] = node;
    }
}

void
ouro_graph_put_edge(struct ouro_graph *graph, struct ouro_edge edge)
{
    if (graph->edge_count >= UINT32_MAX - 1) {
        graph->failed = true;
    }
    graph->edges = grow_array(graph, graph->edges, &graph->edge_room, graph->edge_count,
                              sizeof *graph->edges);
    if (!graph->failed) {
        graph->edges[graph->edge_count++] = edge;
    }
}

void
ouro_graph_put_label(struct ouro_graph *graph, uint32_t node, const char *text)
{
    graph->labels = grow_array(graph, graph->labels, &graph->label_room,
                               graph->label_count, sizeof *graph->labels);
    if (!graph->failed) {
        graph->labels[graph->label_count++] =
            (struct ouro_label){node, ouro_graph_text(graph, text)};
    }
}

static void
put_reference(struct ouro_graph *graph, struct references *references,
              const PyObject *target, uint32_t name)
{
    references->items = grow_array(graph, references->items, &references->room,
                                   references->count, sizeof *references->items);
    if (!graph->failed) {
        references->items[references->count++] = (struct reference){target, name};
    }
}

/* --- from address to node ----------------------------------------------------------------------- */

static size_t
slot_of_address(const struct ouro_graph *graph, const void *address)
{
    const struct ouro_taking *taking = graph->taking;
    size_t mask = taking->slot_count - 1;
    uint64_t key = (uintptr_t)address;
    size_t at = (size_t)((key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 24) & mask;
    while (taking->slots[at] != OURO_NO_NODE &&
           graph->nodes[taking->slots[at]].object != key) {
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t
ouro_graph_find(const struct ouro_graph *graph, const void *address)
{
    return graph->taking->slots[slot_of_address(graph, address)];
}

static bool
make_slots(struct ouro_graph *graph, size_t slot_count)
{
    struct ouro_taking *taking = graph->taking;
    uint32_t *slots = malloc(slot_count * sizeof *slots);
    if (slots == NULL) {
        graph->failed = true;
        return false;
    }
    memset(slots, 0xFF, slot_count * sizeof *slots);
    free(taking->slots);
    taking->slots = slots;
    taking->slot_count = slot_count;
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        slots[slot_of_address(graph, (void *)(uintptr_t)graph->nodes[n].object)] = n;
    }
    return true;
}

/* The node of the object, which becomes one. */
static uint32_t
node_of_object(struct ouro_graph *graph, const PyObject *object)
{
    struct ouro_taking *taking = graph->taking;
    size_t at = slot_of_address(graph, object);
    if (taking->slots[at] != OURO_NO_NODE) {
        return taking->slots[at];
    }
    if ((size_t)graph->count * 3 >= taking->slot_count * 2) {
        if (!make_slots(graph, taking->slot_count * 2)) { /* analyzer: it is kept */
            return OURO_NO_NODE;
        }
        at = slot_of_address(graph, object);
    }
    ouro_graph_put_node(graph, (struct ouro_node){.object = (uintptr_t)object});
    if (graph->failed) {
        return OURO_NO_NODE;
    }
    return taking->slots[at] = graph->count - 1;
}

void
ouro_graph_add(struct ouro_graph *graph, PyObject *object)
{
    if (!graph->failed) {
        node_of_object(graph, object);
    }
}

uint32_t
ouro_graph_search(const struct ouro_graph *graph, const void *address)
{
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        if (graph->nodes[n].object == (uintptr_t)address) {
            return n;
        }
    }
    return OURO_NO_NODE;
}

/* --- the edges of one object ------------------------------------------------------------------------ */

static void
note_named(void *arg, const PyObject *target, uint32_t name)
{
    struct ouro_graph *graph = arg;
    put_reference(graph, &graph->taking->named, target, name);
}

void
ouro_graph_name(void *names, const PyObject *target, const char *name)
{
    note_named(names, target, ouro_graph_text(names, name));
}

static int
note_visited(PyObject *target, void *arg)
{
    struct ouro_graph *graph = arg;
    if (target != NULL) {
        put_reference(graph, &graph->taking->visits, target, 0);
    }
    return graph->failed;
}

static uint32_t
take_name(struct reference *reference)
{
    reference->target = NULL;
    return reference->name;
}

/* Names come in the order of the visits, in reverse order, or are few. `*next` is where the
 * last name was found. */
static uint32_t
find_name(struct references *named, const PyObject *target, size_t *next)
{
    size_t count = named->count;
    size_t likely[] = {*next + 1, *next - 1, *next, count - 1};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(likely); i++) {
        if (likely[i] < count && named->items[likely[i]].target == target) {
            *next = likely[i];
            return take_name(&named->items[*next]);
        }
    }
    for (size_t i = 0; i < count && count <= SEARCHED_FOR_NAMES; i++) {
        if (named->items[i].target == target) {
            *next = i;
            return take_name(&named->items[i]);
        }
    }
    return 0;
}

static void
name_visits(struct references *visits, struct references *named)
{
    size_t next = 0;
    for (size_t i = 0; i < visits->count && named->count != 0; i++) {
        visits->items[i].name = find_name(named, visits->items[i].target, &next);
    }
}

static void
put_references(struct ouro_graph *graph, const struct references *references)
{
    const struct ouro_graph_source *source = graph->taking->source;
    for (size_t i = 0; i < references->count && !graph->failed; i++) {
        const PyObject *target = references->items[i].target;
        bool is_left_out = source->is_left_out != NULL &&
                           source->is_left_out((PyObject *)target, source->context);
        uint32_t to = source->only_these || is_left_out ? ouro_graph_find(graph, target)
                                                        : node_of_object(graph, target);
        if (to != OURO_NO_NODE) {
            ouro_graph_put_edge(graph, (struct ouro_edge){to, references->items[i].name});
        }
    }
}

static void
follow_references(struct ouro_graph *graph, PyObject *object)
{
    struct ouro_taking *taking = graph->taking;
    const struct ouro_graph_source *source = taking->source;
    bool is_listed =
        !source->no_names && (PyDict_CheckExact(object) || PyList_CheckExact(object) ||
                              PyTuple_CheckExact(object));
    taking->visits.count = taking->named.count = 0;
    if (!source->no_names) {
        ouro_describe_names(graph, object, note_named, graph);
    }
    if (is_listed) {
        put_references(graph, &taking->named);
        return;
    }
    if (!source->no_names && source->names != NULL) {
        source->names(object, graph, source->context);
    }
    if (source->traverse != NULL) {
        source->traverse(object, note_visited, graph);
    } else {
        Py_TYPE(object)->tp_traverse(object, note_visited, graph);
    }
    name_visits(&taking->visits, &taking->named);
    put_references(graph, &taking->visits);
}

/* --- the walk ---------------------------------------------------------------------------------------- */

static const struct known_type *
type_of_object(struct ouro_graph *graph, PyObject *object)
{
    const struct ouro_graph_source *source = graph->taking->source;
    PyTypeObject *type = Py_TYPE(object);
    struct known_type *known =
        &graph->taking
             ->types[((uintptr_t)type >> 4) % Py_ARRAY_LENGTH(graph->taking->types)];
    if (known->type != type) {
        known->type = type;
        known->name = ouro_graph_text(
            graph, source->type_name != NULL ? source->type_name(object, source->context)
                                             : type->tp_name);
        known->has_plain_size = !source->no_names && ouro_describe_has_plain_size(type);
    }
    return known;
}

static void
describe_node(struct ouro_graph *graph, uint32_t n, PyObject *object)
{
    char label[100];
    const struct known_type *type = type_of_object(graph, object);
    graph->nodes[n].type = type->name | (graph->nodes[n].type & IS_ATTRIBUTES);
    if (!graph->taking->source->no_names) {
        graph->nodes[n].size = ouro_describe_size(object, type->has_plain_size);
        if (ouro_describe_label(object, graph->taking->source->with_values, label,
                                sizeof label)) {
            ouro_graph_put_label(graph, n, label);
        }
    }
}

/* The keys of a dict of attributes or of modules are names in the program, and no secrets. */
static void
mark_dict(struct ouro_graph *graph, const PyObject *dict)
{
    uint32_t node = dict != NULL ? ouro_graph_find(graph, dict) : OURO_NO_NODE;
    if (node != OURO_NO_NODE) {
        graph->nodes[node].type |= IS_ATTRIBUTES;
    }
}

static void
mark_attributes(struct ouro_graph *graph, PyObject *object)
{
    mark_dict(graph, ouro_describe_dict(object));
}

bool
ouro_graph_shows_keys(const struct ouro_graph *graph, const PyObject *dict)
{
    const struct ouro_taking *taking = graph->taking;
    uint32_t node = ouro_graph_find(graph, dict);
    return taking->source->with_values ||
           (node != OURO_NO_NODE && (graph->nodes[node].type & IS_ATTRIBUTES) != 0);
}

static void
walk_nodes(struct ouro_graph *graph)
{
    const struct ouro_graph_source *source = graph->taking->source;
    mark_dict(graph, source->modules);
    for (uint32_t n = OURO_GROUPS; n < graph->count && !source->no_names; n++) {
        mark_attributes(graph, (PyObject *)(uintptr_t)graph->nodes[n].object);
    }
    for (uint32_t n = OURO_GROUPS; n < graph->count && !graph->failed; n++) {
        PyObject *object = (PyObject *)(uintptr_t)graph->nodes[n].object;
        graph->nodes[n].edges = (uint32_t)graph->edge_count;
        describe_node(graph, n, object);
        if (source->is_traversed(object, source->context) && PyObject_IS_GC(object) &&
            Py_TYPE(object)->tp_traverse != NULL) {
            follow_references(graph, object);
            if (!source->no_names) {
                mark_attributes(graph, object); /* now that its dict is a node */
            }
        }
    }
}

/* --- roots --------------------------------------------------------------------------------------------- */

static bool
is_immortal(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030C0000
    return _Py_IsImmortal(object);
#else
    (void)object;
    return false;
#endif
}

static void
put_root(struct ouro_graph *graph, enum ouro_group group, uint32_t to, const char *name)
{
    struct ouro_taking *taking = graph->taking;
    taking->roots = grow_array(graph, taking->roots, &taking->root_room,
                               taking->root_count, sizeof *taking->roots);
    if (!graph->failed) {
        taking->roots[taking->root_count++] =
            (struct root){to, ouro_graph_text(graph, name), group};
    }
}

void
ouro_graph_root(struct ouro_graph *graph, enum ouro_group group, PyObject *object,
                const char *name)
{
    uint32_t to = ouro_graph_find(graph, object);
    if (to != OURO_NO_NODE) {
        graph->taking->visits_of[to]++;
        put_root(graph, group, to, name);
    }
}

bool
ouro_graph_misses(const struct ouro_graph *graph, PyObject *object)
{
    uint32_t node = ouro_graph_find(graph, object);
    return node != OURO_NO_NODE && PyObject_IS_GC(object) && !is_immortal(object) &&
           Py_REFCNT(object) > (Py_ssize_t)graph->taking->visits_of[node];
}

/* Add roots for unexplained references. Strings and numbers are held by the objects that visit
 * them. */
static void
add_unexplained(struct ouro_graph *graph)
{
    const struct ouro_taking *taking = graph->taking;
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        PyObject *object = (PyObject *)(uintptr_t)graph->nodes[n].object;
        Py_ssize_t left = Py_REFCNT(object) - (Py_ssize_t)taking->visits_of[n];
        char name[60] = "immortal";
        if (!is_immortal(object)) {
            snprintf(name, sizeof name, "%lld unexplained reference%s", (long long)left,
                     left == 1 ? "" : "s");
        }
        if (left > 0 && (taking->source->only_these || PyObject_IS_GC(object))) {
            put_root(graph, OURO_GROUP_UNEXPLAINED, n, name);
        }
    }
}

struct reach {
    uint8_t *is_reached; /* by node */
    uint32_t *stack;
    size_t height;
};

static void
reach_from(const struct ouro_graph *graph, struct reach *reach, uint32_t start)
{
    if (!reach->is_reached[start]) {
        reach->is_reached[start] = 1;
        reach->stack[reach->height++] = start;
    }
    while (reach->height > 0) {
        uint32_t n = reach->stack[--reach->height];
        size_t end = n + 1 < graph->count ? graph->nodes[n + 1].edges : graph->edge_count;
        for (size_t e = graph->nodes[n].edges; e < end; e++) {
            uint32_t to = graph->edges[e].to;
            if (!reach->is_reached[to]) {
                reach->is_reached[to] = 1;
                reach->stack[reach->height++] = to;
            }
        }
    }
}

/* The objects that are still not reached hold themselves. */
static void
add_cycles(struct ouro_graph *graph)
{
    struct reach reach = {calloc(graph->count, 1),
                          malloc(graph->count * sizeof(uint32_t)), 0};
    graph->failed |= reach.is_reached == NULL || reach.stack == NULL;
    for (size_t i = 0; i < graph->taking->root_count && !graph->failed; i++) {
        reach_from(graph, &reach, graph->taking->roots[i].to);
    }
    for (uint32_t n = OURO_GROUPS; n < graph->count && !graph->failed; n++) {
        if (!reach.is_reached[n]) {
            put_root(graph, OURO_GROUP_CYCLES, n, "nothing outside refers to it");
            reach_from(graph, &reach, n);
        }
    }
    free(reach.is_reached);
    free(reach.stack);
}

/* The roots become the first edges. */
static void
place_roots(struct ouro_graph *graph)
{
    const struct ouro_taking *taking = graph->taking;
    size_t more = taking->root_count + OURO_GROUPS - 1;
    for (size_t i = 0; i < more && !graph->failed; i++) {
        ouro_graph_put_edge(graph, (struct ouro_edge){0, 0});
    }
    if (graph->failed) {
        return;
    }
    memmove(graph->edges + more, graph->edges,
            (graph->edge_count - more) * sizeof *graph->edges);
    for (uint32_t n = OURO_GROUPS; n < graph->count; n++) {
        graph->nodes[n].edges += (uint32_t)more;
        graph->nodes[n].type &= ~IS_ATTRIBUTES;
    }
    uint32_t at = 0;
    for (uint32_t group = OURO_GROUP_ALL + 1; group < OURO_GROUPS; group++) {
        graph->edges[at++] = (struct ouro_edge){group, graph->nodes[group].type};
    }
    for (uint32_t group = OURO_GROUP_ALL + 1; group < OURO_GROUPS; group++) {
        graph->nodes[group].edges = at;
        for (size_t i = 0; i < taking->root_count; i++) {
            if (taking->roots[i].group == group) {
                graph->edges[at++] =
                    (struct ouro_edge){taking->roots[i].to, taking->roots[i].name};
            }
        }
    }
}

static void
find_roots(struct ouro_graph *graph)
{
    const struct ouro_graph_source *source = graph->taking->source;
    graph->taking->visits_of = ouro_graph_count_visits(graph);
    graph->failed |= graph->taking->visits_of == NULL;
    if (!graph->failed && source->roots != NULL) {
        source->roots(graph, source->context);
    }
    if (!graph->failed) {
        add_unexplained(graph);
        add_cycles(graph);
    }
    if (!graph->failed) {
        place_roots(graph);
        graph->nodes[graph->count].edges = (uint32_t)graph->edge_count;
    }
}

/* --- all of it ------------------------------------------------------------------------------------------- */

bool
ouro_graph_begin(struct ouro_graph *graph)
{
    static const char *const names[OURO_GROUPS] = {
        "(roots)",
        "(threads)",
        "(modules)",
        "(static variables)",
        "(unexplained references)",
        "(cycles)",
    };
    *graph = (struct ouro_graph){0};
    graph->failed = !ouro_texts_init(&graph->names);
    for (uint32_t group = 0; group < OURO_GROUPS && !graph->failed; group++) {
        ouro_graph_put_node(graph, (struct ouro_node){
                                       .object = group,
                                       .type = ouro_graph_text(graph, names[group]),
                                   });
    }
    return !graph->failed;
}

bool
ouro_graph_take(struct ouro_graph *graph, const struct ouro_graph_source *source)
{
    bool is_listed = ouro_graph_begin(graph);
    graph->taking = calloc(1, sizeof *graph->taking);
    if (!is_listed || graph->taking == NULL) {
        graph->failed = true;
        return false;
    }
    graph->taking->source = source;
    is_listed = make_slots(graph, 4096) && source->objects(graph, source->context);
    if (is_listed && !graph->failed) {
        walk_nodes(graph);
    }
    if (is_listed && !graph->failed) {
        graph->nodes[graph->count].edges = (uint32_t)graph->edge_count;
        find_roots(graph);
    }
    return is_listed && !graph->failed;
}

uint32_t *
ouro_graph_count_visits(const struct ouro_graph *graph)
{
    uint32_t *visits = calloc(graph->count, sizeof *visits);
    for (size_t e = graph->nodes[OURO_GROUPS].edges;
         visits != NULL && e < graph->edge_count; e++) {
        visits[graph->edges[e].to]++;
    }
    return visits;
}

/* The array without spare room; or unchanged. */
static void *
shrink_array(void *array, size_t count, size_t item_size)
{
    void *smaller = count != 0 ? realloc(array, count * item_size) : NULL;
    return smaller != NULL ? smaller : array;
}

static void
shrink_graph(struct ouro_graph *graph)
{
    graph->room = (size_t)graph->count + 1;
    graph->edge_room = graph->edge_count;
    graph->label_room = graph->label_count;
    graph->nodes = shrink_array(graph->nodes, graph->room, sizeof *graph->nodes);
    graph->edges = shrink_array(graph->edges, graph->edge_room, sizeof *graph->edges);
    graph->labels = shrink_array(graph->labels, graph->label_room, sizeof *graph->labels);
}

void
ouro_graph_seal(struct ouro_graph *graph)
{
    struct ouro_taking *taking = graph->taking;
    if (taking != NULL) {
        shrink_graph(graph);
        free(taking->slots);
        free(taking->visits.items);
        free(taking->named.items);
        free(taking->visits_of);
        free(taking->roots);
        free(taking);
        graph->taking = NULL;
    }
}

void
ouro_graph_free(struct ouro_graph *graph)
{
    ouro_graph_seal(graph);
    free(graph->nodes);
    free(graph->edges);
    free(graph->labels);
    ouro_texts_free(&graph->names);
    *graph = (struct ouro_graph){0};
}

const char *
ouro_graph_label(const struct ouro_graph *graph, uint32_t node)
{
    size_t low = 0, high = graph->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->labels[middle].node < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_found = low < graph->label_count && graph->labels[low].node == node;
    return is_found ? ouro_graph_string(graph, graph->labels[low].text) : NULL;
}
