/* SPDX-License-Identifier: MIT */
/* The rules about the type of the object, and about what types give to their instances: the
 * type itself, the list of weak references, the managed dict, what a base visits. */
#include "audit_rules.h"

#include <stdlib.h>
#include <string.h>

/* Types made at run time are counted by their instances, and since 3.9 visited by them. */
#define OURO_AUDIT_TYPE_IS_VISITED (PY_VERSION_HEX >= 0x03090000)

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

/* --- the type: GC-T03, GC-T04 ------------------------------------------------------------ */

/* The size that its metatype says. A type that got its metatype later is smaller. */
static size_t
nominal_size_of_type(PyTypeObject *type)
{
    Py_ssize_t items = Py_SIZE((PyObject *)type);
    return (size_t)(Py_TYPE(type)->tp_basicsize +
                    (items > 0 ? items : 0) * Py_TYPE(type)->tp_itemsize);
}

/* What is certainly there. Items lie behind what the metatype says, so with items that is
 * right. */
static size_t
certain_size_of_type(PyTypeObject *type)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        return sizeof(PyTypeObject);
    }
    return Py_SIZE((PyObject *)type) > 0 ? nominal_size_of_type(type)
                                         : (size_t)PyType_Type.tp_basicsize;
}

/* How often does the handler visit Py_TYPE(self)? Run it on the object with a copy of its type.
 * *is_sure becomes false if the handler noticed the difference. */
static bool
count_type_visits(struct audit *audit, size_t *visits, bool *is_sure)
{
    size_t size = certain_size_of_type(audit->type);
    size_t nominal = nominal_size_of_type(audit->type);
    PyTypeObject *copy = calloc(1, nominal > size ? nominal : size);
    struct bag visited = {0};
    struct run run;
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, audit->type, size);
    audit->object->ob_type = copy;
    bool done = ouro_audit_run(audit, audit->type->tp_traverse, &visited, &run);
    audit->object->ob_type = audit->type;
    *visits = ouro_audit_bag_count(&visited, (PyObject *)copy);
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
        ouro_audit_report(audit, finding,
                          "tp_traverse does not visit Py_TYPE(self), the heap type '%s'",
                          audit->type->tp_name);
    } else {
        finding.code = "GC-T04";
        ouro_audit_report(audit, finding,
                          is_heap
                              ? "Py_TYPE(self), the heap type '%s', is visited %zu times"
                              : "Py_TYPE(self), the static type '%s', is visited; its "
                                "instances own no reference to it",
                          audit->type->tp_name, visits);
    }
}

/* Is the type not visited although its author is not to blame? Metatypes inherit the handler of
 * `type`, which does not visit it. */
static bool
is_left_to_type(const struct audit *audit)
{
    return !OURO_AUDIT_TYPE_IS_VISITED ||
           ouro_audit_handler_type(audit, audit->type)->tp_traverse ==
               PyType_Type.tp_traverse;
}

bool
ouro_audit_check_type(struct audit *audit)
{
    PyObject *type = (PyObject *)audit->type;
    bool is_heap = PyType_HasFeature(audit->type, Py_TPFLAGS_HEAPTYPE);
    size_t visits = ouro_audit_bag_count(&audit->visited, type);
    size_t fields = ouro_audit_bag_count(&audit->words, type);
    bool is_sure = visits == 0;
    if ((visits == is_heap && fields == 0) || (visits > 0 && !OURO_AUDIT_MAY_EXCHANGE)) {
        return true; /* visits of the type cannot be told from others without an experiment */
    }
    if (visits > 0) {
        if (!count_type_visits(audit, &visits, &is_sure)) {
            return false;
        }
        if (!is_sure) { /* what the fields do not explain */
            visits = ouro_audit_bag_count(&audit->visited, type);
            visits -= fields < visits ? fields : visits;
        }
    }
    if (visits > is_heap || (visits < is_heap && !is_left_to_type(audit))) {
        report_type_visits(audit, visits, is_heap, is_sure);
    }
    return true;
}

/* --- weak references: GC-T10 ------------------------------------------------------------- */

bool
ouro_audit_check_weak_references(struct audit *audit)
{
    Py_ssize_t offset = audit->type->tp_weaklistoffset;
    if (offset < (Py_ssize_t)sizeof(PyObject) ||
        offset + (Py_ssize_t)sizeof(void *) > audit->type->tp_basicsize) {
        return true; /* none, or managed: no handler can see them */
    }
    PyObject **place = (PyObject **)((char *)audit->object + offset);
    PyObject *head = *place;
    if (head == NULL || ouro_audit_bag_count(&audit->visited, head) == 0) {
        return true;
    }
    struct bag visited = {0};
    struct run run;
    *place = NULL;
    bool done = ouro_audit_run(audit, audit->type->tp_traverse, &visited, &run);
    *place = head;
    if (done && ouro_audit_bag_count(&visited, head) <
                    ouro_audit_bag_count(&audit->visited, head)) {
        ouro_audit_report(
            audit,
            (struct ouro_audit_finding){.code = "GC-T10",
                                        .certainty = OURO_AUDIT_CERTAIN,
                                        .offset = (size_t)offset,
                                        .referent = head,
                                        .visits = 1},
            "the list of weak references, at offset %zd, must not be visited", offset);
        done = ouro_audit_bag_put(&audit->blamed, head);
    }
    free(visited.items);
    return done;
}

/* --- the managed dict: GC-T12 ------------------------------------------------------------ */

/* The first item of `part` that `whole` has less often, or NULL. */
static PyObject *
find_missing(const struct bag *part, const struct bag *whole)
{
    for (size_t i = 0; i < part->count; i = ouro_audit_bag_next(part, i)) {
        PyObject *item = part->items[i];
        if (ouro_audit_bag_count(part, item) > ouro_audit_bag_count(whole, item)) {
            return item;
        }
    }
    return NULL;
}

bool
ouro_audit_check_managed_dict(struct audit *audit)
{
    traverseproc visit_managed = OURO_AUDIT_VISIT_MANAGED;
    struct run run;
    if (!PyType_HasFeature(audit->type, Py_TPFLAGS_MANAGED_DICT) ||
        visit_managed == NULL) {
        return true;
    }
    if (!ouro_audit_run(audit, visit_managed, &audit->managed, &run)) {
        return false;
    }
    PyObject *missing = find_missing(&audit->managed, &audit->visited);
    if (missing != NULL) {
        ouro_audit_report(
            audit,
            (struct ouro_audit_finding){.code = "GC-T12",
                                        .certainty = OURO_AUDIT_CERTAIN,
                                        .referent = missing,
                                        .expected = 1},
            "the managed dict is not visited: PyObject_VisitManagedDict is missing");
    }
    return true;
}

/* --- the bases: GC-T14 ------------------------------------------------------------------- */

/* Does the structure of `type` start with that of `base`? Some share only the header, and their
 * places for dict and weak references differ. */
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

/* Does `type` visit everything that `base` visits? Both handlers work on the object. */
static bool
compare_with_base(struct audit *audit, PyTypeObject *type, PyTypeObject *base)
{
    struct bag own = {0}, inherited = {0};
    struct run run;
    bool done = ouro_audit_run(audit, type->tp_traverse, &own, &run) &&
                ouro_audit_run(audit, base->tp_traverse, &inherited, &run);
    PyObject *missing = done ? find_missing(&inherited, &own) : NULL;
    if (missing != NULL) {
        ouro_audit_report(audit,
                          (struct ouro_audit_finding){
                              .code = "GC-T14",
                              .certainty = OURO_AUDIT_CERTAIN,
                              .type = type,
                              .referent = missing,
                              .visits = ouro_audit_bag_count(&own, missing),
                              .expected = ouro_audit_bag_count(&inherited, missing)},
                          "references visited by base '%s' are not visited by '%s'",
                          base->tp_name, type->tp_name);
        for (size_t i = 0; done && i < inherited.count; i++) {
            done = ouro_audit_bag_put(&audit->blamed, inherited.items[i]);
        }
        ouro_audit_bag_sort(&audit->blamed);
    }
    free(own.items);
    free(inherited.items);
    return done;
}

bool
ouro_audit_check_bases(struct audit *audit)
{
    PyTypeObject *type = ouro_audit_handler_type(audit, audit->type);
    PyTypeObject *base = next_handler(audit, type);
    bool done = true;
    while (done && base != NULL) {
        done = compare_with_base(audit, type, base);
        type = base;
        base = next_handler(audit, type);
    }
    return done;
}
