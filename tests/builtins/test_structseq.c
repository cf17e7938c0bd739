/* SPDX-License-Identifier: MIT */
/* Struct sequences, of heap types and of static ones. */
#include "calls.h"

#include <stdbool.h>

static PyStructSequence_Field point_fields[] = {
    {"x", "the first"},
    {"y", NULL},
    {"label", "not an item"},
    {NULL, NULL},
};
static PyStructSequence_Desc point_desc = {"test.point", "A point.", point_fields, 2};

/* A static type keeps its counts of fields for the life of the process: hence no_leak_check. */
static PyTypeObject static_point;

static PyTypeObject *
point_type(bool is_static)
{
    if (is_static) {
        REQUIRE_EQ(PyStructSequence_InitType2(&static_point, &point_desc), 0);
        return (PyTypeObject *)Py_NewRef(&static_point);
    }
    PyTypeObject *type = PyStructSequence_NewType(&point_desc);
    REQUIRE_NOT_NULL(type);
    return type;
}

static PyObject *
new_point(PyTypeObject *type)
{
    PyObject *p = PyStructSequence_New(type);
    REQUIRE_NOT_NULL(p);
    PyStructSequence_SetItem(p, 0, number(3));
    PyStructSequence_SET_ITEM(p, 1, number(4));
    PyStructSequence_SetItem(p, 2, text("here"));
    return p;
}

TEST_PY(fields_are_items_and_attributes_or_attributes_alone, .no_leak_check = true)
{
    for (int is_static = 0; is_static < 2; is_static++) {
        PyTypeObject *type = point_type(is_static);
        PyObject *p = new_point(type);
        EXPECT(PyTuple_Check(p) && PyTuple_GET_SIZE(p) == 2);
        EXPECT_REPR_OF(Py_NewRef(p), "test.point(x=3, y=4)");
        EXPECT_REPR_OF(PyObject_GetAttrString(p, "y"), "4");
        EXPECT_REPR_OF(PyObject_GetAttrString(p, "label"), "'here'");
        EXPECT_REPR_OF(PySequence_GetItem(p, 0), "3");
        EXPECT_REPR_OF(Py_NewRef(PyStructSequence_GetItem(p, 2)), "'here'");
        EXPECT_NULL(PySequence_GetItem(p, 2));
        EXPECT_RAISED(PyExc_IndexError);
        EXPECT_REPR_OF(PyObject_GetAttrString((PyObject *)type, "n_fields"), "3");
        EXPECT_REPR_OF(PyObject_GetAttrString((PyObject *)type, "n_sequence_fields"),
                       "2");
        PyObject *pair = PySequence_Tuple(p);
        EXPECT_EQ(PyObject_RichCompareBool(p, pair, Py_EQ), 1);
        Py_DECREF(pair);
        Py_DECREF(p);
        Py_DECREF(type);
    }
}

TEST_PY(a_sequence_and_a_dict_make_one)
{
    PyTypeObject *type = point_type(false);
    PyObject *args = Py_BuildValue("((ii){ss})", 1, 2, "label", "there");
    PyObject *p = PyObject_Call((PyObject *)type, args, NULL);
    REQUIRE_NOT_NULL(p);
    EXPECT_REPR_OF(PyObject_GetAttrString(p, "label"), "'there'");
    Py_DECREF(p);
    Py_SETREF(args, Py_BuildValue("((ii))", 1, 2));
    p = PyObject_Call((PyObject *)type, args, NULL);
    EXPECT_REPR_OF(PyObject_GetAttrString(p, "label"), "None");
    Py_DECREF(p);
    Py_SETREF(args, Py_BuildValue("((i))", 1));
    EXPECT_NULL(PyObject_Call((PyObject *)type, args, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "test.point() takes an at least 2-sequence "
                                        "(1-sequence given)");
    Py_DECREF(args);
    Py_DECREF(type);
}

TEST_PY(a_cycle_through_a_hidden_field_is_collected, .no_leak_check = true)
{
    for (int is_static = 0; is_static < 2; is_static++) {
        PyTypeObject *type = point_type(is_static);
        PyObject *p = new_point(type), *list = PyList_New(0);
        PyList_Append(list, p);
        PyStructSequence_SetItem(p, 2, list);
        Py_DECREF(p);
        EXPECT_EQ(PyGC_Collect(), 2);
        Py_DECREF(type);
        PyGC_Collect();
    }
}

TEST_PY(an_unnamed_field_is_an_item_only, .no_leak_check = true)
{
    PyStructSequence_Field fields[] = {
        {PyStructSequence_UnnamedField, NULL}, {"b", NULL}, {NULL, NULL}};
    PyStructSequence_Desc desc = {"test.odd", NULL, fields, 2};
    PyTypeObject *type = PyStructSequence_NewType(&desc);
    PyObject *p = PyStructSequence_New(type);
    PyStructSequence_SetItem(p, 0, number(1));
    PyStructSequence_SetItem(p, 1, number(2));
    EXPECT_REPR_OF(PyObject_GetAttrString(p, "b"), "2");
    EXPECT_REPR_OF(Py_NewRef(p), "test.odd(?=1, b=2)");
    EXPECT_REPR_OF(PyObject_GetAttrString((PyObject *)type, "n_unnamed_fields"), "1");
    Py_DECREF(p);
    Py_DECREF(type);
    static PyTypeObject other;
    PyStructSequence_InitType(&other, &point_desc);
    EXPECT(PyType_HasFeature(&other, Py_TPFLAGS_READY));
}
