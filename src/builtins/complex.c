/* SPDX-License-Identifier: MIT */
/* complex objects: conversion, comparison, the type. Arithmetic is in
 * complex_arithmetic.c, text in complex_text.c. */
#include "complex_object.h"

#include "arguments.h"

PyObject *
PyComplex_FromCComplex(Py_complex v)
{
    PyComplexObject *self = PyObject_New(PyComplexObject, &PyComplex_Type);
    if (self != NULL) {
        self->cval = v;
    }
    return (PyObject *)self;
}

PyObject *
PyComplex_FromDoubles(double real, double imag)
{
    return PyComplex_FromCComplex((Py_complex){real, imag});
}

/* --- conversion --------------------------------------------------------------------------------- */

/* What __complex__ gives: 1 and a new reference, 0 when there is none, -1 on error. */
static int
call_complex_method(PyObject *op, PyObject **result)
{
    PyObject *method;
    *result = NULL;
    if (_PyObject_FindAttrString((PyObject *)Py_TYPE(op), "__complex__", &method) <= 0) {
        return PyErr_Occurred() ? -1 : 0;
    }
    *result = PyObject_CallOneArg(method, op);
    Py_DECREF(method);
    if (*result != NULL && !PyComplex_Check(*result)) {
        PyErr_Format(PyExc_TypeError,
                     "%.200s.__complex__() must return a complex, not %.200s",
                     Py_TYPE(op)->tp_name, Py_TYPE(*result)->tp_name);
        Py_CLEAR(*result);
    }
    return *result == NULL ? -1 : 1;
}

Py_complex
PyComplex_AsCComplex(PyObject *op)
{
    if (PyComplex_Check(op)) {
        return OURO_COMPLEX(op);
    }
    Py_complex value = {-1.0, 0.0};
    PyObject *converted;
    int found = call_complex_method(op, &converted);
    if (found > 0) {
        value = OURO_COMPLEX(converted);
        Py_DECREF(converted);
    } else if (found == 0) {
        value.real = PyFloat_AsDouble(op);
    }
    return value;
}

double
PyComplex_RealAsDouble(PyObject *op)
{
    return PyComplex_AsCComplex(op).real;
}

double
PyComplex_ImagAsDouble(PyObject *op)
{
    Py_complex value = PyComplex_AsCComplex(op);
    return value.real == -1.0 && PyErr_Occurred() ? -1.0 : value.imag;
}

/* --- slots ----------------------------------------------------------------------------------------- */

static PyObject *
complex_richcompare(PyObject *self, PyObject *other, int op)
{
    Py_complex a = OURO_COMPLEX(self);
    if (op != Py_EQ && op != Py_NE) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal;
    if (PyComplex_Check(other)) {
        Py_complex b = OURO_COMPLEX(other);
        equal = a.real == b.real && a.imag == b.imag;
    } else if (!PyFloat_Check(other) && !PyLong_Check(other)) {
        Py_RETURN_NOTIMPLEMENTED;
    } else if (a.imag != 0.0) {
        equal = 0;
    } else {
        PyObject *real = PyFloat_FromDouble(a.real);
        equal = real == NULL ? -1 : PyObject_RichCompareBool(real, other, Py_EQ);
        Py_XDECREF(real);
    }
    return equal < 0 ? NULL : PyBool_FromLong(equal == (op == Py_EQ));
}

static Py_hash_t
complex_hash(PyObject *self)
{
    Py_uhash_t real = (Py_uhash_t)Py_HashDouble(self, OURO_COMPLEX(self).real);
    Py_uhash_t imag = (Py_uhash_t)Py_HashDouble(self, OURO_COMPLEX(self).imag);
    Py_hash_t hash = (Py_hash_t)(real + 1000003 * imag);
    return hash == -1 ? -2 : hash;
}

static PyObject *
complex_conjugate(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyComplex_FromDoubles(OURO_COMPLEX(self).real, -OURO_COMPLEX(self).imag);
}

static PyObject *
complex_complex(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyComplex_CheckExact(self) ? Py_NewRef(self)
                                      : PyComplex_FromCComplex(OURO_COMPLEX(self));
}

/* --- the type ---------------------------------------------------------------------------------------- */

/* The value of one argument of complex(). False with an exception. */
static bool
value_of_argument(PyObject *arg, const char *which, Py_complex *value)
{
    PyNumberMethods *number = Py_TYPE(arg)->tp_as_number;
    bool is_number =
        PyComplex_Check(arg) ||
        (number != NULL && (number->nb_float != NULL || number->nb_index != NULL));
    if (!is_number) {
        PyErr_Format(PyExc_TypeError, "complex() %s must be a %snumber, not '%.200s'",
                     which, strcmp(which, "first argument") == 0 ? "string or a " : "",
                     Py_TYPE(arg)->tp_name);
        return false;
    }
    *value = PyComplex_AsCComplex(arg);
    return value->real != -1.0 || !PyErr_Occurred();
}

/* complex(real=0, imag=0), complex(text) */
static bool
value_of_arguments(PyObject *real, PyObject *imag, Py_complex *value)
{
    Py_complex a = {0.0, 0.0}, b = {0.0, 0.0};
    if (real != NULL && PyUnicode_Check(real)) {
        if (imag != NULL) {
            PyErr_SetString(PyExc_TypeError,
                            "complex() can't take second arg if first is a string");
            return false;
        }
        return ouro_complex_parse(real, value);
    }
    if (imag != NULL && PyUnicode_Check(imag)) {
        PyErr_SetString(PyExc_TypeError, "complex() second arg can't be a string");
        return false;
    }
    PyObject *converted = NULL;
    int found =
        real == NULL || PyComplex_Check(real) ? 0 : call_complex_method(real, &converted);
    if (found < 0) {
        return false;
    }
    if (found > 0) {
        a = OURO_COMPLEX(converted);
        Py_DECREF(converted);
    } else if (real != NULL && !value_of_argument(real, "first argument", &a)) {
        return false;
    }
    if (imag != NULL && !value_of_argument(imag, "second argument", &b)) {
        return false;
    }
    /* real + imag * 1j, where either may be complex itself. */
    *value = imag == NULL ? a : (Py_complex){a.real, b.real};
    if (imag != NULL && PyComplex_Check(imag)) {
        value->real -= b.imag;
    }
    if (imag != NULL && (found > 0 || (real != NULL && PyComplex_Check(real)))) {
        value->imag += a.imag;
    }
    return true;
}

static PyObject *
complex_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"real", "imag"};
    Py_ssize_t given = PyTuple_GET_SIZE(args), named = 0;
    PyObject *parts[2];
    if (!ouro_args_between("complex", given, 0, 2)) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        parts[i] = i < given ? PyTuple_GET_ITEM(args, i) : NULL;
        if (parts[i] == NULL && kwargs != NULL) {
            parts[i] = ouro_args_named(kwargs, names[i]);
            named += parts[i] != NULL;
        }
    }
    if (type == &PyComplex_Type && kwargs != NULL && named != PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "complex() got an unexpected keyword argument");
        return NULL;
    }
    if (type == &PyComplex_Type && parts[1] == NULL && parts[0] != NULL &&
        PyComplex_CheckExact(parts[0])) {
        return Py_NewRef(parts[0]);
    }
    Py_complex value = {0.0, 0.0};
    if (!value_of_arguments(parts[0], parts[1], &value)) {
        return NULL;
    }
    if (type == &PyComplex_Type) {
        return PyComplex_FromCComplex(value);
    }
    PyObject *self = type->tp_alloc(type, 0);
    if (self != NULL) {
        OURO_COMPLEX(self) = value;
    }
    return self;
}

static PyMethodDef complex_methods[] = {
    {"__complex__", complex_complex, METH_NOARGS, "The number itself."},
    {"conjugate", complex_conjugate, METH_NOARGS,
     "The number with the opposite imaginary part."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef complex_members[] = {
    {"real", Py_T_DOUBLE, offsetof(PyComplexObject, cval.real), Py_READONLY,
     "the real part"},
    {"imag", Py_T_DOUBLE, offsetof(PyComplexObject, cval.imag), Py_READONLY,
     "the imaginary part"},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject PyComplex_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "complex",
    .tp_basicsize = sizeof(PyComplexObject),
    .tp_repr = ouro_complex_repr,
    .tp_as_number = &ouro_complex_as_number,
    .tp_hash = complex_hash,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "complex(real=0, imag=0)\n--\n\nA complex number.",
    .tp_richcompare = complex_richcompare,
    .tp_methods = complex_methods,
    .tp_members = complex_members,
    .tp_new = complex_new,
    .tp_free = PyObject_Free,
};
