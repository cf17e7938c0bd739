/* SPDX-License-Identifier: MIT */
/* Raising ImportError with the name and the path of a module. */
#include <Python.h>

static PyObject *
import_error_fields(PyObject *name, PyObject *path)
{
    PyObject *fields = PyDict_New();
    if (fields != NULL &&
        (PyDict_SetItemString(fields, "name", name != NULL ? name : Py_None) < 0 ||
         PyDict_SetItemString(fields, "path", path != NULL ? path : Py_None) < 0)) {
        Py_CLEAR(fields);
    }
    return fields;
}

PyObject *
PyErr_SetImportErrorSubclass(PyObject *exception, PyObject *msg, PyObject *name,
                             PyObject *path)
{
    int is_subclass = PyObject_IsSubclass(exception, PyExc_ImportError);
    if (is_subclass < 0) {
        return NULL;
    }
    if (!is_subclass) {
        return PyErr_Format(PyExc_TypeError, "expected a subclass of ImportError");
    }
    if (msg == NULL) {
        return PyErr_Format(PyExc_TypeError, "expected a message argument");
    }
    PyObject *args = PyTuple_Pack(1, msg);
    PyObject *fields = args == NULL ? NULL : import_error_fields(name, path);
    PyObject *error = fields == NULL ? NULL : PyObject_Call(exception, args, fields);
    if (error != NULL) {
        PyErr_SetRaisedException(error);
    }
    Py_XDECREF(fields);
    Py_XDECREF(args);
    return NULL;
}

PyObject *
PyErr_SetImportError(PyObject *msg, PyObject *name, PyObject *path)
{
    return PyErr_SetImportErrorSubclass(PyExc_ImportError, msg, name, path);
}
