/* SPDX-License-Identifier: MIT */
/* Attributes of ordinary instances: which place takes precedence, and what cannot be set. */
#include "../protocol.h"

/* An instance with a dict field, a member, a method and a getset pair. */
typedef struct {
    PyObject_HEAD
    PyObject *dict;
    int size;
    PyObject *computed;
} boxobject;

static PyObject *
box_hello(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return PyUnicode_FromString("hello");
}

static PyObject *
box_get_computed(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *value = ((boxobject *)self)->computed;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "not computed");
    }
    return Py_XNewRef(value);
}

static int
box_set_computed(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    Py_XSETREF(((boxobject *)self)->computed, Py_XNewRef(value));
    return 0;
}

static int
box_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((boxobject *)self)->dict);
    Py_VISIT(((boxobject *)self)->computed);
    return 0;
}

static int
box_clear(PyObject *self)
{
    Py_CLEAR(((boxobject *)self)->dict);
    Py_CLEAR(((boxobject *)self)->computed);
    return 0;
}

static void
box_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef box_methods[] = {
    {"hello", box_hello, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef box_members[] = {
    {"size", Py_T_INT, offsetof(boxobject, size), 0, NULL},
    {"__dictoffset__", Py_T_PYSSIZET, offsetof(boxobject, dict), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef box_getset[] = {
    {"computed", box_get_computed, box_set_computed, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot box_slots[] = {
    {Py_tp_methods, box_methods},
    {Py_tp_members, box_members},
    {Py_tp_getset, box_getset},
    {Py_tp_traverse, box_traverse},
    {Py_tp_clear, box_clear},
    {Py_tp_dealloc, box_dealloc},
    {0, NULL},
};
static PyType_Spec box_spec = {"test.Box", sizeof(boxobject), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, box_slots};

static PyObject *box;

static void
make_box(void)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&box_spec);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_dictoffset, offsetof(boxobject, dict));
    box = type->tp_alloc(type, 0);
    REQUIRE_NOT_NULL(box);
    Py_DECREF(type);
}

TEST_PY(a_data_descriptor_wins_over_the_instance_dict)
{
    make_box();
    PyObject *dict = PyObject_GenericGetDict(box, NULL);
    PyDict_SetItemString(dict, "size", Py_None);
    EXPECT_EQ(PyObject_SetAttrString(box, "size", Py_False), 0);
    EXPECT_REPR_OF(PyObject_GetAttrString(box, "size"), "0");
    EXPECT_EQ(PyDict_Size(dict), 1);
    Py_DECREF(dict);
    Py_DECREF(box);
}

TEST_PY(the_instance_dict_wins_over_methods)
{
    make_box();
    PyObject *name = text("hello");
    EXPECT_REPR_OF(PyObject_CallMethodNoArgs(box, name), "'hello'");
    EXPECT_EQ(PyObject_SetAttrString(box, "hello", Py_True), 0);
    EXPECT_EQ(PyObject_GetAttrString(box, "hello"), Py_True);
    EXPECT_NULL(PyObject_CallMethodNoArgs(box, name));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'bool' object is not callable");
    Py_DECREF(name);
    EXPECT_EQ(PyObject_DelAttrString(box, "hello"), 0);
    EXPECT_EQ(PyObject_HasAttrString(box, "hello"), 1);
    Py_DECREF(box);
}

TEST_PY(setting_and_deleting_go_through_the_instance_dict)
{
    make_box();
    PyObject *value = PyList_New(0);
    EXPECT_EQ(PyObject_SetAttrString(box, "x", value), 0);
    EXPECT_EQ(Py_REFCNT(value), 2);
    PyObject *read = PyObject_GetAttrString(box, "x");
    EXPECT_EQ(read, value);
    Py_XDECREF(read);
    EXPECT_EQ(PyObject_DelAttrString(box, "x"), 0);
    EXPECT_EQ(Py_REFCNT(value), 1);
    EXPECT_EQ(PyObject_DelAttrString(box, "x"), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'test.Box' object has no attribute 'x'");
    Py_DECREF(value);
    Py_DECREF(box);
}

TEST_PY(deleting_from_an_instance_without_dict_yet_raises_attribute_error)
{
    make_box();
    EXPECT_EQ(PyObject_DelAttrString(box, "x"), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'test.Box' object has no attribute 'x'");
    EXPECT_NULL(((boxobject *)box)->dict);
    Py_DECREF(box);
}

TEST_PY(optional_lookup_drops_the_attribute_error_of_a_getter)
{
    make_box();
    PyObject *value;
    EXPECT_EQ(PyObject_GetOptionalAttrString(box, "computed", &value), 0);
    EXPECT_NO_ERROR();
    EXPECT_NULL(PyObject_GetAttrString(box, "computed"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "not computed");
    EXPECT_EQ(PyObject_SetAttrString(box, "computed", Py_True), 0);
    EXPECT_EQ(PyObject_GetOptionalAttrString(box, "computed", &value), 1);
    EXPECT_EQ(value, Py_True);
    Py_DECREF(box);
}

TEST_PY(an_instance_without_dict_refuses_new_attributes)
{
    PyObject *o = number(1000);
    EXPECT_EQ(PyObject_SetAttrString(o, "x", Py_None), -1);
    EXPECT_RAISED_TEXT(
        PyExc_AttributeError,
        "'int' object has no attribute 'x' and no __dict__ for setting new "
        "attributes");
    Py_DECREF(o);
    PyObject *list = PyList_New(0);
    o = PySeqIter_New(list);
    EXPECT_EQ(PyObject_SetAttrString(o, "__length_hint__", Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "'iterator' object attribute '__length_hint__' is read-only");
    Py_DECREF(o);
    Py_DECREF(list);
}

static PyObject *
set_attribute_of_new_box(void)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&box_spec);
    PyObject *o = type == NULL ? NULL : type->tp_alloc(type, 0);
    Py_XDECREF(type);
    if (o != NULL &&
        PyObject_SetAttrString(o, "attribute_with_a_new_name", Py_None) < 0) {
        Py_CLEAR(o);
    }
    return o;
}

TEST_PY(setting_an_attribute_survives_any_failing_allocation)
{
    fail_each_allocation(set_attribute_of_new_box);
}
