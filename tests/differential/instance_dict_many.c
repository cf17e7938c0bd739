/* SPDX-License-Identifier: MIT */
#include "differential.h"

PROGRAM("many instances of one class, each with other attributes")
{
    PyObject *class = must(new_class("C", NULL, NULL)), *list = must(PyList_New(0));
    for (int i = 0; i < 100; i++) {
        PyObject *x = must(PyObject_CallNoArgs(class));
        for (int j = 0; j <= i % 40; j++) {
            char name[20];
            snprintf(name, sizeof(name), "a%d", (i * 7 + j) % 50);
            must_be_zero(PyObject_SetAttrString(x, name, x));
        }
        must_be_zero(PyList_Append(list, x));
        Py_DECREF(x);
    }
    PyObject *some = PyList_GetItem(list, 41),
             *dict = must(PyObject_GetAttrString(some, "__dict__"));
    trace("size %zd", PyDict_Size(dict));
    trace("delete: %d", PyObject_DelAttrString(some, "a37"));
    trace("delete again: %d", PyObject_DelAttrString(some, "a37"));
    trace("AttributeError: %d", PyErr_ExceptionMatches(PyExc_AttributeError));
    PyErr_Clear();
    trace("size %zd", PyDict_Size(dict));
    Py_DECREF(dict);
    Py_DECREF(list);
    trace("found at least 100: %d", collect() >= 100);
    Py_DECREF(class);
    collect();
}
