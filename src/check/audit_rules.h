/* SPDX-License-Identifier: MIT */
/* What the files of the audit share: bags, runs of a handler, and the rules.
 *
 * audit.c runs the handler and asks the rules in turn; audit_type.c has those about the type of
 * the object, audit_fields.c those about its fields. A bag (audit_bag.c) is an array of
 * pointers; it must be sorted before items are counted or compared. */
#ifndef OURO_CHECK_AUDIT_RULES_H
#define OURO_CHECK_AUDIT_RULES_H

#include "audit.h"

/* Without a lock another thread could see the exchanged type. */
#ifdef Py_GIL_DISABLED
#define OURO_AUDIT_MAY_EXCHANGE 0
#else
#define OURO_AUDIT_MAY_EXCHANGE 1
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

/* False without memory. */
bool ouro_audit_bag_put(struct bag *bag, PyObject *item);
void ouro_audit_bag_sort(struct bag *bag);
size_t ouro_audit_bag_count(const struct bag *bag, const PyObject *item);
bool ouro_audit_bags_are_equal(const struct bag *a, const struct bag *b);

/* The index behind the items equal to that at `i`: for loops over different items. */
size_t ouro_audit_bag_next(const struct bag *bag, size_t i);

/* Fill the empty bag with what the handler visits, and sort it. False if it was stopped: the
 * limit is reached, or memory is out. */
bool ouro_audit_run(const struct audit *audit, traverseproc handler, struct bag *visited,
                    struct run *run);

/* Is a live object that the collector may see at this address? */
bool ouro_audit_knows(const struct audit *audit, const PyObject *referent);

/* The type whose handler is to blame for what the handler of `type` does: a class calls its
 * bases'. */
PyTypeObject *ouro_audit_handler_type(const struct audit *audit, PyTypeObject *type);

/* Report. The caller fills in what differs from a finding about the handler as a whole. */
void ouro_audit_report(struct audit *audit, struct ouro_audit_finding finding,
                       const char *format, ...);

/* Note all words behind the header but the list of weak references. False without memory. */
bool ouro_audit_record_body(struct audit *audit);

/* The rules. False when the audit cannot go on: a run was stopped, or memory is out. */
bool ouro_audit_check_type(struct audit *audit);            /* GC-T03, GC-T04 */
bool ouro_audit_check_weak_references(struct audit *audit); /* GC-T10 */
bool ouro_audit_check_managed_dict(struct audit *audit);    /* GC-T12 */
bool ouro_audit_check_bases(struct audit *audit);           /* GC-T14 */
bool ouro_audit_check_counts(struct audit *audit);          /* GC-T02 */
void ouro_audit_check_fields(struct audit *audit);          /* GC-T01 */

#endif
