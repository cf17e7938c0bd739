/* SPDX-License-Identifier: MIT */
/* Where instances keep their dict: nowhere, managed, in a field, behind their items. */
#include "../protocol.h"

static int
managed_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return PyObject_VisitManagedDict(self, visit, arg);
}

static int
managed_clear(PyObject *self)
{
    PyObject_ClearManagedDict(self);
    return 0;
}

static void
managed_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    PyObject_ClearManagedDict(self);
    PyObject_ClearManagedDict(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyGetSetDef dict_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot managed_slots[] = {
    {Py_tp_traverse, managed_traverse},
    {Py_tp_clear, managed_clear},
    {Py_tp_dealloc, managed_dealloc},
    {Py_tp_getset, dict_getset},
    {0, NULL},
};
static PyType_Spec managed_spec = {
    "test.Managed", sizeof(PyObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT, managed_slots};

static PyObject *
new_managed(void)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&managed_spec);
    REQUIRE_NOT_NULL(type);
    PyObject *o = type->tp_alloc(type, 0);
    REQUIRE_NOT_NULL(o);
    Py_DECREF(type);
    return o;
}

static int visited;

static int
count_visit(PyObject *Py_UNUSED(o), void *Py_UNUSED(arg))
{
    visited++;
    return 0;
}

static int
stop_visit(PyObject *Py_UNUSED(o), void *Py_UNUSED(arg))
{
    return 42;
}

TEST_PY(a_managed_dict_is_made_when_needed_visited_and_cleared)
{
    PyObject *o = new_managed();
    EXPECT_EQ(PyObject_VisitManagedDict(o, count_visit, NULL), 0);
    EXPECT_EQ(visited, 0);
    EXPECT_EQ(PyObject_SetAttrString(o, "x", Py_True), 0);
    EXPECT_EQ(PyObject_GetAttrString(o, "x"), Py_True);
    EXPECT_EQ(PyObject_VisitManagedDict(o, count_visit, NULL), 0);
    EXPECT_EQ(visited, 1);
    EXPECT_EQ(PyObject_VisitManagedDict(o, stop_visit, NULL), 42);
    PyObject_ClearManagedDict(o);
    EXPECT_EQ(PyObject_HasAttrString(o, "x"), 0);
    PyObject_ClearManagedDict(o);
    Py_DECREF(o);
}

TEST_PY(another_owner_keeps_a_cleared_managed_dict_with_its_values)
{
    PyObject *o = new_managed();
    PyObject_SetAttrString(o, "x", Py_True);
    PyObject *dict = PyObject_GetAttrString(o, "__dict__");
    REQUIRE_NOT_NULL(dict);
    PyObject_ClearManagedDict(o);
    EXPECT_EQ(PyDict_Size(dict), 1);
    Py_DECREF(o);
    Py_DECREF(dict);
}

TEST_PY(objects_without_managed_dict_are_left_alone)
{
    visited = 0;
    EXPECT_EQ(PyObject_VisitManagedDict(Py_None, count_visit, NULL), 0);
    EXPECT_EQ(visited, 0);
    PyObject_ClearManagedDict(Py_None);
    EXPECT_NULL(_PyObject_GetDictPtr(Py_None));
    EXPECT_NO_ERROR();
}

TEST_PY(the_dict_getter_and_setter_check_what_they_are_given)
{
    PyObject *o = new_managed();
    PyObject *dict = PyObject_GenericGetDict(o, NULL);
    EXPECT_EQ(*_PyObject_GetDictPtr(o), dict);
    EXPECT_EQ(Py_REFCNT(dict), 2);
    Py_DECREF(dict);
    EXPECT_NULL(PyObject_GenericGetDict(Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "This object has no __dict__");
    EXPECT_EQ(PyObject_GenericSetDict(Py_None, Py_None, NULL), -1);
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_EQ(PyObject_GenericSetDict(o, NULL, NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "cannot delete __dict__");
    EXPECT_EQ(PyObject_GenericSetDict(o, Py_None, NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "__dict__ must be set to a dictionary, not a 'NoneType'");
    PyObject *other = PyDict_New();
    EXPECT_EQ(PyObject_SetAttrString(o, "__dict__", other), 0);
    EXPECT_EQ(*_PyObject_GetDictPtr(o), other);
    EXPECT_EQ(Py_REFCNT(other), 2);
    Py_DECREF(other);
    Py_DECREF(o);
}

/* Items of 8 bytes, then the dict pointer. */
static PyTypeObject Tail_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Tail",
    .tp_basicsize = sizeof(PyVarObject) + sizeof(PyObject *),
    .tp_itemsize = 8,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dictoffset = -(Py_ssize_t)sizeof(PyObject *),
};

TEST_PY(a_negative_dict_offset_counts_from_the_end_of_the_items)
{
    /* tp_dictoffset -8 is the last word; -1 alone means managed. */
    REQUIRE_EQ(PyType_Ready(&Tail_Type), 0);
    PyVarObject *o = PyObject_NewVar(PyVarObject, &Tail_Type, 3);
    REQUIRE_NOT_NULL(o);
    char *end = (char *)o + sizeof(PyVarObject) + sizeof(PyObject *) + 3 * 8;
    EXPECT_EQ(_PyObject_GetDictPtr((PyObject *)o), end - sizeof(PyObject *));
    Py_SET_SIZE(o, -3); /* a sign, as in int */
    EXPECT_EQ(_PyObject_GetDictPtr((PyObject *)o), end - sizeof(PyObject *));
    Py_SET_SIZE(o, 3);
    PyObject_Free(o);
}
