/* SPDX-License-Identifier: MIT */
/* Where the choices of a generated program come from: a seed, or the bytes of a file that a
 * fuzzer made. */
#ifndef OURO_TESTS_COLLECTOR_MODEL_CHANCE_H
#define OURO_TESTS_COLLECTOR_MODEL_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t random_state;
static const uint8_t *choice_bytes; /* NULL: the seed decides */
static size_t choices_left;

static inline void
choose_by_bytes(const uint8_t *bytes, size_t size)
{
    choice_bytes = bytes;
    choices_left = size;
}

static inline bool
choices_are_used_up(void)
{
    return choice_bytes != NULL && choices_left == 0;
}

static uint32_t
next_byte(void)
{
    if (choices_left == 0) {
        return 0;
    }
    choices_left--;
    return *choice_bytes++;
}

/* A number from 0 to limit-1. */
static int
below(int limit)
{
    if (choice_bytes != NULL) {
        uint32_t number = next_byte();
        number = limit > 256 ? number << 8 | next_byte() : number;
        return (int)(number % (uint32_t)limit);
    }
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)((uint32_t)(random_state >> 32) % (uint32_t)limit);
}

/* Similar seeds give similar first numbers, so these are skipped. */
static inline void
choose_by_seed(unsigned seed)
{
    choice_bytes = NULL;
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 88172645463325252u;
    for (int i = 0; i < 10; i++) {
        below(2);
    }
}

static bool
one_in(int n)
{
    return below(n) == 0;
}

#endif
