/* SPDX-License-Identifier: MIT */
/* Raising OSError from errno. */
#include "exception_object.h"

/* Raise an instance of `type` made from the arguments, which are taken; NULL passes the
 * exception on. Returns NULL. */
static PyObject *
raise_with_args(PyObject *type, PyObject *args)
{
    PyObject *exc = NULL;
    if (args != NULL) {
        PyErr_Clear(); /* nothing is pending while the class is called */
        exc = PyObject_Call(type, args, NULL);
    }
    if (exc != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
        Py_DECREF(exc);
    }
    Py_XDECREF(args);
    return NULL;
}

PyObject *
PyErr_SetFromErrnoWithFilenameObjects(PyObject *type, PyObject *name, PyObject *name2)
{
    int number = errno; /* what follows may change it */
    const char *text = number == 0 ? "Error" : strerror(number);
    if (number == EINTR && PyErr_CheckSignals() < 0) {
        return NULL;
    }
    if (name == NULL) {
        return raise_with_args(type, Py_BuildValue("(is)", number, text));
    }
    if (name2 == NULL) {
        return raise_with_args(type, Py_BuildValue("(isO)", number, text, name));
    }
    return raise_with_args(type, Py_BuildValue("(isOiO)", number, text, name, 0, name2));
}

PyObject *
PyErr_SetFromErrnoWithFilenameObject(PyObject *type, PyObject *name)
{
    return PyErr_SetFromErrnoWithFilenameObjects(type, name, NULL);
}

PyObject *
PyErr_SetFromErrno(PyObject *type)
{
    return PyErr_SetFromErrnoWithFilenameObjects(type, NULL, NULL);
}

PyObject *
PyErr_SetFromErrnoWithFilename(PyObject *type, const char *name)
{
    int number = errno;
    PyObject *object = name == NULL ? NULL : PyUnicode_DecodeFSDefault(name);
    if (name != NULL && object == NULL) {
        return NULL;
    }
    errno = number;
    PyErr_SetFromErrnoWithFilenameObjects(type, object, NULL);
    Py_XDECREF(object);
    return NULL;
}
