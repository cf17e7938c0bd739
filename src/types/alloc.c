/* SPDX-License-Identifier: MIT */
/* The default tp_alloc and tp_new: zeroed instances, tracked when their type is a GC type.
 *
 * Instances with items get one item more than asked for, as a sentinel: the items of bytes-like
 * types end with a zero byte. */
#include <Python.h>
#include <stdbool.h>

static PyObject *allocate_container(PyTypeObject *type, Py_ssize_t items);
static PyObject *allocate_plain(PyTypeObject *type, Py_ssize_t items);

PyObject *
PyType_GenericAlloc(PyTypeObject *type, Py_ssize_t nitems)
{
    if (nitems < 0) {
        PyErr_BadInternalCall();
        return NULL;
    }
    if (nitems == PY_SSIZE_T_MAX) {
        return PyErr_NoMemory();
    }
    if (!PyType_IS_GC(type)) {
        return allocate_plain(type, nitems);
    }
    PyObject *op = allocate_container(type, nitems);
    if (op != NULL) {
        PyObject_GC_Track(op);
    }
    return op;
}

PyObject *
PyType_GenericNew(PyTypeObject *type, PyObject *Py_UNUSED(args),
                  PyObject *Py_UNUSED(kwargs))
{
    return type->tp_alloc(type, 0);
}

static PyObject *
allocate_container(PyTypeObject *type, Py_ssize_t items)
{
    if (type->tp_itemsize == 0) {
        PyObject *op = _PyObject_GC_New(type);
        if (op != NULL) {
            memset(op + 1, 0, (size_t)type->tp_basicsize - sizeof(PyObject));
        }
        return op;
    }
    PyVarObject *op = _PyObject_GC_NewVar(type, items + 1);
    if (op != NULL) {
        size_t size = _PyObject_VAR_SIZE(type, items + 1);
        memset(op + 1, 0, size - sizeof(PyVarObject));
        Py_SET_SIZE(op, items);
    }
    return (PyObject *)op;
}

static PyObject *
allocate_plain(PyTypeObject *type, Py_ssize_t items)
{
    if (type->tp_itemsize == 0) {
        PyObject *op = _PyObject_New(type);
        if (op != NULL) {
            memset(op + 1, 0, (size_t)type->tp_basicsize - sizeof(PyObject));
        }
        return op;
    }
    PyVarObject *op = _PyObject_NewVar(type, items + 1);
    if (op != NULL) {
        size_t size = _PyObject_VAR_SIZE(type, items + 1);
        memset(op + 1, 0, size - sizeof(PyVarObject));
        Py_SET_SIZE(op, items);
    }
    return (PyObject *)op;
}
