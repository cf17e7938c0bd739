/* SPDX-License-Identifier: MIT */
/* Hash functions: of bytes, doubles and addresses.
 *
 * Text is hashed under a seed drawn once per process, so that an attacker cannot prepare keys
 * that collide. One seed, because the dicts of static types are shared by all interpreters. The
 * function multiplies 64-bit words of text and seed to 128 bits and folds the halves.
 *
 * Numbers that are equal must hash equal whatever their type: the hash of a number is its value
 * modulo the prime 2^61 - 1 (see "Hashing of numeric types" in the language reference); int.c
 * and float.c follow that rule. */
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

__extension__ typedef unsigned __int128 uint128;

static const uint64_t hash_odd1 = 0x9E3779B97F4A7C15u;
static const uint64_t hash_odd2 = 0xD1B54A32D192ED03u;

static uint64_t
fold_product(uint64_t a, uint64_t b)
{
    uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t
draw_hash_seed(void)
{
    /* The layout of the address space, the time and the kernel's generator: any one of them may
     * be predictable. */
    static char anchor;
    uint64_t random = 0;
    FILE *source = fopen("/dev/urandom", "rb");
    if (source != NULL) {
        setvbuf(source, NULL, _IONBF, 0);
        if (fread(&random, sizeof random, 1, source) != 1) {
            random = 0;
        }
        fclose(source);
    }
    struct timespec now = {0, 0};
    timespec_get(&now, TIME_UTC);
    uint64_t seed = random ^ (uint64_t)(uintptr_t)&anchor;
    seed = fold_product(seed ^ hash_odd1, (uint64_t)(uintptr_t)&now ^ hash_odd2);
    seed ^=
        fold_product((uint64_t)now.tv_nsec ^ hash_odd2, (uint64_t)now.tv_sec ^ hash_odd1);
    return seed | 1;
}

/* Never 0: 0 means that it has not been drawn. Two threads may draw; one wins. */
static uint64_t
get_hash_seed(void)
{
    static _Atomic uint64_t seed;
    uint64_t value = atomic_load_explicit(&seed, memory_order_relaxed);
    if (value == 0) {
        uint64_t drawn = draw_hash_seed();
        if (atomic_compare_exchange_strong(&seed, &value, drawn)) {
            value = drawn;
        }
    }
    return value;
}

static uint64_t
load_hash_word(const unsigned char *p, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, p, n);
    return word;
}

Py_hash_t
Py_HashBuffer(const void *ptr, Py_ssize_t len)
{
    if (len == 0) {
        return 0;
    }
    const unsigned char *p = ptr;
    size_t left = (size_t)len;
    uint64_t seed = get_hash_seed();
    uint64_t state = seed ^ fold_product((uint64_t)len ^ hash_odd1, hash_odd2);
    while (left > 16) {
        state = fold_product(load_hash_word(p, 8) ^ seed ^ hash_odd1,
                             load_hash_word(p + 8, 8) ^ state);
        p += 16;
        left -= 16;
    }
    uint64_t first = load_hash_word(p, left < 8 ? left : 8);
    uint64_t second = left > 8 ? load_hash_word(p + 8, left - 8) : 0;
    state = fold_product(first ^ seed ^ hash_odd2, second ^ state);
    state = fold_product(state ^ hash_odd1, seed ^ hash_odd2);
    Py_hash_t hash = (Py_hash_t)state;
    return hash == -1 ? -2 : hash;
}

Py_hash_t
Py_HashPointer(const void *ptr)
{
    /* Addresses are multiples of 16: rotate the constant bits to the top. */
    uintptr_t x = (uintptr_t)ptr;
    Py_hash_t hash = (Py_hash_t)((x >> 4) | (x << 60));
    return hash == -1 ? -2 : hash;
}

/* value == mantissa * 2^exponent; multiplying by 2 modulo 2^61 - 1 is a rotation. */
Py_hash_t
Py_HashDouble(PyObject *inst, double value)
{
    if (!isfinite(value)) {
        if (isinf(value)) {
            return value > 0 ? PyHASH_INF : -PyHASH_INF;
        }
        return Py_HashPointer(inst);
    }
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    exponent -= 53;
    uint64_t x = mantissa; /* < 2^53, so reduced already */
    int turn = exponent >= 0 ? exponent % PyHASH_BITS
                             : PyHASH_BITS - 1 - ((-1 - exponent) % PyHASH_BITS);
    x = ((x << turn) & PyHASH_MODULUS) | (x >> (PyHASH_BITS - turn));
    Py_hash_t hash = value < 0 ? -(Py_hash_t)x : (Py_hash_t)x;
    return hash == -1 ? -2 : hash;
}
