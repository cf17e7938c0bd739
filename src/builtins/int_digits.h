/* SPDX-License-Identifier: MIT */
/* Arithmetic of magnitudes: arrays of base 2^32 digits, least significant first.
 *
 * Nothing here allocates or knows about objects. A count may include leading zero digits
 * unless it says "trimmed". Results may alias the first operand where it says so. */
#ifndef OURO_BUILTINS_INT_DIGITS_H
#define OURO_BUILTINS_INT_DIGITS_H

#include <Python.h>

#include <stdbool.h>

__extension__ typedef __int128 ouro_int128;
__extension__ typedef unsigned __int128 ouro_uint128;

/* The count without leading zero digits. */
static inline Py_ssize_t
ouro_digits_trim(const uint32_t *d, Py_ssize_t n)
{
    while (n > 0 && d[n - 1] == 0) {
        n--;
    }
    return n;
}

/* -1, 0, 1; both trimmed. */
int ouro_digits_compare(const uint32_t *a, Py_ssize_t na, const uint32_t *b,
                        Py_ssize_t nb);
/* r[0 .. na] = a + b, with na >= nb; r may be a. */
void ouro_digits_add(uint32_t *r, const uint32_t *a, Py_ssize_t na, const uint32_t *b,
                     Py_ssize_t nb);
/* r[0 .. na-1] = a - b, with a >= b; r may be a or b. */
void ouro_digits_subtract(uint32_t *r, const uint32_t *a, Py_ssize_t na,
                          const uint32_t *b, Py_ssize_t nb);
/* r[0 .. na+nb-1] = a * b; r is neither. */
void ouro_digits_multiply(uint32_t *r, const uint32_t *a, Py_ssize_t na,
                          const uint32_t *b, Py_ssize_t nb);
/* r[0 .. n] = a * factor + carry; r may be a. */
void ouro_digits_scale(uint32_t *r, const uint32_t *a, Py_ssize_t n, uint32_t factor,
                       uint32_t carry);
/* q[0 .. n-1] = a / divisor, returning the remainder; q may be a. */
uint32_t ouro_digits_divide_small(uint32_t *q, const uint32_t *a, Py_ssize_t n,
                                  uint32_t divisor);
/* q[0 .. na-nb] = a / b, and the remainder in r[0 .. nb-1]. b is trimmed and has at least
 * two digits, na >= nb. `work` has room for na + 1 + nb digits; none overlap. */
void ouro_digits_divide(uint32_t *q, uint32_t *r, const uint32_t *a, Py_ssize_t na,
                        const uint32_t *b, Py_ssize_t nb, uint32_t *work);
/* r[0 .. n + bits/32] = a << bits; r is not a. */
void ouro_digits_shift_left(uint32_t *r, const uint32_t *a, Py_ssize_t n, size_t bits);
/* r[0 .. n - bits/32 - 1] = a >> bits, with bits/32 < n; returns whether a 1 fell out. r
 * may be a. */
bool ouro_digits_shift_right(uint32_t *r, const uint32_t *a, Py_ssize_t n, size_t bits);
/* The number of bits of a trimmed magnitude. */
size_t ouro_digits_bits(const uint32_t *d, Py_ssize_t n);
/* Turn n digits into their two's complement, in place. */
void ouro_digits_complement(uint32_t *d, Py_ssize_t n);
/* The double nearest to a * 2^exponent, half to even; `sticky` says that a little more was
 * cut off below. Infinity when too large. Trimmed. */
double ouro_digits_to_double(const uint32_t *d, Py_ssize_t n, int64_t exponent,
                             bool sticky);

#endif
