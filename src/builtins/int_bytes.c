/* SPDX-License-Identifier: MIT */
/* int from bytes and to bytes, in two's complement. */
#include "int_object.h"

#include "arguments.h"

static bool
machine_is_little(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* --- the bytes of a value -------------------------------------------------------------------------- */

/* Byte `i` from the least significant, of a magnitude. */
static unsigned char
magnitude_byte(PyLongObject *v, Py_ssize_t i)
{
    Py_ssize_t digit = i / 4;
    return digit < ouro_int_count(v)
               ? (unsigned char)(ouro_int_digits(v)[digit] >> (i % 4 * 8))
               : 0;
}

/* The lowest `n` bytes of the value. */
static void
store_bytes(PyLongObject *v, unsigned char *out, Py_ssize_t n, bool little)
{
    unsigned carry = 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned char byte = magnitude_byte(v, i);
        if (ouro_int_negative(v)) {
            unsigned sum = (unsigned char)~byte + carry;
            byte = (unsigned char)sum;
            carry = sum >> 8;
        }
        out[little ? i : n - 1 - i] = byte;
    }
}

/* How many bytes hold the value with a sign bit, or without one when it is not needed. */
static Py_ssize_t
bytes_needed(PyLongObject *v, bool with_sign)
{
    const uint32_t *digits = ouro_int_digits(v);
    Py_ssize_t count = ouro_int_count(v);
    size_t bits = ouro_digits_bits(digits, count);
    if (with_sign && ouro_int_negative(v) && bits % 8 == 0) {
        /* -128 fits as many bits as 127 does. */
        bool power = true;
        for (Py_ssize_t i = 0; i < count - 1; i++) {
            power = power && digits[i] == 0;
        }
        uint32_t top = digits[count - 1];
        if (power && (top & (top - 1)) == 0) {
            return (Py_ssize_t)(bits / 8);
        }
    }
    return (Py_ssize_t)(with_sign ? bits / 8 + 1 : Py_MAX((bits + 7) / 8, 1));
}

static PyObject *
load_bytes(const unsigned char *bytes, Py_ssize_t n, bool little, bool is_signed)
{
    bool negative = is_signed && n > 0 && (bytes[little ? n - 1 : 0] & 0x80) != 0;
    PyLongObject *v = ouro_int_allocate((n + 3) / 4);
    if (v == NULL) {
        return NULL;
    }
    uint32_t *digits = ouro_int_digits(v);
    unsigned carry = 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned char byte = bytes[little ? i : n - 1 - i];
        if (negative) {
            unsigned sum = (unsigned char)~byte + carry;
            byte = (unsigned char)sum;
            carry = sum >> 8;
        }
        if (i % 4 == 0) {
            digits[i / 4] = 0;
        }
        digits[i / 4] |= (uint32_t)byte << (i % 4 * 8);
    }
    return ouro_int_normal(v, negative);
}

/* --- for C ------------------------------------------------------------------------------------------ */

Py_ssize_t
PyLong_AsNativeBytes(PyObject *pylong, void *buffer, Py_ssize_t n_bytes, int flags)
{
    if (n_bytes < 0 || (buffer == NULL && n_bytes > 0)) {
        PyErr_BadInternalCall();
        return -1;
    }
    int given = flags == Py_ASNATIVEBYTES_DEFAULTS
                    ? Py_ASNATIVEBYTES_NATIVE_ENDIAN | Py_ASNATIVEBYTES_UNSIGNED_BUFFER
                    : flags;
    if (!PyLong_Check(pylong) && !(given & Py_ASNATIVEBYTES_ALLOW_INDEX)) {
        PyErr_Format(PyExc_TypeError, "expect int, got %T", pylong);
        return -1;
    }
    PyObject *number = PyNumber_Index(pylong);
    if (number == NULL) {
        return -1;
    }
    PyLongObject *v = ouro_int(number);
    Py_ssize_t needed = -1;
    if (ouro_int_negative(v) && (given & Py_ASNATIVEBYTES_REJECT_NEGATIVE)) {
        PyErr_SetString(PyExc_ValueError, "Cannot convert negative int");
    } else {
        bool little = (given & 3) == Py_ASNATIVEBYTES_NATIVE_ENDIAN
                          ? machine_is_little()
                          : (given & Py_ASNATIVEBYTES_LITTLE_ENDIAN) != 0;
        store_bytes(v, buffer, n_bytes, little);
        needed = bytes_needed(v, true);
        /* The sign bit may be missing if the buffer is meant to have none. */
        if (needed > n_bytes && n_bytes > 0 && !ouro_int_negative(v) &&
            (given & Py_ASNATIVEBYTES_UNSIGNED_BUFFER)) {
            needed = bytes_needed(v, false) <= n_bytes ? n_bytes : needed;
        }
    }
    Py_DECREF(number);
    return needed;
}

static PyObject *
from_native_bytes(const void *buffer, size_t n_bytes, int flags, bool is_signed)
{
    if (buffer == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    bool little = flags == -1 || (flags & 3) == Py_ASNATIVEBYTES_NATIVE_ENDIAN
                      ? machine_is_little()
                      : (flags & Py_ASNATIVEBYTES_LITTLE_ENDIAN) != 0;
    if (flags != -1 && (flags & Py_ASNATIVEBYTES_UNSIGNED_BUFFER)) {
        is_signed = false;
    }
    return load_bytes(buffer, (Py_ssize_t)n_bytes, little, is_signed);
}

PyObject *
PyLong_FromNativeBytes(const void *buffer, size_t n_bytes, int flags)
{
    return from_native_bytes(buffer, n_bytes, flags, true);
}

PyObject *
PyLong_FromUnsignedNativeBytes(const void *buffer, size_t n_bytes, int flags)
{
    return from_native_bytes(buffer, n_bytes, flags, false);
}

/* --- int.to_bytes and int.from_bytes -------------------------------------------------------------------- */

/* The arguments byteorder and signed. False with an exception. */
static bool
parse_byte_order(const char *function, PyObject *order, PyObject *signed_argument,
                 bool *little, bool *is_signed)
{
    *little = false;
    if (order != NULL) {
        if (!PyUnicode_Check(order)) {
            ouro_args_wrong_type(function, "argument 'byteorder'", "str", order);
            return false;
        }
        *little = PyUnicode_CompareWithASCIIString(order, "little") == 0;
        if (!*little && PyUnicode_CompareWithASCIIString(order, "big") != 0) {
            PyErr_SetString(PyExc_ValueError,
                            "byteorder must be either 'little' or 'big'");
            return false;
        }
    }
    int truth = signed_argument == NULL ? 0 : PyObject_IsTrue(signed_argument);
    *is_signed = truth > 0;
    return truth >= 0;
}

/* to_bytes(length=1, byteorder='big', *, signed=False) */
PyObject *
ouro_int_to_bytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    static char *names[] = {"length", "byteorder", "signed", NULL};
    PyObject *order = NULL, *is_signed_given = NULL;
    Py_ssize_t length = 1;
    bool little, is_signed;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "|nO$O:to_bytes", names,
                                     &length, &order, &is_signed_given) ||
        !parse_byte_order("to_bytes", order, is_signed_given, &little, &is_signed)) {
        return NULL;
    }
    if (length < 0) {
        PyErr_SetString(PyExc_ValueError, "length argument must be non-negative");
        return NULL;
    }
    PyLongObject *v = ouro_int(self);
    /* 0 and -1 consist of sign bits only: they fit into zero bytes. */
    int64_t value;
    bool only_sign = ouro_int_fits64(v, &value) && (value == 0 || value == -1);
    if (ouro_int_negative(v) && !is_signed) {
        PyErr_SetString(PyExc_OverflowError, "can't convert negative int to unsigned");
        return NULL;
    }
    if (!(only_sign && length == 0) && bytes_needed(v, is_signed) > length) {
        PyErr_SetString(PyExc_OverflowError, "int too big to convert");
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, length);
    if (bytes != NULL && length > 0) {
        store_bytes(v, (unsigned char *)PyBytes_AS_STRING(bytes), length, little);
    }
    return bytes;
}

/* from_bytes(bytes, byteorder='big', *, signed=False), a class method */
PyObject *
ouro_int_from_bytes(PyObject *type, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    static char *names[] = {"bytes", "byteorder", "signed", NULL};
    PyObject *source, *order = NULL, *is_signed_given = NULL;
    bool little, is_signed;
    if (!PyArg_ParseArrayAndKeywords(args, nargs, kwnames, "O|O$O:from_bytes", names,
                                     &source, &order, &is_signed_given) ||
        !parse_byte_order("from_bytes", order, is_signed_given, &little, &is_signed)) {
        return NULL;
    }
    PyObject *bytes = PyObject_Bytes(source);
    if (bytes == NULL) {
        return NULL;
    }
    PyObject *number = load_bytes((const unsigned char *)PyBytes_AS_STRING(bytes),
                                  PyBytes_GET_SIZE(bytes), little, is_signed);
    Py_DECREF(bytes);
    if (number != NULL && type != (PyObject *)&PyLong_Type) {
        Py_SETREF(number, PyObject_CallOneArg(type, number));
    }
    return number;
}
