/* SPDX-License-Identifier: MIT */
/* The audit names fields that are not visited, and fields that are visited too often. */
#include "audited.h"

/* ---- GC-T01 ----------------------------------------------------------------------------- */

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

/* ---- GC-T02 ----------------------------------------------------------------------------- */

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
