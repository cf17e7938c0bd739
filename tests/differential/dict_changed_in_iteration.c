/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("a dict that changes under its iterator")
{
    PyObject *dict = must(PyDict_New());
    for (long i = 0; i < 5; i++) {
        PyObject *key = number(i);
        must_be_zero(PyDict_SetItem(dict, key, key));
        Py_DECREF(key);
    }
    PyObject *iterator = must(PyObject_GetIter(dict));
    trace_repr("first", PyIter_Next(iterator));
    must_be_zero(PyDict_SetItemString(dict, "new", Py_None));
    trace_repr("after an insertion", PyIter_Next(iterator));
    trace_repr("and again", PyIter_Next(iterator));
    trace_error("and again");
    Py_DECREF(iterator);

    iterator = must(PyObject_GetIter(dict));
    trace_repr("first", PyIter_Next(iterator));
    must_be_zero(PyDict_SetItemString(dict, "new", Py_True)); /* the same size */
    trace_repr("after a replacement", PyIter_Next(iterator));
    must_be_zero(PyDict_DelItemString(dict, "new"));
    must_be_zero(PyDict_SetItemString(dict, "newer", Py_True));
    trace_repr("same size, other keys", PyIter_Next(iterator));
    PyErr_Clear();
    Py_DECREF(iterator);

    /* PyDict_Next allows values to change */
    Py_ssize_t position = 0;
    PyObject *key, *value;
    long sum = 0;
    while (PyDict_Next(dict, &position, &key, &value)) {
        if (PyLong_Check(key)) {
            sum += PyLong_AsLong(key);
            must_be_zero(PyDict_SetItem(dict, key, Py_None));
        }
    }
    trace("sum %ld", sum);
    trace_repr("dict", dict);

    /* a list that shrinks and grows under its iterator */
    PyObject *list = must(PyList_New(0));
    for (long i = 0; i < 4; i++) {
        PyObject *item = number(i);
        must_be_zero(PyList_Append(list, item));
        Py_DECREF(item);
    }
    iterator = must(PyObject_GetIter(list));
    trace_repr("first", PyIter_Next(iterator));
    must_be_zero(PyList_SetSlice(list, 0, 2, NULL));
    trace_repr("after shrinking", PyIter_Next(iterator));
    must_be_zero(PyList_Append(list, Py_None));
    trace_repr("after growing", PyIter_Next(iterator));
    trace("the end %d", PyIter_Next(iterator) == NULL);
    must_be_zero(PyList_Append(list, Py_None));
    trace("the end for good %d", PyIter_Next(iterator) == NULL);
    Py_DECREF(iterator);
    Py_DECREF(list);
}
