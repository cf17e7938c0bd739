/* SPDX-License-Identifier: MIT */
/* Seeded mistakes: for each code of the contract checker there is a function that uses a small
 * type, once with exactly that mistake, and once with the mistake corrected.
 *
 *     SEED(T09, "seed.Box")           the code, and the type that the report must name
 *     {
 *         ... is_wrong ...            false: the correct twin
 *     }
 *
 * makes two tests. In the first the mistake must be reported, with the type and, if `seeded` was
 * set, with that object. In the second, the correct twin, nothing may be reported. Reports do
 * not end the process. */
#ifndef OURO_TESTS_CHECK_SEEDS_H
#define OURO_TESTS_CHECK_SEEDS_H

#include <ouroboros.h>

#include "../harness.h"

#define SEED(code_, type_)                                                               \
    static void seed_##code_(bool is_wrong);                                             \
    TEST(code_##_is_reported, .mistakes = true, .no_leak_check = true)                   \
    {                                                                                    \
        expect_report("GC-" #code_, type_, seed_##code_);                                \
    }                                                                                    \
    TEST(code_##_twin_is_clean)                                                          \
    {                                                                                    \
        expect_clean(seed_##code_);                                                      \
    }                                                                                    \
    static void seed_##code_(bool is_wrong)

/* --- listening ------------------------------------------------------------------------------ */

static const char *wanted_code, *wanted_type;
static PyObject *seeded; /* the object that the report must name; NULL: any */
static int reports_wanted, reports_of_others;

static int
hear_report(const Ouro_CheckReport *report, void *Py_UNUSED(arg))
{
    bool is_wanted = wanted_code != NULL && strcmp(report->code, wanted_code) == 0 &&
                     strcmp(report->type_name, wanted_type) == 0 &&
                     (seeded == NULL || seeded == report->object);
    reports_wanted += is_wanted;
    reports_of_others += !is_wanted;
    fprintf(stderr, "%s%s %s %p: %s\n", is_wanted ? "" : "(also) ", report->code,
            report->type_name, (void *)report->object, report->text);
    return 1;
}

static inline void
expect_report(const char *code, const char *type, void (*seed)(bool is_wrong))
{
    wanted_code = code;
    wanted_type = type;
    Ouro_CheckSetReportHook(hear_report, NULL);
    Py_Initialize();
    seed(true);
    Py_FinalizeEx();
    EXPECT_GE(reports_wanted, 1);
}

static inline void
expect_clean(void (*seed)(bool is_wrong))
{
    Ouro_CheckSetReportHook(hear_report, NULL);
    Py_Initialize();
    seed(false);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(reports_of_others, 0);
}

/* --- a container with two fields --------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *first;
    PyObject *second;
    PyObject *weakrefs;
} Box;

static inline Box *
as_box(PyObject *op)
{
    return (Box *)op;
}

static inline int
box_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(as_box(self)->first);
    Py_VISIT(as_box(self)->second);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static inline int
box_clear(PyObject *self)
{
    Py_CLEAR(as_box(self)->first);
    Py_CLEAR(as_box(self)->second);
    return 0;
}

static inline void
box_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (type->tp_weaklistoffset != 0) {
        PyObject_ClearWeakRefs(self);
    }
    box_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The handlers of a heap type. A handler that is NULL is left out. */
struct handlers {
    const char *name;
    traverseproc traverse;
    inquiry clear;
    destructor dealloc;
    destructor finalize;
    PyTypeObject *base;
    bool is_weak;       /* weakly referenceable */
    unsigned long more; /* flags */
};

static inline PyTypeObject *
new_type(struct handlers h)
{
    static PyMemberDef weak_members[] = {
        {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(Box, weakrefs), Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    PyType_Slot slots[8];
    int count = 0;
    if (h.traverse != NULL) {
        slots[count++] = (PyType_Slot){Py_tp_traverse, (void *)h.traverse};
    }
    if (h.clear != NULL) {
        slots[count++] = (PyType_Slot){Py_tp_clear, (void *)h.clear};
    }
    if (h.dealloc != NULL) {
        slots[count++] = (PyType_Slot){Py_tp_dealloc, (void *)h.dealloc};
    }
    if (h.finalize != NULL) {
        slots[count++] = (PyType_Slot){Py_tp_finalize, (void *)h.finalize};
    }
    if (h.is_weak) {
        slots[count++] = (PyType_Slot){Py_tp_members, weak_members};
    }
    slots[count] = (PyType_Slot){0, NULL};
    unsigned long flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
    PyType_Spec spec = {h.name != NULL ? h.name : "seed.Box", (int)sizeof(Box), 0,
                        (unsigned)(flags | h.more), slots};
    PyObject *type = PyType_FromSpecWithBases(&spec, (PyObject *)h.base);
    if (type == NULL) {
        PyErr_Print();
    }
    REQUIRE_NOT_NULL(type);
    return (PyTypeObject *)type;
}

/* The usual type, with one handler replaced by the wrong one. */
static inline PyTypeObject *
box_type_with(traverseproc traverse, inquiry clear, destructor dealloc)
{
    return new_type((struct handlers){
        .traverse = traverse != NULL ? traverse : box_traverse,
        .clear = clear != NULL ? clear : box_clear,
        .dealloc = dealloc != NULL ? dealloc : box_dealloc,
    });
}

/* A new instance, untracked, its fields NULL. */
static inline PyObject *
raw_box(PyTypeObject *type)
{
    Box *box = PyObject_GC_New(Box, type);
    REQUIRE_NOT_NULL(box);
    box->first = box->second = box->weakrefs = NULL;
    return (PyObject *)box;
}

/* A tracked instance whose first field holds a new list. */
static inline PyObject *
full_box(PyTypeObject *type)
{
    PyObject *box = raw_box(type);
    as_box(box)->first = PyList_New(0);
    PyObject_GC_Track(box);
    return box;
}

/* The same, but the instance refers to itself and is dropped: it is garbage. */
static inline void
drop_cycle(PyTypeObject *type)
{
    PyObject *box = full_box(type);
    seeded = box;
    as_box(box)->second = Py_NewRef(box);
    Py_DECREF(box);
}

#endif
