/* SPDX-License-Identifier: MIT */
/* The audit of one object; audit.h says what it is for and what it needs.
 *
 * Almost everything is a comparison of bags, which are sorted arrays of pointers: what one run
 * of the handler visited, what another run visited, the words of the body. Experiments answer
 * three other questions; each lasts for one run of the handler. Is a visited type
 * Py_TYPE(self), or a type that the object happens to contain? The object gets a copy of its
 * type. Is one field visited twice, or another reference to the same object elsewhere? The
 * field gets a copy of that object. Are the weak references visited? Their list is empty. */
#include "audit_rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define OURO_AUDIT_MAGIC 4242 /* what a visit returns to see whether it is passed on */
#define OURO_AUDIT_STOP  4243 /* the limit is reached, or memory is out */

static bool check_runs(struct audit *audit);
static void check_results(struct audit *audit);

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
    bool done = check_runs(&audit) && ouro_audit_record_body(&audit) &&
                ouro_audit_check_type(&audit) &&
                ouro_audit_check_weak_references(&audit) &&
                ouro_audit_check_managed_dict(&audit) && ouro_audit_check_bases(&audit) &&
                ouro_audit_check_counts(&audit);
    if (done) {
        check_results(&audit);
        ouro_audit_check_fields(&audit);
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

/* --- running handlers -------------------------------------------------------------------- */

static int
record_visit(PyObject *referent, void *arg)
{
    struct run *run = arg;
    if (referent == NULL) {
        run->nulls++;
        return 0;
    }
    if (run->visited->count >= run->limit ||
        !ouro_audit_bag_put(run->visited, referent)) {
        run->stopped = true;
        return OURO_AUDIT_STOP;
    }
    return 0;
}

bool
ouro_audit_run(const struct audit *audit, traverseproc handler, struct bag *visited,
               struct run *run)
{
    size_t limit = audit->environment->visit_limit;
    *run =
        (struct run){.visited = visited, .limit = limit != 0 ? limit : (size_t)16 << 20};
    run->result = handler(audit->object, record_visit, run);
    ouro_audit_bag_sort(visited);
    return !run->stopped;
}

/* --- reporting --------------------------------------------------------------------------- */

bool
ouro_audit_knows(const struct audit *audit, const PyObject *referent)
{
    return audit->environment->is_object(referent, audit->environment->context);
}

PyTypeObject *
ouro_audit_handler_type(const struct audit *audit, PyTypeObject *type)
{
    traverseproc class_traverse = audit->environment->class_traverse;
    PyTypeObject *blamed = type;
    while (blamed != NULL && class_traverse != NULL &&
           blamed->tp_traverse == class_traverse) {
        blamed = blamed->tp_base;
    }
    return blamed != NULL && blamed->tp_traverse != NULL ? blamed : type;
}

void
ouro_audit_report(struct audit *audit, struct ouro_audit_finding finding,
                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.text, sizeof(finding.text), format, arguments);
    va_end(arguments);
    finding.object = audit->object;
    if (finding.type == NULL) {
        finding.type = ouro_audit_handler_type(audit, audit->type);
    }
    if (finding.offset == 0) {
        finding.offset = OURO_AUDIT_NO_OFFSET; /* the header is no field */
    }
    audit->findings++;
    audit->environment->report(&finding, audit->environment->context);
}

/* --- two runs: GC-T09, GC-T11, and the result of GC-T08 ---------------------------------- */

static bool
check_runs(struct audit *audit)
{
    struct run first, second;
    struct bag again = {0};
    bool done =
        ouro_audit_run(audit, audit->type->tp_traverse, &audit->visited, &first) &&
        ouro_audit_run(audit, audit->type->tp_traverse, &again, &second);
    if (first.nulls > 0) {
        ouro_audit_report(audit,
                          (struct ouro_audit_finding){.code = "GC-T09",
                                                      .certainty = OURO_AUDIT_CERTAIN,
                                                      .visits = first.nulls},
                          "tp_traverse called visit(NULL)");
    }
    if (done && first.result != 0) {
        ouro_audit_report(audit,
                          (struct ouro_audit_finding){.code = "GC-T08",
                                                      .certainty = OURO_AUDIT_CERTAIN},
                          "every visit returned 0, tp_traverse returned %d",
                          first.result);
    }
    if (done && !ouro_audit_bags_are_equal(&audit->visited, &again)) {
        ouro_audit_report(
            audit,
            (struct ouro_audit_finding){.code = "GC-T11",
                                        .certainty = OURO_AUDIT_CERTAIN},
            "two runs of tp_traverse visited different objects: %zu, then %zu",
            audit->visited.count, again.count);
    }
    free(again.items);
    return done;
}

/* --- results of visits: GC-T08 ----------------------------------------------------------- */

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
        ouro_audit_report(audit, finding,
                          "visit number %zu returned %d, tp_traverse returned %d",
                          stop_at, OURO_AUDIT_MAGIC, result);
    } else if (countdown.calls > stop_at) {
        ouro_audit_report(audit, finding,
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
