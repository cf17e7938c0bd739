/* SPDX-License-Identifier: MIT */
/* Every file that tools/mutants-random.py has put bugs into includes this. It tells whether bug
 * number `n` is switched on. See switch.c. */
#ifndef OURO_MUTANTS_SWITCH_H
#define OURO_MUTANTS_SWITCH_H

extern int ouro_mutant_on; /* its number; -1 for none */
extern unsigned char
    *ouro_mutant_reach; /* a byte for each that was asked about; or NULL */

static inline int
ouro_mutant(int n)
{
    if (ouro_mutant_reach != 0) {
        ouro_mutant_reach[n] = 1;
    }
    return n == ouro_mutant_on;
}

#endif
