/* SPDX-License-Identifier: MIT */
/* Items and attributes of classes. */
#include "special.h"

static PyObject *answer;
static PyObject *seen; /* the arguments of the last call, a tuple */

static PyObject *
give_answer(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_XSETREF(seen, Py_XNewRef(args));
    return Py_XNewRef(answer);
}

static void
forget(void)
{
    Py_CLEAR(answer);
    Py_CLEAR(seen);
}

static PyMethodDef items[] = {{"__len__", give_answer, METH_VARARGS, NULL},
                              {"__getitem__", give_answer, METH_VARARGS, NULL},
                              {"__setitem__", give_answer, METH_VARARGS, NULL},
                              {"__delitem__", give_answer, METH_VARARGS, NULL},
                              {"__contains__", give_answer, METH_VARARGS, NULL},
                              {NULL, NULL, 0, NULL}};

TEST_PY(items_are_got_set_and_deleted_by_methods)
{
    PyTypeObject *type = class_with_methods("C", NULL, items);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type), *key = text("k");
    answer = number(2);
    EXPECT_INT(PyObject_GetItem(op, key), 2);
    EXPECT_EQ(PyTuple_GET_ITEM(seen, 0), key);
    EXPECT_INT(PySequence_GetItem(op, 1), 2);
    EXPECT_EQ(PyLong_AsLong(PyTuple_GET_ITEM(seen, 0)), 1);
    EXPECT_INT(PySequence_GetItem(op, -1), 2);
    EXPECT_EQ(PyLong_AsLong(PyTuple_GET_ITEM(seen, 0)), 1); /* 2 - 1 */
    EXPECT_EQ(PyObject_SetItem(op, key, Py_True), 0);
    EXPECT_EQ(PyTuple_GET_SIZE(seen), 2);
    EXPECT_EQ(PySequence_SetItem(op, 0, Py_True), 0);
    EXPECT_EQ(PyObject_DelItem(op, key), 0);
    EXPECT_EQ(PyTuple_GET_SIZE(seen), 1);
    EXPECT_EQ(PySequence_DelItem(op, 0), 0);
    EXPECT_EQ(PySequence_Contains(op, key), 1);
    EXPECT_EQ(PyObject_Size(op), 2);
    EXPECT_EQ(PyMapping_Size(op), 2);
    forget();
    Py_DECREF(key);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(what_setitem_and_delitem_return_is_released)
{
    PyTypeObject *type = class_with_methods("C", NULL, items);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    answer = PyList_New(0);
    EXPECT_EQ(PyObject_SetItem(op, Py_None, Py_True), 0);
    EXPECT_EQ(PyObject_DelItem(op, Py_None), 0);
    EXPECT_EQ(Py_REFCNT(answer), 1);
    forget();
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(a_length_is_an_index_that_is_not_negative)
{
    PyTypeObject *type = class_with_methods("C", NULL, items);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    answer = number(-1);
    EXPECT_EQ(PyObject_Size(op), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "__len__() should return >= 0");
    Py_SETREF(answer, text("x"));
    EXPECT_EQ(PyObject_Size(op), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'str' object cannot be interpreted as an integer");
    Py_SETREF(answer, PyLong_FromString("100000000000000000000", NULL, 10));
    EXPECT_EQ(PyObject_Size(op), -1);
    EXPECT_RAISED_TEXT(PyExc_OverflowError,
                       "cannot fit 'int' into an index-sized integer");
    forget();
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(None_says_that_there_is_no_such_method)
{
    PyTypeObject *type = class_with_methods("C", NULL, items);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    PyObject_SetAttrString((PyObject *)type, "__contains__", Py_None);
    PyObject_SetAttrString((PyObject *)type, "__len__", Py_None);
    EXPECT_EQ(PySequence_Contains(op, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'C' object is not a container");
    EXPECT_EQ(PyObject_Size(op), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not callable");
    Py_DECREF(op);
    Py_DECREF(type);
}

/* A built-in function in a class is no method: it does not get the instance. */
TEST_PY(a_function_that_is_no_method_gets_the_value_alone)
{
    PyTypeObject *type = class_with_methods("C", NULL, items);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    PyObject *function = PyCFunction_New(&items[4], NULL);
    PyObject_SetAttrString((PyObject *)type, "__contains__", function);
    answer = number(0);
    EXPECT_EQ(PySequence_Contains(op, Py_True), 0);
    EXPECT_EQ(PyTuple_GET_SIZE(seen), 1);
    EXPECT_EQ(PyTuple_GET_ITEM(seen, 0), Py_True);
    forget();
    Py_DECREF(function);
    Py_DECREF(op);
    Py_DECREF(type);
}

/* --- attributes ------------------------------------------------------------------------------ */

TEST_PY(getattr_is_asked_for_what_is_not_there)
{
    static PyMethodDef methods[] = {{"__getattr__", give_answer, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    EXPECT_EQ(PyObject_SetAttrString(op, "there", Py_False), 0);
    answer = number(9);
    EXPECT_IS(PyObject_GetAttrString(op, "there"), Py_False);
    EXPECT_NULL(seen);
    EXPECT_INT(PyObject_GetAttrString(op, "missing"), 9);
    EXPECT_REPR_OF(Py_NewRef(seen), "('missing',)");
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "__getattr__"), 0);
    EXPECT_EQ(type->tp_getattro, PyObject_GenericGetAttr);
    EXPECT_NULL(PyObject_GetAttrString(op, "missing"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'C' object has no attribute 'missing'");
    forget();
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(getattribute_is_asked_for_everything)
{
    static PyMethodDef methods[] = {{"__getattribute__", give_answer, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    answer = number(9);
    EXPECT_INT(PyObject_GetAttrString(op, "__class__"), 9);
    forget();
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(setattr_and_delattr_are_methods)
{
    static PyMethodDef methods[] = {{"__setattr__", give_answer, METH_VARARGS, NULL},
                                    {"__delattr__", give_answer, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    answer = Py_None;
    EXPECT_EQ(PyObject_SetAttrString(op, "x", Py_True), 0);
    EXPECT_REPR_OF(Py_NewRef(seen), "('x', True)");
    EXPECT_EQ(PyObject_DelAttrString(op, "y"), 0);
    EXPECT_REPR_OF(Py_NewRef(seen), "('y',)");
    /* object.__setattr__ goes past the methods, into the dict */
    PyObject *set = PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, "__setattr__");
    PyObject *name = text("z");
    EXPECT_IS(PyObject_CallFunctionObjArgs(set, op, name, Py_False, NULL), Py_None);
    EXPECT_IS(PyObject_GetAttr(op, name), Py_False);
    Py_DECREF(name);
    Py_DECREF(set);
    forget();
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(an_instance_with_get_and_set_is_a_descriptor)
{
    static PyMethodDef methods[] = {{"__get__", give_answer, METH_VARARGS, NULL},
                                    {"__set__", give_answer, METH_VARARGS, NULL},
                                    {"__delete__", give_answer, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("D", NULL, methods);
    PyTypeObject *owner = class_with_methods("O", NULL, NULL);
    PyObject *descr = PyObject_CallNoArgs((PyObject *)type);
    EXPECT(PyDescr_IsData(descr));
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)owner, "x", descr), 0);
    PyObject *op = PyObject_CallNoArgs((PyObject *)owner);
    answer = number(8);
    EXPECT_INT(PyObject_GetAttrString(op, "x"), 8);
    EXPECT_EQ(PyTuple_GET_ITEM(seen, 0), op);
    EXPECT_INT(PyObject_GetAttrString((PyObject *)owner, "x"), 8);
    EXPECT_EQ(PyTuple_GET_ITEM(seen, 0), Py_None);
    EXPECT_EQ(PyObject_SetAttrString(op, "x", Py_True), 0);
    EXPECT_EQ(PyTuple_GET_ITEM(seen, 1), Py_True);
    EXPECT_EQ(PyObject_DelAttrString(op, "x"), 0);
    EXPECT_EQ(PyTuple_GET_SIZE(seen), 1);
    forget();
    Py_DECREF(op);
    Py_DECREF(owner);
    Py_DECREF(descr);
    Py_DECREF(type);
}
