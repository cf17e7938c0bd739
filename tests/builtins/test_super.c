/* SPDX-License-Identifier: MIT */
#include "../types/special.h"

static PyObject *
say_base(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return text("base");
}

static PyObject *
say_derived(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return text("derived");
}

static PyMethodDef base_methods[] = {{"f", say_base, METH_NOARGS, NULL},
                                     {"__repr__", say_base, METH_NOARGS, NULL},
                                     {NULL, NULL, 0, NULL}};
static PyMethodDef derived_methods[] = {{"f", say_derived, METH_NOARGS, NULL},
                                        {NULL, NULL, 0, NULL}};
static PyTypeObject *a, *b;

static void
make_family(void)
{
    a = class_with_methods("A", NULL, base_methods);
    b = class_with_methods("B", a, derived_methods);
}

static void
drop_family(void)
{
    Py_CLEAR(a);
    Py_CLEAR(b);
}

static PyObject *
call_super(void *type, void *obj)
{
    return PyObject_CallFunctionObjArgs((PyObject *)&PySuper_Type, type, obj, NULL);
}

TEST_PY(super_finds_what_comes_after_the_type)
{
    make_family();
    PyObject *op = PyObject_CallNoArgs((PyObject *)b);
    PyObject *super = call_super(b, op);
    REQUIRE_NOT_NULL(super);
    EXPECT_REPR_OF(CALL(op, "f"), "'derived'");
    EXPECT_REPR_OF(CALL(super, "f"), "'base'");
    EXPECT_REPR_OF(Py_NewRef(super), "<super: <class 'B'>, <B object>>");
    EXPECT_REPR_OF(CALL(super, "__repr__"), "'base'");
    EXPECT_IS(PyObject_GetAttrString(super, "__thisclass__"), b);
    EXPECT_IS(PyObject_GetAttrString(super, "__self__"), op);
    EXPECT_IS(PyObject_GetAttrString(super, "__self_class__"), b);
    EXPECT_IS(PyObject_GetAttrString(super, "__class__"), &PySuper_Type);
    EXPECT_NULL(PyObject_GetAttrString(super, "zz"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'super' object has no attribute 'zz'");
    Py_DECREF(super);
    super = call_super(b, b); /* as in a class method: nothing is bound */
    PyObject *f = PyObject_GetAttrString(super, "f");
    EXPECT_EQ(f, own_attribute(a, "f"));
    Py_DECREF(f);
    Py_DECREF(super);
    Py_DECREF(op);
    drop_family();
}

TEST_PY(super_without_an_object_binds_later)
{
    make_family();
    PyObject *op = PyObject_CallNoArgs((PyObject *)b);
    PyObject *super = call_super(b, NULL);
    EXPECT_REPR_OF(Py_NewRef(super), "<super: <class 'B'>, NULL>");
    EXPECT_IS(PyObject_GetAttrString(super, "__self__"), Py_None);
    EXPECT_NULL(PyObject_GetAttrString(super, "f"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'super' object has no attribute 'f'");
    PyObject *bound = CALL(super, "__get__", op);
    EXPECT_REPR_OF(CALL(bound, "f"), "'base'");
    Py_XDECREF(bound);
    PyObject *one = number(1);
    EXPECT_NULL(CALL(super, "__get__", one));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "super(type, obj): obj (instance of int) is not an instance or "
                       "subtype of type (B).");
    Py_DECREF(one);
    Py_DECREF(super);
    Py_DECREF(op);
    drop_family();
}

TEST_PY(super_says_what_is_wrong_with_its_arguments)
{
    make_family();
    PyObject *one = number(1);
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&PySuper_Type));
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "super(): no current frame");
    EXPECT_NULL(call_super(one, one));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "super() argument 1 must be a type, not int");
    EXPECT_NULL(call_super(b, a));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "super(type, obj): obj (type A) is not an "
                                        "instance or subtype of type (B).");
    EXPECT_NULL(
        PyObject_CallFunctionObjArgs((PyObject *)&PySuper_Type, b, one, one, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "super() expected at most 2 arguments, got 3");
    PyObject *none = call_super(b, Py_None); /* the same as without an object */
    EXPECT_REPR_OF(none, "<super: <class 'B'>, NULL>");
    Py_DECREF(one);
    drop_family();
}

static PyObject *
use_super(void)
{
    PyObject *super = call_super(&PyBool_Type, Py_True);
    PyObject *result = super == NULL ? NULL : CALL(super, "__repr__");
    Py_XDECREF(super);
    return result;
}

TEST_PY(using_super_leaves_nothing_behind)
{
    EXPECT_REPR_OF(use_super(), "'1'"); /* that of int */
    repeat_without_leak(use_super);
    fail_each_allocation(use_super);
}
