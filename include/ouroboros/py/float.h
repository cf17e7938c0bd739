/* SPDX-License-Identifier: MIT */
/* float: C doubles. */
#ifndef OURO_PY_FLOAT_H
#define OURO_PY_FLOAT_H

#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_HEAD
    double ob_fval;
} PyFloatObject;

PyAPI_DATA(PyTypeObject) PyFloat_Type;

#define PyFloat_Check(op)      PyObject_TypeCheck(op, &PyFloat_Type)
#define PyFloat_CheckExact(op) Py_IS_TYPE((op), &PyFloat_Type)
/* The value of a float, without a check. */
#define PyFloat_AS_DOUBLE(op) (((PyFloatObject *)(op))->ob_fval)

#define Py_IS_NAN(x)      isnan(x)
#define Py_IS_INFINITY(x) isinf(x)
#define Py_IS_FINITE(x)   isfinite(x)
#define Py_INFINITY       ((double)INFINITY)
#define Py_HUGE_VAL       HUGE_VAL
#define Py_NAN            ((double)NAN)
#define Py_RETURN_NAN     return PyFloat_FromDouble(Py_NAN)
#define Py_RETURN_INF(sign)                                                              \
    return PyFloat_FromDouble(copysign(Py_INFINITY, (double)(sign)))
#define Py_MATH_PI 3.14159265358979323846
#define Py_MATH_E  2.7182818284590452354

/* A new float; NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyFloat_FromDouble(double value);
/* A struct sequence as sys.float_info has it; a new reference, or NULL with an exception. */
PyAPI_FUNC(PyObject *) PyFloat_GetInfo(void);
/* Parse a str or bytes; blanks around the number are fine. New reference; NULL with
 * ValueError when it is not a number, TypeError when it is no text. */
PyAPI_FUNC(PyObject *) PyFloat_FromString(PyObject *str);
/* The value of a float, or of an object with __float__ or __index__. -1.0 with TypeError
 * when it has none, with OverflowError for huge ints; ask PyErr_Occurred(). */
PyAPI_FUNC(double) PyFloat_AsDouble(PyObject *pyfloat);
/* The largest finite, and the smallest positive normal double. */
PyAPI_FUNC(double) PyFloat_GetMax(void);
PyAPI_FUNC(double) PyFloat_GetMin(void);

/* Text of `val` for PyMem_Free; NULL with MemoryError, or ValueError for an unknown code.
 * 'r' is the shortest text that reads back as the same value (precision 0); 'e', 'f', 'g'
 * and their capitals are those of printf, in any locale. */
PyAPI_FUNC(char *) PyOS_double_to_string(double val, char format_code, int precision,
                                         int flags, int *type);
#define Py_DTSF_SIGN      0x01 /* always with a sign */
#define Py_DTSF_ADD_DOT_0 0x02 /* never looks like an int */
#define Py_DTSF_ALT       0x04 /* printf's # */
/* What PyOS_double_to_string stores in *type. */
#define Py_DTST_FINITE   0
#define Py_DTST_INFINITE 1
#define Py_DTST_NAN      2

/* Parse the beginning of `str`, in any locale. With `endptr`, *endptr is set behind the
 * number; without it, all of `str` must be the number. -1.0 with ValueError when there is
 * none. A value too large is an infinity, or raises `overflow_exception` unless NULL. */
PyAPI_FUNC(double) PyOS_string_to_double(const char *str, char **endptr,
                                         PyObject *overflow_exception);

/* Store a double in 2, 4 or 8 bytes of IEEE 754, the least significant first when `le`. 0;
 * or -1 with OverflowError when it is too large for the format. */
PyAPI_FUNC(int) PyFloat_Pack2(double x, char *p, int le);
PyAPI_FUNC(int) PyFloat_Pack4(double x, char *p, int le);
PyAPI_FUNC(int) PyFloat_Pack8(double x, char *p, int le);
/* And back. Never fail. */
PyAPI_FUNC(double) PyFloat_Unpack2(const char *p, int le);
PyAPI_FUNC(double) PyFloat_Unpack4(const char *p, int le);
PyAPI_FUNC(double) PyFloat_Unpack8(const char *p, int le);

OURO_END_DECLS

#endif
