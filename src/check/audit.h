/* SPDX-License-Identifier: MIT */
/* The audit of one object: does the tp_traverse of its type keep the contract?
 *
 * It runs the handler several times with visitors that record, compares what was visited with
 * the words of the object's body, and reports each broken rule with its code:
 *
 *   GC-T01  a field holds an object that is never visited
 *   GC-T02  more visits than references
 *   GC-T03  the heap type of the object is not visited
 *   GC-T04  the type is visited twice, or although it is static
 *   GC-T08  the result of a visit is not passed on, or visits follow it
 *   GC-T09  visit(NULL)
 *   GC-T10  the list of weak references is visited
 *   GC-T11  two runs visit different objects
 *   GC-T12  the managed dict is not visited
 *   GC-T14  what a base visits is not visited
 *
 * The source uses the public C API and libc alone, so the same files are part of the checking
 * library and of an extension module for CPython 3.8 and newer. It asks its environment what it
 * cannot know by itself, such as where live objects are. It makes no Python object, reads
 * nothing outside the object, and leaves the object as it was; while it runs, no other thread
 * may use the object: hold the interpreter lock. */
#ifndef OURO_CHECK_AUDIT_H
#define OURO_CHECK_AUDIT_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

enum ouro_audit_certainty {
    OURO_AUDIT_SUSPICION, /* a legal type may look like this */
    OURO_AUDIT_CERTAIN,
};

#define OURO_AUDIT_NO_OFFSET ((size_t)-1)

struct ouro_audit_finding {
    const char *code; /* "GC-T01" */
    enum ouro_audit_certainty certainty;
    PyObject *object;   /* the object audited */
    PyTypeObject *type; /* whose handler or field it is: the object's type or a base */
    size_t offset;      /* of the field, or OURO_AUDIT_NO_OFFSET */
    PyObject
        *referent;   /* or NULL; may be no valid object unless the environment knows it */
    size_t visits;   /* how often `referent` was visited */
    size_t expected; /* how often it may be, as far as is known */
    char text[240];  /* one sentence, without code, type and address of the object */
};

#define OURO_AUDIT_UNKNOWN PY_SSIZE_T_MIN

/* What the audit asks. A function may be NULL where its comment says so. All objects are
 * borrowed. */
struct ouro_audit_environment {
    void *context; /* passed to each function */

    /* Is a live object that the collector may see at this address? Any word may be asked. */
    bool (*is_object)(const void *address, void *context);

    /* How many bytes from `object` on are its body: asked for objects with items. NULL: the
     * part without the items is looked at. */
    size_t (*extent)(PyObject *object, void *context);

    /* The words of the C block that starts at `address` and that an object may own; *count
     * becomes their number. NULL: there is no such block. Any word may be asked. NULL: blocks
     * are not looked at. */
    PyObject *const *(*block)(const void *address, size_t *count, void *context);

    /* Does this field hold a borrowed reference on purpose? `owner` is the type whose
     * structure it is part of. NULL: none does. */
    bool (*is_borrowed)(PyObject *object, PyTypeObject *owner, size_t offset,
                        void *context);

    /* References to `referent` less the visits that it gets from all objects together. 0 when
     * each reference is accounted for, negative when there are too many visits, or
     * OURO_AUDIT_UNKNOWN. NULL: unknown. Called for live objects. */
    Py_ssize_t (*unexplained)(PyObject *referent, void *context);

    /* Takes a finding. It must not destroy any object. */
    void (*report)(const struct ouro_audit_finding *finding, void *context);

    /* What ouro_audit_class_traverse() returned, or NULL. */
    traverseproc class_traverse;

    size_t result_tests; /* visits at which GC-T08 is tried; 0: 16 */
    size_t visit_limit;  /* an object with more visits is not audited; 0: 16 million */
};

/* The tp_traverse of classes made by a class statement. It calls the handlers of the bases, so
 * its mistakes are theirs. Makes a class and drops it. NULL when that fails. No exception is
 * pending, before or after. */
traverseproc ouro_audit_class_traverse(void);

/* Audit an object. Returns the number of findings; 0 for objects that the collector never looks
 * at; -1, after reporting what was found so far, when there is no memory or the visits exceed
 * the limit. */
int ouro_audit_object(PyObject *object, const struct ouro_audit_environment *environment);

#endif
