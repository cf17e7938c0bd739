/* SPDX-License-Identifier: MIT */
/* Iterators over dicts, and views. */
#include "../protocol.h"

static PyObject *
view_of(PyObject *dict, const char *name)
{
    PyObject *method = text(name), *view = PyObject_CallMethodNoArgs(dict, method);
    Py_DECREF(method);
    return view;
}

static PyObject *
small_dict(void)
{
    PyObject *dict = PyDict_New();
    PyDict_SetItemString(dict, "a", Py_None);
    PyDict_SetItemString(dict, "b", Py_True);
    return dict;
}

TEST_PY(views_show_the_dict_as_it_is)
{
    PyObject *dict = small_dict();
    PyObject *keys = view_of(dict, "keys"), *values = view_of(dict, "values");
    PyObject *items = view_of(dict, "items");
    EXPECT_REPR_OF(Py_NewRef(keys), "dict_keys(['a', 'b'])");
    EXPECT_REPR_OF(Py_NewRef(values), "dict_values([None, True])");
    EXPECT_REPR_OF(Py_NewRef(items), "dict_items([('a', None), ('b', True)])");
    PyDict_DelItemString(dict, "a");
    EXPECT_EQ(PyObject_Size(keys), 1);
    EXPECT_REPR_OF(PySequence_List(items), "[('b', True)]");
    EXPECT(PyDictKeys_Check(keys) && PyDictValues_Check(values) &&
           PyDictItems_Check(items));
    PyObject *b = text("b"), *pair = PyTuple_Pack(2, b, Py_True),
             *wrong = PyTuple_Pack(2, b, b);
    EXPECT_EQ(PySequence_Contains(keys, b), 1);
    EXPECT_EQ(PySequence_Contains(values, Py_True), 1);
    EXPECT_EQ(PySequence_Contains(items, pair), 1);
    EXPECT_EQ(PySequence_Contains(items, wrong), 0);
    EXPECT_EQ(PySequence_Contains(items, b), 0);
    Py_DECREF(b);
    Py_DECREF(pair);
    Py_DECREF(wrong);
    Py_DECREF(keys);
    Py_DECREF(values);
    Py_DECREF(items);
    EXPECT_EQ(Py_REFCNT(dict), 1);
    Py_DECREF(dict);
}

TEST_PY(views_of_keys_compare_like_sets)
{
    PyObject *a = small_dict(), *b = small_dict();
    PyObject *x = view_of(a, "keys"), *y = view_of(b, "keys");
    EXPECT_EQ(PyObject_RichCompareBool(x, y, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(x, y, Py_LT), 0);
    PyDict_SetItemString(b, "c", Py_None);
    EXPECT_EQ(PyObject_RichCompareBool(x, y, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(x, y, Py_LT), 1);
    EXPECT_EQ(PyObject_RichCompareBool(y, x, Py_GE), 1);
    Py_DECREF(x);
    Py_DECREF(y);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(iterators_refuse_a_dict_that_changed_its_size)
{
    PyObject *dict = small_dict(), *iterator = PyObject_GetIter(dict);
    EXPECT_EQ(PyObject_LengthHint(iterator, -1), 2);
    EXPECT_REPR_OF(PyIter_Next(iterator), "'a'");
    PyDict_SetItemString(dict, "b", Py_False); /* same size: fine */
    PyDict_SetItemString(dict, "c", Py_False);
    EXPECT_NULL(PyIter_Next(iterator));
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "dictionary changed size during iteration");
    PyDict_DelItemString(dict, "c");
    EXPECT_NULL(PyIter_Next(iterator));
    EXPECT_RAISED(PyExc_RuntimeError);
    Py_DECREF(iterator);
    iterator = PyObject_GetIter(dict);
    EXPECT_REPR_OF(PyIter_Next(iterator), "'a'");
    EXPECT_REPR_OF(PyIter_Next(iterator), "'b'");
    EXPECT_NULL(PyIter_Next(iterator));
    EXPECT_NO_ERROR();
    EXPECT_EQ(Py_REFCNT(dict), 1);
    EXPECT_NULL(PyIter_Next(iterator));
    Py_DECREF(iterator);
    Py_DECREF(dict);
}

TEST_PY(views_and_iterators_are_tracked)
{
    PyObject *dict = small_dict(), *view = view_of(dict, "items");
    PyObject *iterator = PyObject_GetIter(view);
    EXPECT_EQ(PyObject_GC_IsTracked(view), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(iterator), 1);
    PyDict_SetItemString(dict, "view", view);
    PyDict_SetItemString(dict, "iterator", iterator);
    Py_DECREF(dict);
    Py_DECREF(view);
    Py_DECREF(iterator);
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_PY(a_view_shows_its_dict_read_only)
{
    PyObject *dict = small_dict();
    static const char *const names[] = {"keys", "values", "items"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(names); i++) {
        PyObject *view = view_of(dict, names[i]);
        PyObject *mapping = PyObject_GetAttrString(view, "mapping");
        REQUIRE(mapping != NULL && Py_IS_TYPE(mapping, &PyDictProxy_Type));
        EXPECT_EQ(PyMapping_HasKeyString(mapping, "a"), 1);
        EXPECT_EQ(PyObject_SetAttrString(view, "mapping", Py_None), -1);
        EXPECT_RAISED(PyExc_AttributeError);
        Py_DECREF(mapping);
        Py_DECREF(view);
    }
    Py_DECREF(dict);
}
