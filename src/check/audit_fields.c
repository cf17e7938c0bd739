/* SPDX-License-Identifier: MIT */
/* The rules about the fields of the object: each is visited, and none more than once. */
#include "audit_rules.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- the body ---------------------------------------------------------------------------- */

/* A type object has the size that CPython gives types. Its metatype may say more, if the type
 * is static or got its metatype later. */
static size_t
extent_of_type(PyObject *object)
{
    size_t fixed = (size_t)Py_TYPE(object)->tp_basicsize;
    size_t most = PyType_HasFeature((PyTypeObject *)object, Py_TPFLAGS_HEAPTYPE)
                      ? (size_t)PyType_Type.tp_basicsize
                      : sizeof(PyTypeObject);
    return fixed < most ? fixed : most;
}

static size_t
extent_of(const struct audit *audit, PyObject *object)
{
    const struct ouro_audit_environment *environment = audit->environment;
    if (PyType_Check(object)) {
        return extent_of_type(object);
    }
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

bool
ouro_audit_record_body(struct audit *audit)
{
    size_t extent = extent_of(audit, audit->object);
    for (size_t offset = sizeof(PyObject); offset + sizeof(void *) <= extent;
         offset += sizeof(void *)) {
        PyObject *word = word_at(audit, offset);
        if (word != NULL && (Py_ssize_t)offset != audit->type->tp_weaklistoffset &&
            !ouro_audit_bag_put(&audit->words, word)) {
            return false;
        }
    }
    ouro_audit_bag_sort(&audit->words);
    return true;
}

/* --- counts: GC-T02 ---------------------------------------------------------------------- */

static Py_ssize_t
ask_unexplained(const struct audit *audit, PyObject *referent)
{
    const struct ouro_audit_environment *environment = audit->environment;
    return environment->unexplained == NULL
               ? OURO_AUDIT_UNKNOWN
               : environment->unexplained(referent, environment->context);
}

/* Put `to` into each field between two offsets that holds `from`. */
static void
exchange_fields(const struct audit *audit, size_t start, size_t end, const PyObject *from,
                PyObject *to)
{
    for (size_t offset = start; offset + sizeof(void *) <= end;
         offset += sizeof(void *)) {
        if (word_at(audit, offset) == from) {
            memcpy((char *)audit->object + offset, &to, sizeof(PyObject *));
        }
    }
}

/* How often do the fields between two offsets that hold the referent cause a visit? A copy of
 * the referent takes its place in them; visits of the original come from elsewhere. */
static bool
count_exchanged_visits(struct audit *audit, PyObject *referent, size_t start, size_t end,
                       size_t *visits)
{
    enum { ROOM = 64 }; /* for what may stand before an object */
    size_t size = extent_of(audit, referent);
    char *memory = calloc(1, ROOM + size);
    struct bag visited = {0};
    struct run run;
    if (memory == NULL) {
        return false;
    }
    PyObject *copy = (PyObject *)(memory + ROOM);
    memcpy(copy, referent, size);
    exchange_fields(audit, start, end, referent, copy);
    bool done = ouro_audit_run(audit, audit->type->tp_traverse, &visited, &run);
    exchange_fields(audit, start, end, copy, referent);
    *visits = ouro_audit_bag_count(&visited, copy);
    free(visited.items);
    free(memory);
    return done;
}

/* Are the handlers of this object beyond doubt? Those of classes are, and those of the
 * interpreter's own types, whose names have no module. They are not blamed for what all objects
 * do together. */
static bool
is_above_suspicion(const struct audit *audit)
{
    const PyTypeObject *type = ouro_audit_handler_type(audit, audit->type);
    return type->tp_traverse == audit->environment->class_traverse ||
           (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
            strchr(type->tp_name, '.') == NULL);
}

static bool
check_count(struct audit *audit, PyObject *referent)
{
    size_t fields = ouro_audit_bag_count(&audit->words, referent), field_visits = 0;
    Py_ssize_t count = Py_REFCNT(referent);
    Py_ssize_t unexplained = ask_unexplained(audit, referent);
    struct ouro_audit_finding finding = {
        .code = "GC-T02",
        .certainty = OURO_AUDIT_CERTAIN,
        .referent = referent,
        .visits = ouro_audit_bag_count(&audit->visited, referent)};
    if (finding.visits > (size_t)count) {
        finding.expected = (size_t)count;
        ouro_audit_report(
            audit, finding,
            "tp_traverse visited a '%s' %zu times, but its reference count is %zd",
            Py_TYPE(referent)->tp_name, finding.visits, count);
        return true;
    }
    if (OURO_AUDIT_MAY_EXCHANGE && referent != audit->object && fields > 0 &&
        finding.visits > fields &&
        !count_exchanged_visits(audit, referent, sizeof(PyObject),
                                extent_of(audit, audit->object), &field_visits)) {
        return false;
    }
    if (field_visits > fields) {
        finding.visits = field_visits;
        finding.expected = fields;
        ouro_audit_report(
            audit, finding, "tp_traverse visited a '%s' %zu times for %zu field%s",
            Py_TYPE(referent)->tp_name, field_visits, fields, fields == 1 ? "" : "s");
    } else if (unexplained < 0 && unexplained != OURO_AUDIT_UNKNOWN &&
               !is_above_suspicion(audit)) {
        finding.certainty = OURO_AUDIT_SUSPICION;
        ouro_audit_report(audit, finding,
                          "a '%s' is visited %zd times in all, here %zu times, but its "
                          "reference count is %zd",
                          Py_TYPE(referent)->tp_name, count - unexplained, finding.visits,
                          count);
    }
    return true;
}

bool
ouro_audit_check_counts(struct audit *audit)
{
    const struct bag *visited = &audit->visited;
    bool done = true;
    for (size_t i = 0; done && i < visited->count; i = ouro_audit_bag_next(visited, i)) {
        PyObject *referent = visited->items[i];
        if (referent != (PyObject *)audit->type && ouro_audit_knows(audit, referent) &&
            ouro_audit_bag_count(&audit->blamed, referent) == 0) {
            done = check_count(audit, referent);
        }
    }
    return done;
}

/* --- fields: GC-T01 ---------------------------------------------------------------------- */

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

/* Is it known that the unvisited field owns nothing? That is so when all references to its
 * referent are accounted for. The fields of a weak reference refer to the object and to its
 * other weak references. */
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

/* The lowest bits of a pointer may be used as flags. */
static PyObject *
without_tag(PyObject *word)
{
    return (PyObject *)((uintptr_t)word & ~(uintptr_t)7);
}

/* Must the handler visit this word, as far as is known? */
static bool
is_to_visit(const struct audit *audit, PyObject *referent)
{
    return referent != NULL && referent != audit->object &&
           referent != (PyObject *)audit->type &&
           ouro_audit_bag_count(&audit->managed, referent) == 0 &&
           ouro_audit_bag_count(&audit->blamed, referent) == 0 &&
           ouro_audit_knows(audit, referent);
}

/* An unvisited word that is the address of an object. */
static void
check_field(struct audit *audit, size_t offset, PyObject *referent, const char *format)
{
    PyTypeObject *owner = owner_of_field(audit, offset);
    if (is_borrowed_field(audit, owner, offset, referent)) {
        return;
    }
    ouro_audit_report(
        audit,
        (struct ouro_audit_finding){
            .code = "GC-T01", .type = owner, .offset = offset, .referent = referent},
        format, offset, Py_TYPE(referent)->tp_name);
}

/* Is the field at this offset visited? For one run it holds a copy of its object. */
static bool
field_is_visited(struct audit *audit, size_t offset, PyObject *referent)
{
    size_t visits = 1;
    return !OURO_AUDIT_MAY_EXCHANGE ||
           !count_exchanged_visits(audit, referent, offset, offset + sizeof(void *),
                                   &visits) ||
           visits > 0;
}

/* If several fields hold one object, some may be visited and some not. */
static bool
is_visited(struct audit *audit, size_t offset, PyObject *referent)
{
    size_t visits = ouro_audit_bag_count(&audit->visited, referent);
    return visits > 0 && (visits >= ouro_audit_bag_count(&audit->words, referent) ||
                          field_is_visited(audit, offset, referent));
}

/* Look at the objects in a C block; `offset` is that of the field with the block's address.
 * Only the first unvisited object is reported. */
static void
check_block(struct audit *audit, size_t offset, const void *address)
{
    const struct ouro_audit_environment *environment = audit->environment;
    size_t count = 0;
    PyObject *const *words =
        environment->block == NULL || PyType_Check(audit->object)
            ? NULL /* the tables of types are inside of them, or static */
            : environment->block(address, &count, environment->context);
    int before = audit->findings;
    for (size_t i = 0; words != NULL && i < count && audit->findings == before; i++) {
        PyObject *referent = without_tag(words[i]);
        if (is_to_visit(audit, referent) &&
            ouro_audit_bag_count(&audit->visited, referent) == 0) {
            check_field(
                audit, offset, referent,
                "the C block that the field at offset %zu points to holds a tracked "
                "'%s' that tp_traverse never visits");
        }
    }
}

void
ouro_audit_check_fields(struct audit *audit)
{
    size_t extent = extent_of(audit, audit->object);
    for (size_t offset = sizeof(PyObject); offset + sizeof(void *) <= extent;
         offset += sizeof(void *)) {
        PyObject *word = word_at(audit, offset), *referent = without_tag(word);
        if (word == NULL || (Py_ssize_t)offset == audit->type->tp_weaklistoffset) {
            continue;
        }
        if (!is_to_visit(audit, referent)) {
            check_block(audit, offset, word);
        } else if (!is_visited(audit, offset, referent)) {
            check_field(
                audit, offset, referent,
                word == referent
                    ? "field at offset %zu holds a tracked '%s' that tp_traverse never "
                      "visits"
                    : "field at offset %zu holds a tracked '%s', by a tagged pointer, "
                      "that tp_traverse never visits");
        }
    }
}
