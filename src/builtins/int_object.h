/* SPDX-License-Identifier: MIT */
/* What the files of int share. */
#ifndef OURO_BUILTINS_INT_OBJECT_H
#define OURO_BUILTINS_INT_OBJECT_H

#include "int_digits.h"

static inline PyLongObject *
ouro_int(PyObject *op)
{
    return (PyLongObject *)op;
}

/* The number of digits, and a pointer to them that may be indexed beyond two. */
static inline Py_ssize_t
ouro_int_count(const PyLongObject *v)
{
    return v->ob_base.ob_size < 0 ? -v->ob_base.ob_size : v->ob_base.ob_size;
}

static inline uint32_t *
ouro_int_digits(PyLongObject *v)
{
    return (uint32_t *)(void *)((char *)v + offsetof(PyLongObject, ob_digit));
}

static inline bool
ouro_int_negative(const PyLongObject *v)
{
    return v->ob_base.ob_size < 0;
}

/* The value of an int of at most two digits without its sign. */
static inline uint64_t
ouro_int_magnitude64(const PyLongObject *v)
{
    switch (ouro_int_count(v)) {
    case 0:
        return 0;
    case 1:
        return v->ob_digit[0];
    default:
        return (uint64_t)v->ob_digit[1] << 32 | v->ob_digit[0];
    }
}

/* Does the value fit 64 bits with sign? Then it is stored. */
static inline bool
ouro_int_fits64(const PyLongObject *v, int64_t *value)
{
    if (ouro_int_count(v) > 2) {
        return false;
    }
    uint64_t magnitude = ouro_int_magnitude64(v);
    bool negative = ouro_int_negative(v);
    if (magnitude > (uint64_t)INT64_MAX + negative) {
        return false;
    }
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

/* A new exact int with room for `count` digits, not initialised; ob_size is count. NULL
 * with MemoryError, or OverflowError when no memory could hold it. */
PyLongObject *ouro_int_allocate(Py_ssize_t count);
/* Drop leading zero digits, set the sign, and replace small values by the shared objects.
 * Steals `v`; cannot fail. */
PyObject *ouro_int_normal(PyLongObject *v, bool negative);
PyObject *ouro_int_from128(ouro_int128 value);
PyObject *ouro_int_from_magnitude(ouro_uint128 magnitude, bool negative);
/* Compare two ints: -1, 0, 1. */
int ouro_int_compare(PyObject *a, PyObject *b);
/* a floor-divided by b (b is not 0): new references in *quotient and *remainder, either of
 * which may be NULL. 0; or -1 with MemoryError. */
int ouro_int_divmod(PyObject *a, PyObject *b, PyObject **quotient, PyObject **remainder);

PyObject *ouro_int_repr(PyObject *self);

/* METH_FASTCALL | METH_KEYWORDS; the second is a class method. */
PyObject *ouro_int_to_bytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
PyObject *ouro_int_from_bytes(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames);

extern PyNumberMethods ouro_int_as_number __attribute__((visibility("hidden")));

#endif
