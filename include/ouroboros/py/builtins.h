/* SPDX-License-Identifier: MIT */
/* The built-in types: what the type system itself needs, and what containers hold. */
#ifndef OURO_PY_BUILTINS_H
#define OURO_PY_BUILTINS_H

#include "bool.h"
#include "long.h"
#include "float.h"
#include "complex.h"
#include "unicode.h"
#include "bytes.h"
#include "bytearray.h"
#include "tuple.h"
#include "list.h"
#include "dict.h"
#include "set.h"
#include "cfunction.h"
#include "descr.h"
#include "cell.h"
#include "capsule.h"
#include "genericalias.h"

OURO_BEGIN_DECLS

PyAPI_DATA(PyTypeObject) _PyNone_Type;
PyAPI_DATA(PyTypeObject) _PyNotImplemented_Type;
PyAPI_DATA(PyTypeObject) PyEllipsis_Type;

#define Py_CONSTANT_NONE            0
#define Py_CONSTANT_FALSE           1
#define Py_CONSTANT_TRUE            2
#define Py_CONSTANT_ELLIPSIS        3
#define Py_CONSTANT_NOT_IMPLEMENTED 4
#define Py_CONSTANT_ZERO            5
#define Py_CONSTANT_ONE             6
#define Py_CONSTANT_EMPTY_STR       7
#define Py_CONSTANT_EMPTY_BYTES     8
#define Py_CONSTANT_EMPTY_TUPLE     9

/* The immortal object with that number. NULL with SystemError for any other number. Both
 * forms return the same, as immortal objects are not counted. */
PyAPI_FUNC(PyObject *) Py_GetConstant(unsigned int constant_id);
PyAPI_FUNC(PyObject *) Py_GetConstantBorrowed(unsigned int constant_id);

/* The hash of `len` bytes, as that of a bytes object with this content. It depends on a
 * seed of the process. Never -1; never fails. */
PyAPI_FUNC(Py_hash_t) Py_HashBuffer(const void *ptr, Py_ssize_t len);
/* The hash of a finite double, equal to that of an int with the same value. `inst` is the
 * object that a NaN belongs to. */
PyAPI_FUNC(Py_hash_t) Py_HashDouble(PyObject *inst, double value);
#define _Py_HashDouble(inst, value) Py_HashDouble((inst), (value))
/* The hash of an address, as that of an object compared by identity. Never fails. */
PyAPI_FUNC(Py_hash_t) Py_HashPointer(const void *ptr);
#define _Py_HashPointer(ptr) Py_HashPointer(ptr)

#define _PyHASH_BITS      PyHASH_BITS
#define _PyHASH_MODULUS   PyHASH_MODULUS
#define _PyHASH_INF       PyHASH_INF
#define _PyHASH_IMAG      PyHASH_IMAG
#define PyHASH_BITS       61
#define PyHASH_MODULUS    (((size_t)1 << PyHASH_BITS) - 1)
#define PyHASH_INF        314159
#define PyHASH_MULTIPLIER 1000003UL
#define PyHASH_IMAG       PyHASH_MULTIPLIER

OURO_END_DECLS

#endif
