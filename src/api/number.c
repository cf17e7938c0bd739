/* SPDX-License-Identifier: MIT */
/* Numbers from objects. The operators are in arithmetic.c. */
#include <Python.h>

#include "protocol.h"

int
PyIndex_Check(PyObject *o)
{
    PyNumberMethods *m = Py_TYPE(o)->tp_as_number;
    return m != NULL && m->nb_index != NULL;
}

int
PyNumber_Check(PyObject *o)
{
    PyNumberMethods *m = o == NULL ? NULL : Py_TYPE(o)->tp_as_number;
    return m != NULL && (m->nb_index != NULL || m->nb_int != NULL || m->nb_float != NULL);
}

/* Pass on what a slot returned if it is an int; a subclass of int is fine too. */
static PyObject *
int_or_error(PyObject *result, const char *format)
{
    if (result == NULL || PyLong_Check(result)) {
        return result;
    }
    ouro_type_error(format, result);
    Py_DECREF(result);
    return NULL;
}

PyObject *
PyNumber_Index(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    if (PyLong_Check(o)) {
        return Py_NewRef(o);
    }
    if (!PyIndex_Check(o)) {
        return ouro_type_error("'%.200s' object cannot be interpreted as an integer", o);
    }
    return int_or_error(Py_TYPE(o)->tp_as_number->nb_index(o),
                        "__index__ returned non-int (type %.200s)");
}

Py_ssize_t
PyNumber_AsSsize_t(PyObject *o, PyObject *exc)
{
    PyObject *number = PyNumber_Index(o);
    if (number == NULL) {
        return -1;
    }
    Py_ssize_t value = PyLong_AsSsize_t(number);
    if (value == -1 && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        if (exc == NULL) {
            int sign = 0;
            PyLong_GetSign(number, &sign);
            value = sign < 0 ? PY_SSIZE_T_MIN : PY_SSIZE_T_MAX;
        } else {
            PyErr_Format(exc, "cannot fit '%.200s' into an index-sized integer",
                         Py_TYPE(o)->tp_name);
        }
    }
    Py_DECREF(number);
    return value;
}

/* A new exact int with the value of an int or int subclass, whose reference is taken. */
static PyObject *
exact_int(PyObject *number)
{
    if (number == NULL || PyLong_CheckExact(number)) {
        return number;
    }
    PyObject *zero = PyLong_FromLong(0);
    PyObject *exact = PyLong_Type.tp_as_number->nb_add(number, zero);
    Py_DECREF(zero);
    Py_DECREF(number);
    return exact;
}

static PyObject *
int_from_bytes_text(PyObject *o)
{
    char *end;
    const char *text = PyBytes_AsString(o);
    PyObject *number = PyLong_FromString(text, &end, 10);
    if (number != NULL && end == text + PyBytes_Size(o)) {
        return number;
    }
    bool is_no_number = end == text && PyErr_ExceptionMatches(PyExc_ValueError);
    if (number != NULL || is_no_number) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "invalid literal for int() with base 10: %.200R",
                     o);
    }
    Py_XDECREF(number);
    return NULL;
}

PyObject *
PyNumber_Long(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    if (PyLong_CheckExact(o)) {
        return Py_NewRef(o);
    }
    PyNumberMethods *m = Py_TYPE(o)->tp_as_number;
    if (m != NULL && m->nb_int != NULL) {
        return exact_int(
            int_or_error(m->nb_int(o), "__int__ returned non-int (type %.200s)"));
    }
    if (m != NULL && m->nb_index != NULL) {
        return exact_int(PyNumber_Index(o));
    }
    if (PyUnicode_Check(o)) {
        return PyLong_FromUnicodeObject(o, 10);
    }
    if (PyBytes_Check(o)) {
        return int_from_bytes_text(o);
    }
    return ouro_type_error(
        "int() argument must be a string, a bytes-like object or a real "
        "number, not '%.200s'",
        o);
}

/* Take over what nb_float returned. */
static PyObject *
float_or_error(PyObject *o, PyObject *result)
{
    if (result == NULL || PyFloat_CheckExact(result)) {
        return result;
    }
    PyObject *number = NULL;
    if (PyFloat_Check(result)) {
        number = PyFloat_FromDouble(PyFloat_AS_DOUBLE(result));
    } else {
        PyErr_Format(PyExc_TypeError, "%.50s.__float__ returned non-float (type %.50s)",
                     Py_TYPE(o)->tp_name, Py_TYPE(result)->tp_name);
    }
    Py_DECREF(result);
    return number;
}

PyObject *
PyNumber_Float(PyObject *o)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    if (PyFloat_CheckExact(o)) {
        return Py_NewRef(o);
    }
    PyNumberMethods *m = Py_TYPE(o)->tp_as_number;
    if (m != NULL && m->nb_float != NULL) {
        return float_or_error(o, m->nb_float(o));
    }
    if (m != NULL && m->nb_index != NULL) {
        PyObject *number = PyNumber_Index(o);
        if (number == NULL) {
            return NULL;
        }
        double value = PyLong_AsDouble(number);
        Py_DECREF(number);
        return value == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(value);
    }
    if (PyFloat_Check(o)) {
        return PyFloat_FromDouble(PyFloat_AS_DOUBLE(o));
    }
    return PyFloat_FromString(o);
}

PyObject *
PyNumber_ToBase(PyObject *o, int base)
{
    if (base != 2 && base != 8 && base != 10 && base != 16) {
        PyErr_SetString(PyExc_SystemError,
                        "PyNumber_ToBase: base must be 2, 8, 10 or 16");
        return NULL;
    }
    PyObject *number = PyNumber_Index(o);
    if (number == NULL) {
        return NULL;
    }
    PyObject *text = _PyLong_Format(number, base);
    Py_DECREF(number);
    return text;
}
