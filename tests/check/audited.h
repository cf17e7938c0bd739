/* SPDX-License-Identifier: MIT */
/* Auditing one object, for the tests of src/check/audit.c and its rules.
 *
 * The subject is a box with two owned fields and weak references. Each test gives it one
 * handler, as a static or as a heap type. */
#ifndef OURO_TESTS_CHECK_AUDITED_H
#define OURO_TESTS_CHECK_AUDITED_H

#include "../protocol.h"

#include "../../src/check/audit.h"

/* ---- auditing --------------------------------------------------------------------------- */

static char found[1000];               /* "GC-T01 24, GC-T02" */
static struct ouro_audit_finding last; /* the last finding */

static inline void
note_finding(const struct ouro_audit_finding *finding, void *context)
{
    size_t used = strlen(found);
    (void)context;
    last = *finding;
    used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%s",
                             used == 0 ? "" : ", ", finding->code);
    if (finding->offset != OURO_AUDIT_NO_OFFSET) {
        snprintf(found + used, sizeof(found) - used, " %zu", finding->offset);
    }
}

struct question {
    const void *address;
    bool is_there;
};

static inline int
answer_question(PyObject *object, void *arg)
{
    struct question *question = arg;
    question->is_there = object == question->address;
    return !question->is_there;
}

static inline bool
is_tracked_object(const void *address, void *context)
{
    struct question question = {.address = address};
    (void)context;
    PyUnstable_GC_VisitObjects(answer_question, &question);
    return question.is_there;
}

static inline size_t
extent_by_size(PyObject *object, void *context)
{
    (void)context;
    return (size_t)(Py_TYPE(object)->tp_basicsize +
                    Py_SIZE(object) * Py_TYPE(object)->tp_itemsize);
}

static struct ouro_audit_environment environment = {
    .is_object = is_tracked_object,
    .extent = extent_by_size,
    .report = note_finding,
};

/* Audit an object. Returns the codes of the findings, in order. */
static inline const char *
audited(PyObject *object)
{
    found[0] = '\0';
    environment.class_traverse = ouro_audit_class_traverse();
    EXPECT_NOT_NULL(environment.class_traverse);
    EXPECT_SAME_COUNT(object, EXPECT_GE(ouro_audit_object(object, &environment), 0));
    return found;
}

/* ---- boxes ------------------------------------------------------------------------------ */

typedef struct {
    PyObject_HEAD
    PyObject *first, *second; /* owned */
    PyObject *weakrefs;
} Box;

typedef struct {
    Box box;
    PyObject *third; /* owned */
} BigBox;

static inline int
clear_box(PyObject *self)
{
    Py_CLEAR(((Box *)self)->first);
    Py_CLEAR(((Box *)self)->second);
    if (Py_TYPE(self)->tp_basicsize == sizeof(BigBox)) {
        Py_CLEAR(((BigBox *)self)->third);
    }
    return 0;
}

static inline void
destroy_box(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (type->tp_weaklistoffset != 0) {
        PyObject_ClearWeakRefs(self);
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) {
        PyObject_ClearManagedDict(self);
    }
    clear_box(self);
    PyTypeObject *owner = type; /* of this destructor: a heap type's releases the type */
    while (owner->tp_dealloc != destroy_box) {
        owner = owner->tp_base;
    }
    bool releases = PyType_HasFeature(owner, Py_TPFLAGS_HEAPTYPE);
    type->tp_free(self);
    if (releases) {
        Py_DECREF(type);
    }
}

/* A box with two lists in it; takes the reference to a heap type. */
static inline PyObject *
filled_box(PyTypeObject *type)
{
    Box *box = (Box *)type->tp_alloc(type, 0);
    REQUIRE_NOT_NULL(box);
    box->first = PyList_New(0);
    box->second = PyList_New(0);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
    return (PyObject *)box;
}

static PyTypeObject box_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Box",
    .tp_basicsize = sizeof(Box),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_clear = clear_box,
    .tp_dealloc = destroy_box,
    .tp_weaklistoffset = offsetof(Box, weakrefs),
};

static inline PyObject *
static_box(traverseproc traverse)
{
    box_type.tp_traverse = traverse;
    REQUIRE_EQ(PyType_Ready(&box_type), 0);
    return filled_box(&box_type);
}

static inline PyTypeObject *
heap_type(traverseproc traverse, PyTypeObject *base, size_t size, unsigned int flags)
{
    PyType_Slot slots[] = {
        {Py_tp_traverse, traverse},
        {Py_tp_clear, clear_box},
        {Py_tp_dealloc, destroy_box},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "test.HeapBox",
        .basicsize = (int)size,
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | flags,
        .slots = slots,
    };
    PyObject *type = PyType_FromSpecWithBases(&spec, (PyObject *)base);
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
}

static inline PyObject *
heap_box(traverseproc traverse)
{
    return filled_box(heap_type(traverse, NULL, sizeof(Box), 0));
}

/* ---- correct handlers ------------------------------------------------------------------- */

static inline int
visit_fields(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Box *)self)->first);
    Py_VISIT(((Box *)self)->second);
    return 0;
}

static inline int
visit_fields_and_type(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return visit_fields(self, visit, arg);
}

#endif
