/* SPDX-License-Identifier: MIT */
/* Functions that look once at every item of an iterable: search it, or copy it into a list or
 * tuple. */
#include <Python.h>

#include "protocol.h"

/* PyObject_GetIter with a message of our own for what is not iterable. */
static PyObject *
iterate_or_complain(PyObject *o, const char *message)
{
    PyObject *iterator = PyObject_GetIter(o);
    if (iterator == NULL && message != NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_SetString(PyExc_TypeError, message);
    }
    return iterator;
}

enum search { SEARCH_COUNT, SEARCH_INDEX, SEARCH_CONTAINS };

/* Walk the items of `o`. The count of those equal to `value`, the index of the first, or 1
 * or 0 for one being there; -1 with an exception. */
static Py_ssize_t
search_items(PyObject *o, PyObject *value, enum search search)
{
    if (o == NULL || value == NULL) {
        ouro_null_argument();
        return -1;
    }
    PyObject *iterator = PyObject_GetIter(o);
    if (iterator == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            ouro_type_error(
                search == SEARCH_CONTAINS
                    ? "argument of type '%.200s' is not a container or iterable"
                    : "argument of type '%.200s' is not iterable",
                o);
        }
        return -1;
    }
    Py_ssize_t result = -1, count = 0, position = 0;
    PyObject *item;
    while ((item = PyIter_Next(iterator)) != NULL) {
        int equal = PyObject_RichCompareBool(item, value, Py_EQ);
        Py_DECREF(item);
        if (equal < 0) {
            goto undo_iterator;
        }
        if (equal && search != SEARCH_COUNT) {
            result = search == SEARCH_INDEX ? position : 1;
            goto undo_iterator;
        }
        count += equal;
        if (position == PY_SSIZE_T_MAX) {
            PyErr_SetString(PyExc_OverflowError, "index exceeds C integer size");
            goto undo_iterator;
        }
        position++;
    }
    if (PyErr_Occurred()) {
        goto undo_iterator;
    }
    if (search == SEARCH_INDEX) {
        PyErr_SetString(PyExc_ValueError, "sequence.index(x): x not in sequence");
    } else {
        result = count;
    }
undo_iterator:
    Py_DECREF(iterator);
    return result;
}

Py_ssize_t
PySequence_Count(PyObject *o, PyObject *value)
{
    return search_items(o, value, SEARCH_COUNT);
}

Py_ssize_t
PySequence_Index(PyObject *o, PyObject *value)
{
    return search_items(o, value, SEARCH_INDEX);
}

int
PySequence_Contains(PyObject *o, PyObject *value)
{
    PySequenceMethods *m = o == NULL ? NULL : Py_TYPE(o)->tp_as_sequence;
    if (m != NULL && m->sq_contains != NULL) {
        return ouro_too_deep(" while searching an object") ? -1
                                                           : m->sq_contains(o, value);
    }
    return (int)search_items(o, value, SEARCH_CONTAINS);
}

int
PySequence_In(PyObject *o, PyObject *value)
{
    return PySequence_Contains(o, value);
}

static PyObject *
list_from_iterator(PyObject *iterator)
{
    PyObject *list = PyList_New(0);
    PyObject *item;
    while (list != NULL && (item = PyIter_Next(iterator)) != NULL) {
        if (PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_DECREF(item);
    }
    if (list != NULL && PyErr_Occurred()) {
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *
list_from_iterable(PyObject *o, const char *message)
{
    PyObject *iterator = iterate_or_complain(o, message);
    if (iterator == NULL) {
        return NULL;
    }
    PyObject *list = list_from_iterator(iterator);
    Py_DECREF(iterator);
    return list;
}

PyObject *
PySequence_List(PyObject *o)
{
    return o == NULL ? ouro_null_argument() : list_from_iterable(o, NULL);
}

PyObject *
PySequence_Tuple(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    if (PyTuple_CheckExact(o)) {
        return Py_NewRef(o);
    }
    if (PyList_CheckExact(o)) {
        return PyList_AsTuple(o);
    }
    PyObject *list = list_from_iterable(o, NULL);
    if (list == NULL) {
        return NULL;
    }
    PyObject *tuple = PyList_AsTuple(list);
    Py_DECREF(list);
    return tuple;
}

PyObject *
PySequence_Fast(PyObject *o, const char *message)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
        return Py_NewRef(o);
    }
    return list_from_iterable(o, message);
}
