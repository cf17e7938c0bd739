/* SPDX-License-Identifier: MIT */
/* The names that a shared library has. */
#ifndef OURO_CLI_SYMBOLS_H
#define OURO_CLI_SYMBOLS_H

#include <stddef.h>

/* The name of the module in a file, from its symbol PyInit_NAME. With several, that which the
 * file's name begins with. NULL when there is none; else to be freed. */
char *symbols_module_name(const char *file);

#endif
