/* SPDX-License-Identifier: MIT */
/* The number protocol.
 *
 * Every function returns a new reference, or NULL with an exception, unless said otherwise;
 * arguments are borrowed. Operands without the operation raise TypeError. A binary operation
 * asks the left operand first, unless the right one is of a subtype that does it another
 * way; each may answer NotImplemented. */
#ifndef OURO_PY_NUMBER_H
#define OURO_PY_NUMBER_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

/* 1 if `o` can be converted to a number, else 0; NULL is 0. Never fails. */
PyAPI_FUNC(int) PyNumber_Check(PyObject *o);
/* 1 if `o` can be used as an index, else 0. Never fails. */
PyAPI_FUNC(int) PyIndex_Check(PyObject *o);

/* o1 + o2, - * @ // / %, divmod(o1, o2), and further down << >> & ^ |. */
PyAPI_FUNC(PyObject *) PyNumber_Add(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_Subtract(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_Multiply(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_MatrixMultiply(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_FloorDivide(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_TrueDivide(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_Remainder(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_Divmod(PyObject *o1, PyObject *o2);
/* pow(o1, o2, o3); o3 is None for two operands. */
PyAPI_FUNC(PyObject *) PyNumber_Power(PyObject *o1, PyObject *o2, PyObject *o3);
PyAPI_FUNC(PyObject *) PyNumber_Lshift(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_Rshift(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_And(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_Xor(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_Or(PyObject *o1, PyObject *o2);

/* -o, +o, abs(o), ~o. */
PyAPI_FUNC(PyObject *) PyNumber_Negative(PyObject *o);
PyAPI_FUNC(PyObject *) PyNumber_Positive(PyObject *o);
PyAPI_FUNC(PyObject *) PyNumber_Absolute(PyObject *o);
PyAPI_FUNC(PyObject *) PyNumber_Invert(PyObject *o);

/* o1 += o2 and so on: may change o1 and return it. */
PyAPI_FUNC(PyObject *) PyNumber_InPlaceAdd(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceSubtract(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceMultiply(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceMatrixMultiply(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceFloorDivide(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceTrueDivide(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceRemainder(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlacePower(PyObject *o1, PyObject *o2, PyObject *o3);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceLshift(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceRshift(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceAnd(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceXor(PyObject *o1, PyObject *o2);
PyAPI_FUNC(PyObject *) PyNumber_InPlaceOr(PyObject *o1, PyObject *o2);

/* An int: from nb_int, nb_index, or the text of a str or bytes object. */
PyAPI_FUNC(PyObject *) PyNumber_Long(PyObject *o);
/* A float: from nb_float, nb_index, or the text of a str object. */
PyAPI_FUNC(PyObject *) PyNumber_Float(PyObject *o);
/* An exact int, or an int subclass, from nb_index; TypeError for other objects. */
PyAPI_FUNC(PyObject *) PyNumber_Index(PyObject *o);
/* PyNumber_Index as a C integer. When it does not fit: -1 with the exception `exc`, or for
 * exc == NULL the nearest value that does. -1 may be a value: see PyErr_Occurred. */
PyAPI_FUNC(Py_ssize_t) PyNumber_AsSsize_t(PyObject *o, PyObject *exc);
/* A str: digits in base 2 ("0b1"), 8 ("0o1"), 10 or 16 ("0x1"). SystemError for another
 * base. */
PyAPI_FUNC(PyObject *) PyNumber_ToBase(PyObject *o, int base);

OURO_END_DECLS

#endif
