/* SPDX-License-Identifier: MIT */
/* Doubles as bytes of the IEEE 754 formats with 2, 4 and 8 bytes. */
#include <Python.h>

#include <float.h>
#include <stdbool.h>

/* Store the lowest `n` bytes of `bits`. */
static void
store_float_bits(uint64_t bits, char *p, int n, int le)
{
    for (int i = 0; i < n; i++) {
        p[le ? i : n - 1 - i] = (char)(bits >> (8 * i));
    }
}

static uint64_t
load_float_bits(const char *p, int n, int le)
{
    uint64_t bits = 0;
    for (int i = 0; i < n; i++) {
        bits |= (uint64_t)(unsigned char)p[le ? i : n - 1 - i] << (8 * i);
    }
    return bits;
}

static int
raise_too_large_to_pack(char format)
{
    PyErr_Format(PyExc_OverflowError, "float too large to pack with %c format", format);
    return -1;
}

int
PyFloat_Pack8(double x, char *p, int le)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    store_float_bits(bits, p, 8, le);
    return 0;
}

int
PyFloat_Pack4(double x, char *p, int le)
{
    float narrow = (float)x;
    uint32_t bits;
    if (isinf(narrow) && !isinf(x)) {
        return raise_too_large_to_pack('f');
    }
    memcpy(&bits, &narrow, sizeof bits);
    store_float_bits(bits, p, 4, le);
    return 0;
}

/* Sign, 5 bits of exponent, 10 of fraction. */
int
PyFloat_Pack2(double x, char *p, int le)
{
    unsigned sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x)) {
        store_float_bits(sign | 0x7E00, p, 2, le);
        return 0;
    }
    if (isinf(x)) {
        store_float_bits(sign | 0x7C00, p, 2, le);
        return 0;
    }
    int exponent = 0;
    if (x != 0.0) {
        frexp(x, &exponent);
    }
    /* The unit of the last place; subnormals share that of the least exponent. */
    int unit = Py_MAX(exponent - 11, -24);
    double scaled = nearbyint(ldexp(fabs(x), -unit));
    unsigned fraction = (unsigned)Py_MIN(scaled, 4096.0);
    unsigned bits =
        fraction < 0x400 ? fraction : fraction - 0x400 + ((unsigned)(unit + 25) << 10);
    if (bits >= 0x7C00 || exponent > 17) {
        return raise_too_large_to_pack('e');
    }
    store_float_bits(sign | bits, p, 2, le);
    return 0;
}

double
PyFloat_Unpack8(const char *p, int le)
{
    uint64_t bits = load_float_bits(p, 8, le);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double
PyFloat_Unpack4(const char *p, int le)
{
    uint32_t bits = (uint32_t)load_float_bits(p, 4, le);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double
PyFloat_Unpack2(const char *p, int le)
{
    unsigned bits = (unsigned)load_float_bits(p, 2, le);
    unsigned exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    double x = exponent == 0x1F ? (fraction == 0 ? Py_INFINITY : Py_NAN)
               : exponent == 0  ? ldexp(fraction, -24)
                                : ldexp(fraction + 0x400, (int)exponent - 25);
    return bits & 0x8000 ? -x : x;
}
