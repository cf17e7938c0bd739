/* SPDX-License-Identifier: MIT */
/* bool: the two immortal integers True and False. */
#ifndef OURO_PY_BOOL_H
#define OURO_PY_BOOL_H

#include "long.h"

OURO_BEGIN_DECLS

PyAPI_DATA(PyTypeObject) PyBool_Type;
PyAPI_DATA(PyLongObject) _Py_FalseStruct;
PyAPI_DATA(PyLongObject) _Py_TrueStruct;

#define Py_False         _PyObject_CAST(&_Py_FalseStruct)
#define Py_True          _PyObject_CAST(&_Py_TrueStruct)
#define Py_RETURN_TRUE   return Py_True
#define Py_RETURN_FALSE  return Py_False
#define PyBool_Check(op) Py_IS_TYPE((op), &PyBool_Type)

/* Py_True when `value` is not 0, else Py_False. Never fails. */
PyAPI_FUNC(PyObject *) PyBool_FromLong(long value);

OURO_END_DECLS

#endif
