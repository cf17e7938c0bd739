/* SPDX-License-Identifier: MIT */
/* The sequence protocol. Searching and converting, which go through an iterator, are in
 * itemsearch.c. */
#include <Python.h>

#include "protocol.h"

int
PySequence_Check(PyObject *o)
{
    PySequenceMethods *m = Py_TYPE(o)->tp_as_sequence;
    return !PyDict_Check(o) && m != NULL && m->sq_item != NULL;
}

Py_ssize_t
PySequence_Size(PyObject *o)
{
    if (o == NULL) {
        ouro_null_argument();
        return -1;
    }
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_length != NULL) {
        return ouro_too_deep(" while asking for a length")
                   ? -1
                   : type->tp_as_sequence->sq_length(o);
    }
    bool is_mapping =
        type->tp_as_mapping != NULL && type->tp_as_mapping->mp_length != NULL;
    ouro_type_error(is_mapping ? "%.200s is not a sequence"
                               : "object of type '%.200s' has no len()",
                    o);
    return -1;
}

Py_ssize_t(PySequence_Length)(PyObject *o)
{
    return PySequence_Size(o);
}

/* --- concatenating and repeating -------------------------------------------------------------- */

/* For sequences whose type has a number operation instead. NotImplemented when neither has. */
static PyObject *
operate_as_number(PyObject *o1, PyObject *o2, binaryfunc operate)
{
    PyObject *result = operate(o1, o2);
    if (result == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        return Py_NewRef(Py_NotImplemented);
    }
    return result;
}

static PyObject *
concatenate(PyObject *o1, PyObject *o2, bool in_place)
{
    if (o1 == NULL || o2 == NULL) {
        return ouro_null_argument();
    }
    PySequenceMethods *m = Py_TYPE(o1)->tp_as_sequence;
    if (in_place && m != NULL && m->sq_inplace_concat != NULL) {
        return m->sq_inplace_concat(o1, o2);
    }
    if (m != NULL && m->sq_concat != NULL) {
        return m->sq_concat(o1, o2);
    }
    if (PySequence_Check(o1) && PySequence_Check(o2)) {
        PyObject *result =
            operate_as_number(o1, o2, in_place ? PyNumber_InPlaceAdd : PyNumber_Add);
        if (result != Py_NotImplemented) {
            return result;
        }
    }
    return ouro_type_error("'%.200s' object can't be concatenated", o1);
}

PyObject *
PySequence_Concat(PyObject *o1, PyObject *o2)
{
    return concatenate(o1, o2, false);
}

PyObject *
PySequence_InPlaceConcat(PyObject *o1, PyObject *o2)
{
    return concatenate(o1, o2, true);
}

static PyObject *
repeat(PyObject *o, Py_ssize_t count, bool in_place)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    PySequenceMethods *m = Py_TYPE(o)->tp_as_sequence;
    if (in_place && m != NULL && m->sq_inplace_repeat != NULL) {
        return m->sq_inplace_repeat(o, count);
    }
    if (m != NULL && m->sq_repeat != NULL) {
        return m->sq_repeat(o, count);
    }
    if (PySequence_Check(o)) {
        PyObject *number = PyLong_FromSsize_t(count);
        if (number == NULL) {
            return NULL;
        }
        PyObject *result = operate_as_number(
            o, number, in_place ? PyNumber_InPlaceMultiply : PyNumber_Multiply);
        Py_DECREF(number);
        if (result != Py_NotImplemented) {
            return result;
        }
    }
    return ouro_type_error("'%.200s' object can't be repeated", o);
}

PyObject *
PySequence_Repeat(PyObject *o, Py_ssize_t count)
{
    return repeat(o, count, false);
}

PyObject *
PySequence_InPlaceRepeat(PyObject *o, Py_ssize_t count)
{
    return repeat(o, count, true);
}

/* --- items --------------------------------------------------------------------------------------- */

/* Make a negative index count from the end, if the type knows its length. False with an
 * exception. */
static bool
count_from_end(PyObject *o, Py_ssize_t *i)
{
    lenfunc length = Py_TYPE(o)->tp_as_sequence->sq_length;
    if (*i >= 0 || length == NULL) {
        return true;
    }
    Py_ssize_t size = length(o);
    *i += size;
    return size >= 0;
}

PyObject *
PySequence_GetItem(PyObject *o, Py_ssize_t i)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    PySequenceMethods *m = Py_TYPE(o)->tp_as_sequence;
    if (m == NULL || m->sq_item == NULL) {
        PyMappingMethods *mapping = Py_TYPE(o)->tp_as_mapping;
        bool is_mapping = mapping != NULL && mapping->mp_subscript != NULL;
        return ouro_type_error(is_mapping ? "%.200s is not a sequence"
                                          : "'%.200s' object does not support indexing",
                               o);
    }
    if (ouro_too_deep(" while accessing an item")) {
        return NULL;
    }
    return count_from_end(o, &i) ? m->sq_item(o, i) : NULL;
}

int
PySequence_SetItem(PyObject *o, Py_ssize_t i, PyObject *v)
{
    if (o == NULL) {
        ouro_null_argument();
        return -1;
    }
    PySequenceMethods *m = Py_TYPE(o)->tp_as_sequence;
    if (m == NULL || m->sq_ass_item == NULL) {
        PyMappingMethods *mapping = Py_TYPE(o)->tp_as_mapping;
        bool is_mapping = mapping != NULL && mapping->mp_ass_subscript != NULL;
        ouro_type_error(is_mapping  ? "%.200s is not a sequence"
                        : v != NULL ? "'%.200s' object does not support item assignment"
                                    : "'%.200s' object doesn't support item deletion",
                        o);
        return -1;
    }
    return count_from_end(o, &i) ? m->sq_ass_item(o, i, v) : -1;
}

int
PySequence_DelItem(PyObject *o, Py_ssize_t i)
{
    return PySequence_SetItem(o, i, NULL);
}
