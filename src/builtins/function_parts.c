/* SPDX-License-Identifier: MIT */
/* Parts of functions and generators that are written in Python. No object is one, so each
 * accessor finds an object of another type, and says so as CPython does. */
#include <Python.h>

static PyObject *
not_of_that_type(void)
{
    PyErr_BadInternalCall();
    return NULL;
}

static int
not_settable(void)
{
    PyErr_BadInternalCall();
    return -1;
}

PyObject *
PyFunction_GetCode(PyObject *Py_UNUSED(op))
{
    return not_of_that_type();
}

PyObject *
PyFunction_GetGlobals(PyObject *Py_UNUSED(op))
{
    return not_of_that_type();
}

PyObject *
PyFunction_GetModule(PyObject *Py_UNUSED(op))
{
    return not_of_that_type();
}

PyObject *
PyFunction_GetDefaults(PyObject *Py_UNUSED(op))
{
    return not_of_that_type();
}

PyObject *
PyFunction_GetKwDefaults(PyObject *Py_UNUSED(op))
{
    return not_of_that_type();
}

PyObject *
PyFunction_GetClosure(PyObject *Py_UNUSED(op))
{
    return not_of_that_type();
}

PyObject *
PyFunction_GetAnnotations(PyObject *Py_UNUSED(op))
{
    return not_of_that_type();
}

int
PyFunction_SetDefaults(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(defaults))
{
    return not_settable();
}

int
PyFunction_SetKwDefaults(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(defaults))
{
    return not_settable();
}

int
PyFunction_SetClosure(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(closure))
{
    return not_settable();
}

int
PyFunction_SetAnnotations(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(annotations))
{
    return not_settable();
}

PyCodeObject *
PyGen_GetCode(PyGenObject *Py_UNUSED(gen))
{
    return (PyCodeObject *)not_of_that_type();
}
