/* SPDX-License-Identifier: MIT */
#include "../types/special.h"

static PyObject *
proxy_of_one(void)
{
    PyObject *dict = Py_BuildValue("{s:i}", "a", 1);
    PyObject *proxy = dict == NULL ? NULL : PyDictProxy_New(dict);
    Py_XDECREF(dict);
    return proxy;
}

TEST_PY(a_proxy_shows_the_mapping)
{
    PyObject *m = proxy_of_one(), *a = text("a"), *b = text("b");
    EXPECT_REPR_OF(Py_NewRef(m), "mappingproxy({'a': 1})");
    EXPECT_EQ(PyObject_Size(m), 1);
    EXPECT_INT(PyObject_GetItem(m, a), 1);
    EXPECT_NULL(PyObject_GetItem(m, b));
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'b'");
    EXPECT_EQ(PySequence_Contains(m, a), 1);
    EXPECT_INT(CALL(m, "get", a), 1);
    EXPECT_IS(CALL(m, "get", b), Py_None);
    EXPECT_IS(CALL(m, "get", b, Py_True), Py_True);
    EXPECT_NULL(CALL(m, "get"));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "get expected at least 1 argument, got 0");
    EXPECT_REPR_OF(CALL(m, "keys"), "dict_keys(['a'])");
    EXPECT_REPR_OF(CALL(m, "values"), "dict_values([1])");
    EXPECT_REPR_OF(CALL(m, "items"), "dict_items([('a', 1)])");
    EXPECT_REPR_OF(CALL(m, "copy"), "{'a': 1}");
    EXPECT_REPR_OF(PySequence_List(m), "['a']");
    PyObject *str = PyObject_Str(m);
    EXPECT_STR(PyUnicode_AsUTF8(str), "{'a': 1}");
    Py_DECREF(str);
    EXPECT_EQ(PyObject_RichCompareBool(m, m, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(m), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'dict'");
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(m);
}

TEST_PY(a_proxy_cannot_be_changed)
{
    PyObject *m = proxy_of_one(), *a = text("a"), *dict = PyDict_New();
    EXPECT_EQ(PyObject_SetItem(m, a, a), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'mappingproxy' object does not support item assignment");
    EXPECT_EQ(PyObject_DelItem(m, a), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'mappingproxy' object does not support item deletion");
    EXPECT_NULL(PyNumber_InPlaceOr(m, dict));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'|=' is not supported by mappingproxy; use '|' instead");
    EXPECT_REPR_OF(PyNumber_Or(m, dict), "{'a': 1}");
    EXPECT_REPR_OF(PyNumber_Or(dict, m), "{'a': 1}");
    Py_DECREF(dict);
    Py_DECREF(a);
    Py_DECREF(m);
}

TEST_PY(only_mappings_have_proxies)
{
    PyObject *list = PyList_New(0);
    EXPECT_NULL(PyDictProxy_New(list));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "mappingproxy() argument must be a mapping, not list");
    EXPECT_NULL(PyObject_CallOneArg((PyObject *)&PyDictProxy_Type, Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "mappingproxy() argument must be a mapping, not NoneType");
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&PyDictProxy_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "mappingproxy() missing required argument 'mapping' (pos 1)");
    Py_DECREF(list);
}

TEST_PY(the_dict_of_a_type_is_seen_through_a_proxy)
{
    PyObject *dict = PyObject_GetAttrString((PyObject *)&PyLong_Type, "__dict__");
    EXPECT(Py_IS_TYPE(dict, &PyDictProxy_Type));
    PyObject *name = text("__add__");
    EXPECT_IS(PyObject_GetItem(dict, name), own_attribute(&PyLong_Type, "__add__"));
    Py_DECREF(name);
    Py_DECREF(dict);
}

TEST_PY(a_cycle_through_a_proxy_is_collected)
{
    PyObject *dict = PyDict_New(), *proxy = PyDictProxy_New(dict);
    PyDict_SetItemString(dict, "proxy", proxy);
    Py_DECREF(dict);
    Py_DECREF(proxy);
    EXPECT_EQ(PyGC_Collect(), 2);
    repeat_without_leak(proxy_of_one);
    fail_each_allocation(proxy_of_one);
}
