/* SPDX-License-Identifier: MIT */
/* Methods of built-in types that are added before a program looks up its first attribute.
 *
 * Every function that looks up a name which comes from its caller calls ouro_methods_use first.
 * Code that is part of every program (starting, finishing types, collecting, reporting errors)
 * does not: it looks up names that are in none of these tables, and must not link them. */
#ifndef OURO_API_METHODS_H
#define OURO_API_METHODS_H

#include <stdbool.h>

#include "../base/check.h"

extern bool ouro_methods_are_there;
bool ouro_methods_add(void);

/* False with MemoryError. */
static inline bool
ouro_methods_use(void)
{
    return OURO_LIKELY(__atomic_load_n(&ouro_methods_are_there, __ATOMIC_ACQUIRE)) ||
           ouro_methods_add();
}

#endif
