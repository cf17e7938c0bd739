/* SPDX-License-Identifier: MIT */
/* Arithmetic of magnitudes; see int_digits.h. These are the schoolbook methods: numbers in
 * objects are short, and those below 2^63 never get here. */
#include "int_digits.h"

int
ouro_digits_compare(const uint32_t *a, Py_ssize_t na, const uint32_t *b, Py_ssize_t nb)
{
    if (na != nb) {
        return na < nb ? -1 : 1;
    }
    for (Py_ssize_t i = na - 1; i >= 0; i--) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

void
ouro_digits_add(uint32_t *r, const uint32_t *a, Py_ssize_t na, const uint32_t *b,
                Py_ssize_t nb)
{
    uint64_t carry = 0;
    for (Py_ssize_t i = 0; i < na; i++) {
        carry += (uint64_t)a[i] + (i < nb ? b[i] : 0);
        r[i] = (uint32_t)carry;
        carry >>= 32;
    }
    r[na] = (uint32_t)carry;
}

void
ouro_digits_subtract(uint32_t *r, const uint32_t *a, Py_ssize_t na, const uint32_t *b,
                     Py_ssize_t nb)
{
    uint64_t borrow = 0;
    for (Py_ssize_t i = 0; i < na; i++) {
        uint64_t difference = (uint64_t)a[i] - (i < nb ? b[i] : 0) - borrow;
        r[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

void
ouro_digits_multiply(uint32_t *r, const uint32_t *a, Py_ssize_t na, const uint32_t *b,
                     Py_ssize_t nb)
{
    memset(r, 0, (size_t)(na + nb) * sizeof *r);
    for (Py_ssize_t i = 0; i < na; i++) {
        uint64_t carry = 0;
        for (Py_ssize_t j = 0; j < nb; j++) {
            carry += (uint64_t)a[i] * b[j] + r[i + j];
            r[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        r[i + nb] = (uint32_t)carry;
    }
}

void
ouro_digits_scale(uint32_t *r, const uint32_t *a, Py_ssize_t n, uint32_t factor,
                  uint32_t carry)
{
    uint64_t sum = carry;
    for (Py_ssize_t i = 0; i < n; i++) {
        sum += (uint64_t)a[i] * factor;
        r[i] = (uint32_t)sum;
        sum >>= 32;
    }
    r[n] = (uint32_t)sum;
}

uint32_t
ouro_digits_divide_small(uint32_t *q, const uint32_t *a, Py_ssize_t n, uint32_t divisor)
{
    uint64_t remainder = 0;
    for (Py_ssize_t i = n - 1; i >= 0; i--) {
        remainder = (remainder << 32) | a[i];
        q[i] = (uint32_t)(remainder / divisor);
        remainder %= divisor;
    }
    return (uint32_t)remainder;
}

/* Subtract guess * v from the nv + 1 digits at u; true when that went below zero. */
static bool
subtract_multiple(uint32_t *u, const uint32_t *v, Py_ssize_t nv, uint64_t guess)
{
    uint64_t carry = 0, borrow = 0;
    for (Py_ssize_t i = 0; i <= nv; i++) {
        carry += guess * (i < nv ? v[i] : 0);
        uint64_t difference = (uint64_t)u[i] - (uint32_t)carry - borrow;
        u[i] = (uint32_t)difference;
        borrow = difference >> 63;
        carry >>= 32;
    }
    return borrow != 0;
}

/* Long division as on paper: each digit of the quotient is guessed from the leading digits
 * of dividend and divisor. With the top bit of the divisor set, and the guess checked
 * against its second digit, it is right or one too large. */
void
ouro_digits_divide(uint32_t *q, uint32_t *r, const uint32_t *a, Py_ssize_t na,
                   const uint32_t *b, Py_ssize_t nb, uint32_t *work)
{
    uint32_t *u = work, *v = work + na + 1;
    unsigned shift = (unsigned)__builtin_clz(b[nb - 1]);
    for (Py_ssize_t i = 0; i < nb; i++) {
        uint64_t pair = (uint64_t)b[i] << 32 | (i > 0 ? b[i - 1] : 0);
        v[i] = (uint32_t)((pair << shift) >> 32);
    }
    u[na] = (uint32_t)((uint64_t)a[na - 1] >> (32 - shift));
    for (Py_ssize_t i = 0; i < na; i++) {
        uint64_t pair = (uint64_t)a[i] << 32 | (i > 0 ? a[i - 1] : 0);
        u[i] = (uint32_t)((pair << shift) >> 32);
    }
    for (Py_ssize_t j = na - nb; j >= 0; j--) {
        uint64_t top = (uint64_t)u[j + nb] << 32 | u[j + nb - 1];
        uint64_t guess = top / v[nb - 1], rest = top % v[nb - 1];
        while (guess > UINT32_MAX || guess * v[nb - 2] > (rest << 32 | u[j + nb - 2])) {
            guess--;
            rest += v[nb - 1];
            if (rest > UINT32_MAX) {
                break;
            }
        }
        if (subtract_multiple(u + j, v, nb, guess)) {
            guess--;
            uint64_t carry = 0;
            for (Py_ssize_t i = 0; i <= nb; i++) {
                carry += (uint64_t)u[j + i] + (i < nb ? v[i] : 0);
                u[j + i] = (uint32_t)carry;
                carry >>= 32;
            }
        }
        q[j] = (uint32_t)guess;
    }
    for (Py_ssize_t i = 0; i < nb; i++) {
        uint64_t pair = (uint64_t)u[i + 1] << 32 | u[i];
        r[i] = (uint32_t)(pair >> shift);
    }
}

void
ouro_digits_shift_left(uint32_t *r, const uint32_t *a, Py_ssize_t n, size_t bits)
{
    size_t whole = bits / 32, part = bits % 32;
    memset(r, 0, whole * sizeof *r);
    uint64_t carry = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        carry |= (uint64_t)a[i] << part;
        r[whole + (size_t)i] = (uint32_t)carry;
        carry >>= 32;
    }
    r[whole + (size_t)n] = (uint32_t)carry;
}

bool
ouro_digits_shift_right(uint32_t *r, const uint32_t *a, Py_ssize_t n, size_t bits)
{
    Py_ssize_t whole = (Py_ssize_t)(bits / 32);
    unsigned part = (unsigned)(bits % 32);
    bool lost = (a[whole] & (((uint32_t)1 << part) - 1)) != 0;
    for (Py_ssize_t i = 0; i < whole; i++) {
        lost |= a[i] != 0;
    }
    for (Py_ssize_t i = whole; i < n; i++) {
        uint64_t pair = (uint64_t)(i + 1 < n ? a[i + 1] : 0) << 32 | a[i];
        r[i - whole] = (uint32_t)(pair >> part);
    }
    return lost;
}

size_t
ouro_digits_bits(const uint32_t *d, Py_ssize_t n)
{
    return n == 0 ? 0 : (size_t)n * 32 - (size_t)__builtin_clz(d[n - 1]);
}

void
ouro_digits_complement(uint32_t *d, Py_ssize_t n)
{
    uint64_t carry = 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        carry += (uint32_t)~d[i];
        d[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* The 64 bits below and including bit number `top`, with a sticky lowest bit. */
static uint64_t
leading_bits(const uint32_t *d, size_t bits, bool *sticky)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 64; i++) {
        size_t position = bits - 1 - i;
        value = value << 1 | (i < bits ? (d[position / 32] >> (position % 32)) & 1 : 0);
    }
    if (bits > 64) {
        size_t rest = bits - 64;
        for (size_t i = 0; i < rest / 32; i++) {
            *sticky |= d[i] != 0;
        }
        *sticky |= (d[rest / 32] & (((uint32_t)1 << (rest % 32)) - 1)) != 0;
    }
    return value;
}

double
ouro_digits_to_double(const uint32_t *d, Py_ssize_t n, int64_t exponent, bool sticky)
{
    if (n == 0) {
        return 0.0;
    }
    size_t bits = ouro_digits_bits(d, n);
    uint64_t lead = leading_bits(d, bits, &sticky);
    /* The value is lead * 2^scale, lead having its top bit set. */
    int64_t scale = (int64_t)bits - 64 + exponent;
    if (scale > 1024 - 64) {
        return HUGE_VAL;
    }
    if (scale < -1074 - 64) {
        return 0.0;
    }
    /* 53 bits are kept, fewer where the result is subnormal. */
    int drop = 11;
    if (scale + drop < -1074) {
        drop = (int)(-1074 - scale);
    }
    ouro_uint128 wide = lead; /* drop may be 64 */
    ouro_uint128 half = (ouro_uint128)1 << (drop - 1);
    ouro_uint128 rest = wide & ((half << 1) - 1);
    wide >>= drop;
    if (rest > half || (rest == half && (sticky || (wide & 1)))) {
        wide++;
    }
    return ldexp((double)(uint64_t)wide, (int)scale + drop);
}
