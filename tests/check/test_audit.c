/* SPDX-License-Identifier: MIT */
/* The audit finds nothing in correct handlers. It reports handlers whose visits differ from call to
 * call, or that do not treat the results of visits correctly. */
#include "audited.h"

/* ---- correct handlers ------------------------------------------------------------------- */

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

/* ---- GC-T08, GC-T09, GC-T11 ------------------------------------------------------------- */

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

/* ---- limits ----------------------------------------------------------------------------- */

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
