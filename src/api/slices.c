/* SPDX-License-Identifier: MIT */
/* o[i1:i2] of the sequence protocol: lists and tuples directly, other types with a slice
 * object. */
#include <Python.h>

#include "protocol.h"

/* A new slice object for two C integers; NULL with MemoryError. */
static PyObject *
slice_from_indices(Py_ssize_t i1, Py_ssize_t i2)
{
    PyObject *slice = NULL;
    PyObject *start = PyLong_FromSsize_t(i1);
    PyObject *stop = start == NULL ? NULL : PyLong_FromSsize_t(i2);
    if (stop != NULL) {
        slice = PySlice_New(start, stop, NULL);
    }
    Py_XDECREF(start);
    Py_XDECREF(stop);
    return slice;
}

PyObject *
PySequence_GetSlice(PyObject *o, Py_ssize_t i1, Py_ssize_t i2)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    if (PyList_CheckExact(o)) {
        PySlice_AdjustIndices(PyList_GET_SIZE(o), &i1, &i2, 1);
        return PyList_GetSlice(o, i1, i2);
    }
    if (PyTuple_CheckExact(o)) {
        PySlice_AdjustIndices(PyTuple_GET_SIZE(o), &i1, &i2, 1);
        return PyTuple_GetSlice(o, i1, i2);
    }
    PyMappingMethods *m = Py_TYPE(o)->tp_as_mapping;
    if (m == NULL || m->mp_subscript == NULL) {
        return ouro_type_error("'%.200s' object is unsliceable", o);
    }
    PyObject *slice = slice_from_indices(i1, i2);
    if (slice == NULL) {
        return NULL;
    }
    PyObject *result = m->mp_subscript(o, slice);
    Py_DECREF(slice);
    return result;
}

/* v NULL: delete. */
static int
assign_slice(PyObject *o, Py_ssize_t i1, Py_ssize_t i2, PyObject *v, const char *refusal)
{
    if (o == NULL) {
        ouro_null_argument();
        return -1;
    }
    if (PyList_CheckExact(o)) {
        PySlice_AdjustIndices(PyList_GET_SIZE(o), &i1, &i2, 1);
        return PyList_SetSlice(o, i1, i2, v);
    }
    PyMappingMethods *m = Py_TYPE(o)->tp_as_mapping;
    if (m == NULL || m->mp_ass_subscript == NULL) {
        ouro_type_error(refusal, o);
        return -1;
    }
    PyObject *slice = slice_from_indices(i1, i2);
    if (slice == NULL) {
        return -1;
    }
    int result = m->mp_ass_subscript(o, slice, v);
    Py_DECREF(slice);
    return result;
}

int
PySequence_SetSlice(PyObject *o, Py_ssize_t i1, Py_ssize_t i2, PyObject *v)
{
    if (v == NULL) {
        return PySequence_DelSlice(o, i1, i2);
    }
    return assign_slice(o, i1, i2, v, "'%.200s' object doesn't support slice assignment");
}

int
PySequence_DelSlice(PyObject *o, Py_ssize_t i1, Py_ssize_t i2)
{
    return assign_slice(o, i1, i2, NULL,
                        "'%.200s' object doesn't support slice deletion");
}
