/* SPDX-License-Identifier: MIT */
/* Slots as methods: wrapper_descriptor and method-wrapper. */
#include "../types/special.h"

static PyObject *
wrapper_of(PyTypeObject *type, const char *name)
{
    return own_attribute(type, name);
}

TEST_PY(a_slot_wrapper_is_called_with_self_in_front)
{
    PyObject *add = wrapper_of(&PyLong_Type, "__add__");
    REQUIRE_NOT_NULL(add);
    EXPECT(Py_IS_TYPE(add, &PyWrapperDescr_Type));
    PyObject *one = number(1), *two = number(2);
    EXPECT_INT(PyObject_CallFunctionObjArgs(add, one, two, NULL), 3);
    Py_DECREF(one);
    Py_DECREF(two);
}

TEST_PY(a_slot_wrapper_tells_its_name_and_type)
{
    PyObject *add = wrapper_of(&PyLong_Type, "__add__");
    EXPECT_REPR_OF(Py_NewRef(add), "<slot wrapper '__add__' of 'int' objects>");
    EXPECT_REPR_OF(PyObject_GetAttrString(add, "__name__"), "'__add__'");
    EXPECT_REPR_OF(PyObject_GetAttrString(add, "__qualname__"), "'int.__add__'");
    EXPECT_REPR_OF(PyObject_GetAttrString(add, "__doc__"), "'self + value'");
    EXPECT_IS(PyObject_GetAttrString(add, "__objclass__"), &PyLong_Type);
}

TEST_PY(a_slot_wrapper_wants_an_instance_of_its_type)
{
    PyObject *neg = wrapper_of(&PyLong_Type, "__neg__");
    PyObject *word = text("a");
    EXPECT_NULL(PyObject_CallNoArgs(neg));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "descriptor '__neg__' of 'int' object needs an argument");
    EXPECT_NULL(PyObject_CallOneArg(neg, word));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "descriptor '__neg__' requires a 'int' object but "
                       "received a 'str'");
    EXPECT_NULL(CALL(neg, "__get__", word));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "descriptor '__neg__' for 'int' objects doesn't "
                                        "apply to a 'str' object");
    Py_DECREF(word);
}

TEST_PY(a_slot_wrapper_takes_keywords_only_where_the_slot_does)
{
    PyObject *one = number(1), *key = text("x");
    PyObject *names = PyTuple_Pack(1, key);
    PyObject *args[] = {one, one};
    EXPECT_NULL(PyObject_Vectorcall(wrapper_of(&PyLong_Type, "__neg__"), args, 1, names));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "wrapper __neg__() takes no keyword arguments");
    PyObject *init = wrapper_of(&PyBaseObject_Type, "__init__");
    EXPECT_IS(PyObject_Vectorcall(init, args, 1, names), Py_None);
    Py_DECREF(names);
    Py_DECREF(key);
    Py_DECREF(one);
}

TEST_PY(a_bound_slot_wrapper_is_a_method_wrapper)
{
    PyObject *five = number(5), *six = number(6);
    PyObject *bound = PyObject_GetAttrString(five, "__add__");
    REQUIRE_NOT_NULL(bound);
    EXPECT(Py_IS_TYPE(bound, &_PyMethodWrapper_Type));
    EXPECT_INT(PyObject_CallOneArg(bound, six), 11);
    EXPECT_IS(PyObject_GetAttrString(bound, "__self__"), five);
    EXPECT_IS(PyObject_GetAttrString(bound, "__objclass__"), &PyLong_Type);
    EXPECT_REPR_OF(PyObject_GetAttrString(bound, "__name__"), "'__add__'");
    EXPECT_REPR_OF(PyObject_GetAttrString(bound, "__qualname__"), "'int.__add__'");
    EXPECT_REPR_OF(PyObject_GetAttrString(bound, "__doc__"), "'self + value'");
    PyObject *repr = PyObject_Repr(bound);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), "<method-wrapper '__add__' of int object at 0x");
    Py_DECREF(repr);
    Py_DECREF(bound);
    Py_DECREF(five);
    Py_DECREF(six);
}

TEST_PY(method_wrappers_are_equal_when_slot_and_self_are_the_same)
{
    PyObject *list = PyList_New(0), *other = PyList_New(0);
    PyObject *a = PyObject_GetAttrString(list, "__len__");
    PyObject *b = PyObject_GetAttrString(list, "__len__");
    PyObject *c = PyObject_GetAttrString(other, "__len__");
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_NE), 1);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_IS(PyObject_RichCompare(a, b, Py_LT), NULL);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(list);
    Py_DECREF(other);
}

TEST_PY(a_cycle_through_a_method_wrapper_is_collected)
{
    PyObject *list = PyList_New(0);
    PyObject *bound = PyObject_GetAttrString(list, "__len__");
    PyList_Append(list, bound);
    Py_DECREF(bound);
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 2);
}

/* A wrapperbase of the test's own: PyDescr_NewWrapper needs nothing more. */
static PyObject *
count_and_add(PyObject *Py_UNUSED(self), PyObject *args, void *wrapped)
{
    return PyLong_FromSsize_t(PyTuple_GET_SIZE(args) + *(int *)wrapped);
}

static struct wrapperbase own_base = {"count", 0, NULL, count_and_add, NULL, 0, NULL};
static int own_data = 10;

static PyObject *
make_and_call_own_wrapper(void)
{
    PyObject *descr = PyDescr_NewWrapper(&PyLong_Type, &own_base, &own_data);
    PyObject *self = descr == NULL ? NULL : number(1000);
    PyObject *bound = self == NULL ? NULL : PyWrapper_New(descr, self);
    PyObject *result = bound == NULL ? NULL : PyObject_CallOneArg(bound, self);
    Py_XDECREF(bound);
    Py_XDECREF(self);
    Py_XDECREF(descr);
    return result;
}

TEST_PY(a_wrapper_can_be_made_for_any_function)
{
    EXPECT_INT(make_and_call_own_wrapper(), 11);
    PyObject *descr = PyDescr_NewWrapper(&PyLong_Type, &own_base, &own_data);
    EXPECT_REPR_OF(PyObject_GetAttrString(descr, "__doc__"), "None");
    Py_DECREF(descr);
    repeat_without_leak(make_and_call_own_wrapper);
    fail_each_allocation(make_and_call_own_wrapper);
}
