/* SPDX-License-Identifier: MIT */
/* Py_ReprEnter and Py_ReprLeave: which objects the thread is printing just now, so that a
 * container that holds itself prints "..." and not for ever. */
#include <Python.h>

#include "../thread/interpreter.h"

int
Py_ReprEnter(PyObject *o)
{
    PyObject **active = &ouro_current.thread->repr_active;
    if (*active == NULL) {
        PyObject *fresh = PyList_New(0);
        if (fresh == NULL) {
            return -1;
        }
        Py_XSETREF(*active, fresh); /* a collection may have printed something */
    }
    for (Py_ssize_t i = PyList_GET_SIZE(*active) - 1; i >= 0; i--) {
        if (PyList_GET_ITEM(*active, i) == o) {
            return 1;
        }
    }
    return PyList_Append(*active, o);
}

void
Py_ReprLeave(PyObject *o)
{
    PyObject *active = ouro_current.thread->repr_active;
    if (active == NULL) {
        return;
    }
    PyObject *pending = PyErr_GetRaisedException();
    for (Py_ssize_t i = PyList_GET_SIZE(active) - 1; i >= 0; i--) {
        if (PyList_GET_ITEM(active, i) == o) {
            PyList_SetSlice(active, i, i + 1, NULL);
            break;
        }
    }
    PyErr_SetRaisedException(pending);
}
