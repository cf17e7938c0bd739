/* SPDX-License-Identifier: MIT */
/* What is alive, and why: the records of the checker as a graph (../inspect/graph.h), with
 * serial numbers and the places where objects were allocated; and the report at the end.
 *
 * Every reference to an object is either one that a container visits, or one that is not
 * accounted for: a C variable, a field that is not visited, a count that was never given back.
 * So the objects with unaccounted references hold everything else. Objects that no path from
 * them reaches hold themselves: cycles that the collector could not see or not break. */
#include <unistd.h>

#include "../collector/collector.h"
#include "../inspect/graph.h"
#include "../platform/platform.h"
#include "check.h"

/* --- the graph ------------------------------------------------------------------------------ */

struct record_listing {
    struct ouro_graph *graph;
    const struct heap *heap;
};

static bool
is_explained_kind(const struct record *record)
{
    const PyObject *op = record->block;
    return record->state == BLOCK_LIVE && record->info != NULL && !_Py_IsImmortal(op) &&
           !record->is_at_start &&
           (record->family == BLOCK_CONTAINER || !record->info->is_ours);
}

static void
list_live_record(struct record *record, void *arg)
{
    const struct record_listing *listing = arg;
    if (record->home == listing->heap && is_explained_kind(record)) {
        ouro_graph_add(listing->graph, record->block);
    }
}

static bool
list_live_records(struct ouro_graph *graph, void *heap)
{
    struct record_listing listing = {graph, heap};
    ouro_record_each(list_live_record, &listing);
    return true;
}

/* The fields of an untracked object may not be valid, unless its type is the library's. */
static bool
may_be_traversed(PyObject *op, void *Py_UNUSED(heap))
{
    const struct record *record = ouro_record_find(op);
    return record->family == BLOCK_CONTAINER &&
           (ouro_object_is_tracked(op) || record->info->is_ours);
}

/* The type itself may be gone. */
static const char *
name_of_type(PyObject *op, void *Py_UNUSED(heap))
{
    return ouro_record_find(op)->info->name;
}

static const struct record *
record_of(const struct ouro_graph *graph, uint32_t node)
{
    return ouro_record_find((void *)(uintptr_t)graph->nodes[node].object);
}

static void
write_record(const struct ouro_graph *graph, uint32_t node, bool is_json, FILE *file)
{
    const struct record *record = record_of(graph, node);
    const PyObject *op = record->block;
    fprintf(file, is_json ? ", \"serial\": %llu" : " #%llu",
            (unsigned long long)record->serial);
    if (is_json) {
        fprintf(file, ", \"references\": %u", op->ob_refcnt);
    }
}

static void
write_site(const struct ouro_graph *graph, uint32_t example, FILE *file)
{
    const struct record *record = record_of(graph, example);
    ouro_site_print(file, "  allocated at", record->allocated.frames,
                    record->allocated.count);
}

/* A graph of what is alive in the interpreter, and its explanation. */
struct alive {
    struct ouro_graph graph;
    struct ouro_explanation explanation;
};

static void
find_alive(struct alive *alive, struct _is *interp)
{
    struct ouro_graph_source source = {
        .context = &interp->heap,
        .objects = list_live_records,
        .is_traversed = may_be_traversed,
        .traverse = ouro_traverse_checked,
        .type_name = name_of_type,
        .only_these = true,
        .no_names = true,
    };
    OURO_REQUIRE(ouro_graph_take(&alive->graph, &source) &&
                     ouro_explain(&alive->graph, &alive->explanation),
                 "the contract checker: out of memory");
    alive->explanation.write_object = write_record;
    alive->explanation.write_group = write_site;
}

static void
forget_alive(struct alive *alive)
{
    ouro_explanation_free(&alive->explanation);
    ouro_graph_free(&alive->graph);
}

static void
write_alive(struct alive *alive, bool is_json, FILE *file)
{
    alive->explanation.has_colours =
        isatty(fileno(file)) && ouro_platform_getenv("NO_COLOR") == NULL;
    ouro_explanation_write(&alive->explanation, is_json, file);
}

static uint32_t
count_alive(const struct alive *alive)
{
    return alive->graph.count - OURO_GROUPS;
}

/* --- asked for, and at the end -------------------------------------------------------------------- */

Py_ssize_t
Ouro_CheckExplain(FILE *file, int is_json)
{
    struct alive alive;
    ouro_collect(ouro_current.interp, OURO_OLD, OURO_REASON_MANUAL);
    find_alive(&alive, ouro_current.interp);
    if (file != NULL) {
        write_alive(&alive, is_json != 0, file);
    }
    Py_ssize_t count = count_alive(&alive);
    forget_alive(&alive);
    return count;
}

/* Do static data hold each object of the group that is held from outside? */
static bool
is_kept_by_static_data(const struct alive *alive, const struct ouro_explained *group)
{
    for (uint32_t n = OURO_GROUPS; n < alive->graph.count; n++) {
        uint32_t unexplained = alive->explanation.unexplained[n];
        if (alive->graph.nodes[n].type == group->type && unexplained > 0 &&
            (int)unexplained > ouro_count_kept(record_of(&alive->graph, n)->block)) {
            return false;
        }
    }
    return true;
}

static void
report_group(const struct alive *alive, const struct ouro_explained *group)
{
    const struct record *example = record_of(&alive->graph, group->example);
    const char *plural = group->objects == 1 ? "" : "s";
    if (is_kept_by_static_data(alive, group)) {
        ouro_report(OURO_GC_L71, example->block, -1,
                    "%u '%s' object%s kept alive at shutdown, by static data",
                    group->objects, example->info->name, plural);
    } else {
        ouro_report(OURO_GC_L67, example->block, -1,
                    "%u '%s' object%s kept alive at shutdown, by %llu reference%s that "
                    "nobody accounts for",
                    group->objects, example->info->name, plural,
                    (unsigned long long)group->unexplained,
                    group->unexplained == 1 ? "" : "s");
        ouro_members_report_forgotten(); /* may hold it */
    }
}

/* What an empty interpreter still holds can never be released. Many programs keep a module or a
 * list in a variable until they end; so objects of the library's types are only reported on
 * request. */
static void
report_leaks(const struct alive *alive)
{
    for (uint32_t g = 0; g < alive->explanation.count; g++) {
        const struct ouro_explained *group = &alive->explanation.groups[g];
        bool is_told = !record_of(&alive->graph, group->example)->info->is_ours ||
                       ouro_check_settings.explains;
        if (group->unexplained > 0 && is_told) {
            report_group(alive, group);
        }
    }
    for (uint32_t n = OURO_GROUPS; n < alive->graph.count; n++) {
        struct record *record =
            ouro_record_find((void *)(uintptr_t)alive->graph.nodes[n].object);
        if (record->was_dropped && alive->explanation.unexplained[n] > 0) {
            ouro_report(OURO_GC_K29, record->block, -1,
                        "a reference to it was in an item that PyObject_GC_Resize cut "
                        "off, and nobody released it");
        }
        ouro_judge_untracked(record);
    }
}

void
ouro_event_emptied(struct _is *interp)
{
    struct alive alive;
    find_alive(&alive, interp);
    report_leaks(&alive);
    if (ouro_check_settings.explains && count_alive(&alive) != 0) {
        write_alive(&alive, false, stderr);
    }
    forget_alive(&alive);
}
