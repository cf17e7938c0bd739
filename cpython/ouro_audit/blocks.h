/* SPDX-License-Identifier: MIT */
/* C blocks that objects own: whether there is one at an address, and how large it is. */
#ifndef OURO_AUDIT_BLOCKS_H
#define OURO_AUDIT_BLOCKS_H

#include <Python.h> /* before all others: it decides what they declare */

#include <stddef.h>

#include "maps.h"

/* The words of the block that malloc or CPython's allocator has at the address. NULL if there is
 * none, if it is an object, or if it is not known. Nothing outside of `maps` is read. */
PyObject *const *block_words(const struct maps *maps, const void *address, size_t *count);

#endif
