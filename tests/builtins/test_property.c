/* SPDX-License-Identifier: MIT */
#include "../types/special.h"

static PyObject *stored;

static PyObject *
get_stored(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(obj))
{
    return Py_NewRef(stored == NULL ? Py_None : stored);
}

static PyObject *
set_stored(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_XSETREF(stored, Py_NewRef(PyTuple_GET_ITEM(args, 1)));
    Py_RETURN_NONE;
}

static PyObject *
delete_stored(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(obj))
{
    Py_CLEAR(stored);
    Py_RETURN_NONE;
}

static PyMethodDef get_def = {"getter", get_stored, METH_O, "what it is"};
static PyMethodDef set_def = {"setter", set_stored, METH_VARARGS, NULL};
static PyMethodDef del_def = {"deleter", delete_stored, METH_O, NULL};

/* property(getter, setter, deleter), as far as there are definitions. */
static PyObject *
make_property(PyMethodDef *get, PyMethodDef *set, PyMethodDef *del)
{
    PyMethodDef *defs[] = {get, set, del};
    PyObject *args = PyTuple_New(3);
    for (int i = 0; args != NULL && i < 3; i++) {
        PyObject *function =
            defs[i] == NULL ? Py_NewRef(Py_None) : PyCFunction_New(defs[i], NULL);
        if (function == NULL) {
            Py_CLEAR(args);
        } else {
            PyTuple_SET_ITEM(args, i, function);
        }
    }
    PyObject *property =
        args == NULL ? NULL : PyObject_CallObject((PyObject *)&PyProperty_Type, args);
    Py_XDECREF(args);
    return property;
}

/* An instance of a class C with the property x, which is taken. */
static PyObject *
instance_with_property(PyObject *property)
{
    PyObject *dict = Py_BuildValue("{s:N}", "x", property);
    PyObject *type = PyObject_CallFunction((PyObject *)&PyType_Type, "s()N", "C", dict);
    PyObject *op = PyObject_CallNoArgs(type);
    Py_DECREF(type);
    return op;
}

TEST_PY(a_property_calls_its_functions)
{
    PyObject *op = instance_with_property(make_property(&get_def, &set_def, &del_def));
    EXPECT_EQ(PyObject_SetAttrString(op, "x", Py_True), 0);
    EXPECT_EQ(stored, Py_True);
    EXPECT_IS(PyObject_GetAttrString(op, "x"), Py_True);
    EXPECT_EQ(PyObject_DelAttrString(op, "x"), 0);
    EXPECT_NULL(stored);
    PyObject *property = PyObject_GetAttrString((PyObject *)Py_TYPE(op), "x");
    EXPECT(Py_IS_TYPE(property, &PyProperty_Type));
    EXPECT_REPR_OF(PyObject_GetAttrString(property, "__name__"), "'x'");
    EXPECT_REPR_OF(PyObject_GetAttrString(property, "__doc__"), "'what it is'");
    EXPECT_IS(PyObject_GetAttrString(property, "__isabstractmethod__"), Py_False);
    Py_DECREF(property);
    Py_DECREF(op);
}

TEST_PY(what_a_property_lacks_is_said)
{
    PyObject *op = instance_with_property(make_property(NULL, NULL, NULL));
    EXPECT_NULL(PyObject_GetAttrString(op, "x"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "property 'x' of 'C' object has no getter");
    EXPECT_EQ(PyObject_SetAttrString(op, "x", Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "property 'x' of 'C' object has no setter");
    EXPECT_EQ(PyObject_DelAttrString(op, "x"), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "property 'x' of 'C' object has no deleter");
    Py_DECREF(op);
    PyObject *property = make_property(NULL, NULL, NULL), *one = number(1);
    EXPECT_NULL(CALL(property, "__get__", one));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "property of 'int' object has no getter");
    EXPECT_NULL(PyObject_GetAttrString(property, "__name__"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "'property' object has no attribute '__name__'");
    EXPECT_NULL(CALL(property, "__set_name__", one));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "__set_name__() takes 2 positional arguments but 1 were given");
    Py_DECREF(one);
    Py_DECREF(property);
}

TEST_PY(a_copy_of_a_property_replaces_one_function)
{
    PyObject *property = make_property(&get_def, NULL, NULL), *one = number(1);
    static const char *const methods[] = {"getter", "setter", "deleter"};
    static const char *const fields[] = {"fget", "fset", "fdel"};
    for (int i = 0; i < 3; i++) {
        PyObject *copy = CALL(property, methods[i], one);
        REQUIRE_NOT_NULL(copy);
        EXPECT_IS(PyObject_GetAttrString(copy, fields[i]), one);
        if (i > 0) { /* the doc string goes with the getter */
            EXPECT_REPR_OF(PyObject_GetAttrString(copy, "__doc__"), "'what it is'");
        }
        Py_DECREF(copy);
    }
    EXPECT_EQ(PyObject_SetAttrString(property, "__doc__", one), 0);
    EXPECT_IS(PyObject_GetAttrString(property, "__doc__"), one);
    EXPECT_EQ(PyObject_SetAttrString(property, "fget", one), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "readonly attribute");
    Py_DECREF(one);
    Py_DECREF(property);
}

TEST_PY(a_subclass_of_property_has_a_doc_string_too)
{
    PyTypeObject *type = class_with_methods("P", &PyProperty_Type, NULL);
    PyObject *function = PyCFunction_New(&get_def, NULL);
    PyObject *property = PyObject_CallOneArg((PyObject *)type, function);
    EXPECT_REPR_OF(PyObject_GetAttrString(property, "__doc__"), "'what it is'");
    Py_DECREF(property);
    Py_DECREF(function);
    Py_DECREF(type);
}

TEST_PY(a_property_is_called_with_at_most_four_arguments)
{
    PyObject *n = Py_None;
    EXPECT_NULL(
        PyObject_CallFunctionObjArgs((PyObject *)&PyProperty_Type, n, n, n, n, n, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "property() takes at most 4 arguments (5 given)");
}

static PyObject *
make_full_property(void)
{
    return make_property(&get_def, &set_def, &del_def);
}

TEST_PY(a_property_takes_part_in_cycles)
{
    PyObject *property = make_property(NULL, NULL, NULL);
    PyObject_SetAttrString(property, "__doc__", property);
    Py_DECREF(property);
    EXPECT_EQ(PyGC_Collect(), 1);
    repeat_without_leak(make_full_property);
    fail_each_allocation(make_full_property);
}
