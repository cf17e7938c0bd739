/* SPDX-License-Identifier: MIT */
/* Adding constants, types and other objects to a module. */
#include <Python.h>

int
PyModule_AddObjectRef(PyObject *module, const char *name, PyObject *value)
{
    if (!PyModule_Check(module)) {
        PyErr_SetString(PyExc_TypeError,
                        "PyModule_AddObjectRef() first argument must be a module");
        return -1;
    }
    if (value == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_SystemError,
                            "PyModule_AddObjectRef() must be called with an exception "
                            "raised if value is NULL");
        }
        return -1;
    }
    PyObject *dict = Py_XNewRef(PyModule_GetDict(module));
    if (dict == NULL) {
        PyErr_SetString(PyExc_SystemError, "the module has no __dict__");
        return -1;
    }
    PyObject *key = PyUnicode_InternFromString(name);
    int result = key == NULL ? -1 : PyDict_SetItem(dict, key, value);
    Py_XDECREF(key);
    Py_DECREF(dict);
    return result;
}

int
PyModule_Add(PyObject *module, const char *name, PyObject *value)
{
    int result = PyModule_AddObjectRef(module, name, value);
    Py_XDECREF(value);
    return result;
}

int
PyModule_AddObject(PyObject *module, const char *name, PyObject *value)
{
    int result = PyModule_AddObjectRef(module, name, value);
    if (result == 0) {
        Py_DECREF(value);
    }
    return result;
}

int
PyModule_AddIntConstant(PyObject *module, const char *name, long value)
{
    return PyModule_Add(module, name, PyLong_FromLong(value));
}

int
PyModule_AddStringConstant(PyObject *module, const char *name, const char *value)
{
    return PyModule_Add(module, name, PyUnicode_InternFromString(value));
}

int
PyModule_AddType(PyObject *module, PyTypeObject *type)
{
    if (PyType_Ready(type) < 0) {
        return -1;
    }
    return PyModule_AddObjectRef(module, _PyType_Name(type), (PyObject *)type);
}
