/* SPDX-License-Identifier: MIT */
/* What a collection reports: debug output, statistics, callbacks. */
#include "collection.h"

/* --- debug output ----------------------------------------------------------------------------- */

struct generation_sizes {
    Py_ssize_t objects[OURO_PERMANENT + 1];
};

static bool
count_generation(PyObject *op, void *arg)
{
    struct generation_sizes *sizes = arg;
    if (ouro_object_is_tracked(op)) {
        sizes->objects[ouro_object_generation(op)]++;
    }
    return true;
}

Py_ssize_t
ouro_collector_count_objects(struct _is *interp, int generation)
{
    struct generation_sizes sizes = {{0}};
    ouro_heap_each(&interp->heap, count_generation, &sizes);
    return sizes.objects[generation];
}

void
ouro_report_start(struct collection *c)
{
    if ((c->interp->gc.debug & OURO_DEBUG_STATS) == 0) {
        return;
    }
    struct generation_sizes sizes = {{0}};
    ouro_heap_each(c->heap, count_generation, &sizes);
    fprintf(stderr,
            "gc: collecting generation %d...\n"
            "gc: objects in each generation: %zd %zd %zd\n"
            "gc: objects in permanent generation: %zd\n",
            c->generation, sizes.objects[0], sizes.objects[1], sizes.objects[2],
            sizes.objects[OURO_PERMANENT]);
}

OURO_BODY
collectable_body(struct collection *c, PyObject *op, const struct page *page)
{
    (void)c;
    (void)page;
    if (ouro_is_unreachable(op)) {
        fprintf(stderr, "gc: collectable <%s %p>\n", Py_TYPE(op)->tp_name, (void *)op);
    }
}

void
ouro_report_collectable(struct collection *c)
{
    if ((c->interp->gc.debug & OURO_DEBUG_COLLECTABLE) != 0) {
        ouro_each_unreachable(c, collectable_body);
    }
}

void
ouro_report_done(struct collection *c)
{
    Ouro_GCStats *stats = &c->interp->gc.generations[c->generation].stats;
    stats->collections += !c->is_dropped;
    stats->collected += c->collected;
    stats->uncollectable += c->uncollectable;
    stats->candidates += c->candidates;
    stats->wall_seconds += c->duration;
    if ((c->interp->gc.debug & OURO_DEBUG_STATS) != 0) {
        fprintf(stderr, "gc: done, %zd unreachable, %zd uncollectable, %.4fs elapsed\n",
                c->collected + c->uncollectable, c->uncollectable, c->duration);
    }
}

/* --- callbacks ----------------------------------------------------------------------------------- */

void
ouro_call_gc_callbacks(struct collection *c, const char *phase)
{
    struct collection_facts facts = {
        .generation = c->generation,
        .collected = c->collected,
        .uncollectable = c->uncollectable,
        .candidates = c->candidates,
        .duration = c->duration,
    };
    ouro_seam.tell_callbacks(c->interp, phase, &facts);
}
