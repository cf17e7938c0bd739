/* SPDX-License-Identifier: MIT */
/* Objects that are alive after Py_FinalizeEx, but were not before Py_Initialize. See alive.c. */
#ifndef OURO_TESTS_ALIVE_H
#define OURO_TESTS_ALIVE_H

#include <stddef.h>

/* Call the first before Py_Initialize, the second after it, attached to the main interpreter. */
void alive_begin(void);
void alive_note_heap(void);
/* After Py_FinalizeEx: how many objects are left. Their types are written to stderr. */
size_t alive_report(void);

#endif
