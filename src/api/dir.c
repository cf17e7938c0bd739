/* SPDX-License-Identifier: MIT */
/* PyObject_Dir: the names of an object's attributes, as its __dir__() says. */
#include <Python.h>

#include "methods.h"
#include "protocol.h"

PyObject *
PyObject_Dir(PyObject *o)
{
    if (o == NULL) {
        PyErr_SetString(PyExc_SystemError, "frame does not exist");
        return NULL;
    }
    PyObject *method;
    int found = ouro_methods_use() ? ouro_special_get(o, "__dir__", &method) : -1;
    if (found < 0) {
        return NULL;
    }
    if (found == 0) {
        PyErr_SetString(PyExc_TypeError, "object does not provide __dir__");
        return NULL;
    }
    PyObject *names = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    PyObject *list = names == NULL ? NULL : PySequence_List(names);
    Py_XDECREF(names);
    if (list != NULL && PyList_Sort(list) < 0) {
        Py_CLEAR(list);
    }
    return list;
}
