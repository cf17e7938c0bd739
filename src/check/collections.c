/* SPDX-License-Identifier: MIT */
/* What is checked when a collection begins, and in what it destroys.
 *
 * The ownership audit: every reference that a tp_traverse visits is owned, so no object can be
 * visited more often, by all containers together, than its count says. */
#include "../collector/collector.h"
#include "check.h"

#define AUDITS_MOST 20 /* instances of each type whose handlers are looked at */
#define SMALL_HEAP                                                                       \
    4000 /* tracked objects; larger heaps are audited in full collections */
#define CYCLE_NODES_MOST 4096

static uint64_t collection_number;

/* --- visits of all ------------------------------------------------------------------------- */

struct visited {
    PyObject *op;
    PyObject *by; /* the last one that visited it */
    uint32_t visits;
};

struct ownership {
    struct visited *table;
    size_t capacity, count;
    PyObject *visitor;
    Py_ssize_t tracked;
};

static struct visited *
place_of_visited(const struct ownership *all, const PyObject *op)
{
    size_t at = (size_t)((uintptr_t)op * 0x9E3779B97F4A7C15u >> 24) & (all->capacity - 1);
    while (all->table[at].op != NULL && all->table[at].op != op) {
        at = (at + 1) & (all->capacity - 1);
    }
    return &all->table[at];
}

static void
grow_ownership(struct ownership *all)
{
    struct ownership larger = {.capacity = 2 * all->capacity};
    larger.table = calloc(larger.capacity, sizeof *larger.table);
    OURO_REQUIRE(larger.table != NULL, "the contract checker: out of memory");
    for (size_t i = 0; i < all->capacity; i++) {
        if (all->table[i].op != NULL) {
            *place_of_visited(&larger, all->table[i].op) = all->table[i];
        }
    }
    free(all->table);
    all->table = larger.table;
    all->capacity = larger.capacity;
}

static int
note_visit(PyObject *op, void *arg)
{
    struct ownership *all = arg;
    if (_Py_IsImmortal(op)) {
        return 0;
    }
    struct visited *visited = place_of_visited(all, op);
    if (visited->op == NULL) {
        visited->op = op;
        if (++all->count * 2 > all->capacity) {
            grow_ownership(all);
            visited = place_of_visited(all, op);
        }
    }
    visited->visits++;
    visited->by = all->visitor;
    return 0;
}

static bool
is_whole(const PyObject *op)
{
    return ouro_object_is_tracked(op) && op->ob_refcnt != 0 &&
           !ouro_object_has(op, OURO_GC_UNREACHABLE);
}

static bool
note_visits_of(PyObject *op, void *arg)
{
    struct ownership *all = arg;
    if (is_whole(op)) {
        all->visitor = op;
        ouro_traverse_checked(op, note_visit, all);
    }
    return true;
}

/* Find the object to blame: of those that visit `target`, one whose type is not the library's. */
struct blame {
    PyObject *target;
    PyObject *guilty;
};

static int
stop_at_target(PyObject *op, void *arg)
{
    const struct blame *blame = arg;
    return op == blame->target;
}

static bool
look_for_guilty(PyObject *op, void *arg)
{
    struct blame *blame = arg;
    if (is_whole(op) && !ouro_type_is_ours(Py_TYPE(op)) &&
        ouro_traverse_checked(op, stop_at_target, blame) != 0) {
        blame->guilty = op;
        return false;
    }
    return true;
}

static bool
look_for_keeper(PyObject *op, void *arg)
{
    struct blame *blame = arg;
    if (is_whole(op) && Py_TYPE(op) != Py_TYPE(blame->target) &&
        ouro_traverse_checked(op, stop_at_target, blame) != 0) {
        blame->guilty = op;
        return false;
    }
    return true;
}

int
Ouro_CheckIsKept(PyObject *op)
{
    struct blame blame = {op, NULL};
    if (ouro_count_kept(op) > 0) {
        return 1;
    }
    ouro_heap_each(&ouro_current.interp->heap, look_for_keeper, &blame);
    return blame.guilty != NULL;
}

Py_ssize_t
ouro_ownership_left(const struct ownership *all, const PyObject *op)
{
    const struct visited *visited = place_of_visited(all, op);
    return (Py_ssize_t)op->ob_refcnt - (Py_ssize_t)visited->visits;
}

static void
report_ownership(const struct ownership *all, struct heap *heap)
{
    for (size_t i = 0; i < all->capacity; i++) {
        const struct visited *visited = &all->table[i];
        if (visited->op == NULL || visited->visits <= visited->op->ob_refcnt) {
            continue;
        }
        struct blame blame = {visited->op, visited->by};
        ouro_heap_each(heap, look_for_guilty, &blame);
        ouro_report(OURO_GC_T02, blame.guilty, -1,
                    "tp_traverse visits '%s' #%llu, which all containers together visit "
                    "%u times, but its count is %u: a borrowed reference, or one visited "
                    "twice",
                    ouro_type_name_of(visited->op),
                    (unsigned long long)ouro_serial_of(visited->op), visited->visits,
                    (unsigned)visited->op->ob_refcnt);
    }
}

/* --- one by one --------------------------------------------------------------------------------- */

static bool
audit_if_new(PyObject *op, void *arg)
{
    if (is_whole(op)) {
        struct type_info *info = ouro_type_info(Py_TYPE(op));
        if (info->audits < AUDITS_MOST && ouro_declared_arrays_fit(op)) {
            info->audits++;
            ouro_declared_note_held(op, info);
            ouro_audit_one(op, arg);
        }
    }
    return true;
}

static bool
audit_any(PyObject *op, void *arg)
{
    if (is_whole(op)) {
        ouro_audit_one(op, arg);
    }
    return true;
}

static void
audit_heap(struct heap *heap, bool (*audit)(PyObject *op, void *arg))
{
    struct ownership all = {.capacity = 4096};
    all.table = calloc(all.capacity, sizeof *all.table);
    OURO_REQUIRE(all.table != NULL, "the contract checker: out of memory");
    ouro_heap_each(heap, note_visits_of, &all);
    ouro_heap_each(heap, audit, &all);
    report_ownership(&all, heap);
    free(all.table);
}

static bool
count_whole(PyObject *op, void *arg)
{
    Py_ssize_t *count = arg;
    *count += is_whole(op);
    return *count < SMALL_HEAP;
}

void
ouro_event_collection_begins(struct _is *interp, int generation)
{
    ouro_guard_containers("a collection runs");
    collection_number += generation == OURO_OLD;
    Py_ssize_t count = 0;
    ouro_heap_each(&interp->heap, count_whole, &count);
    if (generation == OURO_OLD || count < SMALL_HEAP) {
        audit_heap(&interp->heap, audit_if_new);
    }
}

void
ouro_event_collection_ends(struct _is *Py_UNUSED(interp))
{
}

static bool
stress_if_module(PyObject *op, void *Py_UNUSED(arg))
{
    if (is_whole(op) && PyModule_Check(op)) {
        ouro_stress_module(op);
    }
    return true;
}

Py_ssize_t
Ouro_CheckAudit(void)
{
    Py_ssize_t before = Ouro_CheckCountReports(NULL);
    struct heap *heap = &ouro_current.interp->heap;
    audit_heap(heap, audit_any);
    ouro_members_report_forgotten();
    if ((ouro_check_settings.stress & OURO_CHECK_STRESS_STATE) != 0) {
        ouro_heap_each(heap, stress_if_module, NULL);
    }
    return Ouro_CheckCountReports(NULL) - before;
}

/* --- what does not die ----------------------------------------------------------------------------- */

/* Is there a path from an object back to itself? A bounded breadth-first search. */
struct walk {
    PyObject *start;
    PyObject *nodes[CYCLE_NODES_MOST];
    int count;
};

static int
walk_to(PyObject *op, void *arg)
{
    struct walk *walk = arg;
    if (op == walk->start) {
        return 1;
    }
    if (!ouro_object_has(op, OURO_GC_UNREACHABLE | OURO_GC_PINNED) ||
        walk->count == CYCLE_NODES_MOST) {
        return 0;
    }
    for (int i = 0; i < walk->count; i++) {
        if (walk->nodes[i] == op) {
            return 0;
        }
    }
    walk->nodes[walk->count++] = op;
    return 0;
}

static bool
is_on_cycle(PyObject *op)
{
    struct walk *walk = malloc(sizeof *walk);
    OURO_REQUIRE(walk != NULL, "the contract checker: out of memory");
    walk->start = op;
    walk->count = 0;
    bool is_back = ouro_traverse_checked(op, walk_to, walk) != 0;
    for (int i = 0; i < walk->count && !is_back; i++) {
        is_back = ouro_traverse_checked(walk->nodes[i], walk_to, walk) != 0;
    }
    free(walk);
    return is_back;
}

/* An object that an earlier collection cleared, and that is still garbage in a cycle. */
void
ouro_event_condemned(PyObject *op)
{
    struct record *record = ouro_record_live(op);
    if (record == NULL) {
        return;
    }
    if (record->cleared_in != 0 && record->cleared_in < collection_number &&
        !record->info->is_ours &&
        ouro_report_is_new(OURO_GC_C49, record->info->name, -1) && is_on_cycle(op)) {
        ouro_report(OURO_GC_C49, op, -1, "unreachable for 2 collections; tp_clear %s",
                    Py_TYPE(op)->tp_clear == NULL ? "is missing"
                                                  : "does not break its cycle");
    }
    record->cleared_in = collection_number;
}
