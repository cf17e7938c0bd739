/* SPDX-License-Identifier: MIT */
/* Getting iterators, and items from them. */
#include "../protocol.h"

static int kind; /* what next_of_kind does */
enum { END_BARE, END_STOP, END_VALUE, FAIL };

static PyObject *
next_of_kind(PyObject *Py_UNUSED(o))
{
    if (kind == END_STOP) {
        PyErr_SetNone(PyExc_StopIteration);
    } else if (kind == END_VALUE) {
        PyErr_SetObject(PyExc_StopIteration, Py_True);
    } else if (kind == FAIL) {
        PyErr_SetString(PyExc_ValueError, "broken");
    }
    return NULL;
}

static PyObject *
iter_returns_none(PyObject *Py_UNUSED(o))
{
    return Py_NewRef(Py_None);
}

static PyType_Slot ending_slots[] = {
    {Py_tp_iter, PyObject_SelfIter}, {Py_tp_iternext, next_of_kind}, {0, NULL}};
static PyType_Slot wrong_slots[] = {{Py_tp_iter, iter_returns_none}, {0, NULL}};
static PyType_Spec ending_spec = {"test.Ending", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                  ending_slots};
static PyType_Spec wrong_spec = {"test.Wrong", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                 wrong_slots};

TEST_PY(an_iterator_is_its_own_iterator)
{
    PyObject *o = instance_of_spec(&ending_spec);
    EXPECT_EQ(PyIter_Check(o), 1);
    EXPECT_EQ(PyIter_Check(Py_None), 0);
    PyObject *same = PyObject_GetIter(o);
    EXPECT_EQ(same, o);
    Py_DECREF(same);
    Py_DECREF(o);
}

TEST_PY(what_is_not_iterable_says_so)
{
    PyObject *wrong = instance_of_spec(&wrong_spec), *item;
    EXPECT_NULL(PyObject_GetIter(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not iterable");
    EXPECT_NULL(PyObject_GetIter(wrong));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "iter() returned non-iterator of type 'NoneType'");
    EXPECT_NULL(PyObject_GetIter(NULL));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyIter_Next(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not an iterator");
    EXPECT_EQ(PyIter_NextItem(Py_None, &item), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(wrong);
}

TEST_PY(both_ways_to_end_look_the_same)
{
    PyObject *o = instance_of_spec(&ending_spec), *item = Py_None;
    for (kind = END_BARE; kind <= END_VALUE; kind++) {
        EXPECT_NULL(PyIter_Next(o));
        EXPECT_NO_ERROR();
        EXPECT_EQ(PyIter_NextItem(o, &item), 0);
        EXPECT_NULL(item);
        EXPECT_NO_ERROR();
    }
    kind = FAIL;
    EXPECT_NULL(PyIter_Next(o));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyIter_NextItem(o, &item), -1);
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(o);
}

TEST_PY(items_come_in_order_as_new_references)
{
    PyObject *list = PyList_New(0), *a = PyList_New(0);
    PyList_Append(list, a);
    PyObject *iterator = PyObject_GetIter(list), *item;
    EXPECT_EQ(PyIter_NextItem(iterator, &item), 1);
    EXPECT_EQ(item, a);
    EXPECT_EQ(Py_REFCNT(a), 3);
    Py_DECREF(item);
    EXPECT_EQ(PyIter_NextItem(iterator, &item), 0);
    Py_DECREF(iterator);
    Py_DECREF(list);
    Py_DECREF(a);
}

TEST_PY(sending_none_takes_the_next_item_or_the_return_value)
{
    PyObject *o = instance_of_spec(&ending_spec), *result;
    kind = END_BARE;
    EXPECT_EQ(PyIter_Send(o, Py_None, &result), PYGEN_RETURN);
    EXPECT_EQ(result, Py_None);
    kind = END_VALUE;
    EXPECT_EQ(PyIter_Send(o, Py_None, &result), PYGEN_RETURN);
    EXPECT_EQ(result, Py_True);
    kind = FAIL;
    EXPECT_EQ(PyIter_Send(o, Py_None, &result), PYGEN_ERROR);
    EXPECT_NULL(result);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyIter_Send(o, Py_True, &result), PYGEN_ERROR);
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "'test.Ending' object has no attribute 'send'");
    Py_DECREF(o);
}

static PyType_Slot async_slots[] = {
    {Py_am_aiter, PyObject_SelfIter},
    {Py_am_anext, PyObject_SelfIter},
    {0, NULL},
};
static PyType_Spec async_spec = {"test.Async", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                 async_slots};
static PyType_Slot half_async_slots[] = {{Py_am_aiter, PyObject_SelfIter}, {0, NULL}};
static PyType_Spec half_async_spec = {"test.HalfAsync", sizeof(PyObject), 0,
                                      Py_TPFLAGS_DEFAULT, half_async_slots};

TEST_PY(an_asynchronous_iterator_comes_from_am_aiter_and_has_am_anext)
{
    PyObject *o = instance_of_spec(&async_spec),
             *half = instance_of_spec(&half_async_spec);
    EXPECT_EQ(PyAIter_Check(o), 1);
    EXPECT_EQ(PyAIter_Check(half), 0);
    PyObject *iterator = PyObject_GetAIter(o);
    EXPECT_EQ(iterator, o);
    EXPECT_NULL(PyObject_GetAIter(half));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "aiter() returned not an async iterator of type "
                                        "'test.HalfAsync'");
    EXPECT_NULL(PyObject_GetAIter(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'NoneType' object is not an async iterable");
    Py_XDECREF(iterator);
    Py_DECREF(o);
    Py_DECREF(half);
}
