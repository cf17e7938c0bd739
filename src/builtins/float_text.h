/* SPDX-License-Identifier: MIT */
#ifndef OURO_BUILTINS_FLOAT_TEXT_H
#define OURO_BUILTINS_FLOAT_TEXT_H

#include <stddef.h>

/* Room for the text of any double: sign, 17 digits, point, exponent, NUL. */
#define OURO_FLOAT_TEXT_MAX 40

/* Write the shortest text that reads back as `value`, as repr() does, with a NUL. Returns
 * its length. */
size_t ouro_float_repr(double value, char *text);

#endif
