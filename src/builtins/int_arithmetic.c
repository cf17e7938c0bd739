/* SPDX-License-Identifier: MIT */
/* Arithmetic of ints: the number slots.
 *
 * Each operation first tries 64 bits, computing in 128; longer numbers go the way of
 * int_digits.c. */
#include "int_object.h"

#define BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)                                               \
    if (!PyLong_Check(a) || !PyLong_Check(b)) {                                          \
        Py_RETURN_NOTIMPLEMENTED;                                                        \
    }

/* Are both short? Then their values are stored. */
static bool
both_ints_short(PyObject *a, PyObject *b, int64_t *x, int64_t *y)
{
    return ouro_int_fits64(ouro_int(a), x) && ouro_int_fits64(ouro_int(b), y);
}

/* --- sums ----------------------------------------------------------------------------------- */

/* |a| + |b| with the sign given. */
static PyObject *
add_magnitudes(PyLongObject *a, PyLongObject *b, bool negative)
{
    if (ouro_int_count(a) < ouro_int_count(b)) {
        PyLongObject *swap = a;
        a = b;
        b = swap;
    }
    PyLongObject *sum = ouro_int_allocate(ouro_int_count(a) + 1);
    if (sum == NULL) {
        return NULL;
    }
    ouro_digits_add(ouro_int_digits(sum), ouro_int_digits(a), ouro_int_count(a),
                    ouro_int_digits(b), ouro_int_count(b));
    return ouro_int_normal(sum, negative);
}

/* |a| - |b|, negated when `negative`. */
static PyObject *
subtract_magnitudes(PyLongObject *a, PyLongObject *b, bool negative)
{
    if (ouro_digits_compare(ouro_int_digits(a), ouro_int_count(a), ouro_int_digits(b),
                            ouro_int_count(b)) < 0) {
        PyLongObject *swap = a;
        a = b;
        b = swap;
        negative = !negative;
    }
    PyLongObject *difference = ouro_int_allocate(ouro_int_count(a));
    if (difference == NULL) {
        return NULL;
    }
    ouro_digits_subtract(ouro_int_digits(difference), ouro_int_digits(a),
                         ouro_int_count(a), ouro_int_digits(b), ouro_int_count(b));
    return ouro_int_normal(difference, negative);
}

/* a + b, or a - b when `flip`. */
static PyObject *
sum_of_ints(PyObject *a, PyObject *b, bool flip)
{
    PyLongObject *v = ouro_int(a), *w = ouro_int(b);
    bool negative = ouro_int_negative(v);
    if (negative == (ouro_int_negative(w) != flip)) {
        return add_magnitudes(v, w, negative);
    }
    return subtract_magnitudes(v, w, negative);
}

static PyObject *
int_add(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    int64_t x, y;
    if (both_ints_short(a, b, &x, &y)) {
        return ouro_int_from128((ouro_int128)x + y);
    }
    return sum_of_ints(a, b, false);
}

static PyObject *
int_subtract(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    int64_t x, y;
    if (both_ints_short(a, b, &x, &y)) {
        return ouro_int_from128((ouro_int128)x - y);
    }
    return sum_of_ints(a, b, true);
}

/* --- products ------------------------------------------------------------------------------- */

static PyObject *
int_multiply(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    int64_t x, y;
    if (both_ints_short(a, b, &x, &y)) {
        return ouro_int_from128((ouro_int128)x * y);
    }
    PyLongObject *v = ouro_int(a), *w = ouro_int(b);
    PyLongObject *product = ouro_int_allocate(ouro_int_count(v) + ouro_int_count(w));
    if (product == NULL) {
        return NULL;
    }
    ouro_digits_multiply(ouro_int_digits(product), ouro_int_digits(v), ouro_int_count(v),
                         ouro_int_digits(w), ouro_int_count(w));
    return ouro_int_normal(product, ouro_int_negative(v) != ouro_int_negative(w));
}

/* --- division ------------------------------------------------------------------------------- */

/* |a| / |b| and |a| % |b|, both with a sign given; b is not 0. */
static int
divide_magnitudes(PyLongObject *a, PyLongObject *b, bool quotient_negative,
                  bool remainder_negative, PyObject **quotient, PyObject **remainder)
{
    Py_ssize_t na = ouro_int_count(a), nb = ouro_int_count(b);
    const uint32_t *da = ouro_int_digits(a), *db = ouro_int_digits(b);
    Py_ssize_t nq = na < nb ? 1 : na - nb + 1;
    PyLongObject *q = ouro_int_allocate(nq), *r = ouro_int_allocate(nb);
    uint32_t *work = PyMem_Malloc((size_t)(na + 1 + nb) * sizeof *work);
    if (q == NULL || r == NULL || work == NULL) {
        Py_XDECREF(q);
        Py_XDECREF(r);
        PyMem_Free(work);
        PyErr_NoMemory();
        return -1;
    }
    if (na < nb) {
        ouro_int_digits(q)[0] = 0;
        memset(ouro_int_digits(r), 0, (size_t)nb * sizeof(uint32_t));
        memcpy(ouro_int_digits(r), da, (size_t)na * sizeof(uint32_t));
    } else if (nb == 1) {
        ouro_int_digits(r)[0] =
            ouro_digits_divide_small(ouro_int_digits(q), da, na, db[0]);
    } else {
        ouro_digits_divide(ouro_int_digits(q), ouro_int_digits(r), da, na, db, nb, work);
    }
    PyMem_Free(work);
    *quotient = ouro_int_normal(q, quotient_negative);
    *remainder = ouro_int_normal(r, remainder_negative);
    return 0;
}

/* From division towards zero to division downwards, where the remainder has the sign of
 * the divisor. */
static int
round_division_down(PyObject *b, PyObject **quotient, PyObject **remainder)
{
    if (Py_SIZE(*remainder) == 0 || (Py_SIZE(*remainder) < 0) == (Py_SIZE(b) < 0)) {
        return 0;
    }
    PyObject *one = PyLong_FromLong(1);
    PyObject *q = int_subtract(*quotient, one);
    PyObject *r = int_add(*remainder, b);
    if (q == NULL || r == NULL) {
        Py_XDECREF(q);
        Py_XDECREF(r);
        return -1;
    }
    Py_SETREF(*quotient, q);
    Py_SETREF(*remainder, r);
    return 0;
}

int
ouro_int_divmod(PyObject *a, PyObject *b, PyObject **quotient, PyObject **remainder)
{
    PyObject *q, *r;
    int64_t x, y;
    if (both_ints_short(a, b, &x, &y)) {
        ouro_int128 whole = (ouro_int128)x / y, rest = (ouro_int128)x % y;
        if (rest != 0 && (rest < 0) != (y < 0)) {
            whole--;
            rest += y;
        }
        q = ouro_int_from128(whole);
        r = ouro_int_from128(rest);
        if (q == NULL || r == NULL) {
            goto undo_results;
        }
    } else {
        bool negative = ouro_int_negative(ouro_int(a));
        if (divide_magnitudes(ouro_int(a), ouro_int(b), negative != (Py_SIZE(b) < 0),
                              negative, &q, &r) < 0) {
            return -1;
        }
        if (round_division_down(b, &q, &r) < 0) {
            goto undo_results;
        }
    }
    if (quotient != NULL) {
        *quotient = q;
    } else {
        Py_DECREF(q);
    }
    if (remainder != NULL) {
        *remainder = r;
    } else {
        Py_DECREF(r);
    }
    return 0;

undo_results:
    Py_XDECREF(q);
    Py_XDECREF(r);
    return -1;
}

static bool
divisor_is_zero(PyObject *b, const char *message)
{
    if (Py_SIZE(b) != 0) {
        return false;
    }
    PyErr_SetString(PyExc_ZeroDivisionError, message);
    return true;
}

static PyObject *
int_floor_divide(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    PyObject *quotient;
    if (divisor_is_zero(b, "integer division or modulo by zero") ||
        ouro_int_divmod(a, b, &quotient, NULL) < 0) {
        return NULL;
    }
    return quotient;
}

static PyObject *
int_remainder(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    PyObject *remainder;
    if (divisor_is_zero(b, "integer modulo by zero") ||
        ouro_int_divmod(a, b, NULL, &remainder) < 0) {
        return NULL;
    }
    return remainder;
}

static PyObject *
int_divmod_slot(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    PyObject *pair[2];
    if (divisor_is_zero(b, "integer division or modulo by zero") ||
        ouro_int_divmod(a, b, &pair[0], &pair[1]) < 0) {
        return NULL;
    }
    return _PyTuple_FromArraySteal(pair, 2);
}

/* The quotient of long ints: shift the dividend so that the whole quotient has at least
 * 64 bits, divide, and round once. */
static PyObject *
divide_to_double(PyLongObject *a, PyLongObject *b)
{
    int64_t bits_a = (int64_t)ouro_digits_bits(ouro_int_digits(a), ouro_int_count(a));
    int64_t bits_b = (int64_t)ouro_digits_bits(ouro_int_digits(b), ouro_int_count(b));
    int64_t shift = bits_b - bits_a + 66;
    bool negative = ouro_int_negative(a) != ouro_int_negative(b);
    Py_ssize_t na = ouro_int_count(a);
    Py_ssize_t whole = shift > 0 ? (Py_ssize_t)(shift / 32) : 0;
    PyLongObject *scaled = ouro_int_allocate(na + whole + 1);
    if (scaled == NULL) {
        return NULL;
    }
    bool sticky = false;
    uint32_t *digits = ouro_int_digits(scaled);
    if (shift >= 0) {
        ouro_digits_shift_left(digits, ouro_int_digits(a), na, (size_t)shift);
    } else {
        Py_ssize_t cut = (Py_ssize_t)(-shift / 32);
        memset(digits, 0, (size_t)(na + 1) * sizeof *digits);
        if (cut < na) {
            sticky =
                ouro_digits_shift_right(digits, ouro_int_digits(a), na, (size_t)-shift);
        }
    }
    PyLongObject *dividend = (PyLongObject *)ouro_int_normal(scaled, false);
    PyObject *quotient, *remainder;
    int failed = divide_magnitudes(dividend, b, false, false, &quotient, &remainder);
    Py_DECREF(dividend);
    if (failed) {
        return NULL;
    }
    sticky |= Py_SIZE(remainder) != 0;
    double value = ouro_digits_to_double(ouro_int_digits(ouro_int(quotient)),
                                         Py_SIZE(quotient), -shift, sticky);
    Py_DECREF(quotient);
    Py_DECREF(remainder);
    if (isinf(value)) {
        PyErr_SetString(PyExc_OverflowError,
                        "integer division result too large for a float");
        return NULL;
    }
    return PyFloat_FromDouble(negative ? -value : value);
}

static PyObject *
int_true_divide(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    if (divisor_is_zero(b, "division by zero")) {
        return NULL;
    }
    const int64_t exact = (int64_t)1 << 53;
    int64_t x, y;
    if (both_ints_short(a, b, &x, &y) && x >= -exact && x <= exact && y >= -exact &&
        y <= exact) {
        return PyFloat_FromDouble((double)x / (double)y);
    }
    if (Py_SIZE(a) == 0) {
        return PyFloat_FromDouble(Py_SIZE(b) < 0 ? -0.0 : 0.0);
    }
    return divide_to_double(ouro_int(a), ouro_int(b));
}

/* --- powers ----------------------------------------------------------------------------------- */

/* Multiply *value by `factor`, modulo `modulus` unless NULL. */
static int
multiply_in_place(PyObject **value, PyObject *factor, PyObject *modulus)
{
    PyObject *product = int_multiply(*value, factor);
    if (product != NULL && modulus != NULL) {
        PyObject *rest = NULL;
        ouro_int_divmod(product, modulus, NULL, &rest);
        Py_SETREF(product, rest);
    }
    if (product == NULL) {
        return -1;
    }
    Py_SETREF(*value, product);
    return 0;
}

/* base ** exponent by squaring, exponent >= 0. */
static PyObject *
raise_to_power(PyObject *base, PyLongObject *exponent, PyObject *modulus)
{
    PyObject *result = PyLong_FromLong(1);
    PyObject *square = Py_NewRef(base);
    if (modulus != NULL && multiply_in_place(&result, result, modulus) < 0) {
        goto undo;
    }
    size_t bits = ouro_digits_bits(ouro_int_digits(exponent), ouro_int_count(exponent));
    for (size_t i = 0; i < bits; i++) {
        if (i > 0 && multiply_in_place(&square, square, modulus) < 0) {
            goto undo;
        }
        if ((ouro_int_digits(exponent)[i / 32] >> (i % 32)) & 1) {
            if (multiply_in_place(&result, square, modulus) < 0) {
                goto undo;
            }
        }
    }
    Py_DECREF(square);
    return result;

undo:
    Py_DECREF(square);
    Py_DECREF(result);
    return NULL;
}

static PyObject *
int_power(PyObject *base, PyObject *exponent, PyObject *modulus)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(base, exponent)
    bool plain = modulus == Py_None || modulus == NULL;
    if (!plain && !PyLong_Check(modulus)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (!plain && Py_SIZE(modulus) == 0) {
        PyErr_SetString(PyExc_ValueError, "pow() 3rd argument cannot be 0");
        return NULL;
    }
    if (Py_SIZE(exponent) >= 0) {
        return raise_to_power(base, ouro_int(exponent), plain ? NULL : modulus);
    }
    if (!plain) {
        PyErr_SetString(PyExc_ValueError,
                        "pow() with a negative exponent and a modulus is not supported");
        return NULL;
    }
    return PyFloat_Type.tp_as_number->nb_power(base, exponent, Py_None);
}

/* --- shifts and bits ----------------------------------------------------------------------------- */

/* The number of bits to shift by; -1 with ValueError when negative, PY_SSIZE_T_MAX when it
 * is larger than that. */
static Py_ssize_t
shift_count(PyObject *b)
{
    if (Py_SIZE(b) < 0) {
        PyErr_SetString(PyExc_ValueError, "negative shift count");
        return -1;
    }
    int64_t count;
    return ouro_int_fits64(ouro_int(b), &count) ? count : PY_SSIZE_T_MAX;
}

static PyObject *
int_lshift(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    Py_ssize_t bits = shift_count(b);
    if (bits < 0) {
        return NULL;
    }
    Py_ssize_t count = ouro_int_count(ouro_int(a));
    if (count == 0) {
        return PyLong_FromLong(0);
    }
    PyLongObject *result = ouro_int_allocate(count + bits / 32 + 1);
    if (result == NULL) {
        return NULL;
    }
    ouro_digits_shift_left(ouro_int_digits(result), ouro_int_digits(ouro_int(a)), count,
                           (size_t)bits);
    return ouro_int_normal(result, Py_SIZE(a) < 0);
}

static PyObject *
int_rshift(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    Py_ssize_t bits = shift_count(b);
    if (bits < 0) {
        return NULL;
    }
    bool negative = Py_SIZE(a) < 0;
    Py_ssize_t count = ouro_int_count(ouro_int(a)), left = count - bits / 32;
    if (left <= 0) {
        return PyLong_FromLong(negative ? -1 : 0);
    }
    PyLongObject *result = ouro_int_allocate(left + 1);
    if (result == NULL) {
        return NULL;
    }
    uint32_t *digits = ouro_int_digits(result);
    bool lost = ouro_digits_shift_right(digits, ouro_int_digits(ouro_int(a)), count,
                                        (size_t)bits);
    digits[left] = 0;
    if (negative && lost) {
        const uint32_t one = 1;
        ouro_digits_add(digits, digits, left, &one, 1);
    }
    return ouro_int_normal(result, negative);
}

/* n digits of the two's complement of v, n being larger than its count. */
static void
expand_complement(uint32_t *to, PyLongObject *v, Py_ssize_t n)
{
    Py_ssize_t count = ouro_int_count(v);
    memcpy(to, ouro_int_digits(v), (size_t)count * sizeof *to);
    memset(to + count, 0, (size_t)(n - count) * sizeof *to);
    if (ouro_int_negative(v)) {
        ouro_digits_complement(to, n);
    }
}

static PyObject *
combine_bits(PyObject *a, PyObject *b, char op)
{
    Py_ssize_t na = ouro_int_count(ouro_int(a)), nb = ouro_int_count(ouro_int(b));
    Py_ssize_t n = (na > nb ? na : nb) + 1;
    PyLongObject *x = ouro_int_allocate(n), *y = ouro_int_allocate(n);
    if (x == NULL || y == NULL) {
        Py_XDECREF(x);
        Py_XDECREF(y);
        return NULL;
    }
    uint32_t *dx = ouro_int_digits(x), *dy = ouro_int_digits(y);
    expand_complement(dx, ouro_int(a), n);
    expand_complement(dy, ouro_int(b), n);
    for (Py_ssize_t i = 0; i < n; i++) {
        dx[i] = op == '&' ? dx[i] & dy[i] : op == '|' ? dx[i] | dy[i] : dx[i] ^ dy[i];
    }
    Py_DECREF(y);
    bool negative = (dx[n - 1] >> 31) != 0;
    if (negative) {
        ouro_digits_complement(dx, n);
    }
    return ouro_int_normal(x, negative);
}

static PyObject *
int_and(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    int64_t x, y;
    return both_ints_short(a, b, &x, &y) ? ouro_int_from128(x & y)
                                         : combine_bits(a, b, '&');
}

static PyObject *
int_or(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    int64_t x, y;
    return both_ints_short(a, b, &x, &y) ? ouro_int_from128(x | y)
                                         : combine_bits(a, b, '|');
}

static PyObject *
int_xor(PyObject *a, PyObject *b)
{
    BOTH_INTS_OR_NOT_IMPLEMENTED(a, b)
    int64_t x, y;
    return both_ints_short(a, b, &x, &y) ? ouro_int_from128(x ^ y)
                                         : combine_bits(a, b, '^');
}

/* --- one operand ------------------------------------------------------------------------------ */

/* An exact int with the digits of `self` and this sign. */
static PyObject *
int_with_sign(PyObject *self, bool negative)
{
    if (PyLong_CheckExact(self) && (Py_SIZE(self) < 0) == negative) {
        return Py_NewRef(self);
    }
    Py_ssize_t count = ouro_int_count(ouro_int(self));
    PyLongObject *copy = ouro_int_allocate(count);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(ouro_int_digits(copy), ouro_int_digits(ouro_int(self)),
           (size_t)count * sizeof(uint32_t));
    return ouro_int_normal(copy, negative);
}

static PyObject *
int_positive(PyObject *self)
{
    return int_with_sign(self, Py_SIZE(self) < 0);
}

static PyObject *
int_negative(PyObject *self)
{
    return int_with_sign(self, Py_SIZE(self) > 0);
}

static PyObject *
int_absolute(PyObject *self)
{
    return int_with_sign(self, false);
}

static PyObject *
int_invert(PyObject *self)
{
    int64_t value;
    if (ouro_int_fits64(ouro_int(self), &value)) {
        return ouro_int_from128(-1 - (ouro_int128)value);
    }
    PyObject *minus_one = PyLong_FromLong(-1);
    return int_subtract(minus_one, self);
}

static int
int_bool(PyObject *self)
{
    return Py_SIZE(self) != 0;
}

static PyObject *
int_float(PyObject *self)
{
    double value = PyLong_AsDouble(self);
    return value == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(value);
}

PyNumberMethods ouro_int_as_number = {
    .nb_add = int_add,
    .nb_subtract = int_subtract,
    .nb_multiply = int_multiply,
    .nb_remainder = int_remainder,
    .nb_divmod = int_divmod_slot,
    .nb_power = int_power,
    .nb_negative = int_negative,
    .nb_positive = int_positive,
    .nb_absolute = int_absolute,
    .nb_bool = int_bool,
    .nb_invert = int_invert,
    .nb_lshift = int_lshift,
    .nb_rshift = int_rshift,
    .nb_and = int_and,
    .nb_xor = int_xor,
    .nb_or = int_or,
    .nb_int = int_positive,
    .nb_float = int_float,
    .nb_floor_divide = int_floor_divide,
    .nb_true_divide = int_true_divide,
    .nb_index = int_positive,
};
