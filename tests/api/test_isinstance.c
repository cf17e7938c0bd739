/* SPDX-License-Identifier: MIT */
/* isinstance and issubclass. */
#include "../protocol.h"

#define TYPE(t) ((PyObject *)&(t))

TEST_PY(types_answer_by_inheritance)
{
    EXPECT_EQ(PyObject_IsInstance(Py_True, TYPE(PyBool_Type)), 1);
    EXPECT_EQ(PyObject_IsInstance(Py_True, TYPE(PyLong_Type)), 1);
    EXPECT_EQ(PyObject_IsInstance(Py_True, TYPE(PyList_Type)), 0);
    EXPECT_EQ(PyObject_IsInstance(Py_None, TYPE(PyBaseObject_Type)), 1);
    EXPECT_EQ(PyObject_IsInstance(TYPE(PyLong_Type), TYPE(PyType_Type)), 1);
    EXPECT_EQ(PyObject_IsSubclass(TYPE(PyBool_Type), TYPE(PyLong_Type)), 1);
    EXPECT_EQ(PyObject_IsSubclass(TYPE(PyLong_Type), TYPE(PyBool_Type)), 0);
    EXPECT_EQ(PyObject_IsSubclass(TYPE(PyLong_Type), TYPE(PyLong_Type)), 1);
    PyObject *type = PyObject_Type(Py_True);
    EXPECT_EQ(type, TYPE(PyBool_Type));
    Py_DECREF(type);
    EXPECT_NULL(PyObject_Type(NULL));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(a_tuple_means_any_of_its_types)
{
    PyObject *inner = PyTuple_Pack(1, TYPE(PyLong_Type));
    PyObject *outer = PyTuple_Pack(2, TYPE(PyList_Type), inner);
    PyObject *empty = PyTuple_New(0);
    EXPECT_EQ(PyObject_IsInstance(Py_True, outer), 1);
    EXPECT_EQ(PyObject_IsInstance(Py_None, outer), 0);
    EXPECT_EQ(PyObject_IsInstance(Py_None, empty), 0);
    EXPECT_EQ(PyObject_IsSubclass(TYPE(PyBool_Type), outer), 1);
    Py_DECREF(inner);
    Py_DECREF(outer);
}

TEST_PY(what_is_no_class_raises_type_error)
{
    EXPECT_EQ(PyObject_IsInstance(Py_True, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "isinstance() arg 2 must be a type, a tuple of types, or a union");
    EXPECT_EQ(PyObject_IsSubclass(Py_None, TYPE(PyLong_Type)), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "issubclass() arg 1 must be a class");
    EXPECT_EQ(PyObject_IsSubclass(TYPE(PyLong_Type), Py_None), -1);
    EXPECT_RAISED_TEXT(
        PyExc_TypeError,
        "issubclass() arg 2 must be a class, a tuple of classes, or a union");
}

/* An object whose type answers for it. */
static PyObject *
check_is_none(PyObject *Py_UNUSED(self), PyObject *o)
{
    if (o == Py_Ellipsis) {
        PyErr_SetString(PyExc_ValueError, "no");
        return NULL;
    }
    return PyBool_FromLong(o == Py_None);
}

/* An object that looks like a class: __bases__ is its field. */
typedef struct {
    PyObject_HEAD
    PyObject *bases;
    PyObject *cls;
} lookalike;

static void
lookalike_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((lookalike *)self)->bases);
    Py_XDECREF(((lookalike *)self)->cls);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef answer_methods[] = {
    {"__instancecheck__", check_is_none, METH_O, NULL},
    {"__subclasscheck__", check_is_none, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef lookalike_members[] = {
    {"__bases__", Py_T_OBJECT_EX, offsetof(lookalike, bases), 0, NULL},
    {"__class__", Py_T_OBJECT_EX, offsetof(lookalike, cls), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot answer_slots[] = {{Py_tp_methods, answer_methods}, {0, NULL}};
static PyType_Slot lookalike_slots[] = {
    {Py_tp_members, lookalike_members}, {Py_tp_dealloc, lookalike_dealloc}, {0, NULL}};
static PyType_Spec answer_spec = {"test.Answer", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                  answer_slots};
static PyType_Spec lookalike_spec = {"test.Lookalike", sizeof(lookalike), 0,
                                     Py_TPFLAGS_DEFAULT, lookalike_slots};

TEST_PY(an_object_may_answer_for_itself)
{
    PyObject *type = PyType_FromSpec(&answer_spec);
    PyObject *o = PyObject_CallNoArgs(type);
    EXPECT_EQ(PyObject_IsInstance(Py_None, o), 1);
    EXPECT_EQ(PyObject_IsInstance(Py_True, o), 0);
    EXPECT_EQ(PyObject_IsInstance(Py_Ellipsis, o), -1);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyObject_IsSubclass(Py_None, o), 1);
    Py_DECREF(o);
    Py_DECREF(type);
}

TEST_PY(lookalikes_of_classes_answer_by_their_bases)
{
    PyObject *type = PyType_FromSpec(&lookalike_spec);
    PyObject *base = PyObject_CallNoArgs(type), *derived = PyObject_CallNoArgs(type);
    PyObject *instance = PyObject_CallNoArgs(type);
    ((lookalike *)base)->bases = PyTuple_New(0);
    ((lookalike *)derived)->bases = PyTuple_Pack(1, base);
    ((lookalike *)instance)->cls = Py_NewRef(derived);
    EXPECT_EQ(PyObject_IsSubclass(derived, base), 1);
    EXPECT_EQ(PyObject_IsSubclass(base, derived), 0);
    EXPECT_EQ(PyObject_IsInstance(instance, base), 1);
    EXPECT_EQ(PyObject_IsInstance(Py_None, base), 0);
    Py_DECREF(instance);
    Py_DECREF(derived);
    Py_DECREF(base);
    Py_DECREF(type);
}

TEST_PY(an_object_may_claim_another_class_than_its_type)
{
    PyObject *type = PyType_FromSpec(&lookalike_spec);
    PyObject *instance = PyObject_CallNoArgs(type);
    ((lookalike *)instance)->cls = Py_NewRef(TYPE(PyBool_Type));
    EXPECT_EQ(PyObject_IsInstance(instance, TYPE(PyLong_Type)), 1);
    EXPECT_EQ(PyObject_IsInstance(instance, TYPE(PyList_Type)), 0);
    EXPECT_EQ(PyObject_IsInstance(instance, type), 1);
    Py_DECREF(instance);
    Py_DECREF(type);
}
