/* SPDX-License-Identifier: MIT */
/* int from C numbers and to C numbers. */
#include "int_object.h"

/* --- from C ------------------------------------------------------------------------------- */

PyObject *
PyLong_FromLong(long value)
{
    return ouro_int_from128(value);
}

PyObject *
PyLong_FromUnsignedLong(unsigned long value)
{
    return ouro_int_from_magnitude(value, false);
}

PyObject *
PyLong_FromLongLong(long long value)
{
    return ouro_int_from128(value);
}

PyObject *
PyLong_FromUnsignedLongLong(unsigned long long value)
{
    return ouro_int_from_magnitude(value, false);
}

PyObject *
PyLong_FromSsize_t(Py_ssize_t value)
{
    return ouro_int_from128(value);
}

PyObject *
PyLong_FromSize_t(size_t value)
{
    return ouro_int_from_magnitude(value, false);
}

PyObject *
PyLong_FromInt32(int32_t value)
{
    return ouro_int_from128(value);
}

PyObject *
PyLong_FromUInt32(uint32_t value)
{
    return ouro_int_from_magnitude(value, false);
}

PyObject *
PyLong_FromInt64(int64_t value)
{
    return ouro_int_from128(value);
}

PyObject *
PyLong_FromUInt64(uint64_t value)
{
    return ouro_int_from_magnitude(value, false);
}

PyObject *
PyLong_FromVoidPtr(void *p)
{
    return ouro_int_from_magnitude((uintptr_t)p, false);
}

PyObject *
PyLong_FromDouble(double value)
{
    if (isinf(value)) {
        PyErr_SetString(PyExc_OverflowError, "cannot convert float infinity to integer");
        return NULL;
    }
    if (isnan(value)) {
        PyErr_SetString(PyExc_ValueError, "cannot convert float NaN to integer");
        return NULL;
    }
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    if (exponent <= 64) {
        return ouro_int_from_magnitude((uint64_t)fabs(value), value < 0);
    }
    uint64_t mantissa = (uint64_t)ldexp(fraction, 64);
    uint32_t parts[2] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)};
    size_t shift = (size_t)exponent - 64;
    PyLongObject *v = ouro_int_allocate((Py_ssize_t)(shift / 32) + 3);
    if (v == NULL) {
        return NULL;
    }
    ouro_digits_shift_left(ouro_int_digits(v), parts, 2, shift);
    return ouro_int_normal(v, value < 0);
}

/* --- to C ---------------------------------------------------------------------------------- */

/* `obj` as an int: itself, or what its __index__ gives. New reference. */
static PyObject *
int_for_conversion(PyObject *obj)
{
    if (obj == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    return PyLong_Check(obj) ? Py_NewRef(obj) : PyNumber_Index(obj);
}

/* Only ints. */
static bool
require_int(PyObject *obj)
{
    if (obj == NULL) {
        PyErr_BadInternalCall();
        return false;
    }
    if (!PyLong_Check(obj)) {
        PyErr_SetString(PyExc_TypeError, "an integer is required");
        return false;
    }
    return true;
}

static void
raise_too_large(const char *c_type)
{
    PyErr_Format(PyExc_OverflowError, "Python int too large to convert to C %s", c_type);
}

long long
PyLong_AsLongLongAndOverflow(PyObject *obj, int *overflow)
{
    *overflow = 0;
    PyObject *number = int_for_conversion(obj);
    if (number == NULL) {
        return -1;
    }
    int64_t value;
    if (!ouro_int_fits64(ouro_int(number), &value)) {
        *overflow = ouro_int_negative(ouro_int(number)) ? -1 : 1;
        value = -1;
    }
    Py_DECREF(number);
    return value;
}

static long long
int_in_range(PyObject *obj, long long min, long long max, const char *c_type)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(obj, &overflow);
    if (overflow || value < min || value > max) {
        raise_too_large(c_type);
        return -1;
    }
    return value;
}

long
PyLong_AsLongAndOverflow(PyObject *obj, int *overflow)
{
    return PyLong_AsLongLongAndOverflow(obj, overflow);
}

long
PyLong_AsLong(PyObject *obj)
{
    return (long)int_in_range(obj, LONG_MIN, LONG_MAX, "long");
}

long long
PyLong_AsLongLong(PyObject *obj)
{
    return int_in_range(obj, LLONG_MIN, LLONG_MAX, "long long");
}

int
PyLong_AsInt(PyObject *obj)
{
    return (int)int_in_range(obj, INT_MIN, INT_MAX, "int");
}

int
PyLong_AsInt32(PyObject *obj, int32_t *value)
{
    *value = (int32_t)int_in_range(obj, INT32_MIN, INT32_MAX, "int32_t");
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

int
PyLong_AsInt64(PyObject *obj, int64_t *value)
{
    *value = int_in_range(obj, INT64_MIN, INT64_MAX, "int64_t");
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

Py_ssize_t
PyLong_AsSsize_t(PyObject *pylong)
{
    if (!require_int(pylong)) {
        return -1;
    }
    return int_in_range(pylong, PY_SSIZE_T_MIN, PY_SSIZE_T_MAX, "ssize_t");
}

/* The value of an int from 0 to `max`. */
static bool
int_as_unsigned(PyObject *number, uint64_t max, const char *c_type, uint64_t *value)
{
    PyLongObject *v = ouro_int(number);
    if (ouro_int_negative(v)) {
        PyErr_Format(PyExc_OverflowError, "can't convert negative value to %s", c_type);
        return false;
    }
    *value = ouro_int_count(v) > 2 ? UINT64_MAX : ouro_int_magnitude64(v);
    if (ouro_int_count(v) > 2 || *value > max) {
        raise_too_large(c_type);
        return false;
    }
    return true;
}

unsigned long
PyLong_AsUnsignedLong(PyObject *pylong)
{
    uint64_t value;
    if (!require_int(pylong) ||
        !int_as_unsigned(pylong, ULONG_MAX, "unsigned long", &value)) {
        return (unsigned long)-1;
    }
    return value;
}

unsigned long long
PyLong_AsUnsignedLongLong(PyObject *pylong)
{
    uint64_t value;
    if (!require_int(pylong) ||
        !int_as_unsigned(pylong, ULLONG_MAX, "unsigned long long", &value)) {
        return (unsigned long long)-1;
    }
    return value;
}

size_t
PyLong_AsSize_t(PyObject *pylong)
{
    uint64_t value;
    if (!require_int(pylong) || !int_as_unsigned(pylong, SIZE_MAX, "size_t", &value)) {
        return (size_t)-1;
    }
    return value;
}

/* The same through __index__, for the functions of 3.14. */
static int
store_unsigned(PyObject *obj, uint64_t max, const char *c_type, uint64_t *value)
{
    PyObject *number = int_for_conversion(obj);
    if (number == NULL) {
        return -1;
    }
    bool fits = int_as_unsigned(number, max, c_type, value);
    Py_DECREF(number);
    return fits ? 0 : -1;
}

int
PyLong_AsUInt32(PyObject *obj, uint32_t *value)
{
    uint64_t wide = 0;
    int result = store_unsigned(obj, UINT32_MAX, "uint32_t", &wide);
    *value = (uint32_t)wide;
    return result;
}

int
PyLong_AsUInt64(PyObject *obj, uint64_t *value)
{
    *value = 0;
    return store_unsigned(obj, UINT64_MAX, "uint64_t", value);
}

unsigned long long
PyLong_AsUnsignedLongLongMask(PyObject *obj)
{
    PyObject *number = int_for_conversion(obj);
    if (number == NULL) {
        return (unsigned long long)-1;
    }
    uint64_t magnitude = ouro_int_magnitude64(ouro_int(number));
    bool negative = ouro_int_negative(ouro_int(number));
    Py_DECREF(number);
    return negative ? 0 - magnitude : magnitude;
}

unsigned long
PyLong_AsUnsignedLongMask(PyObject *obj)
{
    return PyLong_AsUnsignedLongLongMask(obj);
}

void *
PyLong_AsVoidPtr(PyObject *pylong)
{
    if (!require_int(pylong)) {
        return NULL;
    }
    int64_t value;
    if (ouro_int_negative(ouro_int(pylong))) {
        if (!ouro_int_fits64(ouro_int(pylong), &value)) {
            raise_too_large("pointer");
            return NULL;
        }
        return (void *)(intptr_t)value;
    }
    uint64_t address;
    if (!int_as_unsigned(pylong, UINTPTR_MAX, "pointer", &address)) {
        return NULL;
    }
    return (void *)(uintptr_t)address;
}

double
PyLong_AsDouble(PyObject *pylong)
{
    if (!require_int(pylong)) {
        return -1.0;
    }
    PyLongObject *v = ouro_int(pylong);
    double value = ouro_digits_to_double(ouro_int_digits(v), ouro_int_count(v), 0, false);
    if (isinf(value)) {
        PyErr_SetString(PyExc_OverflowError, "int too large to convert to float");
        return -1.0;
    }
    return ouro_int_negative(v) ? -value : value;
}

/* --- questions ------------------------------------------------------------------------------- */

int
PyLong_GetSign(PyObject *obj, int *sign)
{
    if (!require_int(obj)) {
        return -1;
    }
    *sign = (Py_SIZE(obj) > 0) - (Py_SIZE(obj) < 0);
    return 0;
}

int
PyLong_IsPositive(PyObject *obj)
{
    return require_int(obj) ? Py_SIZE(obj) > 0 : -1;
}

int
PyLong_IsNegative(PyObject *obj)
{
    return require_int(obj) ? Py_SIZE(obj) < 0 : -1;
}

int
PyLong_IsZero(PyObject *obj)
{
    return require_int(obj) ? Py_SIZE(obj) == 0 : -1;
}

int64_t
_PyLong_NumBits(PyObject *pylong)
{
    PyLongObject *v = ouro_int(pylong);
    return (int64_t)ouro_digits_bits(ouro_int_digits(v), ouro_int_count(v));
}

int
PyUnstable_Long_IsCompact(const PyLongObject *op)
{
    return ouro_int_count(op) <= 1;
}

Py_ssize_t
PyUnstable_Long_CompactValue(const PyLongObject *op)
{
    int64_t value = 0;
    ouro_int_fits64(op, &value);
    return value;
}
