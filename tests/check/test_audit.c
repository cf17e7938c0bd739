/* SPDX-License-Identifier: MIT */
/* The audit names each mistake of a tp_traverse, and nothing in correct ones.
 *
 * The subject is a box with two owned fields and weak references. Each test gives it one
 * handler, as a static or as a heap type. */
#include "../protocol.h"

#include "../../src/check/audit.h"

typedef struct {
    PyObject_HEAD
    PyObject *first, *second; /* owned */
    PyObject *weakrefs;
} Box;

typedef struct {
    Box box;
    PyObject *third; /* owned */
} BigBox;

/* ---- auditing ------------------------------------------------------------------------- */

static char found[1000];               /* "GC-T01 24, GC-T02" */
static struct ouro_audit_finding last; /* the last finding */

static void
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

static int
answer_question(PyObject *object, void *arg)
{
    struct question *question = arg;
    question->is_there = object == question->address;
    return !question->is_there;
}

static bool
is_tracked_object(const void *address, void *context)
{
    struct question question = {.address = address};
    (void)context;
    PyUnstable_GC_VisitObjects(answer_question, &question);
    return question.is_there;
}

static size_t
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

/* Audit an object: the codes of what was found, in order. */
static const char *
audited(PyObject *object)
{
    found[0] = '\0';
    environment.class_traverse = ouro_audit_class_traverse();
    EXPECT_NOT_NULL(environment.class_traverse);
    EXPECT_SAME_COUNT(object, EXPECT_GE(ouro_audit_object(object, &environment), 0));
    return found;
}

/* ---- boxes ----------------------------------------------------------------------------- */

static int
clear_box(PyObject *self)
{
    Py_CLEAR(((Box *)self)->first);
    Py_CLEAR(((Box *)self)->second);
    if (Py_TYPE(self)->tp_basicsize == sizeof(BigBox)) {
        Py_CLEAR(((BigBox *)self)->third);
    }
    return 0;
}

static void
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
static PyObject *
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

static PyObject *
static_box(traverseproc traverse)
{
    box_type.tp_traverse = traverse;
    REQUIRE_EQ(PyType_Ready(&box_type), 0);
    return filled_box(&box_type);
}

static PyTypeObject *
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

static PyObject *
heap_box(traverseproc traverse)
{
    return filled_box(heap_type(traverse, NULL, sizeof(Box), 0));
}

/* ---- correct handlers ----------------------------------------------------------------------- */

static int
visit_fields(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Box *)self)->first);
    Py_VISIT(((Box *)self)->second);
    return 0;
}

static int
visit_fields_and_type(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return visit_fields(self, visit, arg);
}

TEST_PY(a_correct_static_type_is_clean)
{
    PyObject *box = static_box(visit_fields);
    EXPECT_STR(audited(box), "");
    Py_DECREF(box);
}

TEST_PY(a_correct_heap_type_is_clean)
{
    PyObject *box = heap_box(visit_fields_and_type);
    EXPECT_STR(audited(box), "");
    Py_DECREF(box);
}

static int
collect_one(PyObject *object, void *list)
{
    PyObject **objects = list;
    while (*objects != NULL) {
        objects++;
    }
    *objects = object;
    return 1;
}

TEST_PY(the_built_in_types_are_clean)
{
    PyObject *module = PyImport_ImportModule("builtins");
    static PyObject *objects[20000];
    PyUnstable_GC_VisitObjects(collect_one, objects);
    int audited_objects = 0;
    for (PyObject **object = objects; *object != NULL; object++, audited_objects++) {
        if (audited(*object)[0] != '\0') {
            EXPECT_STR(last.text, Py_TYPE(*object)->tp_name);
        }
    }
    EXPECT_GT(audited_objects, 50);
    Py_XDECREF(module);
}

TEST_PY(objects_that_the_collector_ignores_are_not_audited)
{
    PyObject *seven = number(700000);
    EXPECT_EQ(ouro_audit_object(seven, &environment), 0);
    Py_DECREF(seven);
}

TEST_PY(a_container_may_hold_its_own_type)
{
    PyObject *list = PyList_New(0);
    EXPECT_EQ(PyList_Append(list, (PyObject *)&PyList_Type), 0);
    EXPECT_STR(audited(list), "");
    Py_DECREF(list);

    PyObject *box = heap_box(visit_fields_and_type);
    Py_SETREF(((Box *)box)->first, Py_NewRef(Py_TYPE(box)));
    EXPECT_STR(audited(box), "");
    Py_CLEAR(((Box *)box)->first);
    Py_DECREF(box);
}

TEST_PY(an_object_may_refer_twice_to_another)
{
    PyObject *box = static_box(visit_fields);
    Py_SETREF(((Box *)box)->second, Py_NewRef(((Box *)box)->first));
    EXPECT_STR(audited(box), "");
    PyObject *pair = PyTuple_Pack(2, box, box);
    EXPECT_STR(audited(pair), "");
    Py_DECREF(pair);
    Py_DECREF(box);
}

TEST_PY(an_object_may_own_a_weak_reference_to_itself)
{
    PyObject *box = static_box(visit_fields);
    Py_SETREF(((Box *)box)->first, PyWeakref_NewRef(box, NULL));
    EXPECT_STR(audited(box), "");
    Py_DECREF(box);
}

TEST_PY(classes_with_slots_and_dicts_are_clean)
{
    Py_DECREF(static_box(visit_fields)); /* readies the type */
    PyObject *name = text("x");
    PyObject *class = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){s[s]}",
                                            "Class", &box_type, "__slots__", "slot");
    REQUIRE_NOT_NULL(class);
    PyObject *open =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", "Open", class);
    REQUIRE_NOT_NULL(open);
    PyObject *box = filled_box((PyTypeObject *)Py_NewRef(open));
    EXPECT_EQ(PyObject_SetAttrString(box, "slot", ((Box *)box)->first), 0);
    EXPECT_EQ(PyObject_SetAttr(box, name, ((Box *)box)->first), 0);
    EXPECT_STR(audited(box), "");
    EXPECT_STR(audited(open), "");
    Py_DECREF(box);
    Py_DECREF(open);
    Py_DECREF(class);
    Py_DECREF(name);
}

/* ---- GC-T01 ------------------------------------------------------------------------------------ */

static int
visit_first_alone(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Box *)self)->first);
    return 0;
}

static bool
second_is_borrowed(PyObject *object, PyTypeObject *owner, size_t offset, void *context)
{
    (void)object;
    (void)context;
    return owner == &box_type && offset == offsetof(Box, second);
}

static Py_ssize_t expected_unexplained;

static Py_ssize_t
tell_unexplained(PyObject *referent, void *context)
{
    (void)context;
    return PyList_Check(referent) ? expected_unexplained : OURO_AUDIT_UNKNOWN;
}

TEST_PY(a_field_that_is_not_visited_is_named)
{
    PyObject *box = static_box(visit_first_alone);
    EXPECT_STR(audited(box), "GC-T01 24");
    EXPECT_STR(last.text,
               "field at offset 24 holds a tracked 'list' that tp_traverse never "
               "visits");
    EXPECT_EQ(last.object, box);
    EXPECT_EQ(last.type, &box_type);
    EXPECT_EQ(last.referent, ((Box *)box)->second);
    EXPECT_EQ(last.certainty, OURO_AUDIT_SUSPICION);
    Py_DECREF(box);
}

TEST_PY(a_field_that_is_declared_borrowed_is_no_finding)
{
    PyObject *box = static_box(visit_first_alone);
    environment.is_borrowed = second_is_borrowed;
    EXPECT_STR(audited(box), "");
    Py_DECREF(box);
}

TEST_PY(a_field_is_borrowed_when_every_reference_is_accounted_for)
{
    PyObject *box = static_box(visit_first_alone);
    environment.unexplained = tell_unexplained;
    EXPECT_STR(audited(box), "");
    expected_unexplained = 1;
    EXPECT_STR(audited(box), "GC-T01 24");
    Py_DECREF(box);
}

TEST_PY(a_field_of_a_base_is_the_fault_of_the_base, .mistakes = true)
{
    Py_DECREF(static_box(visit_first_alone)); /* readies the type */
    PyObject *class =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", "Class", &box_type);
    PyObject *box = filled_box((PyTypeObject *)class);
    EXPECT_STR(audited(box), "GC-T01 24");
    EXPECT_EQ(last.type, &box_type);
    Py_DECREF(box);
}

typedef struct {
    PyObject_VAR_HEAD
    PyObject *items[1];
} Row;

static int
visit_no_items(PyObject *self, visitproc visit, void *arg)
{
    (void)self;
    (void)visit;
    (void)arg;
    return 0;
}

static void
destroy_row(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_XDECREF(((Row *)self)->items[i]);
    }
    Py_TYPE(self)->tp_free(self);
}

TEST_PY(items_are_fields)
{
    static PyTypeObject row_type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Row",
        .tp_basicsize = offsetof(Row, items),
        .tp_itemsize = sizeof(PyObject *),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .tp_traverse = visit_no_items,
        .tp_dealloc = destroy_row,
    };
    REQUIRE_EQ(PyType_Ready(&row_type), 0);
    Row *row = (Row *)PyType_GenericAlloc(&row_type, 3);
    row->items[2] = PyList_New(0);
    EXPECT_STR(audited((PyObject *)row), "GC-T01 40");
    environment.extent = NULL;
    EXPECT_STR(audited((PyObject *)row), "");
    Py_DECREF(row);
}

/* ---- GC-T02 -------------------------------------------------------------------------------------- */

static int
visit_first_twice(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Box *)self)->first);
    return visit_fields(self, visit, arg);
}

TEST_PY(more_visits_than_references_are_certain)
{
    PyObject *box = static_box(visit_first_twice);
    EXPECT_STR(audited(box), "GC-T02");
    EXPECT_STR(last.text,
               "tp_traverse visited a 'list' 2 times, but its reference count is 1");
    EXPECT_EQ(last.certainty, OURO_AUDIT_CERTAIN);
    EXPECT_EQ(last.visits, 2);
    EXPECT_EQ(last.expected, 1);
    Py_DECREF(box);
}

TEST_PY(two_visits_of_one_field_are_certain)
{
    PyObject *box = static_box(visit_first_twice);
    PyObject *first = Py_NewRef(((Box *)box)->first);
    EXPECT_STR(audited(box), "GC-T02");
    EXPECT_STR(last.text, "tp_traverse visited a 'list' 2 times for 1 field");
    EXPECT_EQ(last.certainty, OURO_AUDIT_CERTAIN);
    EXPECT_EQ(((Box *)box)->first, first);
    Py_DECREF(first);
    Py_DECREF(box);
}

static PyObject *kept_elsewhere;

static int
visit_fields_and_elsewhere(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(kept_elsewhere);
    return visit_fields(self, visit, arg);
}

TEST_PY(a_field_and_a_reference_kept_elsewhere_may_be_the_same)
{
    PyObject *box = static_box(visit_fields_and_elsewhere);
    kept_elsewhere = Py_NewRef(((Box *)box)->first);
    EXPECT_STR(audited(box), "");
    Py_CLEAR(kept_elsewhere);
    Py_DECREF(box);
}

TEST_PY(too_many_visits_in_all_are_a_suspicion)
{
    PyObject *box = static_box(visit_fields);
    environment.unexplained = tell_unexplained;
    expected_unexplained = -1;
    EXPECT_STR(audited(box), "GC-T02, GC-T02");
    EXPECT_STR(last.text, "a 'list' is visited 2 times in all, here 1 times, but its "
                          "reference count is 1");
    EXPECT_EQ(last.certainty, OURO_AUDIT_SUSPICION);
    Py_DECREF(box);
}

TEST_PY(built_in_types_are_not_blamed_for_visits_in_all)
{
    PyObject *list = PyList_New(0), *holder = PyTuple_Pack(1, list);
    environment.unexplained = tell_unexplained;
    expected_unexplained = -1;
    EXPECT_STR(audited(holder), "");
    Py_DECREF(holder);
    Py_DECREF(list);
}

/* ---- GC-T03, GC-T04 --------------------------------------------------------------------------------- */

static int
visit_fields_and_type_twice(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return visit_fields_and_type(self, visit, arg);
}

TEST_PY(a_heap_type_that_is_not_visited_is_certain)
{
    PyObject *box = heap_box(visit_fields);
    EXPECT_STR(audited(box), "GC-T03");
    EXPECT_STR(last.text,
               "tp_traverse does not visit Py_TYPE(self), the heap type 'test.HeapBox'");
    EXPECT_EQ(last.certainty, OURO_AUDIT_CERTAIN);
    Py_DECREF(box);
}

TEST_PY(a_field_with_the_type_is_no_visit_of_the_type)
{
    PyObject *box = heap_box(visit_fields);
    Py_SETREF(((Box *)box)->first, Py_NewRef(Py_TYPE(box)));
    EXPECT_STR(audited(box), "GC-T03");
    Py_CLEAR(((Box *)box)->first);
    Py_DECREF(box);
}

TEST_PY(a_heap_type_that_is_visited_twice_is_certain)
{
    PyObject *box = heap_box(visit_fields_and_type_twice);
    EXPECT_STR(audited(box), "GC-T04");
    EXPECT_STR(last.text,
               "Py_TYPE(self), the heap type 'test.HeapBox', is visited 2 times");
    EXPECT_EQ(last.certainty, OURO_AUDIT_CERTAIN);
    EXPECT_EQ(Py_TYPE(box), last.type);
    Py_DECREF(box);
}

TEST_PY(a_static_type_that_is_visited_is_certain)
{
    PyObject *box = static_box(visit_fields_and_type);
    EXPECT_STR(audited(box), "GC-T04");
    EXPECT_STR(last.text, "Py_TYPE(self), the static type 'test.Box', is visited; its "
                          "instances own no reference to it");
    EXPECT_EQ(last.certainty, OURO_AUDIT_CERTAIN);
    EXPECT_EQ(Py_TYPE(box), &box_type);
    Py_DECREF(box);
}

TEST_PY(the_type_of_a_class_instance_is_the_business_of_its_base)
{
    PyTypeObject *base = heap_type(visit_fields, NULL, sizeof(Box), 0);
    PyObject *class =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", "Class", base);
    PyObject *box = filled_box((PyTypeObject *)class);
    EXPECT_STR(audited(box), "GC-T03");
    EXPECT_EQ(last.type, base);
    Py_DECREF(box);
    Py_DECREF(base);
}

/* ---- GC-T08, GC-T09, GC-T11 --------------------------------------------------------------------------- */

static int
swallow_results(PyObject *self, visitproc visit, void *arg)
{
    visit(((Box *)self)->first, arg);
    Py_VISIT(((Box *)self)->second);
    return 0;
}

static int
go_on_after_result(PyObject *self, visitproc visit, void *arg)
{
    int result = visit(((Box *)self)->first, arg);
    int other = visit(((Box *)self)->second, arg);
    return result != 0 ? result : other;
}

static int
return_one(PyObject *self, visitproc visit, void *arg)
{
    int result = visit_fields(self, visit, arg);
    return result != 0 ? result : 1;
}

static int
visit_null(PyObject *self, visitproc visit, void *arg)
{
    int result = visit_fields(self, visit, arg);
    return result != 0 ? result : visit(NULL, arg);
}

static int
visit_by_turns(PyObject *self, visitproc visit, void *arg)
{
    static int turn;
    Py_VISIT(((Box *)self)->first);
    if (++turn % 2 != 0) {
        Py_VISIT(((Box *)self)->second);
    }
    return 0;
}

TEST_PY(a_result_that_is_not_passed_on_is_certain, .mistakes = true)
{
    PyObject *box = static_box(swallow_results);
    EXPECT_STR(audited(box), "GC-T08");
    EXPECT_STR(last.text, "visit number 1 returned 4242, tp_traverse returned 0");
    Py_DECREF(box);
}

TEST_PY(visits_after_a_result_are_certain, .mistakes = true)
{
    PyObject *box = static_box(go_on_after_result);
    EXPECT_STR(audited(box), "GC-T08");
    EXPECT_STR(last.text, "visit number 1 returned 4242, but 1 more visits followed");
    Py_DECREF(box);
}

TEST_PY(a_result_that_no_visit_returned_is_certain)
{
    PyObject *box = static_box(return_one);
    EXPECT_STR(audited(box), "GC-T08");
    EXPECT_STR(last.text, "every visit returned 0, tp_traverse returned 1");
    Py_DECREF(box);
}

TEST_PY(a_visit_of_null_is_certain, .mistakes = true)
{
    PyObject *box = static_box(visit_null);
    EXPECT_STR(audited(box), "GC-T09");
    EXPECT_STR(last.text, "tp_traverse called visit(NULL)");
    Py_DECREF(box);
}

TEST_PY(runs_that_differ_are_certain)
{
    PyObject *box = static_box(visit_by_turns);
    EXPECT_HAS(audited(box), "GC-T11");
    Py_DECREF(box);
}

/* ---- GC-T10, GC-T12, GC-T14 ------------------------------------------------------------------------------ */

static int
visit_weakrefs(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Box *)self)->weakrefs);
    return visit_fields(self, visit, arg);
}

TEST_PY(visited_weak_references_are_certain)
{
    PyObject *box = static_box(visit_weakrefs);
    PyObject *weak = PyWeakref_NewRef(box, NULL);
    PyObject *twice = Py_NewRef(weak);
    EXPECT_STR(audited(box), "GC-T10 32");
    EXPECT_STR(last.text,
               "the list of weak references, at offset 32, must not be visited");
    EXPECT_EQ(((Box *)box)->weakrefs, weak);
    Py_DECREF(twice);
    Py_DECREF(weak);
    Py_DECREF(box);
}

static int
visit_managed_dict_too(PyObject *self, visitproc visit, void *arg)
{
    int result = PyObject_VisitManagedDict(self, visit, arg);
    return result != 0 ? result : visit_fields_and_type(self, visit, arg);
}

TEST_PY(a_managed_dict_that_is_not_visited_is_certain)
{
    for (int is_correct = 0; is_correct < 2; is_correct++) {
        PyTypeObject *type =
            heap_type(is_correct ? visit_managed_dict_too : visit_fields_and_type, NULL,
                      sizeof(Box), Py_TPFLAGS_MANAGED_DICT);
        PyObject *box = filled_box(type);
        EXPECT_STR(audited(box), "");
        EXPECT_EQ(PyObject_SetAttrString(box, "name", ((Box *)box)->first), 0);
        EXPECT_STR(audited(box), is_correct ? "" : "GC-T12");
        Py_DECREF(box);
    }
}

static int
visit_third_alone(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((BigBox *)self)->third);
    return 0;
}

TEST_PY(what_a_base_visits_must_be_visited)
{
    Py_DECREF(static_box(visit_fields)); /* readies the type */
    PyObject *box =
        filled_box(heap_type(visit_third_alone, &box_type, sizeof(BigBox), 0));
    ((BigBox *)box)->third = PyList_New(0);
    EXPECT_STR(audited(box), "GC-T14");
    EXPECT_STR(last.text,
               "references visited by base 'test.Box' are not visited by 'test.HeapBox'");
    EXPECT_EQ(last.type, Py_TYPE(box));
    Py_DECREF(box);
}

/* ---- limits -------------------------------------------------------------------------------------------------- */

TEST_PY(an_object_with_too_many_visits_is_given_up)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; i < 100; i++) {
        EXPECT_EQ(PyList_Append(list, list), 0);
    }
    EXPECT_STR(audited(list), "");
    environment.visit_limit = 99;
    EXPECT_EQ(ouro_audit_object(list, &environment), -1);
    environment.visit_limit = 100;
    EXPECT_EQ(ouro_audit_object(list, &environment), 0);
    PyList_SetSlice(list, 0, 100, NULL);
    Py_DECREF(list);
}
