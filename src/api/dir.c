/* SPDX-License-Identifier: MIT */
/* PyObject_Dir: the names of an object's attributes. */
#include <Python.h>

#include "protocol.h"

/* Merge into `names` the dict of each type along the MRO; what derived types say stays. */
static int
add_names_of_type(PyObject *names, PyTypeObject *type)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i);
        PyObject *dict = PyType_GetDict(base);
        if (dict == NULL || PyDict_Update(names, dict) < 0) {
            Py_XDECREF(dict);
            return -1;
        }
        Py_DECREF(dict);
    }
    return 0;
}

/* The names that the instance dict and the type have; a new list. */
static PyObject *
gather_attribute_names(PyObject *o)
{
    PyObject *list = NULL;
    PyObject *names = PyDict_New();
    if (names == NULL) {
        return NULL;
    }
    PyObject **place = PyType_Check(o) ? NULL : _PyObject_GetDictPtr(o);
    PyTypeObject *type = PyType_Check(o) ? (PyTypeObject *)o : Py_TYPE(o);
    if ((place == NULL || *place == NULL || PyDict_Update(names, *place) == 0) &&
        (type->tp_mro == NULL || add_names_of_type(names, type) == 0)) {
        list = PyDict_Keys(names);
    }
    Py_DECREF(names);
    return list;
}

PyObject *
PyObject_Dir(PyObject *o)
{
    if (o == NULL) {
        PyErr_SetString(PyExc_SystemError, "frame does not exist");
        return NULL;
    }
    PyObject *method;
    int found = ouro_special_get(o, "__dir__", &method);
    if (found < 0) {
        return NULL;
    }
    PyObject *list;
    if (found) {
        PyObject *names = PyObject_CallNoArgs(method);
        Py_DECREF(method);
        list = names == NULL ? NULL : PySequence_List(names);
        Py_XDECREF(names);
    } else {
        list = gather_attribute_names(o);
    }
    if (list != NULL && PyList_Sort(list) < 0) {
        Py_CLEAR(list);
    }
    return list;
}
