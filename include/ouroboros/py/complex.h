/* SPDX-License-Identifier: MIT */
/* complex: pairs of C doubles. */
#ifndef OURO_PY_COMPLEX_H
#define OURO_PY_COMPLEX_H

#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    double real;
    double imag;
} Py_complex;

typedef struct {
    PyObject_HEAD
    Py_complex cval;
} PyComplexObject;

PyAPI_DATA(PyTypeObject) PyComplex_Type;

#define PyComplex_Check(op)      PyObject_TypeCheck((op), &PyComplex_Type)
#define PyComplex_CheckExact(op) Py_IS_TYPE((op), &PyComplex_Type)

/* A new complex; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyComplex_FromCComplex(Py_complex v);
PyAPI_FUNC(PyObject *) PyComplex_FromDoubles(double real, double imag);
/* The parts of a complex, of an object with __complex__, or of one with __float__ or
 * __index__, whose imaginary part is 0.0. -1.0 with an exception; ask PyErr_Occurred(). */
PyAPI_FUNC(double) PyComplex_RealAsDouble(PyObject *op);
PyAPI_FUNC(double) PyComplex_ImagAsDouble(PyObject *op);
PyAPI_FUNC(Py_complex) PyComplex_AsCComplex(PyObject *op);

/* Arithmetic. A quotient by zero, and what _Py_c_pow cannot do, set errno to EDOM; an
 * absolute value that is too large sets it to ERANGE. No exceptions. */
PyAPI_FUNC(Py_complex) _Py_c_sum(Py_complex left, Py_complex right);
PyAPI_FUNC(Py_complex) _Py_c_diff(Py_complex left, Py_complex right);
PyAPI_FUNC(Py_complex) _Py_c_neg(Py_complex num);
PyAPI_FUNC(Py_complex) _Py_c_prod(Py_complex left, Py_complex right);
PyAPI_FUNC(Py_complex) _Py_c_quot(Py_complex dividend, Py_complex divisor);
PyAPI_FUNC(Py_complex) _Py_c_pow(Py_complex num, Py_complex exp);
PyAPI_FUNC(double) _Py_c_abs(Py_complex num);

OURO_END_DECLS

#endif
