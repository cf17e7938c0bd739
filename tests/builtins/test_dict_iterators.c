/* SPDX-License-Identifier: MIT */
/* Iterators over dicts and sets. */
#include "calls.h"

static PyObject *
digits_dict(const char *digits)
{
    PyObject *list = list_of(digits), *dict = PyDict_New();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyDict_SetItem(dict, PyList_GET_ITEM(list, i), Py_None);
    }
    Py_DECREF(list);
    return dict;
}

TEST_PY(a_set_iterator_counts_down_and_ends)
{
    PyObject *set = container_of(&PySet_Type, "12"), *it = PyObject_GetIter(set);
    EXPECT(Py_IS_TYPE(it, &PySetIter_Type));
    EXPECT_EQ(PyObject_GC_IsTracked(it), 1);
    EXPECT_EQ(PyObject_LengthHint(it, 9), 2);
    EXPECT_REPR_OF(PyIter_Next(it), "1");
    EXPECT_EQ(PyObject_LengthHint(it, 9), 1);
    EXPECT_REPR_OF(PyIter_Next(it), "2");
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_NO_ERROR();
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_EQ(PyObject_LengthHint(it, 9), 0);
    EXPECT_EQ(Py_REFCNT(set), 1);
    Py_DECREF(it);
    Py_DECREF(set);
}

TEST_PY(an_iterator_notices_that_the_size_changed)
{
    PyObject *set = container_of(&PySet_Type, "12"), *it = PyObject_GetIter(set);
    PySet_Add(set, Py_None);
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "Set changed size during iteration");
    Py_DECREF(PySet_Pop(set));
    EXPECT_EQ(PyObject_LengthHint(it, 9), 0);
    EXPECT_NULL(PyIter_Next(it)); /* the iterator stays exhausted */
    EXPECT_RAISED(PyExc_RuntimeError);
    Py_DECREF(it);
    Py_DECREF(set);

    PyObject *dict = digits_dict("12");
    it = PyObject_GetIter(dict);
    PyDict_SetItem(dict, Py_None, Py_None);
    EXPECT_NULL(PyIter_Next(it));
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "dictionary changed size during iteration");
    Py_DECREF(it);
    Py_DECREF(dict);
}

/* Remove the item and add it again, so that it is the last one. */
static Py_ssize_t
rotate_while_iterating(PyObject *container, PyObject *it)
{
    Py_ssize_t count = 0;
    PyObject *item;
    while ((item = PyIter_Next(it)) != NULL && count < 100) {
        if (PyDict_Check(container)) {
            PyDict_DelItem(container, item);
            PyDict_SetItem(container, item, Py_None);
        } else {
            PySet_Discard(container, item);
            PySet_Add(container, item);
        }
        Py_DECREF(item);
        count++;
    }
    return count;
}

TEST_PY(items_that_are_put_in_again_do_not_make_iteration_endless)
{
    PyObject *set = container_of(&PySet_Type, "123"), *it = PyObject_GetIter(set);
    EXPECT_EQ(rotate_while_iterating(set, it), 3);
    EXPECT_NO_ERROR();
    Py_DECREF(it);
    Py_DECREF(set);

    PyObject *dict = digits_dict("12");
    it = PyObject_GetIter(dict);
    EXPECT_EQ(rotate_while_iterating(dict, it), 2);
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "dictionary keys changed during iteration");
    Py_DECREF(it);
    Py_DECREF(dict);
}
