/* SPDX-License-Identifier: MIT */
/* Counting bits, inline also where the compiler would call a function for it. */
#ifndef OURO_BASE_BITS_H
#define OURO_BASE_BITS_H

#include <stdint.h>

static inline uint32_t
ouro_bit_count(uint64_t word)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
    word -=
        (word >> 1) & 0x5555555555555555u; /* of each two bits, then four, then eight */
    word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)((word * 0x0101010101010101u) >> 56);
#else
    return (uint32_t)__builtin_popcountll(word);
#endif
}

#endif
