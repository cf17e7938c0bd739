/* SPDX-License-Identifier: MIT */
/* int: whole numbers of any size.
 *
 * The functions From... return a new reference, or NULL with MemoryError. The functions
 * As... accept any object with __index__; when it has none they return -1 with TypeError,
 * and -1 with OverflowError when the value does not fit. As -1 may be the value, ask
 * PyErr_Occurred(). All borrow their argument. */
#ifndef OURO_PY_LONG_H
#define OURO_PY_LONG_H

#include "typeobject.h"

OURO_BEGIN_DECLS

/* Sign and magnitude: the sign of ob_size is the sign, its absolute value the number of
 * base 2^32 digits, least significant first, the last one not 0. Zero has none. */
typedef struct _longobject {
    PyObject_VAR_HEAD
    uint32_t ob_digit[2];
} PyLongObject;

PyAPI_DATA(PyTypeObject) PyLong_Type;

#define PyLong_Check(op)      PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_LONG_SUBCLASS)
#define PyLong_CheckExact(op) Py_IS_TYPE((op), &PyLong_Type)

/* --- from C ------------------------------------------------------------------------ */

/* Small values are shared objects. */
PyAPI_FUNC(PyObject *) PyLong_FromLong(long value);
PyAPI_FUNC(PyObject *) PyLong_FromUnsignedLong(unsigned long value);
PyAPI_FUNC(PyObject *) PyLong_FromLongLong(long long value);
PyAPI_FUNC(PyObject *) PyLong_FromUnsignedLongLong(unsigned long long value);
PyAPI_FUNC(PyObject *) PyLong_FromSsize_t(Py_ssize_t value);
PyAPI_FUNC(PyObject *) PyLong_FromSize_t(size_t value);
PyAPI_FUNC(PyObject *) PyLong_FromInt32(int32_t value);
PyAPI_FUNC(PyObject *) PyLong_FromUInt32(uint32_t value);
PyAPI_FUNC(PyObject *) PyLong_FromInt64(int64_t value);
PyAPI_FUNC(PyObject *) PyLong_FromUInt64(uint64_t value);
/* The address as a number that is not negative; PyLong_AsVoidPtr gives it back. */
PyAPI_FUNC(PyObject *) PyLong_FromVoidPtr(void *p);
/* The whole part, towards zero. OverflowError for infinities, ValueError for NaN. */
PyAPI_FUNC(PyObject *) PyLong_FromDouble(double value);
/* Parse `str` in base 2 to 36, or by its prefix when base is 0; blanks around it and
 * single underscores between digits are fine. With `pend`, the number may be followed by
 * anything, and *pend is set behind it (to `str` on failure). ValueError when there is no
 * number or the base is wrong. */
PyAPI_FUNC(PyObject *) PyLong_FromString(const char *str, char **pend, int base);
/* A struct sequence as sys.int_info has it; a new reference, or NULL with an exception. */
PyAPI_FUNC(PyObject *) PyLong_GetInfo(void);
PyAPI_FUNC(PyObject *) PyLong_FromUnicodeObject(PyObject *u, int base);

/* --- to C -------------------------------------------------------------------------- */

/* The value, when it fits. */
PyAPI_FUNC(long) PyLong_AsLong(PyObject *obj);
#define PyLong_AS_LONG(op) PyLong_AsLong(op)
PyAPI_FUNC(long long) PyLong_AsLongLong(PyObject *obj);
/* Instead of raising OverflowError these set *overflow to 1 or -1 and return -1; else
 * *overflow is 0. */
PyAPI_FUNC(long) PyLong_AsLongAndOverflow(PyObject *obj, int *overflow);
PyAPI_FUNC(long long) PyLong_AsLongLongAndOverflow(PyObject *obj, int *overflow);
PyAPI_FUNC(int) PyLong_AsInt(PyObject *obj);
#define _PyLong_AsInt PyLong_AsInt
/* 0 on success; or -1 with an exception. */
PyAPI_FUNC(int) PyLong_AsInt32(PyObject *obj, int32_t *value);
PyAPI_FUNC(int) PyLong_AsUInt32(PyObject *obj, uint32_t *value);
PyAPI_FUNC(int) PyLong_AsInt64(PyObject *obj, int64_t *value);
PyAPI_FUNC(int) PyLong_AsUInt64(PyObject *obj, uint64_t *value);
/* These five take only instances of int: TypeError for anything else. The unsigned ones
 * raise OverflowError for negative values. */
PyAPI_FUNC(Py_ssize_t) PyLong_AsSsize_t(PyObject *pylong);
PyAPI_FUNC(size_t) PyLong_AsSize_t(PyObject *pylong);
PyAPI_FUNC(unsigned long) PyLong_AsUnsignedLong(PyObject *pylong);
PyAPI_FUNC(unsigned long long) PyLong_AsUnsignedLongLong(PyObject *pylong);
/* OverflowError when too large for a double; rounds half to even. */
PyAPI_FUNC(double) PyLong_AsDouble(PyObject *pylong);
/* The value modulo 2^64; no OverflowError. */
PyAPI_FUNC(unsigned long) PyLong_AsUnsignedLongMask(PyObject *obj);
PyAPI_FUNC(unsigned long long) PyLong_AsUnsignedLongLongMask(PyObject *obj);
/* The address made by PyLong_FromVoidPtr; NULL with an exception. Only ints. */
PyAPI_FUNC(void *) PyLong_AsVoidPtr(PyObject *pylong);

/* --- as bytes, in two's complement ---------------------------------------------------- */

#define Py_ASNATIVEBYTES_DEFAULTS        -1 /* NATIVE_ENDIAN | UNSIGNED_BUFFER */
#define Py_ASNATIVEBYTES_BIG_ENDIAN      0
#define Py_ASNATIVEBYTES_LITTLE_ENDIAN   1
#define Py_ASNATIVEBYTES_NATIVE_ENDIAN   3
#define Py_ASNATIVEBYTES_UNSIGNED_BUFFER 4  /* the highest bit need not be a sign */
#define Py_ASNATIVEBYTES_REJECT_NEGATIVE 8  /* ValueError */
#define Py_ASNATIVEBYTES_ALLOW_INDEX     16 /* else only ints: TypeError */

/* Store the lowest `n_bytes` bytes of the value, and return how many it needs: not more
 * than `n_bytes` if it fits. -1 with an exception; SystemError when `n_bytes` is negative.
 * `buffer` may be NULL when it is 0. */
PyAPI_FUNC(Py_ssize_t) PyLong_AsNativeBytes(PyObject *pylong, void *buffer,
                                            Py_ssize_t n_bytes, int flags);
/* An int from bytes; of the flags only those about the order and UNSIGNED_BUFFER count. */
PyAPI_FUNC(PyObject *) PyLong_FromNativeBytes(const void *buffer, size_t n_bytes,
                                              int flags);
PyAPI_FUNC(PyObject *) PyLong_FromUnsignedNativeBytes(const void *buffer, size_t n_bytes,
                                                      int flags);

/* --- questions; only ints ----------------------------------------------------------- */

/* *sign becomes -1, 0 or 1. Returns 0; or -1 with TypeError. */
PyAPI_FUNC(int) PyLong_GetSign(PyObject *obj, int *sign);
/* 1 or 0; -1 with TypeError. */
PyAPI_FUNC(int) PyLong_IsPositive(PyObject *obj);
PyAPI_FUNC(int) PyLong_IsNegative(PyObject *obj);
PyAPI_FUNC(int) PyLong_IsZero(PyObject *obj);
/* The number of bits of the magnitude. */
PyAPI_FUNC(int64_t) _PyLong_NumBits(PyObject *pylong);
/* The text in base 2, 8, 10 or 16 with its prefix ("0x1f"). New reference; NULL with
 * ValueError for another base. */
PyAPI_FUNC(PyObject *) _PyLong_Format(PyObject *pylong, int base);
/* Is the value held in one digit? Then CompactValue returns it. */
PyAPI_FUNC(int) PyUnstable_Long_IsCompact(const PyLongObject *op);
PyAPI_FUNC(Py_ssize_t) PyUnstable_Long_CompactValue(const PyLongObject *op);

/* --- digits (PEP 757) ------------------------------------------------------------------ */

typedef struct PyLongLayout {
    uint8_t bits_per_digit;
    uint8_t digit_size;
    int8_t digits_order;     /* -1: least significant digit first */
    int8_t digit_endianness; /* -1: least significant byte first */
} PyLongLayout;

/* How the digits below are laid out; static. */
PyAPI_FUNC(const PyLongLayout *) PyLong_GetNativeLayout(void);

typedef struct PyLongExport {
    int64_t value; /* when digits is NULL */
    uint8_t negative;
    Py_ssize_t ndigits;
    const void *digits;
    Py_uintptr_t _reserved; /* the int, kept alive */
} PyLongExport;

/* The value or the digits of an int. 0, and FreeExport must follow; or -1 with TypeError. */
PyAPI_FUNC(int) PyLong_Export(PyObject *obj, PyLongExport *export_long);
PyAPI_FUNC(void) PyLong_FreeExport(PyLongExport *export_long);

typedef struct PyLongWriter PyLongWriter;

/* An int of `ndigits` digits, at least one, for the caller to fill in at *digits. NULL with
 * ValueError or MemoryError. Finish gives the int and Discard none; either ends the writer. */
PyAPI_FUNC(PyLongWriter *) PyLongWriter_Create(int negative, Py_ssize_t ndigits,
                                               void **digits);
PyAPI_FUNC(PyObject *) PyLongWriter_Finish(PyLongWriter *writer);
PyAPI_FUNC(void) PyLongWriter_Discard(PyLongWriter *writer); /* NULL is fine */

/* --- private names of CPython that modules use ------------------------------------------ */

/* -1, 0 or 1. Of an int. */
PyAPI_FUNC(int) _PyLong_Sign(PyObject *v);
/* All of the value in `n` bytes. 0; or -1, with OverflowError when it does not fit (unless
 * `with_exceptions` is 0), or is negative and `is_signed` is 0. */
PyAPI_FUNC(int) _PyLong_AsByteArray(PyLongObject *v, unsigned char *bytes, size_t n,
                                    int little_endian, int is_signed,
                                    int with_exceptions);
PyAPI_FUNC(PyObject *) _PyLong_FromByteArray(const unsigned char *bytes, size_t n,
                                             int little_endian, int is_signed);

OURO_END_DECLS

#endif
