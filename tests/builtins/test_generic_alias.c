/* SPDX-License-Identifier: MIT */
#include "../types/special.h"

static PyObject *
list_of_int(void)
{
    return Py_GenericAlias((PyObject *)&PyList_Type, (PyObject *)&PyLong_Type);
}

TEST_PY(an_alias_knows_origin_and_arguments)
{
    PyObject *alias = list_of_int();
    REQUIRE(alias != NULL && Py_IS_TYPE(alias, &Py_GenericAliasType));
    EXPECT_IS(PyObject_GetAttrString(alias, "__origin__"), &PyList_Type);
    EXPECT_REPR_OF(PyObject_GetAttrString(alias, "__args__"), "(<class 'int'>,)");
    EXPECT_REPR_OF(PyObject_GetAttrString(alias, "__parameters__"), "()");
    EXPECT_IS(PyObject_GetAttrString(alias, "__class__"), &Py_GenericAliasType);
    Py_DECREF(alias);
}

TEST_PY(the_text_of_an_alias_is_what_one_writes)
{
    PyObject *list = (PyObject *)&PyList_Type, *dict = (PyObject *)&PyDict_Type;
    EXPECT_REPR_OF(list_of_int(), "list[int]");
    PyObject *args = Py_BuildValue("(OO)", &PyUnicode_Type, Py_Ellipsis);
    EXPECT_REPR_OF(Py_GenericAlias(dict, args), "dict[str, ...]");
    Py_SETREF(args, PyTuple_New(0));
    EXPECT_REPR_OF(Py_GenericAlias((PyObject *)&PyTuple_Type, args), "tuple[()]");
    Py_SETREF(args, Py_BuildValue("(N)", list_of_int()));
    EXPECT_REPR_OF(Py_GenericAlias(list, args), "list[list[int]]");
    Py_SETREF(args, Py_BuildValue("[O]", &PyLong_Type));
    EXPECT_REPR_OF(Py_GenericAlias(list, args), "list[[int]]");
    Py_SETREF(args, text("a"));
    EXPECT_REPR_OF(Py_GenericAlias(list, args), "list['a']");
    Py_DECREF(args);
}

TEST_PY(an_alias_acts_as_its_origin)
{
    PyObject *alias = list_of_int();
    EXPECT_REPR_OF(PyObject_CallNoArgs(alias), "[]");
    EXPECT_IS(PyObject_GetAttrString(alias, "append"),
              own_attribute(&PyList_Type, "append"));
    EXPECT_NULL(PyObject_GetAttrString(alias, "zz"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "type object 'list' has no attribute 'zz'");
    EXPECT_EQ(PyObject_SetAttrString(alias, "x", Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "'types.GenericAlias' object has no attribute 'x' and no __dict__ "
                       "for setting new attributes");
    PyObject *bases = PyTuple_New(0);
    EXPECT_REPR_OF(CALL(alias, "__mro_entries__", bases), "(<class 'list'>,)");
    Py_DECREF(bases);
    Py_DECREF(alias);
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    alias = Py_GenericAlias((PyObject *)type, (PyObject *)&PyLong_Type);
    PyObject *op = PyObject_CallNoArgs(alias);
    EXPECT_IS(PyObject_GetAttrString(op, "__orig_class__"), alias);
    Py_DECREF(op);
    Py_DECREF(alias);
    Py_DECREF(type);
}

TEST_PY(aliases_compare_by_origin_and_arguments)
{
    PyObject *a = list_of_int(), *b = list_of_int();
    PyObject *c = Py_GenericAlias((PyObject *)&PyList_Type, Py_None);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, Py_None, Py_EQ), 0);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
}

TEST_PY(an_alias_is_no_class_to_check_against)
{
    PyObject *alias = list_of_int(), *list = PyList_New(0);
    EXPECT_EQ(PyObject_IsInstance(list, alias), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "isinstance() argument 2 cannot be a parameterized generic");
    EXPECT_EQ(PyObject_IsSubclass((PyObject *)&PyList_Type, alias), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "issubclass() argument 2 cannot be a parameterized generic");
    EXPECT_NULL(PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", "C", alias));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "type() doesn't support MRO entry resolution; use "
                       "types.new_class()");
    EXPECT_NULL(PyObject_GetItem(alias, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "list[int] is not a generic class");
    Py_DECREF(list);
    Py_DECREF(alias);
}

TEST_PY(type_and_types_that_say_so_are_generic)
{
    EXPECT_REPR_OF(PyObject_GetItem((PyObject *)&PyType_Type, (PyObject *)&PyLong_Type),
                   "type[int]");
    EXPECT_REPR_OF(
        PyObject_GetItem((PyObject *)&PyDictProxy_Type, (PyObject *)&PyLong_Type),
        "mappingproxy[int]");
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&Py_GenericAliasType));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "GenericAlias expected 2 arguments, got 0");
}

/* --- parameters ------------------------------------------------------------------------------ */

static PyObject *
substitute(PyObject *Py_UNUSED(self), PyObject *item)
{
    return Py_NewRef(item);
}

static PyObject *
say_T(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return text("~T");
}

TEST_PY(parameters_are_filled_in)
{
    static PyMethodDef methods[] = {{"__typing_subst__", substitute, METH_O, NULL},
                                    {"__repr__", say_T, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("TypeVar", NULL, methods);
    PyObject *t = PyObject_CallNoArgs((PyObject *)type);
    PyObject *inner = Py_GenericAlias((PyObject *)&PyList_Type, t);
    PyObject *args = PyTuple_Pack(3, t, &PyLong_Type, inner);
    PyObject *alias = Py_GenericAlias((PyObject *)&PyDict_Type, args);
    EXPECT_REPR_OF(Py_NewRef(alias), "dict[~T, int, list[~T]]");
    EXPECT_REPR_OF(PyObject_GetAttrString(alias, "__parameters__"), "(~T,)");
    EXPECT_REPR_OF(PyObject_GetItem(alias, (PyObject *)&PyUnicode_Type),
                   "dict[str, int, list[str]]");
    EXPECT_NULL(PyObject_GetItem(alias, args));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "Too many arguments for dict[~T, int, list[~T]]; "
                                        "actual 3, expected 1");
    Py_DECREF(alias);
    Py_DECREF(args);
    Py_DECREF(inner);
    Py_DECREF(t);
    Py_DECREF(type);
}

static PyObject *
repr_of_alias(void)
{
    PyObject *alias = list_of_int();
    PyObject *repr = alias == NULL ? NULL : PyObject_Repr(alias);
    Py_XDECREF(alias);
    return repr;
}

TEST_PY(aliases_leave_nothing_behind)
{
    repeat_without_leak(repr_of_alias);
    fail_each_allocation(repr_of_alias);
}

TEST_PY(containers_are_generic)
{
    static PyTypeObject *const types[] = {
        &PyList_Type,      &PyTuple_Type,      &PyDict_Type, &PyFrozenDict_Type,
        &PySet_Type,       &PyFrozenSet_Type,  &PyEnum_Type, &PyMemoryView_Type,
        &PyDictProxy_Type, &_PyWeakref_RefType};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(types); i++) {
        PyObject *type = (PyObject *)types[i];
        PyObject *alias = PyObject_GetItem(type, (PyObject *)&PyLong_Type);
        REQUIRE(alias != NULL && Py_IS_TYPE(alias, &Py_GenericAliasType));
        EXPECT_IS(PyObject_GetAttrString(alias, "__origin__"), type);
        Py_DECREF(alias);
    }
    EXPECT_REPR_OF(PyObject_GetItem((PyObject *)&PyList_Type, (PyObject *)&PyLong_Type),
                   "list[int]");
    EXPECT_NULL(PyObject_GetItem((PyObject *)&PyLong_Type, (PyObject *)&PyLong_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "type 'int' is not subscriptable");
}

TEST_PY(a_subclass_of_a_generic_type_is_generic)
{
    PyTypeObject *stack = class_with_methods("Stack", &PyList_Type, NULL);
    PyObject *alias = PyObject_GetItem((PyObject *)stack, (PyObject *)&PyLong_Type);
    REQUIRE_NOT_NULL(alias);
    EXPECT_IS(PyObject_GetAttrString(alias, "__origin__"), stack);
    Py_DECREF(alias);
    Py_DECREF(stack);
}
