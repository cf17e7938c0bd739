/* SPDX-License-Identifier: MIT */
/* The audit of one object; audit.h says what it is for and what it needs.
 *
 * Everything is a comparison of bags, sorted arrays of pointers: what one run of the handler
 * visited, what another run visited, the words of the body. Three questions are answered by
 * an experiment instead, for the time of one run. Whether a visit of the type is that of
 * Py_TYPE(self), and not of a type that the object happens to contain: the object gets a copy
 * of its type. Whether one field is visited twice, and not another reference to the same
 * object kept elsewhere: the field gets a copy of that object. Whether the weak references
 * are visited: their list is empty. */
#include "audit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OURO_AUDIT_MAGIC 4242 /* what a visit returns to see whether it is passed on */
#define OURO_AUDIT_STOP  4243 /* the limit is reached, or memory is out */

/* Types made at run time are counted by their instances, and visited by them since 3.9. */
#define OURO_AUDIT_TYPE_IS_VISITED (PY_VERSION_HEX >= 0x03090000)

/* Without a lock, another thread could see the type that is exchanged. */
#ifdef Py_GIL_DISABLED
#define OURO_AUDIT_MAY_EXCHANGE 0
#else
#define OURO_AUDIT_MAY_EXCHANGE 1
#endif

/* Visiting a managed dict; 3.11 has such dicts, but no name for it. */
#if PY_VERSION_HEX >= 0x030D0000
#define OURO_AUDIT_VISIT_MANAGED PyObject_VisitManagedDict
#elif PY_VERSION_HEX >= 0x030C0000
#define OURO_AUDIT_VISIT_MANAGED _PyObject_VisitManagedDict
#else
#define OURO_AUDIT_VISIT_MANAGED ((traverseproc)NULL)
#endif
#ifndef Py_TPFLAGS_MANAGED_DICT
#define Py_TPFLAGS_MANAGED_DICT 0
#endif

struct bag {
    PyObject **items;
    size_t count, room;
};

struct audit {
    const struct ouro_audit_environment *environment;
    PyObject *object;
    PyTypeObject *type;
    struct bag visited; /* by a run of the handler */
    struct bag words;   /* of the body */
    struct bag managed; /* visited by PyObject_VisitManagedDict */
    struct bag blamed;  /* referents of findings that explain others */
    int findings;
};

/* One run of a handler. */
struct run {
    struct bag *visited;
    size_t limit;
    size_t nulls;
    bool stopped;
    int result;
};

static bool record_body(struct audit *audit);
static bool check_runs(struct audit *audit);
static bool check_type(struct audit *audit);
static bool check_weak_references(struct audit *audit);
static bool check_managed_dict(struct audit *audit);
static bool check_bases(struct audit *audit);
static void check_results(struct audit *audit);
static bool check_counts(struct audit *audit);
static void check_fields(struct audit *audit);

int
ouro_audit_object(PyObject *object, const struct ouro_audit_environment *environment)
{
    struct audit audit = {
        .environment = environment,
        .object = object,
        .type = Py_TYPE(object),
    };
    if (!PyObject_IS_GC(object) || audit.type->tp_traverse == NULL) {
        return 0;
    }
    bool done = check_runs(&audit) && record_body(&audit) && check_type(&audit) &&
                check_weak_references(&audit) && check_managed_dict(&audit) &&
                check_bases(&audit) && check_counts(&audit);
    if (done) {
        check_results(&audit);
        check_fields(&audit);
    }
    free(audit.visited.items);
    free(audit.words.items);
    free(audit.managed.items);
    free(audit.blamed.items);
    return done ? audit.findings : -1;
}

traverseproc
ouro_audit_class_traverse(void)
{
    PyObject *class =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "ouro_audit_class");
    traverseproc traverse = class == NULL ? NULL : ((PyTypeObject *)class)->tp_traverse;
    Py_XDECREF(class);
    PyErr_Clear();
    return traverse;
}

/* --- bags ------------------------------------------------------------------------------- */

static bool
put_in_bag(struct bag *bag, PyObject *item)
{
    if (bag->count == bag->room) {
        size_t room = bag->room * 2 + 16;
        PyObject **items = realloc(bag->items, room * sizeof(PyObject *));
        if (items == NULL) {
            return false;
        }
        bag->items = items;
        bag->room = room;
    }
    bag->items[bag->count++] = item;
    return true;
}

static int
compare_addresses(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (PyObject *const *)a;
    uintptr_t right = (uintptr_t) * (PyObject *const *)b;
    return (left > right) - (left < right);
}

static void
sort_bag(struct bag *bag)
{
    if (bag->count > 1) {
        qsort(bag->items, bag->count, sizeof(PyObject *), compare_addresses);
    }
}

/* The index of the first item that is not below `item`. */
static size_t
find_in_bag(const struct bag *bag, const PyObject *item)
{
    size_t low = 0, high = bag->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)bag->items[middle] < (uintptr_t)item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static size_t
count_in_bag(const struct bag *bag, const PyObject *item)
{
    /* All addresses that are greater are at least one byte further: that is its end. */
    return find_in_bag(bag, (const PyObject *)((const char *)item + 1)) -
           find_in_bag(bag, item);
}

static bool
bags_are_equal(const struct bag *a, const struct bag *b)
{
    return a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->items, b->items, a->count * sizeof(PyObject *)) == 0);
}

/* The index behind the items equal to that at `i`: for loops over different items. */
static size_t
skip_equal(const struct bag *bag, size_t i)
{
    PyObject *item = bag->items[i];
    while (i < bag->count && bag->items[i] == item) {
        i++;
    }
    return i;
}

/* --- running handlers --------------------------------------------------------------------- */

static int
record_visit(PyObject *referent, void *arg)
{
    struct run *run = arg;
    if (referent == NULL) {
        run->nulls++;
        return 0;
    }
    if (run->visited->count >= run->limit || !put_in_bag(run->visited, referent)) {
        run->stopped = true;
        return OURO_AUDIT_STOP;
    }
    return 0;
}

/* Fill the empty bag with what the handler visits. False if it was stopped. */
static bool
run_handler(const struct audit *audit, traverseproc handler, struct bag *visited,
            struct run *run)
{
    size_t limit = audit->environment->visit_limit;
    *run =
        (struct run){.visited = visited, .limit = limit != 0 ? limit : (size_t)16 << 20};
    run->result = handler(audit->object, record_visit, run);
    sort_bag(visited);
    return !run->stopped;
}

/* --- reporting ----------------------------------------------------------------------------- */

static bool
knows_object(const struct audit *audit, const PyObject *referent)
{
    return audit->environment->is_object(referent, audit->environment->context);
}

/* The type whose handler is to blame for what the object's own does: classes leave it to
 * their bases. */
static PyTypeObject *
handler_type(const struct audit *audit, PyTypeObject *type)
{
    traverseproc class_traverse = audit->environment->class_traverse;
    PyTypeObject *blamed = type;
    while (blamed != NULL && class_traverse != NULL &&
           blamed->tp_traverse == class_traverse) {
        blamed = blamed->tp_base;
    }
    return blamed != NULL && blamed->tp_traverse != NULL ? blamed : type;
}

/* Report. The caller fills in what differs from a finding about the handler as a whole. */
static void
report_broken_rule(struct audit *audit, struct ouro_audit_finding finding,
                   const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.text, sizeof(finding.text), format, arguments);
    va_end(arguments);
    finding.object = audit->object;
    if (finding.type == NULL) {
        finding.type = handler_type(audit, audit->type);
    }
    if (finding.offset == 0) {
        finding.offset = OURO_AUDIT_NO_OFFSET; /* the header is no field */
    }
    audit->findings++;
    audit->environment->report(&finding, audit->environment->context);
}

/* --- two runs: GC-T09, GC-T11, and the result of GC-T08 ------------------------------------- */

static bool
check_runs(struct audit *audit)
{
    struct run first, second;
    struct bag again = {0};
    bool done = run_handler(audit, audit->type->tp_traverse, &audit->visited, &first) &&
                run_handler(audit, audit->type->tp_traverse, &again, &second);
    if (first.nulls > 0) {
        report_broken_rule(audit,
                           (struct ouro_audit_finding){.code = "GC-T09",
                                                       .certainty = OURO_AUDIT_CERTAIN,
                                                       .visits = first.nulls},
                           "tp_traverse called visit(NULL)");
    }
    if (done && first.result != 0) {
        report_broken_rule(audit,
                           (struct ouro_audit_finding){.code = "GC-T08",
                                                       .certainty = OURO_AUDIT_CERTAIN},
                           "every visit returned 0, tp_traverse returned %d",
                           first.result);
    }
    if (done && !bags_are_equal(&audit->visited, &again)) {
        report_broken_rule(
            audit,
            (struct ouro_audit_finding){.code = "GC-T11",
                                        .certainty = OURO_AUDIT_CERTAIN},
            "two runs of tp_traverse visited different objects: %zu, then %zu",
            audit->visited.count, again.count);
    }
    free(again.items);
    return done;
}

/* --- the body --------------------------------------------------------------------------------- */

static size_t
extent_of(const struct audit *audit, PyObject *object)
{
    const struct ouro_audit_environment *environment = audit->environment;
    if (Py_TYPE(object)->tp_itemsize == 0 || environment->extent == NULL) {
        return (size_t)Py_TYPE(object)->tp_basicsize;
    }
    return environment->extent(object, environment->context);
}

static PyObject *
word_at(const struct audit *audit, size_t offset)
{
    PyObject *word;
    memcpy(&word, (const char *)audit->object + offset, sizeof(PyObject *));
    return word;
}

/* Note all words behind the header but the list of weak references. */
static bool
record_body(struct audit *audit)
{
    size_t extent = extent_of(audit, audit->object);
    for (size_t offset = sizeof(PyObject); offset + sizeof(void *) <= extent;
         offset += sizeof(void *)) {
        PyObject *word = word_at(audit, offset);
        if (word != NULL && (Py_ssize_t)offset != audit->type->tp_weaklistoffset &&
            !put_in_bag(&audit->words, word)) {
            return false;
        }
    }
    sort_bag(&audit->words);
    return true;
}

/* --- the type: GC-T03, GC-T04 -------------------------------------------------------------------- */

static size_t
size_of_type(PyTypeObject *type)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        return sizeof(PyTypeObject);
    }
    Py_ssize_t items = Py_SIZE((PyObject *)type);
    return (size_t)(Py_TYPE(type)->tp_basicsize +
                    (items > 0 ? items : 0) * Py_TYPE(type)->tp_itemsize);
}

/* How often does the handler visit Py_TYPE(self)? Run it on an object of a type that is the
 * same but for its address. *is_sure becomes false where the handler noticed. */
static bool
count_type_visits(struct audit *audit, size_t *visits, bool *is_sure)
{
    size_t size = size_of_type(audit->type);
    PyTypeObject *copy = malloc(size);
    struct bag visited = {0};
    struct run run;
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, audit->type, size);
    audit->object->ob_type = copy;
    bool done = run_handler(audit, audit->type->tp_traverse, &visited, &run);
    audit->object->ob_type = audit->type;
    *visits = count_in_bag(&visited, (PyObject *)copy);
    *is_sure = visited.count == audit->visited.count;
    free(visited.items);
    free(copy);
    return done;
}

static void
report_type_visits(struct audit *audit, size_t visits, bool is_heap, bool is_sure)
{
    struct ouro_audit_finding finding = {
        .certainty = is_sure ? OURO_AUDIT_CERTAIN : OURO_AUDIT_SUSPICION,
        .referent = (PyObject *)audit->type,
        .visits = visits,
        .expected = is_heap,
    };
    if (visits == 0) {
        finding.code = "GC-T03";
        report_broken_rule(audit, finding,
                           "tp_traverse does not visit Py_TYPE(self), the heap type '%s'",
                           audit->type->tp_name);
    } else {
        finding.code = "GC-T04";
        report_broken_rule(audit, finding,
                           is_heap
                               ? "Py_TYPE(self), the heap type '%s', is visited %zu times"
                               : "Py_TYPE(self), the static type '%s', is visited; its "
                                 "instances own no reference to it",
                           audit->type->tp_name, visits);
    }
}

static bool
check_type(struct audit *audit)
{
    PyObject *type = (PyObject *)audit->type;
    bool is_heap = PyType_HasFeature(audit->type, Py_TPFLAGS_HEAPTYPE);
    size_t visits = count_in_bag(&audit->visited, type);
    size_t fields = count_in_bag(&audit->words, type);
    bool is_sure = visits == 0;
    if (visits == is_heap && fields == 0) {
        return true;
    }
    if (visits > 0) {
        if (OURO_AUDIT_MAY_EXCHANGE && !count_type_visits(audit, &visits, &is_sure)) {
            return false;
        }
        if (!is_sure) { /* what the fields do not explain */
            visits = count_in_bag(&audit->visited, type);
            visits -= fields < visits ? fields : visits;
        }
    }
    if (visits > is_heap || (visits < is_heap && OURO_AUDIT_TYPE_IS_VISITED)) {
        report_type_visits(audit, visits, is_heap, is_sure);
    }
    return true;
}

/* --- weak references: GC-T10 ------------------------------------------------------------------------ */

static bool
check_weak_references(struct audit *audit)
{
    Py_ssize_t offset = audit->type->tp_weaklistoffset;
    if (offset < (Py_ssize_t)sizeof(PyObject) ||
        offset + (Py_ssize_t)sizeof(void *) > audit->type->tp_basicsize) {
        return true; /* none, or managed: no handler can see them */
    }
    PyObject **place = (PyObject **)((char *)audit->object + offset);
    PyObject *head = *place;
    if (head == NULL || count_in_bag(&audit->visited, head) == 0) {
        return true;
    }
    struct bag visited = {0};
    struct run run;
    *place = NULL;
    bool done = run_handler(audit, audit->type->tp_traverse, &visited, &run);
    *place = head;
    if (done && count_in_bag(&visited, head) < count_in_bag(&audit->visited, head)) {
        report_broken_rule(
            audit,
            (struct ouro_audit_finding){.code = "GC-T10",
                                        .certainty = OURO_AUDIT_CERTAIN,
                                        .offset = (size_t)offset,
                                        .referent = head,
                                        .visits = 1},
            "the list of weak references, at offset %zd, must not be visited", offset);
        done = put_in_bag(&audit->blamed, head);
    }
    free(visited.items);
    return done;
}

/* --- the managed dict: GC-T12 ------------------------------------------------------------------------- */

/* The first item of `part` that `whole` has less often, or NULL. */
static PyObject *
find_missing(const struct bag *part, const struct bag *whole)
{
    for (size_t i = 0; i < part->count; i = skip_equal(part, i)) {
        PyObject *item = part->items[i];
        if (count_in_bag(part, item) > count_in_bag(whole, item)) {
            return item;
        }
    }
    return NULL;
}

static bool
check_managed_dict(struct audit *audit)
{
    traverseproc visit_managed = OURO_AUDIT_VISIT_MANAGED;
    struct run run;
    if (!PyType_HasFeature(audit->type, Py_TPFLAGS_MANAGED_DICT) ||
        visit_managed == NULL) {
        return true;
    }
    if (!run_handler(audit, visit_managed, &audit->managed, &run)) {
        return false;
    }
    PyObject *missing = find_missing(&audit->managed, &audit->visited);
    if (missing != NULL) {
        report_broken_rule(
            audit,
            (struct ouro_audit_finding){.code = "GC-T12",
                                        .certainty = OURO_AUDIT_CERTAIN,
                                        .referent = missing,
                                        .expected = 1},
            "the managed dict is not visited: PyObject_VisitManagedDict is missing");
    }
    return true;
}

/* --- the bases: GC-T14 --------------------------------------------------------------------------------- */

/* Does the structure of `type` start with that of `base`? Some start with the header alone,
 * and their places for dict and weak references differ. */
static bool
extends_layout(const PyTypeObject *type, const PyTypeObject *base)
{
    return (base->tp_dictoffset <= 0 || base->tp_dictoffset == type->tp_dictoffset) &&
           (base->tp_weaklistoffset <= 0 ||
            base->tp_weaklistoffset == type->tp_weaklistoffset);
}

/* The nearest base with a handler of its own that differs from that of `type`. */
static PyTypeObject *
next_handler(const struct audit *audit, PyTypeObject *type)
{
    PyTypeObject *base = type->tp_base;
    while (base != NULL && (base->tp_traverse == type->tp_traverse ||
                            base->tp_traverse == audit->environment->class_traverse)) {
        base = base->tp_base;
    }
    return base != NULL && base->tp_traverse != NULL && extends_layout(type, base) ? base
                                                                                   : NULL;
}

/* Is all that `base` visits visited by `type`, too? Both handlers work on the object. */
static bool
compare_with_base(struct audit *audit, PyTypeObject *type, PyTypeObject *base)
{
    struct bag own = {0}, inherited = {0};
    struct run run;
    bool done = run_handler(audit, type->tp_traverse, &own, &run) &&
                run_handler(audit, base->tp_traverse, &inherited, &run);
    PyObject *missing = done ? find_missing(&inherited, &own) : NULL;
    if (missing != NULL) {
        report_broken_rule(
            audit,
            (struct ouro_audit_finding){.code = "GC-T14",
                                        .certainty = OURO_AUDIT_CERTAIN,
                                        .type = type,
                                        .referent = missing,
                                        .visits = count_in_bag(&own, missing),
                                        .expected = count_in_bag(&inherited, missing)},
            "references visited by base '%s' are not visited by '%s'", base->tp_name,
            type->tp_name);
        for (size_t i = 0; done && i < inherited.count; i++) {
            done = put_in_bag(&audit->blamed, inherited.items[i]);
        }
        sort_bag(&audit->blamed);
    }
    free(own.items);
    free(inherited.items);
    return done;
}

static bool
check_bases(struct audit *audit)
{
    PyTypeObject *type = handler_type(audit, audit->type);
    PyTypeObject *base = next_handler(audit, type);
    bool done = true;
    while (done && base != NULL) {
        done = compare_with_base(audit, type, base);
        type = base;
        base = next_handler(audit, type);
    }
    return done;
}

/* --- results of visits: GC-T08 --------------------------------------------------------------------------- */

struct countdown {
    size_t calls, stop_at;
};

static int
count_down(PyObject *Py_UNUSED(referent), void *arg)
{
    struct countdown *countdown = arg;
    countdown->calls++;
    return countdown->calls == countdown->stop_at ? OURO_AUDIT_MAGIC : 0;
}

/* Does the handler end at visit number `stop_at`, with its result? */
static bool
check_result(struct audit *audit, size_t stop_at)
{
    struct ouro_audit_finding finding = {.code = "GC-T08",
                                         .certainty = OURO_AUDIT_CERTAIN};
    struct countdown countdown = {.stop_at = stop_at};
    int result = audit->type->tp_traverse(audit->object, count_down, &countdown);
    if (countdown.calls < stop_at) {
        return true; /* GC-T11 */
    }
    finding.visits = countdown.calls;
    finding.expected = stop_at;
    if (result != OURO_AUDIT_MAGIC) {
        report_broken_rule(audit, finding,
                           "visit number %zu returned %d, tp_traverse returned %d",
                           stop_at, OURO_AUDIT_MAGIC, result);
    } else if (countdown.calls > stop_at) {
        report_broken_rule(audit, finding,
                           "visit number %zu returned %d, but %zu more visits followed",
                           stop_at, OURO_AUDIT_MAGIC, countdown.calls - stop_at);
    } else {
        return true;
    }
    return false;
}

static void
check_results(struct audit *audit)
{
    size_t tests = audit->environment->result_tests;
    size_t visits = audit->visited.count;
    tests = tests == 0 ? 16 : tests;
    tests = visits < tests ? visits : tests;
    for (size_t i = 0; i < tests; i++) {
        size_t stop_at = tests == 1 ? 1 : 1 + i * (visits - 1) / (tests - 1);
        if (!check_result(audit, stop_at)) {
            return; /* one is enough */
        }
    }
}

/* --- counts: GC-T02 ---------------------------------------------------------------------------------------- */

static Py_ssize_t
ask_unexplained(const struct audit *audit, PyObject *referent)
{
    const struct ouro_audit_environment *environment = audit->environment;
    return environment->unexplained == NULL
               ? OURO_AUDIT_UNKNOWN
               : environment->unexplained(referent, environment->context);
}

/* Put `to` into each field that holds `from`. */
static void
exchange_fields(const struct audit *audit, size_t extent, const PyObject *from,
                PyObject *to)
{
    for (size_t offset = sizeof(PyObject); offset + sizeof(void *) <= extent;
         offset += sizeof(void *)) {
        if (word_at(audit, offset) == from) {
            memcpy((char *)audit->object + offset, &to, sizeof(PyObject *));
        }
    }
}

/* How often do the fields that hold the referent cause a visit? A copy of it takes its place
 * in them; what is visited otherwise is kept elsewhere. */
static bool
count_field_visits(struct audit *audit, PyObject *referent, size_t *visits)
{
    enum { ROOM = 64 }; /* for what may stand before an object */
    size_t size = extent_of(audit, referent), extent = extent_of(audit, audit->object);
    char *memory = calloc(1, ROOM + size);
    struct bag visited = {0};
    struct run run;
    if (memory == NULL) {
        return false;
    }
    PyObject *copy = (PyObject *)(memory + ROOM);
    memcpy(copy, referent, size);
    exchange_fields(audit, extent, referent, copy);
    bool done = run_handler(audit, audit->type->tp_traverse, &visited, &run);
    exchange_fields(audit, extent, copy, referent);
    *visits = count_in_bag(&visited, copy);
    free(visited.items);
    free(memory);
    return done;
}

/* Are the handlers of this object beyond doubt: those of classes, and of the types that the
 * interpreter itself has, whose names lack a module? They are not blamed for what all
 * objects do together. */
static bool
is_above_suspicion(const struct audit *audit)
{
    const PyTypeObject *type = handler_type(audit, audit->type);
    return type->tp_traverse == audit->environment->class_traverse ||
           (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
            strchr(type->tp_name, '.') == NULL);
}

static bool
check_count(struct audit *audit, PyObject *referent)
{
    size_t fields = count_in_bag(&audit->words, referent), field_visits = 0;
    Py_ssize_t count = Py_REFCNT(referent);
    Py_ssize_t unexplained = ask_unexplained(audit, referent);
    struct ouro_audit_finding finding = {.code = "GC-T02",
                                         .certainty = OURO_AUDIT_CERTAIN,
                                         .referent = referent,
                                         .visits =
                                             count_in_bag(&audit->visited, referent)};
    if (finding.visits > (size_t)count) {
        finding.expected = (size_t)count;
        report_broken_rule(
            audit, finding,
            "tp_traverse visited a '%s' %zu times, but its reference count is %zd",
            Py_TYPE(referent)->tp_name, finding.visits, count);
        return true;
    }
    if (OURO_AUDIT_MAY_EXCHANGE && referent != audit->object && fields > 0 &&
        finding.visits > fields && !count_field_visits(audit, referent, &field_visits)) {
        return false;
    }
    if (field_visits > fields) {
        finding.visits = field_visits;
        finding.expected = fields;
        report_broken_rule(
            audit, finding, "tp_traverse visited a '%s' %zu times for %zu field%s",
            Py_TYPE(referent)->tp_name, field_visits, fields, fields == 1 ? "" : "s");
    } else if (unexplained < 0 && unexplained != OURO_AUDIT_UNKNOWN &&
               !is_above_suspicion(audit)) {
        finding.certainty = OURO_AUDIT_SUSPICION;
        report_broken_rule(audit, finding,
                           "a '%s' is visited %zd times in all, here %zu times, but its "
                           "reference count is %zd",
                           Py_TYPE(referent)->tp_name, count - unexplained,
                           finding.visits, count);
    }
    return true;
}

static bool
check_counts(struct audit *audit)
{
    const struct bag *visited = &audit->visited;
    bool done = true;
    for (size_t i = 0; done && i < visited->count; i = skip_equal(visited, i)) {
        PyObject *referent = visited->items[i];
        if (referent != (PyObject *)audit->type && knows_object(audit, referent) &&
            count_in_bag(&audit->blamed, referent) == 0) {
            done = check_count(audit, referent);
        }
    }
    return done;
}

/* --- fields: GC-T01 ------------------------------------------------------------------------------------------- */

/* The type whose structure has the field: the furthest base that is large enough. */
static PyTypeObject *
owner_of_field(const struct audit *audit, size_t offset)
{
    PyTypeObject *owner = audit->type;
    bool is_item = offset >= (size_t)owner->tp_basicsize;
    while (owner->tp_base != NULL &&
           (is_item ? owner->tp_base->tp_itemsize > 0
                    : (size_t)owner->tp_base->tp_basicsize > offset)) {
        owner = owner->tp_base;
    }
    return owner;
}

/* Is it known that the field, which is not visited, owns nothing? When all references to its
 * referent are accounted for, it is. The fields of a weak reference refer to the object
 * and to its other weak references. */
static bool
is_borrowed_field(const struct audit *audit, PyTypeObject *owner, size_t offset,
                  PyObject *referent)
{
    const struct ouro_audit_environment *environment = audit->environment;
    Py_ssize_t unexplained = ask_unexplained(audit, referent);
    return (unexplained <= 0 && unexplained != OURO_AUDIT_UNKNOWN) ||
           (PyWeakref_Check(audit->object) && owner->tp_base == &PyBaseObject_Type) ||
           (environment->is_borrowed != NULL &&
            environment->is_borrowed(audit->object, owner, offset, environment->context));
}

/* An unvisited word that is the address of an object. */
static void
check_field(struct audit *audit, size_t offset, PyObject *referent)
{
    PyTypeObject *owner = owner_of_field(audit, offset);
    if (is_borrowed_field(audit, owner, offset, referent)) {
        return;
    }
    report_broken_rule(
        audit,
        (struct ouro_audit_finding){
            .code = "GC-T01", .type = owner, .offset = offset, .referent = referent},
        "field at offset %zu holds a tracked '%s' that tp_traverse never visits", offset,
        Py_TYPE(referent)->tp_name);
}

static void
check_fields(struct audit *audit)
{
    size_t extent = extent_of(audit, audit->object);
    for (size_t offset = sizeof(PyObject); offset + sizeof(void *) <= extent;
         offset += sizeof(void *)) {
        PyObject *word = word_at(audit, offset);
        if (word != NULL && word != audit->object &&
            (Py_ssize_t)offset != audit->type->tp_weaklistoffset &&
            count_in_bag(&audit->visited, word) == 0 &&
            count_in_bag(&audit->managed, word) == 0 &&
            count_in_bag(&audit->blamed, word) == 0 && word != (PyObject *)audit->type &&
            knows_object(audit, word)) {
            check_field(audit, offset, word);
        }
    }
}
