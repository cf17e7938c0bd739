/* SPDX-License-Identifier: MIT */
/* The audit reports wrong visits of the type, of weak references, of the managed dict, and of what
 * a base visits already. */
#include "audited.h"

/* ---- GC-T03, GC-T04 --------------------------------------------------------------------- */

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

/* ---- GC-T10, GC-T12, GC-T14 ------------------------------------------------------------- */

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
