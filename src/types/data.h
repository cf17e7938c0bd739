/* SPDX-License-Identifier: MIT */
/* How the data of a type is aligned behind that of its base. */
#ifndef OURO_TYPES_DATA_H
#define OURO_TYPES_DATA_H

#include <Python.h>
#include <stdbool.h>

#define OURO_DATA_ALIGN 16 /* suits max_align_t */

static inline Py_ssize_t
ouro_data_align(Py_ssize_t size)
{
    return (Py_ssize_t)Py_SIZE_ROUND_UP(size, OURO_DATA_ALIGN);
}

#endif
