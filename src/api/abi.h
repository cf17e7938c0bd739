/* SPDX-License-Identifier: MIT */
/* Refusing programs and modules that were compiled with other headers. */
#ifndef OURO_API_ABI_H
#define OURO_API_ABI_H

#include <stdint.h>

/* End the process unless the tag is this library's. */
void ouro_abi_require(const char *function, uint32_t tag);

#endif
