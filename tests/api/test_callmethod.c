/* SPDX-License-Identifier: MIT */
/* Calls of methods by name. */
#include "../protocol.h"

/* An object whose methods show what they receive. */
static PyObject *
show_one(PyObject *Py_UNUSED(self), PyObject *arg)
{
    return PyUnicode_FromFormat("one %R", arg);
}

static PyObject *
show_none(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    return PyUnicode_FromString("none");
}

static PyObject *
show_many(PyObject *Py_UNUSED(self), PyObject *args)
{
    return PyUnicode_FromFormat("many %R", args);
}

static PyMethodDef shower_methods[] = {
    {"one", show_one, METH_O, NULL},
    {"none", show_none, METH_NOARGS, NULL},
    {"many", show_many, METH_VARARGS, NULL},
    {"on_class", show_many, METH_VARARGS | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot shower_slots[] = {{Py_tp_methods, shower_methods}, {0, NULL}};
static PyType_Spec shower_spec = {"test.Shower", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                  shower_slots};

static PyObject *
new_shower(void)
{
    PyObject *type = PyType_FromSpec(&shower_spec);
    PyObject *o = type == NULL ? NULL : PyObject_CallNoArgs(type);
    Py_XDECREF(type);
    return o;
}

TEST_PY(methods_are_called_with_any_number_of_arguments)
{
    PyObject *o = new_shower(), *n = Py_None;
    PyObject *one = text("one"), *none = text("none"), *many = text("many");
    EXPECT_REPR_OF(PyObject_CallMethodNoArgs(o, none), "'none'");
    EXPECT_REPR_OF(PyObject_CallMethodOneArg(o, one, Py_True), "'one True'");
    EXPECT_REPR_OF(PyObject_CallMethodObjArgs(o, many, NULL), "'many ()'");
    EXPECT_REPR_OF(PyObject_CallMethodObjArgs(o, many, n, Py_True, NULL),
                   "'many (None, True)'");
    EXPECT_REPR_OF(PyObject_CallMethodObjArgs(o, many, n, n, n, n, n, n, n, NULL),
                   "'many (None, None, None, None, None, None, None)'");
    Py_DECREF(one);
    Py_DECREF(none);
    Py_DECREF(many);
    Py_DECREF(o);
}

TEST_PY(a_method_call_makes_no_reference_it_does_not_release)
{
    PyObject *o = new_shower(), *name = text("one"), *item = PyList_New(0);
    PyObject *array[3] = {NULL, o, item};
    EXPECT_SAME_COUNT(o, {
        PyObject *result = PyObject_VectorcallMethod(
            name, array + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        EXPECT_REPR_OF(result, "'one []'");
    });
    EXPECT_EQ(array[1], o);
    EXPECT_EQ(Py_REFCNT(item), 1);
    Py_DECREF(item);
    Py_DECREF(name);
    Py_DECREF(o);
}

TEST_PY(an_attribute_that_comes_bound_is_called_without_self)
{
    PyObject *o = new_shower(), *name = text("on_class"), *bare = text("one");
    PyObject *type = (PyObject *)Py_TYPE(o);
    PyObject *array[3] = {o, Py_True, Py_None};
    EXPECT_REPR_OF(PyObject_CallMethodOneArg(o, name, Py_True), "'many (True,)'");
    EXPECT_REPR_OF(PyObject_VectorcallMethod(name, array, 3, NULL),
                   "'many (True, None)'");
    EXPECT_EQ(array[0], o);
    EXPECT_REPR_OF(PyObject_CallMethodObjArgs(type, bare, o, Py_True, NULL),
                   "'one True'");
    Py_DECREF(bare);
    Py_DECREF(name);
    Py_DECREF(o);
}

TEST_PY(missing_methods_and_null_arguments_raise)
{
    PyObject *name = text("nothing");
    EXPECT_NULL(PyObject_CallMethodNoArgs(Py_None, name));
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "'NoneType' object has no attribute 'nothing'");
    EXPECT_NULL(PyObject_CallMethodObjArgs(NULL, name, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_CallMethodOneArg(Py_None, name, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_CallMethodNoArgs(Py_None, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyObject_CallFunctionObjArgs(NULL, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(name);
}

static PyObject *
call_with_many(void)
{
    PyObject *o = new_shower(), *n = Py_None;
    PyObject *name = PyUnicode_InternFromString("many");
    PyObject *result = NULL;
    if (o != NULL && name != NULL) {
        result = PyObject_CallMethodObjArgs(o, name, n, n, n, n, n, n, n, NULL);
    }
    Py_XDECREF(o);
    Py_XDECREF(name);
    return result;
}

TEST_PY(a_method_call_survives_any_failing_allocation)
{
    fail_each_allocation(call_with_many);
}

TEST_PY(a_format_says_what_to_call_with)
{
    PyObject *o = new_shower(), *pair = Py_BuildValue("ii", 1, 2);
    PyObject *many = PyObject_GetAttrString(o, "many");
    EXPECT_REPR_OF(PyObject_CallFunction(many, NULL), "'many ()'");
    EXPECT_REPR_OF(PyObject_CallFunction(many, ""), "'many ()'");
    EXPECT_REPR_OF(PyObject_CallFunction(many, " ,"), "'many ()'");
    EXPECT_REPR_OF(PyObject_CallFunction(many, "i", 1), "'many (1,)'");
    EXPECT_REPR_OF(PyObject_CallFunction(many, "[ii]", 1, 2), "'many ([1, 2],)'");
    EXPECT_REPR_OF(PyObject_CallFunction(many, "O", pair), "'many (1, 2)'");
    EXPECT_REPR_OF(PyObject_CallFunction(many, "(O)", pair), "'many ((1, 2),)'");
    EXPECT_REPR_OF(PyObject_CallFunction(many, "OO", pair, Py_None),
                   "'many ((1, 2), None)'");
    EXPECT_REPR_OF(PyObject_CallMethod(o, "none", NULL), "'none'");
    EXPECT_REPR_OF(PyObject_CallMethod(o, "one", "s", "x"), "\"one 'x'\"");
    EXPECT_REPR_OF(PyObject_CallMethod(o, "many", "(ii)", 1, 2), "'many (1, 2)'");
    Py_DECREF(many);
    Py_DECREF(pair);
    Py_DECREF(o);
}

TEST_PY(calls_with_a_format_pass_errors_on)
{
    PyObject *o = new_shower();
    EXPECT_NULL(PyObject_CallFunction(NULL, "i", 1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_CallFunction(Py_None, "i", 1));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not callable");
    EXPECT_NULL(PyObject_CallFunction((PyObject *)Py_TYPE(o), "q", 1));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_CallMethod(NULL, "one", NULL));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyObject_CallMethod(o, "nothing", NULL));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_NULL(PyObject_CallMethod(o, "__doc__", NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "attribute of type 'NoneType' is not callable");
    Py_DECREF(o);
}

static PyObject *
call_by_format(void)
{
    PyObject *list = PyList_New(0);
    PyObject *result =
        list == NULL ? NULL : PyObject_CallMethod(list, "append", "N", PyList_New(0));
    Py_XDECREF(list);
    return result;
}

TEST_PY(calls_with_a_format_leak_nothing)
{
    repeat_without_leak(call_by_format);
    fail_each_allocation(call_by_format);
}
